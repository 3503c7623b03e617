// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestPrepare(t *testing.T) {
	t.Parallel()
	const refused = "refused: "
	for name, tc := range map[string]struct {
		cfg             Config
		schema          string
		arguments, want string
	}{
		"absent":           {schema: ``, arguments: ``, want: `{}`},
		"null":             {schema: ``, arguments: `null`, want: `{}`},
		"null, space":      {schema: ``, arguments: " null ", want: `{}`},
		"closed":           {schema: ``, arguments: `{"a":1}`, want: refused + `invalid arguments: a: unknown argument; none are accepted`},
		"open":             {schema: `{"type":"object"}`, arguments: `{"b":1,"a":{"c":2}}`, want: `{"b":1,"a":{"c":2}}`},
		"order":            {schema: searchSchema, arguments: ` { "sort" : "name", "q":"ab" , "limit":5 } `, want: `{"sort":"name","q":"ab","limit":5}`},
		"additional":       {schema: `{"type":"object","additionalProperties":{"type":"integer"}}`, arguments: `{"a":1}`, want: `{"a":1}`},
		"additional wrong": {schema: `{"type":"object","additionalProperties":{"type":"integer"}}`, arguments: `{"a":"x"}`, want: refused + `invalid arguments: a: expected integer, got string "x"`},
		"escaped name":     {schema: searchSchema, arguments: `{"\u0071":"ab"}`, want: `{"q":"ab"}`},

		"digits":         {schema: `{"type":"object","properties":{"n":{"type":"number"}}}`, arguments: `{"n":1.10}`, want: `{"n":1.10}`},
		"long digits":    {schema: `{"type":"object","properties":{"n":{"type":"integer","minimum":9007199254740993}}}`, arguments: `{"n":9007199254740993}`, want: `{"n":9007199254740993}`},
		"one below":      {schema: `{"type":"object","properties":{"n":{"type":"integer","minimum":9007199254740993}}}`, arguments: `{"n":9007199254740992}`, want: refused + `invalid arguments: n: expected at least 9007199254740993, got 9007199254740992`},
		"1.0":            {schema: `{"type":"object","properties":{"n":{"type":"integer"}}}`, arguments: `{"n":1.0}`, want: `{"n":1.0}`},
		"1e2":            {schema: `{"type":"object","properties":{"n":{"type":"integer","maximum":100}}}`, arguments: `{"n":1e2}`, want: `{"n":1e2}`},
		"-0":             {schema: `{"type":"object","properties":{"n":{"type":"integer","minimum":0}}}`, arguments: `{"n":-0}`, want: `{"n":-0}`},
		"enum number":    {schema: `{"type":"object","properties":{"n":{"enum":[1,2.50]}}}`, arguments: `{"n":2.5}`, want: `{"n":2.5}`},
		"huge exponent":  {schema: `{"type":"object","properties":{"n":{"type":"number","minimum":1}}}`, arguments: `{"n":1e9999999}`, want: refused + `invalid arguments: a number has more than 400 digits`},
		"huge, any":      {schema: `{"type":"object"}`, arguments: `{"n":[1e-9999999]}`, want: refused + `invalid arguments: a number has more than 400 digits`},
		"exponent 400":   {schema: `{"type":"object","properties":{"n":{"type":"number","minimum":1}}}`, arguments: `{"n":1e400}`, want: `{"n":1e400}`},
		"many digits":    {schema: `{"type":"object"}`, arguments: `{"n":` + strings.Repeat("1", 401) + `}`, want: refused + `invalid arguments: a number has more than 400 digits`},
		"number in text": {schema: `{"type":"object"}`, arguments: `{"n":"1e9999999"}`, want: `{"n":"1e9999999"}`},

		"null type":       {schema: `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}}}`, arguments: `{}`, want: `{"a":null}`},
		"default":         {schema: `{"type":"object","properties":{"a":{"default":1.10},"b":{}}}`, arguments: `{"b":2}`, want: `{"b":2,"a":1.10}`},
		"default, given":  {schema: `{"type":"object","properties":{"a":{"default":1}}}`, arguments: `{"a":null}`, want: `{"a":null}`},
		"default, needed": {schema: `{"type":"object","properties":{"a":{"type":"integer","default":1}},"required":["a"],"additionalProperties":false}`, arguments: `{}`, want: `{"a":1}`},
		"default by ref":  {schema: `{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer","default":7}}}`, arguments: `{}`, want: `{"a":7}`},
		"inner default":   {schema: `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"default":1},"c":{"properties":{"d":{"default":2}}}}}}}`, arguments: `{"a":{"c":{}}}`, want: `{"a":{"c":{"d":2},"b":1}}`},
		"inner, needed":   {schema: `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"default":1}},"required":["b"]}}}`, arguments: `{"a":{}}`, want: `{"a":{"b":1}}`},
		"inner, absent":   {schema: `{"type":"object","properties":{"a":{"properties":{"b":{"default":1}}}}}`, arguments: `{}`, want: `{}`},
		"inner, no":       {schema: `{"type":"object","properties":{"a":{"properties":{"b":{"default":1}}}}}`, arguments: `{"a":"x"}`, want: `{"a":"x"}`},
		"default, count":  {schema: `{"type":"object","properties":{"a":{"default":1}},"minProperties":2}`, arguments: `{"b":1}`, want: `{"b":1,"a":1}`},

		"fixed":            {schema: searchSchema, cfg: Config{Fixed: map[string]json.RawMessage{"sort": json.RawMessage(` "name" `)}}, arguments: `{"q":"ab"}`, want: `{"q":"ab","sort":"name"}`},
		"fixed, sent":      {schema: `{"type":"object","properties":{"q":{},"sort":{}}}`, cfg: Config{Fixed: map[string]json.RawMessage{"sort": json.RawMessage(`1`)}}, arguments: `{"sort":1}`, want: refused + `invalid arguments: sort: unknown argument; accepted: q`},
		"fixed, required":  {schema: searchSchema, cfg: Config{Fixed: map[string]json.RawMessage{"q": json.RawMessage(`"ab"`)}}, arguments: `{}`, want: `{"q":"ab"}`},
		"fixed, default":   {schema: `{"type":"object","properties":{"a":{"default":1}}}`, cfg: Config{Fixed: map[string]json.RawMessage{"a": json.RawMessage(`2`)}}, arguments: `{}`, want: `{"a":2}`},
		"fixed, unnamed":   {schema: `{"type":"object"}`, cfg: Config{Fixed: map[string]json.RawMessage{"a": json.RawMessage(`2`)}}, arguments: `{"b":1}`, want: `{"b":1,"a":2}`},
		"hidden":           {schema: searchSchema, cfg: Config{Hidden: []string{"sort"}}, arguments: `{"q":"ab"}`, want: `{"q":"ab"}`},
		"hidden, sent":     {schema: searchSchema, cfg: Config{Hidden: []string{"sort"}}, arguments: `{"q":"ab","sort":"name"}`, want: refused + `invalid arguments: sort: unknown argument; accepted: q, limit, code, price, tags, color, flag, filter`},
		"hidden, default":  {schema: `{"type":"object","properties":{"a":{"default":1}}}`, cfg: Config{Hidden: []string{"a"}}, arguments: `{}`, want: `{"a":1}`},
		"not told":         {schema: `{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false}`, cfg: Config{Hidden: []string{"a"}}, arguments: `{"c":1}`, want: refused + `invalid arguments: c: unknown argument; accepted: b`},
		"fixed, condition": {schema: `{"type":"object","properties":{"mode":{},"to":{}},"if":{"properties":{"mode":{"const":"mail"}}},"then":{"required":["to"]}}`, cfg: Config{Fixed: map[string]json.RawMessage{"mode": json.RawMessage(`"mail"`)}}, arguments: `{}`, want: refused + `invalid arguments: to: required argument is missing`},

		"union":           {schema: `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}`, arguments: `{"a":true}`, want: refused + `invalid arguments: a: expected string or integer, got boolean true`},
		"union of types":  {schema: `{"type":"object","properties":{"a":{"anyOf":[{"type":"string","maxLength":2},{"type":"null"}]}}}`, arguments: `{"a":"abc"}`, want: refused + `invalid arguments: a: expected at most 2 characters, got 3`},
		"union, constant": {schema: `{"type":"object","properties":{"a":{"oneOf":[{"const":"x","title":"X"},{"const":"y"}]}}}`, arguments: `{"a":"z"}`, want: refused + `invalid arguments: a: expected one of "x", "y", got "z"`},
		"tagged":          {schema: taggedSchema, arguments: `{"shape":{"kind":"circle","radius":"x"}}`, want: refused + `invalid arguments: shape.radius: expected number, got string "x"`},
		"tagged, unknown": {schema: taggedSchema, arguments: `{"shape":{"kind":"cicle","radius":1}}`, want: refused + `invalid arguments: shape.kind: expected one of "circle", "square", got "cicle" (did you mean "circle"?)`},
		"untagged":        {schema: `{"type":"object","properties":{"a":{"anyOf":[{"required":["x"]},{"required":["y"]}]}}}`, arguments: `{"a":{}}`, want: refused + `invalid arguments: a: fits none of the 2 alternatives; mend one of these: x: required property is missing; or y: required property is missing`},
		"two of one":      {schema: `{"type":"object","properties":{"a":{"oneOf":[{"minimum":1},{"minimum":2}]}}}`, arguments: `{"a":3}`, want: refused + `invalid arguments: a: fits alternatives 1 and 2; expected exactly one of them`},
		"not":             {schema: `{"type":"object","properties":{"a":{"not":{"type":"string"}}}}`, arguments: `{"a":"x"}`, want: refused + `invalid arguments: a: "x" is ruled out by {"type":"string"}`},
		"names":           {schema: `{"type":"object","properties":{"a":{"propertyNames":{"pattern":"^[a-z]+$"}}}}`, arguments: `{"a":{"B":1}}`, want: refused + `invalid arguments: a: the name "B": "B" does not match the pattern ^[a-z]+$`},
		"dependent":       {schema: `{"type":"object","properties":{"a":{},"b":{}},"dependentRequired":{"a":["b"]}}`, arguments: `{"a":1}`, want: refused + `invalid arguments: b: required argument is missing; "a" needs it`},
		"unevaluated":     {schema: `{"type":"object","properties":{"alpha":{}},"unevaluatedProperties":false}`, arguments: `{"alfa":1}`, want: refused + `invalid arguments: alfa: unknown argument; accepted: alpha (did you mean "alpha"?)`},
		"contains":        {schema: `{"type":"object","properties":{"a":{"contains":{"const":1}}}}`, arguments: `{"a":[2]}`, want: refused + `invalid arguments: a: no element is {"const":1}`},
		"draft-07 tuple":  {schema: `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"items":[{"type":"string"}],"additionalItems":false}}}`, arguments: `{"a":["x",1]}`, want: refused + `invalid arguments: a: expected at most 1 element, got 2`},
		"draft-07 format": {schema: `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"format":"date"}}}`, arguments: `{"a":"x"}`, want: refused + `invalid arguments: a: "x" is not a valid date`},
		"2020 format":     {schema: `{"type":"object","properties":{"a":{"format":"date"}}}`, arguments: `{"a":"x"}`, want: `{"a":"x"}`},
		"look-ahead":      {schema: `{"type":"object","properties":{"a":{"pattern":"^(?!x)"}}}`, arguments: `{"a":"x"}`, want: `{"a":"x"}`},
		"unicode pattern": {schema: `{"type":"object","properties":{"a":{"pattern":"^\\u00e9[^]\\cJ?$"}}}`, arguments: `{"a":"é/"}`, want: `{"a":"é/"}`},
		"recursive":       {schema: treeSchema, arguments: `{"tree":{"kids":[{"kids":[{"kids":5}]}]}}`, want: refused + `invalid arguments: tree.kids[0].kids[0].kids: expected array, got number 5`},
		"recursive, good": {schema: treeSchema, arguments: `{"tree":{"kids":[{"kids":[{"kids":[]}]}]}}`, want: `{"tree":{"kids":[{"kids":[{"kids":[]}]}]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := tc.cfg
			cfg.InputSchema = json.RawMessage(tc.schema)
			got, err := prepared(newInputs(t, cfg), tc.arguments)
			if err != nil {
				got = refused + err.Error()
			}
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

const taggedSchema = `{"type":"object","properties":{"shape":{"oneOf":[
	{"type":"object","properties":{"kind":{"const":"circle"},"radius":{"type":"number"}},"required":["kind"]},
	{"type":"object","properties":{"kind":{"const":"square"},"side":{"type":"number"}},"required":["kind"]}]}}}`

const treeSchema = `{"type":"object","properties":{"tree":{"$ref":"#/$defs/tree"}},
	"$defs":{"tree":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"additionalProperties":false}}}`

func TestCoerce(t *testing.T) {
	t.Parallel()
	in := newInputs(t, Config{Coerce: true, InputSchema: json.RawMessage(`{
		"type": "object",
		"properties": {
			"int": {"type": "integer"}, "num": {"type": "number"}, "bool": {"type": "boolean"}, "nil": {"type": ["integer", "null"]},
			"str": {"type": "string"}, "either": {"type": ["string", "integer"]}, "any": {}, "enum": {"enum": [1, 2]},
			"arr": {"type": "array", "items": {"type": "integer"}}, "obj": {"type": "object", "properties": {"k": {"type": "integer"}}, "additionalProperties": {"type": "boolean"}},
			"opt": {"anyOf": [{"type": "array", "items": {"type": "boolean"}}, {"type": "null"}]},
			"strings": {"type": "array", "items": {"type": "string"}},
			"tree": {"$ref": "#/$defs/tree"}, "short": {"type": "array", "maxItems": 1}
		},
		"$defs": {"tree": {"type": "object", "properties": {"n": {"type": "integer"}, "kid": {"$ref": "#/$defs/tree"}}}}
	}`)})
	for _, tc := range []struct{ arguments, want string }{
		{`{"int":"5"}`, `{"int":5}`},
		{`{"int":" 5 "}`, `{"int":5}`},
		{`{"int":"9007199254740993"}`, `{"int":9007199254740993}`},
		{`{"int":"1.0"}`, `{"int":1.0}`},
		{`{"int":"1.5"}`, `int: expected integer, got string "1.5"`},
		{`{"int":"five"}`, `int: expected integer, got string "five"`},
		{`{"int":""}`, `int: expected integer, got string ""`},
		{`{"int":"05"}`, `int: expected integer, got string "05"`},
		{`{"int":"+5"}`, `int: expected integer, got string "+5"`},
		{`{"int":"0x10"}`, `int: expected integer, got string "0x10"`},
		{`{"int":true}`, `int: expected integer, got boolean true`},
		{`{"int":"true"}`, `int: expected integer, got string "true"`},
		{`{"int":"1e9999999"}`, `int: expected integer, got string "1e9999999"`},
		{`{"num":"1.10"}`, `{"num":1.10}`},
		{`{"num":"NaN"}`, `num: expected number, got string "NaN"`},
		{`{"bool":"true"}`, `{"bool":true}`},
		{`{"bool":"False"}`, `{"bool":false}`},
		{`{"bool":"yes"}`, `bool: expected boolean, got string "yes"`},
		{`{"bool":1}`, `bool: expected boolean, got number 1`},
		{`{"nil":"null"}`, `{"nil":null}`},
		{`{"nil":"7"}`, `{"nil":7}`},
		{`{"str":"5"}`, `{"str":"5"}`},
		{`{"str":"{\"k\":1}"}`, `{"str":"{\"k\":1}"}`},
		{`{"str":5}`, `{"str":"5"}`},
		{`{"str":1.10}`, `{"str":"1.10"}`},
		{`{"str":true}`, `str: expected string, got boolean true`},
		{`{"either":"5"}`, `{"either":"5"}`},
		{`{"either":5}`, `{"either":5}`},
		{`{"any":"5"}`, `{"any":"5"}`},
		{`{"enum":"2"}`, `{"enum":2}`},
		{`{"arr":"[1,2]"}`, `{"arr":[1,2]}`},
		{`{"arr":"[\"1\",2]"}`, `{"arr":[1,2]}`},
		{`{"arr":["1","2"]}`, `{"arr":[1,2]}`},
		{`{"arr":"1,2"}`, `arr: expected array, got string "1,2"`},
		{`{"arr":"[1,"}`, `arr: expected array, got string "[1,"`},
		{`{"arr":"[1] x"}`, `arr: expected array, got string "[1] x"`},
		{`{"obj":"{\"k\":\"1\",\"f\":\"true\"}"}`, `{"obj":{"k":1,"f":true}}`},
		{`{"obj":{"k":"1", "f":"true"}}`, `{"obj":{"k":1,"f":true}}`},
		{`{"obj":"{\"k\":1,\"k\":2}"}`, `obj: expected object, got string "{\"k\":1,\"k\":2}"`},
		{`{"opt":"[true,\"false\"]"}`, `{"opt":[true,false]}`},
		{`{"opt":"null"}`, `{"opt":null}`},
		{`{"strings":["1",2]}`, `{"strings":["1","2"]}`},
		{`{"tree":{"n":"1","kid":{"n":"2","kid":"{\"n\":\"3\"}"}}}`, `{"tree":{"n":1,"kid":{"n":2,"kid":{"n":3}}}}`},
		{`{"short":"[1,2]"}`, `short: expected at most 1 element, got 2`},
		{`{"int": 5, "str":"x" }`, `{"int":5,"str":"x"}`},
	} {
		got, err := prepared(in, tc.arguments)
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "invalid arguments: ")
		}
		if got != tc.want {
			t.Errorf("%s\ngot  %s\nwant %s", tc.arguments, got, tc.want)
		}
	}
}

// Nothing is converted unless it is asked for.
func TestNoCoerce(t *testing.T) {
	t.Parallel()
	in := inputsFor(t, `{"type":"object","properties":{"a":{"type":"array"}}}`)
	_, err := prepared(in, `{"a":"[1]"}`)
	if want := `invalid arguments: a: expected array, got string "[1]"; send it as JSON, not in a string`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCaps(t *testing.T) {
	t.Parallel()
	nested := func(n int) string {
		return `{"a":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}`
	}
	list := func(n int) string {
		return `{"a":[` + strings.TrimSuffix(strings.Repeat("1,", n-1), ",") + `]}`
	}
	quoted := func(s string) string {
		b, _ := jsontext.AppendQuote(nil, s[len(`{"a":`):len(s)-1])
		return `{"a":` + string(b) + `}`
	}
	const tooDeep, tooMany = "invalid arguments: nested deeper than 8 levels", "invalid arguments: more than 20 members and elements; send less at once"
	for _, coerce := range []bool{false, true} {
		in, problems := compileInputs(Config{Coerce: coerce, InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"array"}}}`)}, Options{Elements: 20, Depth: 8})
		if in == nil {
			t.Fatal(problems)
		}
		cases := []struct{ arguments, want string }{
			{nested(8), ``},
			{nested(9), tooDeep},
			{nested(5000), tooDeep},
			{list(20), ``},
			{list(21), tooMany},
			{list(5000), tooMany},
			{`{"a":["},{[,"]}`, ``},
		}
		if coerce {
			cases = append(cases, []struct{ arguments, want string }{
				{quoted(nested(8)), ``},
				{quoted(nested(9)), tooDeep},
				{quoted(list(20)), ``},
				{quoted(list(21)), tooMany},
				{`{"a":"[1e9999999]"}`, "invalid arguments: a number has more than 400 digits"},
			}...)
		}
		for _, tc := range cases {
			_, err := prepared(in, tc.arguments)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("coerce %v, %.40s: got %q, want %q", coerce, tc.arguments, got, tc.want)
			}
		}
	}
}

