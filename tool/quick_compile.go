// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"math"
)

// quickCompiler makes quick checks of the schemas of one document.
type quickCompiler struct {
	doc *schemaDoc
	// made are the checks so far; nil marks a schema that is not simple. A
	// schema that is being made is in here already, so that recursion ends.
	made map[*node]*quick
	// failed says that a schema that others rely on turned out not to be simple.
	failed bool
}

// quickSchema makes the quick check of a schema; nil if it or anything in it is
// not simple.
func (d *schemaDoc) quickSchema(n *node) *quick {
	c := quickCompiler{doc: d, made: make(map[*node]*quick)}
	q := c.compile(n)
	if c.failed {
		return nil
	}
	return q
}

// noteOnly says that a keyword is no condition.
func (c *quickCompiler) noteOnly(name string) bool {
	k, ok := keywords[name]
	if !ok {
		// What the schema library does not know, it ignores.
		return true
	}
	return k.note || !k.known(c.doc.draft) || name == "format" && c.doc.draft >= 2019
}

func (c *quickCompiler) fail() *quick {
	c.failed = true
	return nil
}

func newQuick() *quick {
	return &quick{types: typeAny, maxLength: math.MaxInt, maxItems: math.MaxInt, maxProperties: math.MaxInt}
}

// compile gives nil, with failed set, for what is not simple, and a check
// without conditions for what allows anything.
func (c *quickCompiler) compile(n *node) *quick {
	if c.failed {
		return nil
	}
	if q, ok := c.made[n]; ok {
		return q
	}
	q := newQuick()
	c.made[n] = q
	if n.kind == 't' {
		return q
	}
	if n.kind != '{' {
		return c.fail()
	}
	if ref := n.get("$ref"); ref != nil {
		return c.reference(n, ref)
	}
	for i, name := range n.names {
		if c.noteOnly(name) {
			continue
		}
		if !c.keyword(q, n, name, n.values[i]) {
			return c.fail()
		}
	}
	q.checksObject = q.members != nil || q.closed || q.additional != nil || q.required > 0 || q.minProperties > 0 || q.maxProperties < math.MaxInt
	q.checksElements = q.items != nil || q.minItems > 0 || q.maxItems < math.MaxInt
	return q
}

// reference follows a $ref that stands alone.
func (c *quickCompiler) reference(n, ref *node) *quick {
	for _, name := range n.names {
		if name != "$ref" && !c.noteOnly(name) {
			return c.fail()
		}
	}
	target := c.doc.refs[ref]
	if target == nil {
		return c.fail()
	}
	delete(c.made, n)
	q := c.compile(target)
	c.made[n] = q
	return q
}

// keyword adds a condition; false if it is not a simple one.
func (c *quickCompiler) keyword(q *quick, n *node, name string, v *node) bool {
	switch name {
	case "type":
		q.types &= declared(v)
	case "enum":
		return q.setEnum(v.values)
	case "const":
		return q.setEnum([]*node{v})
	case "minLength":
		return setCount(&q.minLength, v)
	case "maxLength":
		return setCount(&q.maxLength, v)
	case "minItems":
		return setCount(&q.minItems, v)
	case "maxItems":
		return setCount(&q.maxItems, v)
	case "minProperties":
		return setCount(&q.minProperties, v)
	case "maxProperties":
		return setCount(&q.maxProperties, v)
	case "minimum":
		return setLimit(&q.min, v)
	case "maximum":
		return setLimit(&q.max, v)
	case "exclusiveMinimum":
		return setLimit(&q.above, v)
	case "exclusiveMaximum":
		return setLimit(&q.below, v)
	case "multipleOf":
		d, ok := parseDecimal(v.raw)
		if !ok {
			return false
		}
		q.multiple, ok = d.int64()
		return ok && q.multiple > 0
	case "pattern":
		re, err := compileRegex(v.text)
		if err != nil {
			return false
		}
		q.pattern = re
	case "uniqueItems":
		return v.kind == 'f'
	case "items":
		if !v.isSchema() {
			return false
		}
		if v.kind != 't' {
			q.items = c.compile(v)
		}
	case "properties", "required":
		return q.members != nil || c.object(q, n)
	case "additionalProperties":
		switch v.kind {
		case 'f':
			q.closed = true
		case '{':
			q.additional = c.compile(v)
		}
	case "anyOf", "oneOf":
		return c.alone(n, name) && c.choices(q, v)
	default:
		return false
	}
	return !c.failed
}

// declared gives the types that a type keyword names.
func declared(v *node) types {
	if v.isString() {
		return widen(typeNamed(v.text))
	}
	var t types
	for _, s := range v.strings() {
		t |= widen(typeNamed(s))
	}
	return t
}

func setCount(dst *int, v *node) bool {
	d, ok := parseDecimal(v.raw)
	if !ok {
		return false
	}
	n, ok := d.int64()
	*dst = int(n)
	return ok && n >= 0 && n < math.MaxInt32
}

func setLimit(dst **decimal, v *node) bool {
	d, ok := parseDecimal(v.raw)
	*dst = &d
	return ok
}

func (q *quick) setEnum(values []*node) bool {
	if q.enum != nil {
		return false
	}
	q.enum = &quickEnum{strings: make(map[string]struct{})}
	for _, v := range values {
		switch v.kind {
		case '"':
			q.enum.strings[v.text] = struct{}{}
		case '0':
			d, ok := parseDecimal(v.raw)
			if !ok {
				return false
			}
			q.enum.numbers = append(q.enum.numbers, d)
		case '{', '[':
			return false
		default:
			q.enum.literals = append(q.enum.literals, string(v.raw))
		}
	}
	return true
}

// object takes properties and required together.
func (c *quickCompiler) object(q *quick, n *node) bool {
	q.members = make(map[string]int)
	add := func(name string) *quickProperty {
		i, ok := q.members[name]
		if !ok {
			i = len(q.properties)
			q.members[name] = i
			q.properties = append(q.properties, quickProperty{})
		}
		return &q.properties[i]
	}
	props := n.get("properties")
	if props != nil {
		for i, name := range props.names {
			add(name).check = c.compile(props.values[i])
		}
	}
	for _, name := range n.get("required").strings() {
		if props.get(name) == nil {
			// A required member that only additionalProperties speaks of.
			return false
		}
		if p := add(name); !p.required {
			p.required = true
			q.required++
		}
	}
	return true
}

// alone says that there is no other condition beside a keyword.
func (c *quickCompiler) alone(n *node, keyword string) bool {
	for _, name := range n.names {
		if name != keyword && !c.noteOnly(name) {
			return false
		}
	}
	return true
}

// choices takes alternatives whose types tell which of them is meant.
func (c *quickCompiler) choices(q *quick, v *node) bool {
	var taken types
	for _, alternative := range v.values {
		t := c.doc.typesOf(alternative)
		if t == typeAny || t&taken != 0 {
			return false
		}
		taken |= t
		check := c.compile(alternative)
		if c.failed {
			return false
		}
		q.choices = append(q.choices, quickChoice{t, check})
	}
	return true
}
