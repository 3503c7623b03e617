// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/caddymcp/caddy-mcp/tool"
)

// catalog is what an endpoint offers, as the bytes that clients get.
type catalog struct {
	entries map[string]*entry
	modern  list
	legacy  list

	// What the answers of each kind consist of, besides the id.
	discover   []byte // the result
	initialize []byte // the result behind the protocol version
	listTail   []byte // what ends a modern list
	resultTail []byte // what ends a modern result, up to the members of _meta
	pageSize   int
}

// entry is one tool.
type entry struct {
	tool  Tool
	desc  *tool.Descriptor
	index int
}

// list is all tools as JSON, one after the other; ends[i] is the index behind
// the i-th, without its comma.
type list struct {
	data []byte
	ends []int
}

// slice gives the tools from i to j, separated by commas.
func (l *list) slice(i, j int) []byte {
	if i >= j {
		return nil
	}
	start := 0
	if i > 0 {
		start = l.ends[i-1] + 1
	}
	return l.data[start:l.ends[j-1]]
}

func (l *list) add(b []byte) {
	if len(l.ends) > 0 {
		l.data = append(l.data, ',')
	}
	l.data = append(l.data, b...)
	l.ends = append(l.ends, len(l.data))
}

const (
	caching = `"ttlMs":60000,"cacheScope":"public"`
)

func newCatalog(o *Options) (*catalog, error) {
	c := &catalog{entries: make(map[string]*entry, len(o.Tools)), pageSize: o.PageSize}
	for i, t := range o.Tools {
		d := t.Descriptor()
		if _, ok := c.entries[d.Name]; ok {
			return nil, fmt.Errorf("two tools have the name %q", d.Name)
		}
		c.entries[d.Name] = &entry{tool: t, desc: d, index: i}
		modern, err := appendTool(nil, d, true)
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", d.Name, err)
		}
		legacy, err := appendTool(nil, d, false)
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", d.Name, err)
		}
		c.modern.add(modern)
		c.legacy.add(legacy)
	}
	info, err := serverInfo(o)
	if err != nil {
		return nil, err
	}
	metaInfo := `"_meta":{"` + metaServerInfo + `":` + string(info)
	instructions := ""
	if o.Instructions != "" {
		instructions = `,"instructions":` + string(quote(nil, o.Instructions))
	}
	versions, err := json.Marshal(supportedVersions)
	if err != nil {
		return nil, err
	}
	c.discover = []byte(`{"resultType":"complete","supportedVersions":` + string(versions) +
		`,"capabilities":{"tools":{}}` + instructions + `,` + caching + `,` + metaInfo + `}}`)
	c.initialize = []byte(`,"capabilities":{"tools":{}},"serverInfo":` + string(info) + instructions + `}`)
	c.listTail = []byte(`,"resultType":"complete",` + caching + `,` + metaInfo + `}}`)
	c.resultTail = []byte(`,"resultType":"complete",` + metaInfo)
	return c, nil
}

// serverInfo gives the Implementation that describes the server.
func serverInfo(o *Options) (jsontext.Value, error) {
	b := append([]byte(`{"name":`), quote(nil, o.Name)...)
	if o.Title != "" {
		b = quote(append(b, `,"title":`...), o.Title)
	}
	b = quote(append(b, `,"version":`...), o.Version)
	if o.WebsiteURL != "" {
		b = quote(append(b, `,"websiteUrl":`...), o.WebsiteURL)
	}
	if len(o.Icons) > 0 {
		icons, err := json.Marshal(o.Icons)
		if err != nil {
			return nil, fmt.Errorf("encoding icons: %w", err)
		}
		b = append(append(b, `,"icons":`...), icons...)
	}
	return append(b, '}'), nil
}

func appendTool(b []byte, d *tool.Descriptor, modern bool) ([]byte, error) {
	b = quote(append(b, `{"name":`...), d.Name)
	if d.Title != "" {
		b = quote(append(b, `,"title":`...), d.Title)
	}
	if d.Description != "" {
		b = quote(append(b, `,"description":`...), d.Description)
	}
	b = append(append(b, `,"inputSchema":`...), d.InputSchema...)
	if d.OutputSchema != nil && (modern || d.OutputObject) {
		b = append(append(b, `,"outputSchema":`...), d.OutputSchema...)
	}
	b = appendAnnotations(append(b, `,"annotations":`...), d)
	if len(d.Icons) > 0 {
		icons, err := json.Marshal(d.Icons)
		if err != nil {
			return nil, fmt.Errorf("encoding icons: %w", err)
		}
		b = append(append(b, `,"icons":`...), icons...)
	}
	if d.Meta != nil {
		b = append(append(b, `,"_meta":`...), d.Meta...)
	}
	b = append(b, '}')
	v := jsontext.Value(b)
	if err := v.Compact(); err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	return v, nil
}

// appendAnnotations writes every hint: what is left out has the least
// favourable default, and clients differ in it.
func appendAnnotations(b []byte, d *tool.Descriptor) []byte {
	a := &d.Annotations
	b = append(b, '{')
	if a.Title != "" {
		b = append(quote(append(b, `"title":`...), a.Title), ',')
	}
	b = strconv.AppendBool(append(b, `"readOnlyHint":`...), a.ReadOnlyHint)
	b = strconv.AppendBool(append(b, `,"destructiveHint":`...), a.DestructiveHint == nil || *a.DestructiveHint)
	b = strconv.AppendBool(append(b, `,"idempotentHint":`...), a.IdempotentHint)
	b = strconv.AppendBool(append(b, `,"openWorldHint":`...), a.OpenWorldHint == nil || *a.OpenWorldHint)
	return append(b, '}')
}

// A cursor names the last tool of the page before. It needs no memory: any node
// of a cluster, and the next configuration, can go on from there.

func cursorFor(name string) string {
	sum := sha256.Sum256([]byte("tools/list 1\x00" + name))
	return base64.RawURLEncoding.EncodeToString(append([]byte{'1'}, append([]byte(name), sum[:4]...)...))
}

// after gives the index of the first tool behind a cursor.
func (c *catalog) after(cursor string) (int, bool) {
	if len(cursor) > 1024 {
		return 0, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(b) < 6 || b[0] != '1' {
		return 0, false
	}
	name := string(b[1 : len(b)-4])
	e, ok := c.entries[name]
	if !ok || cursorFor(name) != cursor {
		return 0, false
	}
	return e.index + 1, true
}
