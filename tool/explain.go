// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	jskind "github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// explain says what an error of one value expected.
func (r *report) explain(e *jsonschema.ValidationError) string {
	v := r.at(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *jskind.Type:
		return fmt.Sprintf("expected %s, got %s%s", anyOfTypes(k.Want), r.got(v), r.hint(v, k.Want))
	case *jskind.Enum:
		return r.oneOf(values(k.Want), v)
	case *jskind.Const:
		return r.oneOf(values([]any{k.Want}), v)
	case *jskind.Minimum:
		return fmt.Sprintf("expected at least %s, got %s", r.keyword(e, "minimum"), r.shown(v))
	case *jskind.Maximum:
		return fmt.Sprintf("expected at most %s, got %s", r.keyword(e, "maximum"), r.shown(v))
	case *jskind.ExclusiveMinimum:
		return fmt.Sprintf("expected more than %s, got %s", r.keyword(e, "exclusiveMinimum"), r.shown(v))
	case *jskind.ExclusiveMaximum:
		return fmt.Sprintf("expected less than %s, got %s", r.keyword(e, "exclusiveMaximum"), r.shown(v))
	case *jskind.MultipleOf:
		return fmt.Sprintf("expected a multiple of %s, got %s", r.keyword(e, "multipleOf"), r.shown(v))
	case *jskind.MinLength:
		return fmt.Sprintf("expected at least %s, got %d", count(k.Want, "character"), k.Got)
	case *jskind.MaxLength:
		return fmt.Sprintf("expected at most %s, got %d", count(k.Want, "character"), k.Got)
	case *jskind.MinItems:
		return fmt.Sprintf("expected at least %s, got %d", count(k.Want, "element"), k.Got)
	case *jskind.MaxItems:
		return fmt.Sprintf("expected at most %s, got %d", count(k.Want, "element"), k.Got)
	case *jskind.AdditionalItems:
		arr, _ := v.([]any)
		return fmt.Sprintf("expected at most %s, got %d", count(len(arr)-k.Count, "element"), len(arr))
	case *jskind.MinProperties:
		return fmt.Sprintf("expected at least %s, got %d", count(k.Want, "member"), k.Got)
	case *jskind.MaxProperties:
		return fmt.Sprintf("expected at most %s, got %d", count(k.Want, "member"), k.Got)
	case *jskind.Pattern:
		return fmt.Sprintf("%s does not match the pattern %s", r.shown(v), shorten(k.Want, 200))
	case *jskind.Format:
		return fmt.Sprintf("%s is not a valid %s", r.shown(v), k.Want)
	case *jskind.UniqueItems:
		return fmt.Sprintf("elements %d and %d are equal; expected different ones", k.Duplicates[0], k.Duplicates[1])
	case *jskind.Contains:
		return "no element is " + r.wanted(e, "contains")
	case *jskind.MinContains:
		return fmt.Sprintf("expected at least %s of the kind %s, got %d", count(k.Want, "element"), r.wanted(e, "contains"), len(k.Got))
	case *jskind.MaxContains:
		return fmt.Sprintf("expected at most %s of the kind %s, got %d", count(k.Want, "element"), r.wanted(e, "contains"), len(k.Got))
	case *jskind.Not:
		return fmt.Sprintf("%s is ruled out by %s", r.shown(v), r.wanted(e, "not"))
	}
	return "does not fit the schema"
}

