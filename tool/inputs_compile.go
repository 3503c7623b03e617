// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// compileInputs checks the schema of the arguments and what is fixed, hidden
// and filled in. It gives nil if one of the problems is not a warning.
func compileInputs(cfg Config, opt Options) (*inputs, []Problem) {
	raw := cfg.InputSchema
	if len(raw) == 0 {
		raw = json.RawMessage(noArguments)
	}
	opt = opt.withDefaults()
	s, problems := compileSchema(raw, inputField)
	if s == nil {
		return nil, problems
	}
	c := inputCompiler{cfg: cfg, problems: problems, in: &inputs{
		schema: s, index: make(map[string]int),
		elements: opt.Elements, depth: opt.Depth,
	}}
	c.compile()
	for _, p := range c.problems {
		if !p.Warning {
			return nil, c.problems
		}
	}
	return c.in, c.problems
}

type inputCompiler struct {
	cfg      Config
	in       *inputs
	problems []Problem
	// nodes are the schemas of the arguments; nil where there is none.
	nodes []*node
}

func (c *inputCompiler) fail(field, pointer, arg, format string, a ...any) {
	c.problems = append(c.problems, Problem{Field: field, Pointer: pointer, Arg: arg, Message: fmt.Sprintf(format, a...)})
}

func (c *inputCompiler) compile() {
	in := c.in
	root := in.schema.doc.root
	in.open = isOpen(root)
	c.collect(root, 0)
	c.hide()
	for i := range in.arguments {
		c.argument(i)
	}
	c.defaults()
	c.rootCheck(root)
	in.public = root.raw
	if slices.ContainsFunc(in.arguments, func(a argument) bool { return a.hidden }) {
		in.public = withoutMembers(root, in.hidden)
	}
	for _, h := range in.schema.doc.headers {
		if !in.hidden(h.Path[0]) {
			in.headers = append(in.headers, h)
		}
	}
	c.checkHiddenReferences()
	in.schema.doc.schemas, in.schema.doc.refs = nil, nil // No longer needed.
}

// isOpen says whether the schema allows arguments that it does not name.
func isOpen(root *node) bool {
	if root.get("patternProperties") != nil {
		return true
	}
	if v := root.get("additionalProperties"); v != nil {
		return v.kind != 'f'
	}
	v := root.get("unevaluatedProperties")
	return v == nil || v.kind != 'f'
}

// collect collects the arguments: those of the root's properties, then those
// that only a part of it speaks of.
func (c *inputCompiler) collect(n *node, hops int) {
	if hops > maxHops || !n.isObject() {
		return
	}
	d := c.in.schema.doc
	if props := n.get("properties"); props.isObject() {
		for i, name := range props.names {
			c.declare(name, props.values[i])
		}
	}
	if hops == 0 {
		c.require(n)
		if v := n.get("additionalProperties"); v != nil && v.kind == 'f' {
			return // Whatever else is spoken of, nothing else is allowed.
		}
	}
	if ref := n.get("$ref"); ref != nil && d.refs[ref] != nil {
		c.collect(d.refs[ref], hops+1)
	}
	for _, k := range []string{"allOf", "anyOf", "oneOf"} {
		if v := n.get(k); v.isArray() {
			for _, s := range v.values {
				c.collect(s, hops+4)
			}
		}
	}
	for _, k := range []string{"then", "else"} {
		c.collect(n.get(k), hops+4)
	}
}

// require marks the arguments that the root requires.
func (c *inputCompiler) require(n *node) {
	for _, name := range n.get("required").strings() {
		c.declare(name, nil)
		a := &c.in.arguments[c.in.index[name]]
		if !a.required {
			a.required = true
			c.in.required++
		}
	}
}

func (c *inputCompiler) declare(name string, n *node) {
	if i, ok := c.in.index[name]; ok {
		if c.nodes[i] == nil {
			c.nodes[i] = n
		}
		return
	}
	c.in.index[name] = len(c.in.arguments)
	c.in.arguments = append(c.in.arguments, argument{name: name})
	c.nodes = append(c.nodes, n)
}

