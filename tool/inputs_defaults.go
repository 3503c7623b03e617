// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// defaults checks the defaults, and those inside of arguments.
func (c *inputCompiler) defaults() {
	d := c.in.schema.doc
	for i := range c.in.arguments {
		a, n := &c.in.arguments[i], c.nodes[i]
		if n == nil {
			continue
		}
		if _, fixed := c.cfg.Fixed[a.name]; !fixed && a.value != nil {
			c.checkDefault([]string{a.name}, d.keyword(n, "default"))
		}
		if d.complex {
			continue // Where properties lead in circles, only the first level counts.
		}
		a.inner = d.filler(n, make(map[*node]bool))
		c.checkInner([]string{a.name}, n, a.inner)
	}
}

func (c *inputCompiler) checkInner(path []string, n *node, f *filler) {
	if f == nil {
		return
	}
	d := c.in.schema.doc
	props := d.keyword(n, "properties")
	for _, m := range f.members {
		inner := append(slices.Clip(path), m.name)
		p := props.get(m.name)
		if m.value != nil {
			c.checkDefault(inner, d.keyword(p, "default"))
		}
		c.checkInner(inner, p, m.inner)
	}
}

func (c *inputCompiler) checkDefault(path []string, v *node) {
	for _, message := range c.conforms(path, v.raw) {
		c.fail(inputField, v.pointer, path[0], "the default does not fit: %s", message)
	}
}

// conforms gives what is wrong with the value of an argument, or of a property
// in it.
func (c *inputCompiler) conforms(path []string, v jsontext.Value) []string {
	value, err := decode(v)
	if err != nil {
		return []string{err.Error()}
	}
	part := partOf(c.in.schema.compiled, path)
	if part == nil {
		return nil
	}
	r := report{schema: c.in.schema, value: value, quote: true, noun: "property", part: part}
	var messages []string
	for _, v := range r.check() {
		message := v.Message
		if v.Pointer != "" {
			message = v.Pointer + ": " + message
		}
		messages = append(messages, message)
	}
	return messages
}

// partOf finds the compiled schema of a property.
func partOf(s *jsonschema.Schema, path []string) *jsonschema.Schema {
	for _, name := range path {
		for hops := 0; s != nil && s.Properties[name] == nil && hops < maxHops; hops++ {
			s = s.Ref
		}
		if s == nil {
			return nil
		}
		s = s.Properties[name]
	}
	return s
}
