// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// withoutMembers gives the schema that clients see: as configured, without the
// arguments that are hidden from them. What else the root says about those goes
// too; that can only make the public schema allow more, and arguments are
// checked against the whole one.
func withoutMembers(n *node, hidden func(name string) bool) jsontext.Value {
	if n.kind != '{' {
		return n.raw
	}
	// A condition without its members would mean something else: it goes as a
	// whole, and what depends on it.
	conditional := mentions(n.get("if"), hidden) || mentions(n.get("then"), hidden) || mentions(n.get("else"), hidden)
	out := []byte{'{'}
	for i, name := range n.names {
		v := n.values[i]
		var kept jsontext.Value
		switch name {
		case "properties", "default":
			kept = filterObject(v, hidden, nil)
		case "required":
			kept = filterNames(v, hidden)
		case "dependentRequired", "dependencies", "dependentSchemas":
			kept = filterObject(v, hidden, func(m *node) jsontext.Value {
				if m.isArray() {
					return filterNames(m, hidden)
				}
				return withoutMembers(m, hidden)
			})
		case "examples":
			kept = mapElements(v, func(e *node) jsontext.Value { return filterObject(e, hidden, nil) })
		case "allOf":
			kept = mapElements(v, func(s *node) jsontext.Value { return withoutMembers(s, hidden) })
		case "if", "then", "else":
			if !conditional {
				kept = v.raw
			}
		case "minProperties":
			// The hidden ones count, and are not the client's to give.
		case "anyOf", "oneOf", "not":
			if !mentions(v, hidden) {
				kept = v.raw
			}
		default:
			kept = v.raw
		}
		if kept != nil {
			quoted, _ := jsontext.AppendQuote(nil, name)
			out = appendMember(out, quoted, kept)
		}
	}
	return append(out, '}')
}

// mentions says whether a schema, or one of a list, speaks of members.
func mentions(n *node, hidden func(name string) bool) bool {
	if n == nil {
		return false
	}
	if n.isArray() {
		return slices.ContainsFunc(n.values, func(s *node) bool { return mentions(s, hidden) })
	}
	for i, name := range n.names {
		v := n.values[i]
		switch name {
		case "properties", "dependentSchemas", "dependentRequired", "dependencies":
			if slices.ContainsFunc(v.names, hidden) {
				return true
			}
			for _, m := range v.values {
				if slices.ContainsFunc(m.strings(), hidden) {
					return true
				}
			}
			if name == "dependentSchemas" && slices.ContainsFunc(v.values, func(s *node) bool { return mentions(s, hidden) }) {
				return true
			}
		case "required":
			if slices.ContainsFunc(v.strings(), hidden) {
				return true
			}
		case "allOf", "anyOf", "oneOf", "not", "if", "then", "else":
			if mentions(v, hidden) {
				return true
			}
		}
	}
	return false
}

// filterObject leaves members out, and rewrites the others if told how; a nil
// result leaves one out too.
func filterObject(n *node, hidden func(name string) bool, rewrite func(*node) jsontext.Value) jsontext.Value {
	if n.kind != '{' {
		return n.raw
	}
	out := []byte{'{'}
	for i, name := range n.names {
		if hidden(name) {
			continue
		}
		v := n.values[i].raw
		if rewrite != nil {
			v = rewrite(n.values[i])
		}
		if v != nil {
			quoted, _ := jsontext.AppendQuote(nil, name)
			out = appendMember(out, quoted, v)
		}
	}
	return append(out, '}')
}

// filterNames leaves names out of a list; nil if none is left.
func filterNames(n *node, hidden func(name string) bool) jsontext.Value {
	if !n.isArray() {
		return n.raw
	}
	out := []byte{'['}
	for _, v := range n.values {
		if !v.isString() || hidden(v.text) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, v.raw...)
	}
	if len(out) == 1 {
		return nil
	}
	return append(out, ']')
}

func mapElements(n *node, f func(*node) jsontext.Value) jsontext.Value {
	if !n.isArray() {
		return n.raw
	}
	out := []byte{'['}
	for i, v := range n.values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, f(v)...)
	}
	return append(out, ']')
}
