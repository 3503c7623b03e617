// SPDX-License-Identifier: Apache-2.0

package tool

import "github.com/go-json-experiment/json/jsontext"

// filler fills the defaults of an object's members in.
type filler struct {
	members []fillMember
}

type fillMember struct {
	name string
	// quoted is the name as JSON.
	quoted []byte
	// value is the default, nil if there is none.
	value jsontext.Value
	// inner fills the member's own members in, if it is there.
	inner *filler
}

// filler collects the defaults in an object's schema, as far as properties
// lead; nil if there are none.
func (d *schemaDoc) filler(n *node, way map[*node]bool) *filler {
	if way[n] || d.typesOf(n)&typeObject == 0 {
		return nil
	}
	props := d.keyword(n, "properties")
	if !props.isObject() {
		return nil
	}
	way[n] = true
	defer delete(way, n)
	f := &filler{}
	for i, name := range props.names {
		p := props.values[i]
		m := fillMember{name: name, inner: d.filler(p, way)}
		if v := d.keyword(p, "default"); v != nil {
			m.value = v.raw
		}
		if m.value == nil && m.inner == nil {
			continue
		}
		m.quoted, _ = jsontext.AppendQuote(nil, name)
		f.members = append(f.members, m)
	}
	if len(f.members) == 0 {
		return nil
	}
	return f
}

// fill gives an object with the defaults of what is absent; v itself if nothing
// is, or if it is not an object.
func (f *filler) fill(v []byte) []byte {
	if f == nil || len(v) == 0 || v[0] != '{' {
		return v
	}
	seen := make([]bool, len(f.members))
	out := make([]byte, 0, len(v)+64)
	out = append(out, '{')
	changed := false
	c := enter(v, 0)
	for name, ok := c.next(); ok; name, ok = c.next() {
		value := c.value()
		if c.bad {
			return v
		}
		if i := f.index(unquote(name, nil)); i >= 0 {
			seen[i] = true
			if filled := f.members[i].inner.fill(value); len(filled) != len(value) {
				value, changed = filled, true
			}
		}
		out = appendMember(out, name, value)
	}
	if c.bad {
		return v
	}
	for i := range f.members {
		if m := &f.members[i]; !seen[i] && m.value != nil {
			out, changed = appendMember(out, m.quoted, m.value), true
		}
	}
	if !changed {
		return v
	}
	return append(out, '}')
}

func (f *filler) index(name []byte) int {
	for i := range f.members {
		if f.members[i].name == string(name) {
			return i
		}
	}
	return -1
}

func appendMember(dst, name, value []byte) []byte {
	if len(dst) > 0 && dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(append(append(dst, name...), ':'), value...)
}
