// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// property is an argument, as far as the request is concerned.
type property struct {
	Name string
	// Types are the JSON types that its schema allows; nil means any.
	Types []string
	// Always says that a call that passes always has it: it is required, or has
	// a default or a fixed value.
	Always bool
	// Base64 says that its contentEncoding is base64.
	Base64 bool
}

// inputs checks the arguments of calls and completes them.
type inputs struct {
	public     jsontext.Value
	headers    []HeaderParam
	properties []property
	// open says that undeclared arguments are allowed.
	open bool

	schema    *schema
	arguments []argument // in the order of properties
	index     map[string]int
	// simple says that the root is simple enough for arguments to be checked one
	// by one, without the schema library.
	simple     bool
	closed     bool
	additional *quick
	required   int

	elements, depth int
}

// argument is what the check and completion of one argument takes.
type argument struct {
	name string
	// check is nil if the schema is not simple.
	check    *quick
	coercer  *coercer
	inner    *filler
	required bool
	// hidden arguments are not the client's: value is the fixed one or the
	// default, nil if there is none.
	hidden bool
	value  jsontext.Value
}

// noArguments is the schema of a tool without arguments. Some clients insist
// on properties.
const noArguments = `{"type":"object","properties":{},"additionalProperties":false}`

// maxSeen is how many declared arguments are kept track of without allocating.
const maxSeen = 64

// prepare checks the arguments of a call against the schema and completes
// them. Values are parts of c.Arguments where they are as the client sent them.
func (in *inputs) prepare(c *Call) error {
	raw, err := in.object(c.Arguments)
	if err != nil {
		return err
	}
	var m size
	m.add(raw, in.elements, in.depth)
	if err := in.measured(m); err != nil {
		return err
	}
	var buf [maxSeen]bool
	seen := buf[:]
	if len(in.arguments) > maxSeen {
		seen = make([]bool, len(in.arguments))
	}
	p := pass{in: in, seen: seen[:len(in.arguments)], valid: in.simple}
	c.args.Members = make([]Member, 0, len(in.arguments))
	if err := p.take(c, raw); err != nil {
		return err
	}
	p.complete(c)
	if p.valid && len(p.refused) == 0 && p.required == in.required {
		return nil
	}
	return p.full(c)
}

// object gives the arguments as an object: absent ones are an empty one.
func (in *inputs) object(v jsontext.Value) (jsontext.Value, error) {
	raw := v[skipSpace(v, 0):]
	switch raw.Kind() {
	case '{':
		return raw, nil
	case 'n', 0:
		if len(raw) == 0 || raw.Kind() == 'n' {
			return jsontext.Value("{}"), nil
		}
	}
	return nil, &argumentError{text: "invalid arguments: expected an object with the arguments by name, got " + article(kindName(raw.Kind()))}
}

func article(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an " + noun
	}
	if noun == "null" {
		return noun
	}
	return "a " + noun
}

func (in *inputs) measured(m size) error {
	switch {
	case m.depth > in.depth:
		return argumentErrorf("invalid arguments: nested deeper than %d levels", in.depth)
	case m.elements > in.elements:
		return argumentErrorf("invalid arguments: more than %d members and elements; send less at once", in.elements)
	case m.number:
		return argumentErrorf("invalid arguments: %v", errHuge)
	}
	return nil
}

// pass is one call's way through prepare.
type pass struct {
	in *inputs
	// seen says which of the declared arguments are there.
	seen     []bool
	required int
	// valid says that all of what was seen is surely valid.
	valid bool
	// refused are the names that only look like arguments.
	refused []string
}

