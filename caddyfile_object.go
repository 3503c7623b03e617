// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"github.com/go-json-experiment/json/jsontext"
)

// objectValue reads a JSON object: from a block, a text or a file, or one member
// of it from the line itself.
func (m *mistakes) objectValue(l line, what string) (jsontext.Value, bool) {
	if l.braces && len(l.args) == 0 {
		return m.members(l.block, l.word.Text, true)
	}
	if l.braces {
		m.add(l.word, "%q takes %s as a block, or as JSON in one text, not both", l.word.Text, what)
		return nil, false
	}
	if len(l.args) > 1 && !isWord(l.args[0], "file") {
		return m.members([]line{{word: l.args[0], args: l.args[1:]}}, l.word.Text, true)
	}
	v, ok := m.json(l, l.args, what, true)
	if ok && v.Kind() != '{' {
		m.add(l.args[0], "%s is not a JSON object", what)
		return nil, false
	}
	return v, ok
}

// members reads the lines of a block as the members of a JSON object: a quoted
// value is a string; an unquoted one is the JSON value that it looks like, else a
// string; several are an array; and a block is an object. In plain text, what
// Caddy took for placeholders is put back.
func (m *mistakes) members(content []line, where string, plain bool) (jsontext.Value, bool) {
	var w schemaWriter
	ok := true
	first := make(map[string]token)
	for _, l := range content {
		name := l.word.Text
		if before, dup := first[name]; dup {
			m.add(l.word, "%q is given twice in %s, first at %s", name, where, place(before))
			ok = false
			continue
		}
		first[name] = l.word
		var v jsontext.Value
		switch {
		case l.braces && len(l.args) > 0:
			m.add(l.args[0], "%q in %s takes a value or a block, not both", name, where)
			ok = false
			continue
		case l.braces:
			inner, good := m.members(l.block, where, plain)
			if !good {
				ok = false
				continue
			}
			v = inner
		case len(l.args) == 0:
			m.add(l.word, "%q in %s has no value", name, where)
			ok = false
			continue
		case len(l.args) == 1:
			v = scalar(l.args[0], plain)
		default:
			var vs []jsontext.Value
			for _, arg := range l.args {
				vs = append(vs, scalar(arg, plain))
			}
			v = array(vs)
		}
		w.member(name, v)
	}
	return w.value(), ok
}

func scalar(t token, plain bool) jsontext.Value {
	s := t.Text
	if plain {
		s = shorten(s, nil)
	}
	if v := jsontext.Value(s); !t.Quoted() && v.IsValid() {
		v = v.Clone()
		_ = v.Compact()
		return v
	}
	return quote(s)
}