func TestManyViolations(t *testing.T) {
	t.Parallel()
	in := inputsFor(t, `{"type":"object","properties":{"a":{"items":{"type":"integer"}}}}`)
	arguments := `{"a":["` + strings.Repeat(`x","`, 49) + `x"]}`
	_, err := prepared(in, arguments)
	if err == nil {
		t.Fatal("passed")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != maxViolations+2 || lines[2] != `- a[1]: expected integer, got string "x"` || lines[11] != `- a[10]: expected integer, got string "x"` || lines[maxViolations+1] != "- and 30 more" {
		t.Errorf("got %s", err)
	}
	for range 20 {
		if _, again := prepared(in, arguments); again.Error() != err.Error() {
			t.Fatalf("the order varies:\n%s\n%s", err, again)
		}
	}
	_, err = prepared(in, `{"a":["`+strings.Repeat(`x","`, 5000)+`x"]}`)
	if err == nil || !strings.HasSuffix(err.Error(), "\n- and over 80 more") {
		t.Errorf("got %v", err)
	}
	closed := inputsFor(t, ``)
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, `"a%04d":1,`, i)
	}
	arguments = "{" + strings.TrimSuffix(b.String(), ",") + "}"
	_, err = prepared(closed, arguments)
	if err == nil || !strings.HasPrefix(err.Error(), "invalid arguments:\n- a0000: unknown argument; none are accepted\n- a0001:") {
		t.Errorf("got %.100v", err)
	}
}

