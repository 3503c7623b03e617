// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// newInputs compiles a configuration that has no mistakes.
func newInputs(tb testing.TB, cfg Config) *inputs {
	tb.Helper()
	in, problems := compileInputs(cfg, Options{})
	for _, p := range problems {
		if !p.Warning {
			tb.Errorf("problem: %v", p)
		}
	}
	if in == nil {
		tb.FailNow()
	}
	return in
}

func inputsFor(tb testing.TB, schema string) *inputs {
	tb.Helper()
	return newInputs(tb, Config{InputSchema: json.RawMessage(schema)})
}

// prepared gives the completed arguments or the refusal.
func prepared(in *inputs, arguments string) (string, error) {
	c := &Call{Arguments: jsontext.Value(arguments)}
	if err := in.prepare(c); err != nil {
		return "", err
	}
	return string(c.Args().Object()), nil
}

const searchSchema = `{
	"type": "object",
	"properties": {
		"q": {"type": "string", "minLength": 2, "maxLength": 10},
		"limit": {"type": "integer", "minimum": 1, "maximum": 100},
		"sort": {"enum": ["name", "created"]},
		"code": {"type": "string", "pattern": "^[A-Z]{2}$"},
		"price": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5},
		"tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3, "uniqueItems": true},
		"color": {"type": ["string", "null"]},
		"flag": {"type": "boolean"},
		"filter": {"type": "object", "properties": {"from": {"type": "integer"}, "to": {"type": "integer"}}, "required": ["from"], "additionalProperties": false, "minProperties": 1}
	},
	"required": ["q"],
	"additionalProperties": false
}`

func TestViolations(t *testing.T) {
	t.Parallel()
	in := inputsFor(t, searchSchema)
	for name, tc := range map[string]struct{ arguments, want string }{
		"type":           {`{"q":"ab","limit":"ten"}`, `invalid arguments: limit: expected integer, got string "ten"`},
		"json in string": {`{"q":"ab","limit":"5"}`, `invalid arguments: limit: expected integer, got string "5"; send it as JSON, not in a string`},
		"fraction":       {`{"q":"ab","limit":1.5}`, `invalid arguments: limit: expected integer, got number 1.5`},
		"boolean":        {`{"q":"ab","flag":"yes"}`, `invalid arguments: flag: expected boolean, got string "yes"`},
		"array":          {`{"q":["ab"]}`, `invalid arguments: q: expected string, got array`},
		"null":           {`{"q":null}`, `invalid arguments: q: expected string, got null`},
		"two types":      {`{"q":"ab","color":5}`, `invalid arguments: color: expected string or null, got number 5`},
		"missing":        {`{}`, `invalid arguments: q: required argument is missing`},
		"unknown":        {`{"q":"ab","colour":"red"}`, `invalid arguments: colour: unknown argument; accepted: q, limit, sort, code, price, tags, color, flag, filter (did you mean "color"?)`},
		"unknown, far":   {`{"q":"ab","zzzzzz":"red"}`, `invalid arguments: zzzzzz: unknown argument; accepted: q, limit, sort, code, price, tags, color, flag, filter`},
		"enum":           {`{"q":"ab","sort":"Name"}`, `invalid arguments: sort: expected one of "name", "created", got "Name" (did you mean "name"?)`},
		"minimum":        {`{"q":"ab","limit":0}`, `invalid arguments: limit: expected at least 1, got 0`},
		"maximum":        {`{"q":"ab","limit":9007199254740993}`, `invalid arguments: limit: expected at most 100, got 9007199254740993`},
		"exclusive":      {`{"q":"ab","price":0}`, `invalid arguments: price: expected more than 0, got 0`},
		"multiple":       {`{"q":"ab","price":1.10}`, `invalid arguments: price: expected a multiple of 0.5, got 1.10`},
		"short":          {`{"q":"a"}`, `invalid arguments: q: expected at least 2 characters, got 1`},
		"long":           {`{"q":"äöüäöüäöüäöü"}`, `invalid arguments: q: expected at most 10 characters, got 12`},
		"pattern":        {`{"q":"ab","code":"xx"}`, `invalid arguments: code: "xx" does not match the pattern ^[A-Z]{2}$`},
		"few":            {`{"q":"ab","tags":[]}`, `invalid arguments: tags: expected at least 1 element, got 0`},
		"many":           {`{"q":"ab","tags":["a","b","c","d"]}`, `invalid arguments: tags: expected at most 3 elements, got 4`},
		"equal":          {`{"q":"ab","tags":["a","b","a"]}`, `invalid arguments: tags: elements 0 and 2 are equal; expected different ones`},
		"element":        {`{"q":"ab","tags":["a",5]}`, `invalid arguments: tags[1]: expected string, got number 5`},
		"inner":          {`{"q":"ab","filter":{"from":"x"}}`, `invalid arguments: filter.from: expected integer, got string "x"`},
		"inner missing":  {`{"q":"ab","filter":{"to":1}}`, `invalid arguments: filter.from: required property is missing`},
		"inner unknown":  {`{"q":"ab","filter":{"from":1,"too":2}}`, `invalid arguments: filter.too: unknown property; accepted: from, to (did you mean "to"?)`},
		"several": {`{"limit":"ten","colour":1}`, `invalid arguments:
- colour: unknown argument; accepted: q, limit, sort, code, price, tags, color, flag, filter (did you mean "color"?)
- limit: expected integer, got string "ten"
- q: required argument is missing`},
		"name":       {"{\"q\":\"ab\",\"x\\n- ignore\":1}", `invalid arguments: "x\n- ignore": unknown argument; accepted: q, limit, sort, code, price, tags, color, flag, filter`},
		"no object":  {`[1]`, `invalid arguments: expected an object with the arguments by name, got an array`},
		"a string":   {`"x"`, `invalid arguments: expected an object with the arguments by name, got a string`},
		"long value": {`{"q":"ab","flag":"` + strings.Repeat("ä", 100) + `"}`, `invalid arguments: flag: expected boolean, got string "` + strings.Repeat("ä", 60) + `…"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := prepared(in, tc.arguments)
			if err == nil {
				t.Fatalf("passed; want %s", tc.want)
			}
			if err.Error() != tc.want {
				t.Errorf("got  %s\nwant %s", err, tc.want)
			}
		})
	}
}
