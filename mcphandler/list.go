// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"crypto/sha256"
	"encoding/base64"

	"github.com/caddymcp/caddy-mcp/tool"
)

// list answers tools/list of one era from bytes that were made at load.
type list struct {
	catalog *catalog
	// items are the tools as JSON.
	items [][]byte
	size  int
	// pages are the results of those who begin at the first tool and follow the
	// cursors, up to the end of the response.
	pages [][]byte
	// tail is what follows the tools and the cursor.
	tail string
}

func newList(c *catalog, items [][]byte, size int, tail string) list {
	l := list{catalog: c, items: items, size: size, tail: tail}
	for start := 0; start == 0 || start < len(items); start += size {
		page := l.append(nil, start)
		l.pages = append(l.pages, page)
		// From now on the tools are parts of their page, to hold them once.
		at := len(listHead)
		for i := start; i < min(start+size, len(items)); i++ {
			end := at + len(items[i])
			items[i] = page[at:end:end]
			at = end + 1
		}
	}
	return l
}

const listHead = `{"tools":[`

// append adds the page that begins at a tool.
func (l *list) append(b []byte, start int) []byte {
	end := min(start+l.size, len(l.items))
	b = append(b, listHead...)
	for i, item := range l.items[start:end] {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, item...)
	}
	b = append(b, ']')
	if end < len(l.items) {
		b = quote(append(b, `,"nextCursor":`...), cursorFor(l.catalog.order[end-1].desc))
	}
	return append(b, l.tail...)
}

// page answers with the page that the request asks for.
func (l *list) page(m *message, b []byte) (reply, *rpcError) {
	start := 0
	if c := m.params.cursor; c != nil && c.Kind() != 'n' {
		cursor, ok := text(c)
		if ok {
			start, ok = l.catalog.after(cursor)
		}
		if !ok {
			return reply{}, invalidParams("params.cursor: not a cursor of this list; start again without one")
		}
	}
	b = appendResponse(b, m.id)
	if start%l.size == 0 && start/l.size < len(l.pages) {
		return reply{head: b, tail: l.pages[start/l.size]}, nil
	}
	// The cursor is of an earlier configuration.
	return reply{head: l.append(b, start)}, nil
}

// A cursor names the last tool of the page before. It needs no memory: any node
// of a cluster, and the next configuration, can go on from there.

const (
	cursorVersion = '1'
	cursorSum     = 4
)

func cursorFor(d *tool.Descriptor) string {
	sum := sha256.Sum256([]byte("tools/list 1\x00" + d.Name))
	b := append([]byte{cursorVersion}, d.Name...)
	return base64.RawURLEncoding.EncodeToString(append(b, sum[:cursorSum]...))
}

// after gives the index of the first tool behind a cursor.
func (c *catalog) after(cursor string) (int, bool) {
	if len(cursor) > 1024 {
		return 0, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(b) <= 1+cursorSum || b[0] != cursorVersion {
		return 0, false
	}
	e, ok := c.entries[string(b[1:len(b)-cursorSum])]
	if !ok || cursorFor(e.desc) != cursor {
		return 0, false
	}
	return e.index + 1, true
}
