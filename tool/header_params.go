// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"slices"
	"strings"
)

// headerTypes are the types whose values can be mirrored in a header.
const headerTypes = "string, integer, boolean"

// checkHeaders collects the arguments that are mirrored in headers. Clients
// drop a tool that breaks one of the rules (MCP 2026-07-28, transports,
// "x-mcp-header").
func (d *schemaDoc) checkHeaders() {
	reachable := make(map[*node][]string)
	d.reach(d.root, nil, reachable)
	seen := make(map[string]string)
	for _, n := range d.schemas {
		v := n.get(headerKeyword)
		if v == nil {
			continue
		}
		path, ok := reachable[n]
		if !ok || len(path) == 0 {
			d.fail(v, "%s: only an argument that is reached from the root through properties alone can be mirrored in a header", headerKeyword)
			continue
		}
		if !v.isString() || !isToken(v.text) {
			d.fail(v, "%s: expected a header name (letters, digits and !#$%%&'*+-.^_`|~), got %s", headerKeyword, describeValue(v))
			continue
		}
		t := n.get("type")
		if !t.isString() || t.text != "string" && t.text != "integer" && t.text != "boolean" {
			got := "no type"
			if t != nil {
				got = string(t.raw)
			}
			d.fail(v, "%s: the argument's type is %s; accepted: %s", headerKeyword, got, headerTypes)
			continue
		}
		key := strings.ToLower(v.text)
		if other, twice := seen[key]; twice {
			d.fail(v, "%s: %q is there twice, also at %s; case makes no difference", headerKeyword, v.text, other)
			continue
		}
		seen[key] = n.pointer
		d.headers = append(d.headers, HeaderParam{Header: "Mcp-Param-" + v.text, Path: path, Type: t.text})
	}
}

// reach gives the paths through properties.
func (d *schemaDoc) reach(n *node, path []string, reachable map[*node][]string) {
	reachable[n] = path
	props := n.get("properties")
	if !props.isObject() {
		return
	}
	for i, name := range props.names {
		p := append(slices.Clip(path), name)
		d.reach(props.values[i], p, reachable)
	}
}

// isToken says that a header can have that name (RFC 9110, "token").
func isToken(s string) bool {
	for _, c := range []byte(s) {
		alnum := c-'0' < 10 || (c|0x20)-'a' < 26
		if !alnum && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) || c >= 0x80 {
			return false
		}
	}
	return s != ""
}