// A small value can take time without end where alternatives refer back.
func TestComplexSchema(t *testing.T) {
	t.Parallel()
	in := inputsFor(t, `{"type":"object","properties":{"e":{"$ref":"#/$defs/e"}},"$defs":{"e":{"anyOf":[
		{"type":"object","properties":{"op":{"const":"and"},"of":{"$ref":"#/$defs/e"}},"required":["op"]},
		{"type":"object","properties":{"op":{"const":"or"},"of":{"$ref":"#/$defs/e"}},"required":["op"]},
		{"type":"object","properties":{"op":{"const":"is"},"of":{"type":"integer"}},"required":["op"]}]}}}`)
	deep := func(n int, leaf string) string {
		return `{"e":` + strings.Repeat(`{"op":"or","of":`, n) + leaf + strings.Repeat("}", n) + "}"
	}
	if _, err := prepared(in, deep(5, `{"op":"is","of":1}`)); err != nil {
		t.Error(err)
	}
	if _, err := prepared(in, deep(2, `{"op":"is","of":"x"}`)); err == nil || !strings.Contains(err.Error(), `e.of.of.of: expected integer, got string "x"`) {
		t.Error(err)
	}
	for range 3 {
		_, err := prepared(in, deep(60, `{"op":"is","of":"x"}`))
		if want := "invalid arguments: too deep or too varied to be checked; send less at once"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	// It works again after that.
	if _, err := prepared(in, deep(3, `{"op":"is","of":1}`)); err != nil {
		t.Error(err)
	}
}

func TestFixedAndHiddenProblems(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cfg    Config
		schema string
		field  string
		arg    string
		want   string
	}{
		"fixed unknown":   {Config{Fixed: map[string]json.RawMessage{"srot": json.RawMessage(`1`)}}, `{"type":"object","properties":{"q":{},"sort":{}},"additionalProperties":false}`, "fixed.srot", "srot", `there is no argument "srot" to fix; there are q, sort (did you mean "sort"?)`},
		"fixed wrong":     {Config{Fixed: map[string]json.RawMessage{"sort": json.RawMessage(`1`)}}, `{"type":"object","properties":{"sort":{"type":"string"}}}`, "fixed.sort", "sort", `expected string, got number 1`},
		"fixed inside":    {Config{Fixed: map[string]json.RawMessage{"f": json.RawMessage(`{"a":1}`)}}, `{"type":"object","properties":{"f":{"properties":{"a":{"type":"string"}}}}}`, "fixed.f", "f", `/a: expected string, got number 1`},
		"fixed no JSON":   {Config{Fixed: map[string]json.RawMessage{"sort": json.RawMessage(`{"a":1,"a":2}`)}}, `{"type":"object","properties":{"sort":{}}}`, "fixed.sort", "sort", `not valid JSON: the member "a" is there twice`},
		"fixed huge":      {Config{Fixed: map[string]json.RawMessage{"sort": json.RawMessage(`1e9999999`)}}, `{"type":"object","properties":{"sort":{}}}`, "fixed.sort", "sort", `a number has more than 400 digits`},
		"hidden unknown":  {Config{Hidden: []string{"sort"}}, ``, "hidden", "sort", `there is no argument "sort" to hide; the tool has none`},
		"hidden required": {Config{Hidden: []string{"q"}}, `{"type":"object","properties":{"q":{}},"required":["q"]}`, "hidden", "q", `argument "q" is hidden and required, so that no call could pass: give it a default, or fix its value`},
		"hidden in defs":  {Config{Hidden: []string{"a"}}, `{"type":"object","$ref":"#/$defs/x","$defs":{"x":{"properties":{"a":{}}}}}`, "input_schema", "a", `argument "a" cannot be taken from clients here: move it into the root's properties`},
		"hidden referred": {Config{Hidden: []string{"a"}}, `{"type":"object","properties":{"a":{},"b":{"$ref":"#/properties/a"}}}`, "input_schema", "a", `$ref leads into argument "a", which clients do not see: move what it refers to into $defs`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.cfg.InputSchema = json.RawMessage(tc.schema)
			in, problems := compileInputs(tc.cfg, Options{})
			if in != nil || len(problems) != 1 {
				t.Fatalf("got %v, %v", in, problems)
			}
			if p := problems[0]; p.Field != tc.field || p.Arg != tc.arg || p.Message != tc.want || p.Warning {
				t.Errorf("got %+v\nwant %s", p, tc.want)
			}
		})
	}
}

