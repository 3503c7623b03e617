// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	jskind "github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// printer is for what the schema library says, where there are no words of our
// own.
var printer = message.NewPrinter(language.English)

const (
	// maxViolations is how many violations are told.
	maxViolations = 20
	// maxFound is how many are put into words before they are put in order.
	maxFound = 100
	// maxMessage is how long a message may be.
	maxMessage = 1000
)

// report puts the errors of the schema library into words that a model can act
// on.
type report struct {
	schema *schema
	value  any
	// quote says that messages repeat the wrong values.
	quote bool
	// noun is what a member of the root is called.
	noun string
	// secret says which members of the root are not talked about.
	secret func(name string) bool
	// part of the schema to check against, if it is not the whole.
	part *jsonschema.Schema

	found []finding
	// cut says that not all was looked at.
	cut bool
}

// finding is a violation with its place.
type finding struct {
	path    []string
	message string
}

// check gives the violations in a fixed order, and how many there are in all
// as the last of them if they are too many.
func (r *report) check() []violation {
	r.run()
	return r.violations()
}

func (r *report) run() {
	err := r.schema.run(r.part, r.value)
	var ve *jsonschema.ValidationError
	switch {
	case err == nil:
	case errors.As(err, &ve):
		r.add(ve)
	default:
		r.say(nil, "%v", err)
	}
}

func (r *report) violations() []violation {
	slices.SortStableFunc(r.found, func(a, b finding) int {
		return cmp.Or(comparePaths(a.path, b.path), cmp.Compare(a.message, b.message))
	})
	r.found = slices.CompactFunc(r.found, func(a, b finding) bool {
		return a.message == b.message && slices.Equal(a.path, b.path)
	})
	var vs []violation
	for i, f := range r.found {
		if i == maxViolations {
			more := fmt.Sprintf("and %d more", len(r.found)-i)
			if r.cut {
				more = fmt.Sprintf("and over %d more", len(r.found)-i)
			}
			vs = append(vs, violation{Message: more})
			break
		}
		vs = append(vs, violation{Pointer: pointerTo(f.path), Message: f.message})
	}
	return vs
}

func comparePaths(a, b []string) int {
	return slices.CompareFunc(a, b, func(x, y string) int {
		i, err1 := strconv.Atoi(x)
		j, err2 := strconv.Atoi(y)
		if err1 == nil && err2 == nil {
			return cmp.Compare(i, j)
		}
		return cmp.Compare(x, y)
	})
}

func (r *report) say(path []string, format string, a ...any) {
	r.found = append(r.found, finding{slices.Clone(path), shorten(fmt.Sprintf(format, a...), maxMessage)})
}

// member is the noun for what stands at a path.
func (r *report) member(path []string) string {
	if len(path) <= 1 {
		return r.noun
	}
	return "property"
}

// add takes an error of the library and those below it.
func (r *report) add(e *jsonschema.ValidationError) {
	if len(r.found) >= maxFound {
		r.cut = true
		return
	}
	at := e.InstanceLocation
	switch k := e.ErrorKind.(type) {
	case *jskind.Schema, *jskind.Group, *jskind.Reference, *jskind.AllOf:
		for _, c := range e.Causes {
			r.add(c)
		}
	case *jskind.AnyOf:
		r.addChoice(e)
	case *jskind.OneOf:
		if len(k.Subschemas) > 1 {
			r.say(at, "fits alternatives %d and %d; expected exactly one of them", k.Subschemas[0]+1, k.Subschemas[1]+1)
			return
		}
		r.addChoice(e)
	case *jskind.Required:
		for _, name := range k.Missing {
			path := append(slices.Clone(at), name)
			r.say(path, "required %s is missing", r.member(path))
		}
	case *jskind.AdditionalProperties:
		slices.Sort(k.Properties)
		for i, name := range k.Properties {
			if i == maxFound {
				r.cut = true
				break
			}
			r.addUnknown(append(slices.Clone(at), name), r.node(e))
		}
	case *jskind.FalseSchema:
		r.addFalse(e)
	case *jskind.DependentRequired:
		r.addDependent(at, k.Prop, k.Missing)
	case *jskind.Dependency:
		r.addDependent(at, k.Prop, k.Missing)
	case *jskind.PropertyNames:
		r.addName(e, k.Property)
	default:
		r.say(at, "%s", r.explain(e))
	}
}

