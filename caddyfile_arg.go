// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// argument is what an arg line says.
type argument struct {
	name, base  string // base type, without []
	arrays      int    // how often [] follows it
	description string
	optional    bool
	required    bool
	keys        map[string]argKey
	fields      jsontext.Value // schema of an object with arg lines of its own
	line        line
}

type argKey struct {
	at    token
	value jsontext.Value
	list  []jsontext.Value // of enum and examples
}

const argUsage = "arg <name> <type> \"<description>\" [required|optional] [key=value …]"

// argNameRE is what common clients take as the name of an argument.
var argNameRE = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

var argTypes = []string{"string", "integer", "number", "boolean", "object", "array"}

// otherTypes are what other languages call the types of JSON Schema.
var otherTypes = map[string]string{
	"int": "integer", "int32": "integer", "int64": "integer", "long": "integer", "uint": "integer",
	"float": "number", "double": "number", "decimal": "number", "bool": "boolean", "str": "string", "text": "string",
	"list": "array", "map": "object", "dict": "object", "json": "object", "date": "string format=date",
	"datetime": "string format=date-time", "uuid": "string format=uuid", "url": "string format=uri", "email": "string format=email",
}

// object makes the schema of an object with these arg lines, in their order.
func (t *toolAdapter) object(content []line, pointer string, open bool) jsontext.Value {
	var props schemaWriter
	var required []jsontext.Value
	first := make(map[string]token)
	for _, l := range content {
		a, ok := t.argument(l, pointer)
		if a == nil {
			continue
		}
		if before, dup := first[a.name]; dup {
			t.add(l.args[0], "argument %q is given twice in %s, first at %s", a.name, t.where, place(before))
			continue
		}
		first[a.name] = l.args[0]
		if !ok {
			continue
		}
		props.member(a.name, a.schema())
		if a.isRequired() {
			required = append(required, quote(a.name))
		}
	}
	var s schemaWriter
	s.member("type", quote("object"))
	s.member("properties", props.value())
	if len(required) > 0 {
		s.member("required", array(required))
	}
	if !open {
		s.member("additionalProperties", jsontext.Value("false"))
	}
	return s.value()
}

func (a *argument) isRequired() bool {
	_, def := a.keys["default"]
	return a.required || !a.optional && !def
}

// argument reads an arg line. What it gives is nil if not even the name is
// known; ok is false if something is wrong.
func (t *toolAdapter) argument(l line, pointer string) (a *argument, ok bool) {
	errors := t.count()
	if len(l.args) == 0 {
		t.add(l.word, "arg takes a name, a type and a description: %s", argUsage)
		return nil, false
	}
	a = &argument{name: l.args[0].Text, keys: make(map[string]argKey), line: l}
	pointer += "/properties/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(a.name)
	if _, ok := t.places.pointers[pointer]; !ok {
		t.places.pointers[pointer] = l.args[0]
	}
	if !argNameRE.MatchString(a.name) {
		t.add(l.args[0], "argument name %q is refused by common clients: expected letters, digits, `_`, `.` and `-`, at most 64; for others use input with a schema", a.name)
	}
	if len(l.args) < 2 {
		t.add(l.end(), "argument %q has no type: %s", a.name, argUsage)
		return a, false
	}
	if !t.argType(a, l.args[1]) {
		return a, false
	}
	rest := l.args[2:]
	if len(rest) == 0 || isArgWord(rest[0]) {
		t.add(l.args[1], "argument %q has no description: %s; \"\" says that none is wanted", a.name, argUsage)
	} else {
		a.description = shorten(rest[0].Text, nil)
		rest = rest[1:]
	}
	t.argBlock(a, l, pointer)
	for _, word := range rest {
		if !t.argWord(a, word) {
			break
		}
	}
	if t.count() == errors {
		t.argCheck(a)
	}
	return a, t.count() == errors
}

// isArgWord tells a word of an arg line from its description.
func isArgWord(w token) bool {
	if w.Quoted() {
		return false
	}
	key, _, ok := keyValue(w)
	_, known := argKeys[key]
	return ok && known || slices.Contains(argFlags, w.Text)
}

func (t *toolAdapter) argType(a *argument, w token) bool {
	a.base = w.Text
	for strings.HasSuffix(a.base, "[]") {
		a.base = strings.TrimSuffix(a.base, "[]")
		a.arrays++
	}
	if a.arrays > 4 {
		t.add(w, "argument %q: arrays in arrays are possible, but not so deep; use input with a schema", a.name)
		return false
	}
	if slices.Contains(argTypes, a.base) {
		return true
	}
	meant := otherTypes[strings.ToLower(a.base)]
	if meant == "" {
		meant = suggest(strings.ToLower(a.base), argTypes)
	}
	hint := ""
	if meant != "" {
		hint = fmt.Sprintf("did you mean %q? ", meant+strings.Repeat("[]", a.arrays))
		if strings.Contains(meant, " ") && a.arrays > 0 {
			hint = ""
		}
	}
	t.add(w, "unknown type %q of argument %q; %saccepted: %s, and any of them with [] for an array", w.Text, a.name, hint, list(argTypes))
	return false
}

