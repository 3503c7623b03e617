// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxSubschemas bounds what a schema may hold.
const maxSubschemas = 5000

// schemaDoc is a schema document that is being checked, and what was found out
// about it.
type schemaDoc struct {
	field string
	root  *node
	draft int
	// schemas in the order in which they stand in the document.
	schemas []*node
	known   map[*node]bool
	// base is the URI that references in a schema are relative to.
	base map[*node]string
	// refs are the targets of references, by the keyword's value.
	refs map[*node]*node
	// complex says that checking a value could take more time than its size
	// lets expect.
	complex bool
	headers []HeaderParam

	problems []Problem
}

// inputField and outputField name the schemas of a tool in problems.
const (
	inputField  = "input_schema"
	outputField = "output_schema"
)

// checkSchema reads a schema and looks for all that is wrong with it, so that
// each mistake is told with its place, and not only the first.
func checkSchema(raw []byte, field string) (*schemaDoc, []Problem) {
	root, problems := parseSchema(raw, field)
	if root == nil {
		return nil, problems
	}
	d := &schemaDoc{
		field: field, root: root, draft: 2020,
		known: make(map[*node]bool), base: make(map[*node]string), refs: make(map[*node]*node),
	}
	d.check()
	for _, p := range d.problems {
		if !p.Warning {
			return nil, d.problems
		}
	}
	return d, d.problems
}

func (d *schemaDoc) check() {
	if !d.root.isSchema() || d.field == inputField && d.root.kind != '{' {
		d.fail(d.root, "expected a JSON Schema, which is an object, got %s", kindName(d.root.kind))
		return
	}
	if v := d.root.get("$schema"); v.isString() {
		draft, ok := dialectNamed(v.text)
		if !ok {
			d.fail(v, "unsupported dialect %s; accepted: %s", quoteText(v.text), dialectNames)
			return
		}
		d.draft = draft
	}
	if d.field == inputField {
		d.checkRoot()
	}
	d.checkNumbers(d.root)
	d.walk(d.root, documentURL)
	if len(d.schemas) > maxSubschemas {
		d.fail(d.root, "more than %d subschemas", maxSubschemas)
		return
	}
	d.resolveReferences()
	d.checkCycles()
	if d.field == inputField {
		d.checkHeaders()
	}
}

// checkRoot checks what MCP asks of the arguments' schema, and what clients do.
func (d *schemaDoc) checkRoot() {
	switch t := d.root.get("type"); {
	case t == nil:
		d.fail(d.root, `the root needs "type": "object": the arguments of a tool are an object`)
	case t.kind != '"' && !t.isArray(), t.isString() && typeNamed(t.text) == 0:
		// Told by checkType.
	case !t.isString() || t.text != "object":
		d.fail(t, `the root's type is %s; expected "object": the arguments of a tool are an object`, t.raw)
	}
	for _, k := range []string{"oneOf", "anyOf", "allOf"} {
		if v := d.root.get(k); v != nil {
			d.warn(v, "%s at the root: some clients drop a tool for it; move it into a property, or describe the choice in words", k)
		}
	}
}

func (d *schemaDoc) fail(n *node, format string, a ...any) { d.add(n, false, format, a...) }
func (d *schemaDoc) warn(n *node, format string, a ...any) { d.add(n, true, format, a...) }

func (d *schemaDoc) add(n *node, warning bool, format string, a ...any) {
	d.problems = append(d.problems, Problem{
		Field: d.field, Pointer: n.pointer, Arg: d.argument(n.pointer),
		Message: fmt.Sprintf(format, a...), Warning: warning,
	})
}

