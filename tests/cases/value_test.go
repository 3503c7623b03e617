// SPDX-License-Identifier: Apache-2.0

package cases_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/fixture"
	"github.com/caddymcp/caddy-mcp/tests/harness"
)

func number(digits, want string) row {
	return row{name: digits, tool: "b10", args: raw(`{"n":` + digits + `}`), check: echo(func(t *testing.T, got fixture.Request) {
		body := fmt.Sprintf(`{"n":%s,"text":"n=%s","list":{"n":%s}}`, digits, want, digits)
		if got.Path != "/echo/n/"+want || got.Query != "n="+want || got.Headers.Get("X-N") != want || sorted(got.Text) != sorted(body) {
			t.Errorf("%s: %s ? %s, X-N %s, %s", digits, got.Path, got.Query, got.Headers.Get("X-N"), got.Text)
		}
	})}
}

func TestB10(t *testing.T) {
	rows := []row{
		number("9007199254740993", "9007199254740993"), number("-9007199254740993", "-9007199254740993"),
		number("123456789012345678901234567890", "123456789012345678901234567890"),
		{name: "literals", tool: "b10_literal", check: all(wantQuery("hidden=9007199254740993"), wantBody(`{"exact":1.5,"text":"9007199254740993"}`))},
		{name: "answer", tool: "b10_null", check: all(wantText(`{"id":9007199254740993,"note":null}`),
			wantStructured(`{"id":9007199254740993,"note":null}`, `{"id":9007199254740993,"note":null}`))},
	}
	both(t, rows...)
	t.Run("id", func(t *testing.T) {
		t.Parallel()
		for _, v := range harness.Eras {
			// The harness compares ids digit by digit.
			caddy.Do(t, harness.Tool(v, "b10_null", nil).WithID("9007199254740993")).Result(t)
		}
	})
}

// Caddy itself rounds numbers of its configuration, so those that it would
// change are refused.
func TestB10Configuration(t *testing.T) {
	t.Parallel()
	lines := "arg a integer \"A.\"\n\t\t\tfix a 9007199254740993"
	if out, err := validate(t, toolBlock("b10_rounded", lines)); err == nil || !strings.Contains(out, "9007199254740993") {
		t.Errorf("%s: %v: %s", lines, err, out)
	}
}

func TestB11(t *testing.T) {
	both(t,
		number("1000000", "1000000"), number("123456789", "123456789"), number("0.1", "0.1"), number("0", "0"), number("1.50", "1.50"),
		row{name: "minus zero", tool: "b10", args: raw(`{"n":-0}`), check: echo(func(t *testing.T, got fixture.Request) {
			if got.Query != "n=0" && got.Query != "n=-0" {
				t.Errorf("%s", got.Query)
			}
		})},
		row{name: "true", tool: "b11", args: object{"b": true}, check: all(wantPath("/echo/b/true"), wantQuery("b=true"))},
	)
}

func TestB12(t *testing.T) { //nolint:tparallel // both makes it parallel
	for _, name := range []string{`x","admin":true,"z":"`, "a\nb\tc", "😀", "</script>", `\`, `"`, "{{.name}}", "\u2028", "%s", "$1", ""} {
		t.Run(fmt.Sprintf("%q", name), func(t *testing.T) {
			both(t,
				row{name: "json", tool: "b12", args: object{"name": name}, check: echo(func(t *testing.T, got fixture.Request) {
					var body map[string]any
					if err := json.Unmarshal(got.Body, &body); err != nil {
						t.Fatalf("%v: %s", err, got.Text)
					}
					if len(body) != 3 || body["name"] != name || body["greeting"] != "Hello, "+name+"!" || body["fixed"] != true {
						t.Errorf("%s", got.Text)
					}
				})},
				row{name: "text", tool: "b12_text", args: object{"name": name}, check: wantBody("Hello, " + name + "!")},
				row{name: "query", tool: "b12_query", args: object{"q": name, "tags": []string{name, "b"}}, check: echo(func(t *testing.T, got fixture.Request) {
					q, err := url.ParseQuery(got.Query)
					if err != nil || q.Get("q") != name || q.Get("fixed") != "1" || len(q["tag"]) != 2 || q["tag"][0] != name || q.Has("sort") {
						t.Errorf("%v %s", err, got.Query)
					}
				})},
			)
		})
	}
	both(t,
		row{name: "absent", tool: "b12_query", args: object{}, check: wantQuery("fixed=1")},
		row{name: "empty array", tool: "b12_query", args: object{"tags": []string{}}, check: wantQuery("fixed=1")},
		row{name: "header", tool: "b12_header", args: object{"name": "a\r\nX-Evil: 1"}, check: wantError("name")},
		row{name: "absent header", tool: "b12_header", args: object{}, check: echo(func(t *testing.T, got fixture.Request) {
			if _, ok := got.Headers["X-Name"]; ok {
				t.Errorf("%v", got.Headers)
			}
		})},
	)
}

