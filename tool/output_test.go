// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestMapperCuts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		cfg    Config
		opt    Options
		header map[string]string
		body   string
		text   string // beginning of the text, whole if cut
		meta   string
		fails  string
	}{
		{name: "fits", opt: Options{ResultSize: 10}, body: "0123456789", text: "0123456789"},
		{name: "fits with characters", opt: Options{ResultSize: 10}, body: "ééééé", text: "ééééé"},
		{name: "one more, between characters", opt: Options{ResultSize: 300}, body: strings.Repeat("é", 151), text: "é", meta: `"total":302}`},
		{name: "known length", opt: Options{ResultSize: 300}, header: map[string]string{"Content-Length": "100000"}, body: strings.Repeat("x", 100000), text: "x", meta: `"total":100000}`},
		{name: "unknown length", opt: Options{ResultSize: 300}, body: strings.Repeat("x", 100000), text: "x", meta: "}"},
		{name: "json", opt: Options{ResultSize: 300}, header: map[string]string{"Content-Type": "application/json"}, body: `{"a":"` + strings.Repeat("é", 1000) + `"}`, text: `{"a":"é`, meta: "}"},
		{name: "selected", cfg: Config{Select: "."}, opt: Options{ResultSize: 300}, header: map[string]string{"Content-Type": "application/json"}, body: `{"a":"` + strings.Repeat("é", 1000) + `"}`, text: `{"a":"é`, meta: "}"},
		{name: "selected small of large", cfg: Config{Select: ".b"}, opt: Options{ResultSize: 300}, header: map[string]string{"Content-Type": "application/json"}, body: `{"a":"` + strings.Repeat("é", 1000) + `","b":"c"}`, text: `c`},
		{name: "compressed", opt: Options{ResultSize: 300}, header: map[string]string{"Content-Encoding": "gzip", "Content-Type": "text/plain"}, body: compress(t, "gzip", strings.Repeat("é", 100000)), text: "é", meta: "}"},
		{name: "nothing fits", opt: Options{ResultSize: 1}, body: strings.Repeat("é", 1000), text: "", meta: "}"},
		{name: "error wanted", opt: Options{ResultSize: 2048, ResultError: true}, body: strings.Repeat("é", 1<<20), fails: "the result is larger than 2 KiB; ask for less"},
		{name: "bytes", opt: Options{ResultSize: 2048}, header: map[string]string{"Content-Type": "image/png"}, body: strings.Repeat("é", 1<<20), fails: "the result is larger than 2 KiB and is not text that could be cut"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := newMapper(t, tc.cfg, tc.opt)
			res := m.exchange(t, answer{header: tc.header, body: tc.body}, nil)
			if err := check(m, res); err != nil {
				t.Fatal(err)
			}
			texts := told(res)
			if tc.fails != "" {
				if res.Outcome != OutcomeOutput || !strings.HasPrefix(texts[0], tc.fails) {
					t.Errorf("%s: %q", res.Outcome, texts)
				}
				return
			}
			if !strings.HasPrefix(texts[0], tc.text) || strings.ContainsRune(texts[0], utf8.RuneError) {
				t.Errorf("text %q", texts[0])
			}
			if tc.meta == "" {
				if len(texts) != 1 || res.Meta != nil {
					t.Errorf("cut: %q", texts)
				}
				return
			}
			if len(texts) != 2 || !strings.HasPrefix(texts[1], fmt.Sprintf("[The result was cut after %d ", len(texts[0]))) || res.Structured != nil {
				t.Errorf("notice %q", texts[1:])
			}
			want := fmt.Sprintf(`{"bytes":%d`, len(texts[0]))
			if v := string(res.Meta[0].Value); !strings.HasPrefix(v, want) || !strings.HasSuffix(v, tc.meta) {
				t.Errorf("_meta %s", v)
			}
		})
	}
}