// take takes the client's arguments.
func (p *pass) take(c *Call, raw jsontext.Value) error {
	in := p.in
	converted := false
	cur := enter(raw, 0)
	for quoted, ok := cur.next(); ok; quoted, ok = cur.next() {
		value := jsontext.Value(cur.value())
		if cur.bad {
			break
		}
		name := unquote(quoted, nil)
		i, known := in.index[string(name)]
		if !known {
			p.other(value)
			c.args.Members = append(c.args.Members, Member{Name: string(name), Value: value})
			continue
		}
		a := &in.arguments[i]
		if a.hidden {
			p.refused = append(p.refused, a.name)
			continue
		}
		if a.coercer != nil {
			if v, _, changed := a.coercer.append(nil, value, 0); changed {
				value, converted = v, true
			}
		}
		if a.inner != nil {
			value = a.inner.fill(value)
		}
		c.args.Members = append(c.args.Members, Member{Name: a.name, Value: value})
		p.declared(i, a, value)
	}
	if cur.bad {
		return argumentErrorf("invalid arguments: %v", errBroken)
	}
	if !converted {
		return nil
	}
	// Strings may have become more than they seemed.
	m := size{depth: 1}
	for i := range c.args.Members {
		inner := size{elements: m.elements + 1}
		inner.add(c.args.Members[i].Value, in.elements, in.depth)
		m = size{elements: inner.elements, depth: max(m.depth, inner.depth+1), number: m.number || inner.number}
	}
	return in.measured(m)
}

// other looks at an argument that the schema does not name.
func (p *pass) other(value jsontext.Value) {
	switch {
	case !p.valid:
	case p.in.closed:
		p.valid = false
	case p.in.additional != nil:
		_, p.valid = p.in.additional.match(value, 0)
	}
}

// declared looks at an argument that the schema names.
func (p *pass) declared(i int, a *argument, value jsontext.Value) {
	p.seen[i] = true
	if a.required {
		p.required++
	}
	if !p.valid {
		return
	}
	if a.check == nil {
		p.valid = false
		return
	}
	_, p.valid = a.check.match(value, 0)
}

// complete adds the fixed values and defaults; they have been checked when the
// tool was made.
func (p *pass) complete(c *Call) {
	for i := range p.in.arguments {
		a := &p.in.arguments[i]
		if p.seen[i] || a.value == nil {
			continue
		}
		if a.required {
			p.required++
		}
		c.args.Members = append(c.args.Members, Member{Name: a.name, Value: a.value})
	}
}

// full lets the schema library decide, and tells what is wrong.
func (p *pass) full(c *Call) error {
	in := p.in
	value := make(map[string]any, len(c.args.Members))
	for i := range c.args.Members {
		v, err := decode(c.args.Members[i].Value)
		if err != nil {
			return argumentErrorf("invalid arguments: %s: %v", c.args.Members[i].Name, err)
		}
		value[c.args.Members[i].Name] = v
	}
	r := report{schema: in.schema, value: value, quote: true, noun: "argument", secret: in.hidden}
	r.run()
	for _, name := range p.refused {
		r.addUnknown([]string{name}, in.schema.doc.root)
	}
	if len(r.found) == 0 {
		return nil
	}
	vs := r.violations()
	return in.refusal(vs, r.found)
}

// hidden says whether clients do not know of an argument.
func (in *inputs) hidden(name string) bool {
	i, ok := in.index[name]
	return ok && in.arguments[i].hidden
}

// argumentError is a call whose arguments were refused.
type argumentError struct {
	// text is for the model; it repeats what was wrong.
	text string
	// places are the arguments that were wrong.
	places []string
}

func argumentErrorf(format string, a ...any) *argumentError {
	return &argumentError{text: fmt.Sprintf(format, a...)}
}

// Error tells the model what to mend.
func (e *argumentError) Error() string { return e.text }

// loggable is a refusal without the values of arguments.
func loggable(err error) error {
	if e, ok := errors.AsType[*argumentError](err); ok {
		return e.redacted()
	}
	return err
}

// redacted is the error for the log: it has no values of arguments.
func (e *argumentError) redacted() error {
	if len(e.places) == 0 {
		return errors.New("invalid arguments")
	}
	return errors.New("invalid arguments: " + joinLimited(e.places))
}

// refusal puts violations into one text.
func (in *inputs) refusal(vs []violation, found []finding) *argumentError {
	e := &argumentError{}
	lines := make([]string, len(vs))
	for i, v := range vs {
		lines[i] = v.Message
		if v.Pointer == "" {
			continue
		}
		path := found[i].path
		lines[i] = dotted(path) + ": " + v.Message
		if _, ok := in.index[path[0]]; ok && !slices.Contains(e.places, path[0]) {
			e.places = append(e.places, path[0])
		}
	}
	e.text = "invalid arguments: " + lines[0]
	if len(lines) > 1 {
		e.text = "invalid arguments:\n- " + strings.Join(lines, "\n- ")
	}
	return e
}