// argument gives the argument that a place in an input schema is about.
func (d *schemaDoc) argument(pointer string) string {
	rest, ok := strings.CutPrefix(pointer, "/properties/")
	if !ok || d.field != inputField {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return unescapePointer(name)
}

// walk checks a schema and those in it.
func (d *schemaDoc) walk(n *node, base string) {
	if d.known[n] || len(d.schemas) > maxSubschemas {
		return
	}
	if !n.isSchema() {
		d.fail(n, "expected a schema (an object, true or false), got %s", kindName(n.kind))
		return
	}
	d.known[n] = true
	d.schemas = append(d.schemas, n)
	base = d.identify(n, base)
	d.base[n] = base
	for i, name := range n.names {
		v := n.values[i]
		k, ok := keywords[name]
		if !ok {
			d.checkUnknown(n, name, v)
			continue
		}
		if !k.known(d.draft) {
			d.warn(v, "%q is no keyword of the schema's dialect, %s, and is ignored", name, dialectName(d.draft))
			continue
		}
		d.checkKeyword(n, name, k.shape, v, base)
	}
	d.checkBounds(n)
	d.checkRequired(n)
	d.checkEnum(n)
}

func dialectName(draft int) string {
	switch draft {
	case 7:
		return "draft-07"
	case 2019:
		return "2019-09"
	}
	return "2020-12"
}

// annotations that are not JSON Schema's own and that everyone ignores.
var foreignKeywords = []string{"example", "discriminator", "xml", "externalDocs"}

var keywordNames = slices.Sorted(maps.Keys(keywords))

func (d *schemaDoc) checkUnknown(n *node, name string, v *node) {
	switch {
	case name == "nullable":
		if v.kind == 't' {
			d.warn(v, `"nullable" is not JSON Schema and is ignored: write %s`, nullableType(n))
			return
		}
		d.warn(v, `"nullable" is not JSON Schema and is ignored: leave it out`)
	case strings.HasPrefix(name, "x-"), slices.Contains(foreignKeywords, name):
	default:
		if w := nearest(name, keywordNames); w != "" {
			d.warn(v, "unknown keyword %s is ignored (did you mean %q?)", quoteText(name), w)
		}
	}
}

func nullableType(n *node) string {
	if t := n.get("type"); t.isString() {
		return fmt.Sprintf(`"type": [%q, "null"]`, t.text)
	}
	return `"type": ["string", "null"], or an anyOf with {"type": "null"}`
}

// checkBounds looks for limits that nothing can meet.
func (d *schemaDoc) checkBounds(n *node) {
	for _, p := range [][2]string{
		{"minLength", "maxLength"},
		{"minItems", "maxItems"},
		{"minProperties", "maxProperties"},
		{"minContains", "maxContains"},
		{"minimum", "maximum"},
		{"exclusiveMinimum", "maximum"},
		{"minimum", "exclusiveMaximum"},
		{"exclusiveMinimum", "exclusiveMaximum"},
	} {
		low, high := n.get(p[0]), n.get(p[1])
		if low == nil || high == nil {
			continue
		}
		l, ok1 := parseDecimal(low.raw)
		h, ok2 := parseDecimal(high.raw)
		if !ok1 || !ok2 {
			continue
		}
		c := l.compare(&h)
		if c > 0 || c == 0 && (strings.HasPrefix(p[0], "excl") || strings.HasPrefix(p[1], "excl")) {
			d.fail(low, "%s %s and %s %s leave no value", p[0], low.raw, p[1], high.raw)
		}
	}
}

// checkRequired looks for required members that cannot be given.
func (d *schemaDoc) checkRequired(n *node) {
	closed := n.get("additionalProperties")
	if closed == nil || closed.kind != 'f' || n.get("patternProperties") != nil {
		return
	}
	props := n.get("properties")
	if props != nil && !props.isObject() {
		return
	}
	req := n.get("required")
	if !req.isArray() {
		return
	}
	for _, v := range req.values {
		if v.isString() && props.get(v.text) == nil {
			var names []string
			if props != nil {
				names = props.names
			}
			d.fail(v, "%s is required, but properties does not have it and additionalProperties is false%s", quoteText(v.text), didYouMean(v.text, names))
		}
	}
}

// checkEnum looks for values that the type rules out.
func (d *schemaDoc) checkEnum(n *node) {
	t := n.get("type")
	allowed := typeAny
	switch {
	case t.isString():
		allowed = widen(typeNamed(t.text))
	case t.isArray():
		allowed = 0
		for _, s := range t.strings() {
			allowed |= widen(typeNamed(s))
		}
	}
	if allowed == 0 || allowed == typeAny {
		return
	}
	values := n.get("enum")
	if values.isArray() {
		d.checkValues(values.values, allowed, t)
	}
	if c := n.get("const"); c != nil {
		d.checkValues([]*node{c}, allowed, t)
	}
}

func (d *schemaDoc) checkValues(values []*node, allowed types, t *node) {
	var wrong []*node
	for _, v := range values {
		if typesOfKind(v.kind)&allowed == 0 {
			wrong = append(wrong, v)
		}
	}
	for _, v := range wrong {
		d.add(v, len(wrong) < len(values), "%s is a %s, which the type %s rules out", shorten(string(v.raw), maxQuoted), kindName(v.kind), t.raw)
	}
}