func TestOutputSchema(t *testing.T) {
	t.Parallel()
	object := json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}`)
	array := json.RawMessage(`{"type":"array","items":{"type":"integer"}}`)
	loose := json.RawMessage(`{"type":["object","null"]}`)
	anything := json.RawMessage(`{"type":"object"}`)
	for _, tc := range []struct {
		name       string
		schema     json.RawMessage
		sel        string
		a          answer
		text       string
		structured string
		breaks     bool // the schema
		fails      bool // even without strict
	}{
		{name: "conforms", schema: object, a: answer{body: `{"id":1}`}, text: `{"id":1}`, structured: `{"id":1}`},
		{name: "breaks", schema: object, a: answer{body: `{"id":"x"}`}, text: `{"id":"x"}`, structured: `{"id":"x"}`, breaks: true},
		{name: "array", schema: array, a: answer{body: `[1]`}, text: `[1]`, structured: `[1]`},
		{name: "declared as text", schema: array, a: answer{header: map[string]string{"Content-Type": "text/plain"}, body: `[1]`}, text: `[1]`, structured: `[1]`},
		{name: "not JSON", schema: object, a: answer{header: map[string]string{"Content-Type": "text/plain"}, body: "hi"}, text: "hi", breaks: true},
		{name: "image", schema: object, a: answer{header: map[string]string{"Content-Type": "image/png"}, body: "hi"}, text: `image image/png "hi"`, breaks: true},
		{name: "nothing, null fits", schema: loose, a: answer{status: 204}, text: "204 No Content", structured: "null"},
		{name: "nothing, an object fits", schema: anything, a: answer{status: 204}, text: "204 No Content", structured: "{}"},
		{name: "nothing fits", schema: object, a: answer{status: 204}, text: "204 No Content", breaks: true},
		{name: "selected string", schema: json.RawMessage(`{"type":"string"}`), sel: ".s", a: answer{body: `{"s":"x"}`}, text: `"x"`, structured: `"x"`},
		{name: "lines", schema: array, a: answer{header: map[string]string{"Content-Type": "application/x-ndjson"}, body: "1\n2\n"}, text: `[1,2]`, structured: `[1,2]`},
		{name: "too large", schema: array, a: answer{body: "[" + strings.Repeat("1,", 1000) + "1]"}, fails: true},
	} {
		for _, strict := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/strict=%v", tc.name, strict), func(t *testing.T) {
				t.Parallel()
				m := newMapper(t, Config{OutputSchema: tc.schema, OutputStrict: strict, Select: tc.sel}, Options{ResultSize: 1000})
				res := m.exchange(t, tc.a, nil)
				if err := check(m, res); err != nil {
					t.Fatal(err)
				}
				if res.Nonconforming != tc.breaks || tc.breaks && res.Err == nil {
					t.Errorf("nonconforming %v: %v", res.Nonconforming, res.Err)
				}
				if want := tc.fails || tc.breaks && strict; res.IsError != want || want && res.Outcome != OutcomeOutput {
					t.Errorf("isError %v, outcome %s", res.IsError, res.Outcome)
				}
				if res.IsError {
					return
				}
				if got := told(res); got[0] != tc.text || string(res.Structured) != tc.structured {
					t.Errorf("%q, %s", got, res.Structured)
				}
			})
		}
	}
}

func TestCompileOutput(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		schema string
		strict bool
		object bool
		fields []string
	}{
		{schema: `{ "type": "object" }`, object: true},
		{schema: `{"type":"array"}`, fields: []string{"output_schema"}},
		{schema: `{"anyOf":[{"type":"object"}]}`, fields: []string{"output_schema"}},
		{strict: true, fields: []string{"output_strict"}},
		{},
	} {
		m, problems := compileMapper(Config{OutputSchema: json.RawMessage(tc.schema), OutputStrict: tc.strict}, Options{}.withDefaults())
		var fields []string
		for _, p := range problems {
			fields = append(fields, p.Field)
		}
		if diff := cmp.Diff(tc.fields, fields); diff != "" {
			t.Errorf("%s: %s", tc.schema, diff)
		}
		if m != nil && m.outputObject != tc.object {
			t.Errorf("%s: object %v", tc.schema, m.outputObject)
		}
		if m != nil && (m.outputSchema == nil) != (tc.schema == "") {
			t.Errorf("%s: schema %s", tc.schema, m.outputSchema)
		}
	}
}
