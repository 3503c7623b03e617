// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"github.com/go-json-experiment/json/jsontext"
)

// types is a set of JSON types.
type types uint8

const (
	typeNull types = 1 << iota
	typeBoolean
	typeNumber
	typeInteger
	typeString
	typeArray
	typeObject

	typeAny types = 1<<iota - 1
)

var typeNames = [...]string{"null", "boolean", "number", "integer", "string", "array", "object"}

func typeNamed(name string) types {
	for i, n := range typeNames {
		if n == name {
			return 1 << i
		}
	}
	return 0
}

// typesOfKind gives the types that a value of that kind may have.
func typesOfKind(k jsontext.Kind) types {
	switch k {
	case 'n':
		return typeNull
	case 't', 'f':
		return typeBoolean
	case '0':
		return typeNumber | typeInteger
	case '"':
		return typeString
	case '[':
		return typeArray
	case '{':
		return typeObject
	}
	return 0
}

// names gives the types in words; nil stands for any. A number may be an
// integer too.
func (t types) names() []string {
	if t&typeNumber != 0 {
		t |= typeInteger
	}
	if t == typeAny {
		return nil
	}
	if t&typeNumber != 0 {
		t &^= typeInteger
	}
	names := []string{}
	for i, n := range typeNames {
		if t&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return names
}

// typesOf gives the types that a schema allows, as far as they can be told
// without a value.
func (d *schemaDoc) typesOf(n *node) types {
	return d.typesWithin(n, 0)
}

// maxHops bounds how many references and alternatives are followed to tell
// something about a schema.
const maxHops = 16

func (d *schemaDoc) typesWithin(n *node, hops int) types {
	if n == nil || hops > maxHops || n.kind == 't' {
		return typeAny
	}
	if n.kind == 'f' {
		return 0
	}
	t := typeAny
	if ref := n.get("$ref"); ref != nil {
		if target := d.refs[ref]; target != nil {
			t = d.typesWithin(target, hops+1)
		}
		if d.draft < 2019 {
			return t
		}
	}
	switch v := n.get("type"); {
	case v.isString():
		t &= widen(typeNamed(v.text))
	case v.isArray():
		var u types
		for _, s := range v.strings() {
			u |= widen(typeNamed(s))
		}
		t &= u
	}
	if v := n.get("const"); v != nil {
		t &= typesOfKind(v.kind)
	}
	if v := n.get("enum"); v.isArray() {
		var u types
		for _, e := range v.values {
			u |= typesOfKind(e.kind)
		}
		t &= u
	}
	if v := n.get("allOf"); v.isArray() {
		for _, s := range v.values {
			t &= d.typesWithin(s, hops+1)
		}
	}
	for _, k := range []string{"anyOf", "oneOf"} {
		if v := n.get(k); v.isArray() {
			var u types
			for _, s := range v.values {
				u |= d.typesWithin(s, hops+4)
			}
			t &= u
		}
	}
	return t
}

// widen lets a number be an integer.
func widen(t types) types {
	if t&typeNumber != 0 {
		t |= typeInteger
	}
	return t
}

// keyword finds an annotation of a schema: its own, or that of what it refers
// to.
func (d *schemaDoc) keyword(n *node, name string) *node {
	for range maxHops {
		if v := n.get(name); v != nil {
			return v
		}
		ref := n.get("$ref")
		if ref == nil || d.refs[ref] == nil {
			return nil
		}
		n = d.refs[ref]
	}
	return nil
}