func TestPublicSchema(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ schema, want string }{
		"default": {``, `{"type":"object","properties":{},"additionalProperties":false}`},
		"verbatim": {
			`{ "$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {"z": {"$anchor": "z", "maximum": 9007199254740993}}, "properties": {"b": {"default": 1.10}, "a": {"title": "\u00e9"}}, "type": "object", "if": {"required": ["a"]}, "then": true}`,
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{"z":{"$anchor":"z","maximum":9007199254740993}},"properties":{"b":{"default":1.10},"a":{"title":"\u00e9"}},"type":"object","if":{"required":["a"]},"then":true}`,
		},
		"properties": {`{"properties":{"b":{},"secret":{},"a":{}},"type":"object","required":["secret","a"]}`, `{"properties":{"b":{},"a":{}},"type":"object","required":["a"]}`},
		"required":   {`{"type":"object","properties":{"secret":{}},"required":["secret"]}`, `{"type":"object","properties":{}}`},
		"dependent":  {`{"type":"object","properties":{"secret":{},"a":{}},"dependentRequired":{"secret":["a"],"a":["secret"],"b":["secret","a"]}}`, `{"type":"object","properties":{"a":{}},"dependentRequired":{"b":["a"]}}`},
		"allOf":      {`{"type":"object","properties":{"secret":{}},"allOf":[{"required":["secret","a"]},{"properties":{"secret":{}}}]}`, `{"type":"object","properties":{},"allOf":[{"required":["a"]},{"properties":{}}]}`},
		"only allOf": {`{"type":"object","allOf":[{"properties":{"secret":{},"a":{}}}]}`, `{"type":"object","allOf":[{"properties":{"a":{}}}]}`},
		"anyOf":      {`{"type":"object","properties":{"secret":{}},"anyOf":[{"required":["secret"]},{"required":["a"]}],"oneOf":[{"required":["a"]}]}`, `{"type":"object","properties":{},"oneOf":[{"required":["a"]}]}`},
		"if":         {`{"type":"object","properties":{"secret":{}},"if":{"required":["a"]},"then":{"properties":{"secret":{"const":1}}},"else":true}`, `{"type":"object","properties":{}}`},
		"not":        {`{"type":"object","properties":{"secret":{}},"not":{"required":["secret"]}}`, `{"type":"object","properties":{}}`},
		"examples":   {`{"type":"object","properties":{"secret":{}},"examples":[{"secret":1,"a":2}],"default":{"secret":1}}`, `{"type":"object","properties":{},"examples":[{"a":2}],"default":{}}`},
		"count":      {`{"type":"object","properties":{"secret":{}},"minProperties":1,"maxProperties":3}`, `{"type":"object","properties":{},"maxProperties":3}`},
		"deeper":     {`{"type":"object","properties":{"secret":{},"a":{"properties":{"secret":{}}}}}`, `{"type":"object","properties":{"a":{"properties":{"secret":{}}}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := Config{InputSchema: json.RawMessage(tc.schema)}
			if strings.Contains(tc.schema, "secret") {
				cfg.Fixed = map[string]json.RawMessage{"secret": json.RawMessage(`1`)}
			}
			if got := string(newInputs(t, cfg).public); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestProperties(t *testing.T) {
	t.Parallel()
	in := newInputs(t, Config{
		InputSchema: json.RawMessage(`{"type":"object","properties":{
			"id":{"type":"integer"},"any":{},"opt":{"type":["string","null"],"default":"x"},"ref":{"$ref":"#/$defs/f"},
			"enum":{"enum":["a",1]},"union":{"anyOf":[{"type":"array"},{"type":"object"}]},"num":{"type":["integer","number"]},"fixed":{"type":"boolean"}},
			"required":["id","other"],"$defs":{"f":{"type":"string","contentEncoding":"base64"}},
			"allOf":[{"properties":{"late":{"type":"string"}}}]}`),
		Fixed: map[string]json.RawMessage{"fixed": json.RawMessage("true")},
	})
	var b strings.Builder
	for _, p := range in.properties {
		fmt.Fprintf(&b, "%s %v %v %v\n", p.Name, p.Types, p.Always, p.Base64)
	}
	const want = `id [integer] true false
any [] false false
opt [null string] true false
ref [string] false true
enum [number string] false false
union [array object] false false
num [number] false false
fixed [boolean] true false
other [] true false
late [string] false false
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	if !in.open {
		t.Error("not open")
	}
	if closed := inputsFor(t, searchSchema); closed.open {
		t.Error("open")
	}
}

// What is logged of a refusal has nothing of the arguments in it.
func TestRedacted(t *testing.T) {
	t.Parallel()
	in := inputsFor(t, searchSchema)
	_, err := prepared(in, `{"q":5551234,"Jane Doe":"jane@example.com"}`)
	refusal, ok := err.(*argumentError)
	if !ok {
		t.Fatalf("got %v", err)
	}
	if got, want := refusal.redacted().Error(), "invalid arguments: q"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	s, problems := compileSchema(json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"},"kind":{"enum":["a","b"]},"list":{"items":{"type":"string"}}},"required":["id"],"additionalProperties":false}`), "output_schema")
	if s == nil {
		t.Fatal(problems)
	}
	for _, tc := range []struct{ value, want string }{
		{`{"id":9007199254740993}`, `[]`},
		{`{"id":"secret"}`, `[{/id expected integer, got string}]`},
		{`{"kind":"secret"}`, `[{/id required property is missing} {/kind expected one of "a", "b", got string}]`},
		{`{"id":1,"list":["a",7]}`, `[{/list/1 expected string, got number}]`},
		{`{"id":1,"b":1}`, `[{/b unknown property; accepted: id, kind, list}]`},
		{`[]`, `[{ expected object, got array}]`},
		{`{"id":1e9999999}`, `[{ a number has more than 400 digits}]`},
		{`{`, `[{ not valid JSON}]`},
	} {
		if got := fmt.Sprint(s.validate(jsontext.Value(tc.value))); got != tc.want {
			t.Errorf("%s\ngot  %s\nwant %s", tc.value, got, tc.want)
		}
	}
}
