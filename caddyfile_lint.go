// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/caddymcp/caddy-mcp/tool"
)

// finish puts the schema into the tool and checks it. Where the block is wrong
// already, what else is wrong would be noise.
func (t *toolAdapter) finish() {
	types := propertyTypes(t.schema)
	t.arguments(func(name string) bool { _, ok := types[name]; return ok })
	if t.schema != nil {
		t.tool.InputSchema = keep(t.schema)
	}
	if t.broken {
		return
	}
	_, problems := tool.Compile(t.tool.Config, tool.Options{})
	for _, p := range problems {
		note := t.add
		if p.Warning {
			note = t.warn
		}
		at, exact := t.find(p)
		message := p.Message
		if p.Pointer != "" && !exact {
			message = t.places.files[p.Field] + "at " + p.Pointer + ": " + message
		}
		note(at, "%s: %s", t.where, message)
	}
	t.lint()
}

// arguments puts back the arguments that Caddy took for its own shorthands.
func (t *toolAdapter) arguments(known func(string) bool) {
	r := &t.tool.Request
	put := func(s *string) { *s = shorten(*s, known) }
	put(&r.URL)
	for i := range r.Query {
		put(&r.Query[i].Value)
	}
	for i := range r.Headers {
		put(&r.Headers[i].Value)
	}
	b := r.Body
	if b == nil {
		return
	}
	put(&b.ContentType)
	put(&b.Text)
	if len(b.JSON) > 0 {
		b.JSON = json.RawMessage(shorten(string(b.JSON), known))
	}
	for i := range b.Fields {
		put(&b.Fields[i].Value)
		if f := b.Fields[i].File; f != nil {
			put(&f.Filename)
			put(&f.ContentType)
		}
	}
}

// find gives the token that a problem is about; exact is false if the problem
// lies deeper, in a schema that the token only names.
func (t *toolAdapter) find(p tool.Problem) (at token, exact bool) {
	if p.Field == "input_schema" || p.Field == "" {
		for ptr := p.Pointer; ptr != ""; ptr = ptr[:max(0, strings.LastIndexByte(ptr, '/'))] {
			if at, ok := t.places.pointers[ptr]; ok {
				return at, true
			}
		}
	}
	// What is wrong with an argument as a whole is said where it is declared.
	if p.Arg != "" && slices.Contains([]string{"input_schema", "request", "request.body", "hidden", "fixed", ""}, p.Field) {
		if at, ok := t.places.pointers["/properties/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(p.Arg)]; ok {
			return at, true
		}
	}
	for field := p.Field; field != ""; field = field[:max(0, strings.LastIndexByte(field, '.'))] {
		if at, ok := t.places.fields[field]; ok {
			return at, p.Pointer == ""
		}
	}
	return t.at, p.Pointer == ""
}

// lint finds what the tool alone cannot know.
func (t *toolAdapter) lint() {
	_, _, absolute := tool.Origin(t.tool.Config)
	if !absolute && !mayAnswer(t.tool.Routes) && !mayAnswer(t.handler.Routes) {
		at, ok := t.places.fields["request.url"]
		if !ok {
			at = t.at
		}
		t.add(at, "%s: no handler answers its requests; put a directive such as reverse_proxy into the tool or at the end of the mcp block, or give request an absolute URL (https://…)", t.where)
	}
}

// lint finds what is wrong with the endpoint as a whole.
func (a *endpointAdapter) lint() {
	first := make(map[string]token)
	for _, t := range a.tools {
		if before, ok := first[t.tool.Name]; ok {
			a.add(t.at, "two tools are called %q, the first at %s; clients know them by name", t.tool.Name, place(before))
			continue
		}
		first[t.tool.Name] = t.at
	}
	if a.handler.Instructions == nil {
		a.warn(a.at, "mcp %s has no instructions: a model uses tools better that are explained; instructions \"\" says that none are wanted", a.handler.Name)
	}
	if len(a.tools) == 0 {
		a.warn(a.at, "mcp %s has no tools", a.handler.Name)
	}
}

// endpointNames is where one adaptation keeps the names that it has met.
const endpointNames = "http.handlers.mcp.names"

type namedEndpoint struct {
	at  token
	raw json.RawMessage
}

// claim makes sure that two endpoints do not share a name. The same endpoint on
// two sites, from one snippet, is one.
func (a *endpointAdapter) claim(raw json.RawMessage) error {
	names, ok := a.h.State[endpointNames].(map[string]namedEndpoint)
	if !ok {
		names = make(map[string]namedEndpoint)
		a.h.State[endpointNames] = names
	}
	before, ok := names[a.handler.Name]
	if ok && !bytes.Equal(before.raw, raw) {
		return fmt.Errorf("%s: two mcp endpoints have the name %q, the first at %s; give one of them another: name <name>",
			place(a.at), a.handler.Name, place(before.at))
	}
	names[a.handler.Name] = namedEndpoint{a.at, raw}
	return nil
}