// hide takes the arguments from the clients that are fixed or hidden.
func (c *inputCompiler) hide() {
	in := c.in
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Fixed)) {
		field := "fixed." + name
		v, err := strictJSON(c.cfg.Fixed[name])
		if err != nil {
			c.fail(field, "", name, "not valid JSON: %s", describeSyntax(err))
			continue
		}
		i, ok := in.index[name]
		if !ok {
			if !in.open {
				c.fail(field, "", name, "%s", c.unknown(name, "fix"))
				continue
			}
			c.declare(name, nil)
			i = in.index[name]
		}
		a := &in.arguments[i]
		a.hidden, a.value = true, v
		for _, message := range c.conforms([]string{name}, v) {
			c.fail(field, "", name, "%s", message)
		}
	}
	for _, name := range c.cfg.Hidden {
		i, ok := in.index[name]
		if !ok {
			c.fail("hidden", "", name, "%s", c.unknown(name, "hide"))
			continue
		}
		in.arguments[i].hidden = true
	}
}

func (c *inputCompiler) unknown(name, verb string) string {
	var names []string
	for i := range c.in.arguments {
		names = append(names, c.in.arguments[i].name)
	}
	if len(names) == 0 {
		return fmt.Sprintf("there is no argument %s to %s; the tool has none", quoteText(name), verb)
	}
	return fmt.Sprintf("there is no argument %s to %s; there are %s%s", quoteText(name), verb, joinLimited(names), didYouMean(name, names))
}

// argument completes what is known of an argument.
func (c *inputCompiler) argument(i int) {
	d := c.in.schema.doc
	a, n := &c.in.arguments[i], c.nodes[i]
	p := property{Name: a.name}
	if n == nil {
		if a.hidden && a.value != nil {
			p.Types = typesOfKind(a.value.Kind()).names()
		}
		a.check = newQuick()
	} else {
		p.Types = d.typesOf(n).names()
		p.Base64 = strings.EqualFold(textOf(d.keyword(n, "contentEncoding")), "base64")
		a.check = d.quickSchema(n)
		if c.cfg.Coerce {
			a.coercer = d.coercer(n, make(map[*node]*coercer))
		}
	}
	if n != nil && a.value == nil {
		if v := d.keyword(n, "default"); v != nil {
			a.value = v.raw
		}
	}
	if a.hidden && a.required && a.value == nil {
		c.fail("hidden", "", a.name, "argument %s is hidden and required, so that no call could pass: give it a default, or fix its value", quoteText(a.name))
	}
	p.Always = a.required || a.value != nil
	c.in.properties = append(c.in.properties, p)
}

func textOf(n *node) string {
	if n.isString() {
		return n.text
	}
	return ""
}

// rootCheck finds out whether the root asks for more than that each argument
// is right.
func (c *inputCompiler) rootCheck(root *node) {
	in := c.in
	q := quickCompiler{doc: in.schema.doc}
	in.simple = true
	for i, name := range root.names {
		v := root.values[i]
		switch name {
		case "type", "properties", "required", "$id":
		case "additionalProperties":
			in.closed = v.kind == 'f'
			if v.kind == '{' {
				in.additional = in.schema.doc.quickSchema(v)
				in.closed = in.additional == nil
			}
		default:
			in.simple = in.simple && q.noteOnly(name)
		}
	}
	// A required argument that properties does not have is in the hands of
	// additionalProperties.
	for i := range in.arguments {
		if c.nodes[i] == nil {
			in.simple = in.simple && root.get("additionalProperties") == nil
		}
	}
}

// checkHiddenReferences looks for references into what clients do not get.
func (c *inputCompiler) checkHiddenReferences() {
	d := c.in.schema.doc
	for i, n := range c.nodes {
		a := &c.in.arguments[i]
		if a.hidden && n != nil && (strings.HasPrefix(n.pointer, "/$defs/") || strings.HasPrefix(n.pointer, "/definitions/")) {
			c.fail(inputField, n.pointer, a.name, "argument %s cannot be taken from clients here: move it into the root's properties", quoteText(a.name))
		}
	}
	for _, n := range d.schemas {
		for _, k := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
			v := n.get(k)
			if v == nil || d.refs[v] == nil {
				continue
			}
			to, from := d.argument(d.refs[v].pointer), d.argument(v.pointer)
			if to != "" && to != from && c.in.hidden(to) && !c.in.hidden(from) {
				c.fail(inputField, v.pointer, to, "%s leads into argument %s, which clients do not see: move what it refers to into $defs", k, quoteText(to))
			}
		}
	}
}