// addUnknown tells of a member that the schema n does not know.
func (r *report) addUnknown(path []string, n *node) {
	name := path[len(path)-1]
	var names []string
	if props := n.get("properties"); props.isObject() {
		for _, p := range props.names {
			if len(path) > 1 || r.secret == nil || !r.secret(p) {
				names = append(names, p)
			}
		}
	}
	noun := r.member(path)
	if len(names) == 0 {
		r.say(path, "unknown %s; none are accepted", noun)
		return
	}
	r.say(path, "unknown %s; accepted: %s%s", noun, joinLimited(names), didYouMean(name, names))
}

func (r *report) addFalse(e *jsonschema.ValidationError) {
	at := e.InstanceLocation
	pointer := schemaPointer(e)
	if parent, ok := strings.CutSuffix(pointer, "/unevaluatedProperties"); ok && len(at) > 0 {
		r.addUnknown(at, r.schema.doc.root.find(parent))
		return
	}
	r.say(at, "not allowed here")
}

func (r *report) addDependent(at []string, because string, missing []string) {
	for _, name := range missing {
		path := append(slices.Clone(at), name)
		r.say(path, "required %s is missing; %s needs it", r.member(path), quoteText(because))
	}
}

// addName tells of a name that propertyNames refuses. The library gives the
// place of such errors wrongly if it has gone on since: then it is left out.
func (r *report) addName(e *jsonschema.ValidationError, name string) {
	at := slices.Clone(e.InstanceLocation)
	if obj, ok := r.at(at).(map[string]any); !ok || obj == nil {
		at = nil
	} else if _, ok := obj[name]; !ok {
		at = nil
	}
	sub := report{schema: r.schema, value: name, quote: r.quote, noun: r.noun}
	for _, c := range e.Causes {
		c := *c
		c.InstanceLocation = nil
		sub.add(&c)
	}
	why := "not allowed"
	if vs := sub.violations(); len(vs) > 0 {
		why = vs[0].Message
	}
	if r.quote {
		r.say(at, "the name %s: %s", quoteText(name), why)
		return
	}
	r.say(at, "a name: %s", why)
}

// node gives the schema that an error comes from.
func (r *report) node(e *jsonschema.ValidationError) *node {
	return r.schema.doc.root.find(schemaPointer(e))
}

// keyword gives the value of a keyword as it is written in the schema.
func (r *report) keyword(e *jsonschema.ValidationError, name string) string {
	if v := r.node(e).get(name); v != nil {
		return string(v.raw)
	}
	return "another value"
}

func schemaPointer(e *jsonschema.ValidationError) string {
	_, fragment, _ := strings.Cut(e.SchemaURL, "#")
	p, err := url.PathUnescape(fragment)
	if err != nil {
		return fragment
	}
	return p
}

// at gives the part of the value at a path.
func (r *report) at(path []string) any {
	v := r.value
	for _, token := range path {
		switch c := v.(type) {
		case map[string]any:
			v = c[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(c) {
				return nil
			}
			v = c[i]
		default:
			return nil
		}
	}
	return v
}

// got describes a wrong value.
func (r *report) got(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return r.quoted("boolean", strconv.FormatBool(v))
	case json.Number:
		return r.quoted("number", shorten(v.String(), maxQuoted))
	case string:
		return r.quoted("string", quoteText(v))
	case []any:
		return "array"
	default:
		return "object"
	}
}

func (r *report) quoted(name, text string) string {
	if !r.quote {
		return name
	}
	return name + " " + text
}

// shown is a value without its type.
func (r *report) shown(v any) string {
	if !r.quote {
		return "another value"
	}
	switch v := v.(type) {
	case string:
		return quoteText(v)
	case json.Number:
		return shorten(v.String(), maxQuoted)
	}
	return r.got(v)
}
