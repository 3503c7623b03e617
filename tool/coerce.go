// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// coercer converts values that came as strings, where the schema asks for
// another type. It never guesses: what the schema allows stays, and what fits
// no type that it allows stays too, for the check to refuse.
type coercer struct {
	types   types
	members map[string]*coercer
	others  *coercer
	items   *coercer
}

// coercer makes the conversion for a schema; made holds those so far, so that
// recursion ends.
func (d *schemaDoc) coercer(n *node, made map[*node]*coercer) *coercer {
	if n == nil || n.kind != '{' {
		return nil
	}
	if c, ok := made[n]; ok {
		return c
	}
	c := &coercer{types: d.typesOf(n)}
	made[n] = c
	if obj := d.alternative(n, typeObject); obj != nil {
		if props := d.keyword(obj, "properties"); props.isObject() {
			c.members = make(map[string]*coercer, len(props.names))
			for i, name := range props.names {
				c.members[name] = d.coercer(props.values[i], made)
			}
		}
		c.others = d.coercer(d.keyword(obj, "additionalProperties"), made)
	}
	if arr := d.alternative(n, typeArray); arr != nil {
		if items := d.keyword(arr, "items"); items.isObject() {
			c.items = d.coercer(items, made)
		}
	}
	return c
}

// alternative gives the one part of a schema that says what objects or arrays
// are made of: the schema itself, or the only alternative for that type.
func (d *schemaDoc) alternative(n *node, t types) *node {
	if d.typesOf(n)&t == 0 {
		return nil
	}
	for _, k := range []string{"anyOf", "oneOf"} {
		v := d.keyword(n, k)
		if !v.isArray() {
			continue
		}
		var found *node
		for _, a := range v.values {
			if d.typesOf(a)&t == 0 {
				continue
			}
			if found != nil {
				return nil
			}
			found = a
		}
		return found
	}
	return n
}

// append appends the value at i, converted, and gives the index behind it;
// changed says that anything was.
func (c *coercer) append(dst, b []byte, i int) (out []byte, end int, changed bool) {
	if i < 0 || i >= len(b) {
		return dst, -1, false
	}
	if c != nil && (b[i] == '{' && (c.members != nil || c.others != nil) || b[i] == '[' && c.items != nil) {
		return c.appendContainer(dst, b, i)
	}
	if end = skipValue(b, i); end < 0 {
		return dst, -1, false
	}
	raw := b[i:end]
	if c == nil || c.types == typeAny {
		return append(dst, raw...), end, false
	}
	v, ok := c.convert(raw)
	if !ok {
		return append(dst, raw...), end, false
	}
	if v[0] == '{' || v[0] == '[' {
		// What was in the string may hold strings that are more too. It cannot
		// come here again: it is no string now.
		if out, inner, _ := c.append(dst, v, 0); inner >= 0 {
			return out, end, true
		}
	}
	return append(dst, v...), end, true
}

func (c *coercer) appendContainer(dst, b []byte, i int) (out []byte, end int, changed bool) {
	start := len(dst)
	dst = append(dst, b[i])
	cur := enter(b, i)
	for name, ok := cur.next(); ok; name, ok = cur.next() {
		if len(dst) > start+1 {
			dst = append(dst, ',')
		}
		child := c.items
		if name != nil {
			dst = append(append(dst, name...), ':')
			child = c.others
			if m, ok := c.members[string(unquote(name, nil))]; ok {
				child = m
			}
		}
		var did bool
		if dst, cur.pos, did = child.append(dst, b, cur.pos); did {
			changed = true
		}
	}
	if cur.bad {
		return dst, -1, false
	}
	return append(dst, cur.closer), cur.pos, changed
}

// convert gives the value that a scalar stands for; ok is false if it is to
// stay as it is.
func (c *coercer) convert(raw []byte) (v []byte, ok bool) {
	switch raw[0] {
	case '"':
		if c.types&typeString != 0 {
			return nil, false
		}
		return c.convertText(unquote(raw, nil))
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if c.types != typeString && c.types != typeString|typeNull {
			return nil, false
		}
		quoted := make([]byte, 0, len(raw)+2)
		return append(append(append(quoted, '"'), raw...), '"'), true
	}
	return nil, false
}

// convertText gives the JSON value of a type that the schema allows.
func (c *coercer) convertText(text []byte) (v []byte, ok bool) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil, false
	}
	// Some clients write Python's True.
	for _, word := range []string{"true", "false"} {
		if len(text) == len(word) && bytes.EqualFold(text, []byte(word)) {
			return []byte(word), c.types&typeBoolean != 0
		}
	}
	var is types
	switch kind := jsontext.Value(text[:1]).Kind(); kind {
	case '{', '[', 'n':
		is = typesOfKind(kind)
	case '0':
		d, fine := parseDecimal(text)
		if !fine {
			return nil, false
		}
		is = typeNumber
		if d.integer() {
			is |= typeInteger
		}
	}
	if c.types&is == 0 || !jsontext.Value(text).IsValid() {
		return nil, false
	}
	return text, true
}