// argBlock reads the members of an object.
func (t *toolAdapter) argBlock(a *argument, l line, pointer string) {
	if !l.braces {
		return
	}
	if a.base != "object" {
		t.add(l.word, "argument %q is of type %s: only object and object[] take a block of arg lines", a.name, l.args[1].Text)
		return
	}
	pointer += strings.Repeat("/items", a.arrays)
	var members []line
	open := false
	for _, m := range l.block {
		switch m.word.Text {
		case "arg":
			members = append(members, m)
		case "open":
			open = t.takes(m, 0, 0, "no argument")
		default:
			t.add(m.word, "%s", unknown(m.word.Text, "argument "+a.name, []string{"arg", "open"}))
		}
	}
	a.fields = t.object(members, pointer, open)
}

var argFlags = []string{"required", "optional", "deprecated"}

// argWord reads a word after the description; false means that the words after
// it are most likely parts of a text without its quotes.
func (t *toolAdapter) argWord(a *argument, w token) bool {
	key, value, ok := keyValue(w)
	if !ok {
		return t.argFlag(a, w)
	}
	if q := strings.IndexAny(value, "\"`"); q == 0 && (len(value) < 2 || value[len(value)-1] != value[0]) {
		t.add(w, "argument %q: a value with spaces is quoted together with its key: \"%s=…\"", a.name, key)
		return false
	}
	kind, known := argKeys[key]
	accepted := a.accepted()
	switch {
	case !known:
		t.add(w, "unknown key %q of argument %q; %saccepted for %s: %s", key, a.name, didYouMeanKey(key, accepted), a.typeName(), list(accepted))
		return true
	case !slices.Contains(accepted, key):
		t.add(w, "argument %q is of type %s, which has no %s; accepted: %s", a.name, a.typeName(), key, list(accepted))
		return true
	}
	v, vs, err := kind.read(a, shorten(value, nil))
	if err != nil {
		t.add(w, "argument %q: %s: %v", a.name, key, err)
		return true
	}
	t.argSet(a, key, w, v, vs)
	return true
}

func (t *toolAdapter) argFlag(a *argument, w token) bool {
	switch w.Text {
	case "required":
		a.required = true
		return true
	case "optional":
		a.optional = true
		return true
	case "deprecated":
		t.argSet(a, "deprecated", w, jsontext.Value("true"), nil)
		return true
	}
	if _, known := argKeys[w.Text]; known {
		t.add(w, "argument %q: %s needs a value: %s=…", a.name, w.Text, w.Text)
		return true
	}
	t.add(w, "unknown word %q after the description of argument %q; %saccepted: %s and key=value; a description of several words needs quotes",
		w.Text, a.name, didYouMean(w.Text, argFlags), list(argFlags))
	return false
}

func (t *toolAdapter) argSet(a *argument, key string, w token, v jsontext.Value, vs []jsontext.Value) {
	if _, dup := a.keys[key]; dup {
		t.add(w, "argument %q: %s is given twice", a.name, key)
		return
	}
	a.keys[key] = argKey{at: w, value: v, list: vs}
}

func (a *argument) typeName() string { return a.base + strings.Repeat("[]", a.arrays) }

func didYouMean(word string, known []string) string {
	if s := suggest(word, known); s != "" {
		return fmt.Sprintf("did you mean %q? ", s)
	}
	return ""
}

func didYouMeanKey(key string, accepted []string) string {
	if k, ok := longKeys[strings.ReplaceAll(strings.ToLower(key), "_", "")]; ok {
		return fmt.Sprintf("did you mean %q? ", k)
	}
	return didYouMean(key, accepted)
}

// literal reads a value in the type that is asked for; with none, an unquoted
// JSON value is that value and all else a string.
func literal(typ string, t token) (jsontext.Value, error) {
	text := shorten(t.Text, nil)
	if typ == "" {
		if v := jsontext.Value(text); !t.Quoted() && v.IsValid() {
			return v, nil
		}
		return quote(text), nil
	}
	return typed(typ, text)
}

var integerRE = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// typed reads a value of a JSON type.
func typed(typ, text string) (jsontext.Value, error) {
	v := jsontext.Value(text)
	switch typ {
	case "string":
		return quote(unquoted(text)), nil
	case "integer":
		if !integerRE.MatchString(text) {
			return nil, fmt.Errorf("%q is not a whole number", text)
		}
		return v, nil
	case "number":
		if !v.IsValid() || v.Kind() != '0' || strings.TrimSpace(text) != text {
			return nil, fmt.Errorf("%q is not a number", text)
		}
		return v, nil
	case "boolean":
		if text != "true" && text != "false" {
			return nil, fmt.Errorf("%q is neither true nor false", text)
		}
		return v, nil
	case "object":
		if !v.IsValid() || v.Kind() != '{' {
			return nil, errors.New("expected a JSON object")
		}
	case "array":
		if !v.IsValid() || v.Kind() != '[' {
			return nil, errors.New("expected a JSON array")
		}
	default:
		if !v.IsValid() {
			return nil, errors.New("expected JSON")
		}
	}
	v = v.Clone()
	_ = v.Compact()
	return v, nil
}
