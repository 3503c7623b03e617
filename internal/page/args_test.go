// SPDX-License-Identifier: Apache-2.0

package page

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArgsOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, schema string
		want         []Arg
	}{
		{"nothing", ``, nil},
		{"not an object", `[]`, nil},
		{"no properties", `{"type":"object"}`, nil},
		{"properties are no object", `{"properties":[1]}`, nil},
		{"order and required", `{"properties":{"b":{"type":"string"},"a":{"type":"integer","description":"An a."}},"required":["a"]}`, []Arg{
			{Name: "b", Type: "string"},
			{Name: "a", Type: "integer", Description: "An a.", Required: true},
		}},
		{"types", `{"properties":{"a":{"type":["null","string"]},"b":{"type":"array","items":{"type":"integer"}},"c":{"type":"array"},
			"d":{"type":"array","items":{"type":["string","null"]}},"e":true,"f":{},"g":{"anyOf":[{"type":"string","format":"date"},{"type":"null"}]},
			"h":{"properties":{}},"i":{"type":"string","format":"date-time"},"j":{"type":"array","items":{"type":"array","items":{"type":"number"}}}}}`, []Arg{
			{Name: "a", Type: "string or null"},
			{Name: "b", Type: "integer[]"},
			{Name: "c", Type: "any[]"},
			{Name: "d", Type: "(string or null)[]"},
			{Name: "e", Type: "any"},
			{Name: "f", Type: "any"},
			{Name: "g", Type: "string (date) or null"},
			{Name: "h", Type: "object"},
			{Name: "i", Type: "string (date-time)"},
			{Name: "j", Type: "number[][]"},
		}},
		{"values", `{"properties":{"a":{"enum":["x",2,null],"default":"x"},"b":{"const":{"k":1}},"c":{"type":"array","items":{"type":"string","enum":["y"]}}}}`, []Arg{
			{Name: "a", Type: "any", Values: []string{`"x"`, "2", "null"}, Default: `"x"`},
			{Name: "b", Type: "any", Values: []string{`{"k":1}`}},
			{Name: "c", Type: "string[]", Values: []string{`"y"`}},
		}},
		{"limits", `{"properties":{"a":{"type":"integer","minimum":1,"maximum":9007199254740993},"b":{"type":"string","minLength":2},"c":{"type":"array","items":{},"maxItems":3},
			"d":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1.5},"e":{"type":"string","minLength":3,"maxLength":3,"pattern":"^a"},
			"f":{"type":"string","minLength":1},"g":{"type":"array","items":{},"minItems":1,"maxItems":1},"h":{"type":"string","minLength":1,"maxLength":20}}}`, []Arg{
			{Name: "a", Type: "integer", Limits: "1 to 9007199254740993"},
			{Name: "b", Type: "string", Limits: "at least 2 characters"},
			{Name: "c", Type: "any[]", Limits: "at most 3 elements"},
			{Name: "d", Type: "number", Limits: "more than 0, less than 1.5"},
			{Name: "e", Type: "string", Limits: "3 characters, matches ^a"},
			{Name: "f", Type: "string", Limits: "at least 1 character"},
			{Name: "g", Type: "any[]", Limits: "1 element"},
			{Name: "h", Type: "string", Limits: "1 to 20 characters"},
		}},
		{"references", `{"properties":{"a":{"$ref":"#/$defs/x~1y","description":"Mine."},"b":{"$ref":"https://example.com/s"},"c":{"$ref":"#/$defs/none"},"d":{"$ref":"#named"}},
			"$defs":{"x/y":{"type":"string","description":"Theirs."}}}`, []Arg{
			{Name: "a", Type: "string", Description: "Mine."},
			{Name: "b", Type: "any"},
			{Name: "c", Type: "any"},
			{Name: "d", Type: "any"},
		}},
		{"cycles end", `{"properties":{"a":{"$ref":"#/properties/a"},"b":{"$ref":"#"},"c":{"type":"array","items":{"$ref":"#/properties/c"}}}}`, []Arg{
			{Name: "a", Type: "any"},
			{Name: "b", Type: "object"},
			{Name: "c", Type: "any[][][][][]"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, ArgsOf([]byte(tt.schema))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestArgsOfManyValues(t *testing.T) {
	t.Parallel()
	schema := `{"properties":{"a":{"enum":[0`
	for range 100 {
		schema += ",1"
	}
	args := ArgsOf([]byte(schema + `]}}}`))
	if len(args) != 1 || len(args[0].Values) != maxValues+1 || args[0].Values[maxValues] != "…" {
		t.Errorf("got %+v", args)
	}
}

func FuzzArgsOf(f *testing.F) {
	f.Add(`{"properties":{"a":{"$ref":"#/properties/a"},"b":{"anyOf":[{"$ref":"#"},{"items":true}]}}}`)
	f.Add(`{"$ref":"#","properties":{"a":{"enum":{},"type":[1],"items":[]}}}`)
	f.Fuzz(func(t *testing.T, schema string) {
		for _, arg := range ArgsOf([]byte(schema)) {
			if arg.Type == "" {
				t.Errorf("argument %q has no type", arg.Name)
			}
		}
	})
}
