// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/caddymcp/caddy-mcp/tool"
)

// catalog is what an endpoint offers, as the bytes that clients get.
type catalog struct {
	entries map[string]*entry
	order   []*entry
	modern  list
	legacy  list

	// What answers consist of behind the id, or behind the protocol version.
	discover   []byte
	initialize []byte
	resultTail []byte // what ends a modern result, up to the members of _meta
}

// entry is one tool.
type entry struct {
	tool   Tool
	desc   *tool.Descriptor
	index  int
	params []headerParam
}

const caching = `"ttlMs":60000,"cacheScope":"public"`

func newCatalog(o *Options) (*catalog, error) {
	c := &catalog{entries: make(map[string]*entry, len(o.Tools))}
	var modern, legacy [][]byte
	for i, t := range o.Tools {
		d := t.Descriptor()
		if _, ok := c.entries[d.Name]; ok {
			return nil, fmt.Errorf("two tools have the name %q", d.Name)
		}
		e := &entry{tool: t, desc: d, index: i, params: headerParams(d.HeaderParams)}
		c.entries[d.Name] = e
		c.order = append(c.order, e)
		for _, l := range []struct {
			items  *[][]byte
			modern bool
		}{{&modern, true}, {&legacy, false}} {
			b, err := appendTool(nil, d, l.modern)
			if err != nil {
				return nil, fmt.Errorf("tool %s: %w", d.Name, err)
			}
			*l.items = append(*l.items, b)
		}
	}
	info, err := serverInfo(o)
	if err != nil {
		return nil, err
	}
	versions, err := json.Marshal(supportedVersions)
	if err != nil {
		return nil, err
	}
	instructions := ""
	if o.Instructions != "" {
		instructions = `,"instructions":` + string(quote(nil, o.Instructions))
	}
	metaInfo := `"_meta":{"` + metaServerInfo + `":` + string(info)
	c.discover = []byte(`{"resultType":"complete","supportedVersions":` + string(versions) +
		`,"capabilities":{"tools":{}}` + instructions + `,` + caching + `,` + metaInfo + `}}}`)
	c.initialize = []byte(`,"capabilities":{"tools":{}},"serverInfo":` + string(info) + instructions + `}}`)
	c.resultTail = []byte(`,"resultType":"complete",` + metaInfo)
	c.modern = newList(c, modern, o.PageSize, `,"resultType":"complete",`+caching+`,`+metaInfo+`}}}`)
	c.legacy = newList(c, legacy, o.PageSize, `}}`)
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