// wanted shows a schema in short.
func (r *report) wanted(e *jsonschema.ValidationError, name string) string {
	return shorten(r.keyword(e, name), 200)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// values shows the values of an enum.
func values(want []any) []string {
	var s []string
	for _, v := range want {
		b, err := json.Marshal(v)
		if str, ok := v.(string); ok {
			s = append(s, quoteText(str))
			continue
		}
		if err != nil {
			continue
		}
		s = append(s, shorten(string(b), maxQuoted))
	}
	return s
}

// oneOf tells of a value that is none of those listed.
func (r *report) oneOf(want []string, v any) string {
	expected := joinLimited(want)
	if len(want) > 1 {
		expected = "one of " + expected
	}
	if !r.quote {
		return fmt.Sprintf("expected %s, got %s", expected, r.got(v))
	}
	near := ""
	if s, ok := v.(string); ok {
		var plain []string
		for _, w := range want {
			if len(w) > 1 && w[0] == '"' {
				plain = append(plain, w[1:len(w)-1])
			}
		}
		near = didYouMean(s, plain)
	}
	return fmt.Sprintf("expected %s, got %s%s", expected, r.shown(v), near)
}

// hint tells what to do about JSON in a string, the mistake that models make
// most.
func (r *report) hint(v any, want []string) string {
	s, ok := v.(string)
	if !ok || !r.quote || len(s) > maxSchemaSize {
		return ""
	}
	j := jsontext.Value(strings.TrimSpace(s))
	if len(j) == 0 || !j.IsValid() {
		return ""
	}
	is := typesOfKind(j.Kind())
	if j.Kind() == '0' {
		d, ok := parseDecimal(j)
		switch {
		case !ok:
			is = 0
		case !d.integer():
			is = typeNumber
		}
	}
	for _, w := range want {
		if is&typeNamed(w) != 0 {
			return "; send it as JSON, not in a string"
		}
	}
	return ""
}

// addChoice tells why none of several alternatives fits: of the one that was
// meant, if that can be told.
func (r *report) addChoice(e *jsonschema.ValidationError) {
	at := len(e.InstanceLocation)
	var here []*jsonschema.ValidationError // what fails at the value itself
	var meant []*jsonschema.ValidationError
	for _, c := range e.Causes {
		if l := choosing(c, at, at); l != nil {
			here = append(here, l)
			continue
		}
		meant = append(meant, c)
	}
	switch {
	case len(meant) == 0 && len(here) > 0:
		r.addMerged(here)
		return
	case len(meant) == 1:
		r.add(meant[0])
		return
	}
	var chosen, marks []*jsonschema.ValidationError
	for _, c := range meant {
		if l := choosing(c, at, at+1); l != nil {
			marks = append(marks, l)
			continue
		}
		chosen = append(chosen, c)
	}
	switch {
	case len(chosen) == 1:
		r.add(chosen[0])
		return
	case len(chosen) == 0 && len(marks) > 0 && samePlace(marks):
		r.addMerged(marks)
		return
	}
	r.addAlternatives(e, meant)
}

// choosing finds the error by which an alternative is seen not to be the one
// that was meant: a wrong type, or a wrong constant, at the value itself; a
// wrong constant in one of its members.
func choosing(e *jsonschema.ValidationError, at, depth int) *jsonschema.ValidationError {
	switch e.ErrorKind.(type) {
	case *jskind.Group, *jskind.Reference, *jskind.AllOf:
		for _, c := range e.Causes {
			if l := choosing(c, at, depth); l != nil {
				return l
			}
		}
		return nil
	case *jskind.Type:
		if depth > at {
			return nil
		}
	case *jskind.Const, *jskind.Enum:
	default:
		return nil
	}
	if len(e.InstanceLocation) != depth {
		return nil
	}
	return e
}

// samePlace says that all errors are about one place.
func samePlace(es []*jsonschema.ValidationError) bool {
	for _, e := range es[1:] {
		if !slices.Equal(e.InstanceLocation, es[0].InstanceLocation) {
			return false
		}
	}
	return true
}

// addMerged tells of all that would have been right at one place.
func (r *report) addMerged(es []*jsonschema.ValidationError) {
	var want, constants []string
	for _, e := range es {
		switch k := e.ErrorKind.(type) {
		case *jskind.Type:
			want = append(want, k.Want...)
		case *jskind.Enum:
			constants = append(constants, values(k.Want)...)
		case *jskind.Const:
			constants = append(constants, values([]any{k.Want})...)
		}
	}
	at := es[0].InstanceLocation
	v := r.at(at)
	want, constants = unique(want), unique(constants)
	if len(want) == 0 {
		r.say(at, "%s", r.oneOf(constants, v))
		return
	}
	hint := r.hint(v, want)
	r.say(at, "expected %s, got %s%s", anyOfTypes(append(want, constants...)), r.got(v), hint)
}

// anyOfTypes joins names of types; null comes last, as the exception.
func anyOfTypes(names []string) string {
	rest := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "null" })
	if len(rest) < len(names) {
		rest = append(rest, "null")
	}
	return strings.Join(rest, " or ")
}

func unique(s []string) []string {
	var u []string
	for _, v := range s {
		if !slices.Contains(u, v) {
			u = append(u, v)
		}
	}
	return u
}

// addAlternatives tells what the alternatives miss.
func (r *report) addAlternatives(e *jsonschema.ValidationError, meant []*jsonschema.ValidationError) {
	const told = 4
	var why []string
	for _, c := range meant[:min(len(meant), told)] {
		sub := report{schema: r.schema, value: r.value, quote: r.quote, noun: r.noun, secret: r.secret}
		sub.add(c)
		sub.violations()
		if len(sub.found) == 0 {
			continue
		}
		f := sub.found[0]
		if rest := f.path[min(len(e.InstanceLocation), len(f.path)):]; len(rest) > 0 {
			why = append(why, dotted(rest)+": "+f.message)
			continue
		}
		why = append(why, f.message)
	}
	why = unique(why)
	more := ""
	if n := len(meant) - told; n > 0 {
		more = fmt.Sprintf("; or %d others", n)
	}
	r.say(e.InstanceLocation, "fits none of the %d alternatives; mend one of these: %s%s", len(e.Causes), strings.Join(why, "; or "), more)
}