func TestB13(t *testing.T) {
	both(t,
		row{name: "string for integer", tool: "b13", args: object{"n": "5"}, check: wantError("n", "integer")},
		row{name: "string for boolean", tool: "b13", args: object{"n": 5, "b": "false"}, check: wantError("b", "boolean")},
		row{name: "string for array", tool: "b13", args: object{"n": 5, "a": `["a"]`}, check: wantError("a", "array")},
		row{name: "string for object", tool: "b13", args: object{"n": 5, "o": `{"k":1}`}, check: wantError("o", "object")},
		row{name: "coerced", tool: "b13_coerce", args: object{"n": "5", "b": "false", "a": `["a"]`, "o": `{"k":1}`, "s": `{"k":1}`}, check: echo(func(t *testing.T, got fixture.Request) {
			var body map[string]any
			if err := json.Unmarshal(got.Body, &body); err != nil {
				t.Fatal(err)
			}
			if want := map[string]any{"n": 5.0, "b": false, "a": []any{"a"}, "o": map[string]any{"k": 1.0}, "s": `{"k":1}`}; fmt.Sprint(body) != fmt.Sprint(want) {
				t.Errorf("%v, want %v", body, want)
			}
		})},
		row{name: "coerced in vain", tool: "b13_coerce", args: object{"n": "five"}, check: wantError("n", "integer")},
		row{name: "text that looks like JSON", tool: "b13", args: object{"n": 5, "s": "[1]"}, check: echo(func(t *testing.T, got fixture.Request) {
			if !strings.Contains(got.Text, `"s":"[1]"`) {
				t.Errorf("%s", got.Text)
			}
		})},
		row{name: "no arguments", tool: "b13_none", check: wantBody("{}")},
		row{name: "null", tool: "b13_none", args: raw("null"), check: wantBody("{}")},
		row{name: "empty", tool: "b13_none", args: object{}, check: wantBody("{}")},
		row{name: "hidden", tool: "b13_hidden", args: object{"s": "x"}, check: echo(func(t *testing.T, got fixture.Request) {
			var body map[string]any
			if err := json.Unmarshal(got.Body, &body); err != nil || body["verbose"] != true || body["limit"] != 7.0 || body["s"] != "x" {
				t.Errorf("%v %s", err, got.Text)
			}
		})},
		row{name: "fixed is no argument", tool: "b13_hidden", args: object{"verbose": false}, check: wantError("verbose")},
		row{name: "hidden is no argument", tool: "b13_hidden", args: object{"limit": 1}, check: wantError("limit")},
	)
	t.Run("hidden schema", func(t *testing.T) {
		t.Parallel()
		for _, v := range harness.Eras {
			for _, tool := range caddy.Do(t, harness.Call(v, "tools/list", nil)).Result(t).Tools {
				if tool.Name == "b13_hidden" && (bytes.Contains(tool.Raw, []byte("verbose")) || bytes.Contains(tool.Raw, []byte("limit"))) {
					t.Errorf("%s", tool.Raw)
				}
			}
		}
	})
}
