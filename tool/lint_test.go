// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// listProblems shows problems one per line: w or e, pointer, message.
func listProblems(problems []Problem) string {
	var b strings.Builder
	for _, p := range problems {
		level := "e"
		if p.Warning {
			level = "w"
		}
		fmt.Fprintf(&b, "%s %s: %s\n", level, p.Pointer, p.Message)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestLints(t *testing.T) {
	t.Parallel()
	property := func(schema string) string {
		return `{"type":"object","properties":{"a":` + schema + `}}`
	}
	for name, tc := range map[string]struct{ schema, want string }{
		"good":             {`{"type":"object","properties":{"a":{"type":"string"}}}`, ``},
		"not JSON":         {`{"type":`, `e /type: not valid JSON: unexpected EOF at byte 8`},
		"twice":            {`{"type":"object","properties":{"a/b":true,"a/b":true}}`, `e /properties/a~1b: not valid JSON: the member "a/b" is there twice`},
		"null":             {`null`, `e : expected a JSON Schema, which is an object, got null`},
		"true":             {`true`, `e : expected a JSON Schema, which is an object, got boolean`},
		"root without":     {`{"properties":{}}`, `e : the root needs "type": "object": the arguments of a tool are an object`},
		"root array":       {`{"type":"array"}`, `e /type: the root's type is "array"; expected "object": the arguments of a tool are an object`},
		"root list":        {`{"type":["object","null"]}`, `e /type: the root's type is ["object","null"]; expected "object": the arguments of a tool are an object`},
		"root anyOf":       {`{"type":"object","anyOf":[{"required":["a"]}]}`, `w /anyOf: anyOf at the root: some clients drop a tool for it; move it into a property, or describe the choice in words`},
		"root allOf":       {`{"type":"object","allOf":[true]}`, `w /allOf: allOf at the root: some clients drop a tool for it; move it into a property, or describe the choice in words`},
		"root oneOf":       {`{"type":"object","oneOf":[true]}`, `w /oneOf: oneOf at the root: some clients drop a tool for it; move it into a property, or describe the choice in words`},
		"dialect":          {`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}`, `e /$schema: unsupported dialect "http://json-schema.org/draft-04/schema#"; accepted: ` + dialectNames},
		"dialect 7":        {`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`, ``},
		"dialect 2019":     {`{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"object"}`, ``},
		"dialect inside":   {property(`{"$schema":"https://example.com/mine"}`), `e /properties/a/$schema: unsupported dialect "https://example.com/mine"; accepted: ` + dialectNames},
		"remote":           {property(`{"$ref":"https://example.com/a.json"}`), `e /properties/a/$ref: $ref "https://example.com/a.json" is not in this document, and nothing is fetched: put that schema into $defs and refer to it as #/$defs/NAME`},
		"file":             {property(`{"$ref":"file:///etc/passwd"}`), `e /properties/a/$ref: $ref "file:///etc/passwd" is not in this document, and nothing is fetched: put that schema into $defs and refer to it as #/$defs/NAME`},
		"beside":           {property(`{"$ref":"common.json#/a"}`), `e /properties/a/$ref: $ref "common.json#/a" is not in this document, and nothing is fetched: put that schema into $defs and refer to it as #/$defs/NAME`},
		"nowhere":          {`{"type":"object","properties":{"a":{"$ref":"#/$defs/colour"}},"$defs":{"color":{"type":"string"}}}`, `e /properties/a/$ref: $ref "#/$defs/colour" leads nowhere; there are #/$defs/color (did you mean "#/$defs/color"?)`},
		"no anchor":        {property(`{"$ref":"#color"}`), `e /properties/a/$ref: $ref "#color" leads nowhere`},
		"no schema":        {property(`{"$ref":"#/properties/a/enum","enum":[1]}`), `e /properties/a/$ref: $ref "#/properties/a/enum" leads to an array, not to a schema`},
		"anchor":           {`{"type":"object","properties":{"a":{"$ref":"#color"}},"$defs":{"x":{"$anchor":"color"}}}`, ``},
		"by id":            {`{"$id":"https://example.com/root","type":"object","properties":{"a":{"$ref":"color#/$defs/y"}},"$defs":{"x":{"$id":"color","$defs":{"y":true}}}}`, ``},
		"itself":           {property(`{"$ref":"#/properties/a"}`), `e /properties/a: the schema refers back to itself for the same value, so that no value can be checked`},
		"recursion":        {`{"type":"object","properties":{"a":{"$ref":"#"}}}`, ``},
		"nullable":         {property(`{"type":"string","nullable":true}`), `w /properties/a/nullable: "nullable" is not JSON Schema and is ignored: write "type": ["string", "null"]`},
		"not nullable":     {property(`{"type":"string","nullable":false}`), `w /properties/a/nullable: "nullable" is not JSON Schema and is ignored: leave it out`},
		"regex":            {property(`{"pattern":"[a"}`), "e /properties/a/pattern: invalid regular expression \"[a\": missing closing ]: `[a`"},
		"look-ahead":       {property(`{"pattern":"^(?!x)"}`), `w /properties/a/pattern: the pattern "^(?!x)" is shown to clients, but arguments are not checked against it: look-around, back-references and more than 1000 repetitions are not checked here`},
		"name regex":       {property(`{"patternProperties":{"^(?!x)":true}}`), `e /properties/a/patternProperties/^(?!x): invalid regular expression "^(?!x)": look-around, back-references and more than 1000 repetitions are not checked here`},
		"type":             {property(`{"type":"int"}`), `e /properties/a/type: unknown type "int"; accepted: null, boolean, number, integer, string, array, object (did you mean "integer"?)`},
		"type, near":       {property(`{"type":"strnig"}`), `e /properties/a/type: unknown type "strnig"; accepted: null, boolean, number, integer, string, array, object (did you mean "string"?)`},
		"type list":        {property(`{"type":["string","date"]}`), `e /properties/a/type/1: unknown type "date"; accepted: null, boolean, number, integer, string, array, object (did you mean "string"?)`},
		"type value":       {property(`{"type":5}`), `e /properties/a/type: type: expected the name of a type or a list of them, got 5; accepted: null, boolean, number, integer, string, array, object`},
		"properties":       {`{"type":"object","properties":["a"]}`, `e /properties: properties: expected schemas by name, got an array`},
		"property":         {property(`"string"`), `e /properties/a: expected a schema (an object, true or false), got string`},
		"required true":    {property(`{"type":"string","required":true}`), `e /properties/a/required: required: expected a list of names, got true; required stands beside properties and lists their names`},
		"required twice":   {`{"type":"object","required":["a","a"]}`, `e /required/1: required: "a" is there twice`},
		"required unknown": {`{"type":"object","properties":{"name":{}},"required":["nmae"],"additionalProperties":false}`, `e /required/0: "nmae" is required, but properties does not have it and additionalProperties is false (did you mean "name"?)`},
		"length":           {property(`{"minLength":-1}`), `e /properties/a/minLength: minLength: expected an integer of 0 or more, got -1`},
		"length, string":   {property(`{"maxLength":"5"}`), `e /properties/a/maxLength: maxLength: expected an integer of 0 or more, got the string "5"`},
		"limit":            {property(`{"minimum":"1"}`), `e /properties/a/minimum: minimum: expected a number, got the string "1"`},
		"exclusive":        {property(`{"exclusiveMinimum":true}`), `e /properties/a/exclusiveMinimum: exclusiveMinimum: expected a number, got true; since draft-06 it is the limit itself`},
		"multiple":         {property(`{"multipleOf":0}`), `e /properties/a/multipleOf: multipleOf: expected a number above 0, got 0`},
		"no value":         {property(`{"minimum":5,"maximum":3}`), `e /properties/a/minimum: minimum 5 and maximum 3 leave no value`},
		"no value, equal":  {property(`{"minimum":5.0,"exclusiveMaximum":5}`), `e /properties/a/minimum: minimum 5.0 and exclusiveMaximum 5 leave no value`},
		"huge":             {property(`{"minimum":1e9999999}`), `e /properties/a/minimum: a number has more than 400 digits`},
		"huge enum":        {property(`{"enum":[1e9999999]}`), `e /properties/a/enum/0: a number has more than 400 digits`},
		"enum":             {property(`{"enum":"a"}`), `e /properties/a/enum: enum: expected a list, got the string "a"`},
		"enum empty":       {property(`{"enum":[]}`), `e /properties/a/enum: enum: the list is empty, so that no value is allowed`},
		"enum type":        {property(`{"type":"integer","enum":["1"]}`), `e /properties/a/enum/0: "1" is a string, which the type "integer" rules out`},
		"enum types":       {property(`{"type":"integer","enum":[1,"2"]}`), `w /properties/a/enum/1: "2" is a string, which the type "integer" rules out`},
		"items list":       {property(`{"items":[{}]}`), `e /properties/a/items: items: expected a schema, got a list; in 2020-12 a list of schemas is prefixItems`},
		"anyOf":            {property(`{"anyOf":[]}`), `e /properties/a/anyOf: anyOf: expected a list of schemas, got an empty array`},
		"boolean":          {property(`{"uniqueItems":"yes"}`), `e /properties/a/uniqueItems: uniqueItems: expected true or false, got the string "yes"`},
		"keyword":          {property(`{"minLenght":3}`), `w /properties/a/minLenght: unknown keyword "minLenght" is ignored (did you mean "minLength"?)`},
		"keyword, far":     {property(`{"widget":3,"x-order":1}`), ``},
		"other dialect":    {`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"prefixItems":[{}]}}}`, `w /properties/a/prefixItems: "prefixItems" is no keyword of the schema's dialect, draft-07, and is ignored`},
		"default":          {property(`{"type":"integer","default":"x"}`), `e /properties/a/default: the default does not fit: expected integer, got string "x"`},
		"inner default":    {property(`{"properties":{"b":{"minimum":3,"default":1}}}`), `e /properties/a/properties/b/default: the default does not fit: expected at least 3, got 1`},
		"header number":    {property(`{"type":"number","x-mcp-header":"A"}`), `e /properties/a/x-mcp-header: x-mcp-header: the argument's type is "number"; accepted: string, integer, boolean`},
		"header no type":   {property(`{"x-mcp-header":"A"}`), `e /properties/a/x-mcp-header: x-mcp-header: the argument's type is no type; accepted: string, integer, boolean`},
		"header name":      {property(`{"type":"string","x-mcp-header":"A B"}`), "e /properties/a/x-mcp-header: x-mcp-header: expected a header name (letters, digits and !#$%&'*+-.^_`|~), got the string \"A B\""},
		"header empty":     {property(`{"type":"string","x-mcp-header":""}`), "e /properties/a/x-mcp-header: x-mcp-header: expected a header name (letters, digits and !#$%&'*+-.^_`|~), got the string \"\""},
		"header twice":     {`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"R"},"b":{"type":"string","x-mcp-header":"r"}}}`, `e /properties/b/x-mcp-header: x-mcp-header: "r" is there twice, also at /properties/a; case makes no difference`},
		"header in items":  {property(`{"items":{"type":"string","x-mcp-header":"A"}}`), `e /properties/a/items/x-mcp-header: x-mcp-header: only an argument that is reached from the root through properties alone can be mirrored in a header`},
		"header in anyOf":  {property(`{"anyOf":[{"type":"string","x-mcp-header":"A"}]}`), `e /properties/a/anyOf/0/x-mcp-header: x-mcp-header: only an argument that is reached from the root through properties alone can be mirrored in a header`},
		"header at root":   {`{"type":"object","x-mcp-header":"A"}`, `e /x-mcp-header: x-mcp-header: only an argument that is reached from the root through properties alone can be mirrored in a header`},
		"two mistakes": {property(`{"type":"int","minLength":"x"}`), `e /properties/a/type: unknown type "int"; accepted: null, boolean, number, integer, string, array, object (did you mean "integer"?)
e /properties/a/minLength: minLength: expected an integer of 0 or more, got the string "x"`},
		"deep": {`{"type":"object","default":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, `e : the schema nests deeper than 200 levels`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, problems := compileInputs(Config{InputSchema: json.RawMessage(tc.schema)}, Options{})
			if got := listProblems(problems); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
			if wantIn := !strings.Contains("\n"+tc.want, "\ne "); (in != nil) != wantIn {
				t.Errorf("inputs given: %v, want %v", in != nil, wantIn)
			}
			for _, p := range problems {
				if p.Field != "input_schema" {
					t.Errorf("field %q", p.Field)
				}
				if strings.HasPrefix(p.Pointer, "/properties/a") && p.Arg == "" && !strings.Contains(tc.want, "not valid JSON") {
					t.Errorf("no argument named for %s", p.Pointer)
				}
			}
		})
	}
}

func TestOutputLints(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ schema, want string }{
		"array":  {`{"type":"array","items":{"type":"string"}}`, ``},
		"anyOf":  {`{"anyOf":[{"type":"array"},{"type":"object"}]}`, ``},
		"true":   {`true`, ``},
		"string": {`"x"`, `e : expected a JSON Schema, which is an object, got string`},
		"type":   {`{"type":"list"}`, `e /type: unknown type "list"; accepted: null, boolean, number, integer, string, array, object (did you mean "array"?)`},
		"remote": {`{"$ref":"https://example.com/a.json"}`, `e /$ref: $ref "https://example.com/a.json" is not in this document, and nothing is fetched: put that schema into $defs and refer to it as #/$defs/NAME`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := compileSchema(json.RawMessage(tc.schema), "output_schema")
			if got := listProblems(problems); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
			for _, p := range problems {
				if p.Field != "output_schema" {
					t.Errorf("field %q", p.Field)
				}
			}
		})
	}
}

func TestHeaderParams(t *testing.T) {
	t.Parallel()
	in := newInputs(t, Config{
		InputSchema: json.RawMessage(`{"type":"object","properties":{
			"region":{"type":"string","x-mcp-header":"Region"},
			"where":{"type":"object","properties":{"zone":{"type":"integer","x-mcp-header":"Method"}}},
			"secret":{"type":"boolean","x-mcp-header":"Secret"}}}`),
		Fixed: map[string]json.RawMessage{"secret": json.RawMessage("true")},
	})
	got := fmt.Sprint(in.headers)
	if want := "[{Mcp-Param-Region [region] string} {Mcp-Param-Method [where zone] integer}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestManySubschemas(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"p":true`)
	for i := range maxSubschemas {
		fmt.Fprintf(&b, `,"p%d":true`, i)
	}
	b.WriteString("}}")
	_, problems := compileInputs(Config{InputSchema: json.RawMessage(b.String())}, Options{})
	if got, want := listProblems(problems), "e : more than 5000 subschemas"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
