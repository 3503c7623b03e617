// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/itchyny/gojq"
)

func TestMapperSelect(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, program, contentType, body string
		want, structured                 string
		fails                            string
	}{
		{name: "object", program: ".order", body: `{"order":{"id":1,"a":9007199254740993,"f":1.10}}`, want: `{"a":9007199254740993,"f":1.10,"id":1}`, structured: `{"a":9007199254740993,"f":1.10,"id":1}`},
		{name: "array", program: ".items | map({id})", body: `{"items":[{"id":1,"x":2},{"id":2}]}`, want: `[{"id":1},{"id":2}]`},
		{name: "several", program: ".items[]", body: `{"items":[1,"a"]}`, want: `[1,"a"]`},
		{name: "none", program: "empty", body: `{}`, want: "no result"},
		{name: "string", program: ".text", body: `{"text":"# Title\n\"quoted\""}`, want: "# Title\n\"quoted\""},
		{name: "long string", program: ".text*1000", body: `{"text":"é\"x "}`, want: strings.Repeat("é\"x ", 1000)},
		{name: "empty string", program: ".text", body: `{"text":""}`, want: `""`},
		{name: "null", program: ".nope", body: `{}`, want: "null"},
		{name: "big sum", program: ".a + 1", body: `{"a":9007199254740993}`, want: "9007199254740994"},
		{name: "float", program: ".a / 4", body: `{"a":1}`, want: "0.25"},
		{name: "nan", program: "[nan, infinite]", body: `{}`, want: "[null,1.7976931348623157e+308]"},
		{name: "JSON as text", program: ".a", contentType: "text/plain", body: `{"a":{"b":1}}`, want: `{"b":1}`, structured: `{"b":1}`},
		{name: "duplicate names", program: ".a", body: `{"a":1,"a":2}`, want: "2"},
		{name: "interpolation", program: `"\(.a)=\(.b|@json)"`, body: `{"a":{"x":1},"b":"c"}`, want: `{"x":1}="c"`},
		{
			name: "formats", program: `[(.a|@base64), (.a|@uri), (.l|@csv), (.l|@tsv), (.a|@html), (.a|@sh), ("YQ=="|@base64d), (.a|tojson), (.n|tostring), (.a|format("json")), ("%41"|@urid), @text "x\(.n)"]`, body: `{"a":"<a b>","l":[1,"x"],"n":7}`,
			want: `["PGEgYj4=","%3Ca%20b%3E","1,\"x\"","1\tx","&lt;a b&gt;","'<a b>'","a","\"<a b>\"","7","\"<a b>\"","A","x7"]`,
		},
		{name: "halt", program: "1, halt, 2", body: `{}`, want: "1"},
		{name: "fails", program: ".a.b", body: `{"a":1}`, fails: `nothing could be selected from the upstream's answer: expected an object but got: number (1)`},
		{name: "error", program: `error("no such thing")`, body: `{}`, fails: "nothing could be selected from the upstream's answer: no such thing"},
		{name: "error with a value", program: `error({a: 1})`, body: `{}`, fails: `nothing could be selected from the upstream's answer: {"a":1}`},
		{name: "error with a bomb", program: `[limit(40; repeat(null))] | reduce .[] as $x ([1]; [., .]) | error`, body: `{}`, fails: "nothing could be selected from the upstream's answer: [["},
		{name: "text bomb", program: `reduce range(40) as $i ([1]; [., .]) | tojson`, body: `{}`, fails: "nothing could be selected from the upstream's answer: the answer is larger than the limit"},
		{name: "format bomb", program: `reduce range(40) as $i ([1]; [., .]) | format("text")`, body: `{}`, fails: "nothing could be selected from the upstream's answer: the answer is larger than the limit"},
		{name: "interpolated bomb", program: `reduce range(40) as $i ([1]; [., .]) | "\(.)"`, body: `{}`, fails: "nothing could be selected from the upstream's answer: the answer is larger than the limit"},
		{name: "deep output", program: `reduce range(5000) as $i ([]; [.])`, body: `{}`, fails: "nothing could be selected from the upstream's answer: a value nests deeper than 1000"},
		{name: "endless outputs", program: `repeat(1)`, body: `{}`, fails: "nothing could be selected from the upstream's answer: it has more than 100000 outputs"},
		{name: "long number", program: `.`, body: strings.Repeat("1", 2000), fails: "nothing could be selected from the upstream's answer: a number has more than 1024 digits"},
		{name: "not JSON", program: ".", contentType: "text/html", body: "<p>login", fails: "the upstream's answer is not JSON"},
		{name: "an image", program: ".", contentType: "image/png", body: "x", fails: "the upstream's answer is not JSON"},
		{name: "broken JSON", program: ".", body: "{", fails: "the upstream's answer is not JSON"},
		{name: "too large", program: ".", body: `"` + strings.Repeat("x", 1<<17) + `"`, fails: "the upstream's answer is larger than 64 KiB, too large to select from; ask for less"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := newMapper(t, Config{Select: tc.program}, Options{ResultSize: 1 << 15, AnswerSize: 1 << 16})
			if tc.contentType == "" {
				tc.contentType = "application/json"
			}
			res := m.exchange(t, answer{header: map[string]string{"Content-Type": tc.contentType}, body: tc.body}, nil)
			if err := check(m, res); err != nil {
				t.Fatal(err)
			}
			if tc.fails != "" {
				if got := told(res)[0]; res.Outcome != OutcomeOutput || !strings.HasPrefix(got, tc.fails) || strings.HasSuffix(tc.fails, "limit") && got != tc.fails {
					t.Errorf("%s: %q", res.Outcome, got)
				}
				return
			}
			if diff := cmp.Diff([]string{tc.want}, told(res)); diff != "" {
				t.Error(diff)
			}
			if got := string(res.Structured); got != tc.structured {
				t.Errorf("structured %s, want %s", got, tc.structured)
			}
		})
	}
}

func TestSelectPassesFailuresAndEmptyAnswers(t *testing.T) {
	t.Parallel()
	m := newMapper(t, Config{Select: ".items"}, Options{})
	for want, a := range map[string]answer{
		"204 No Content": {status: 204},
		"upstream returned 404 Not Found\n\n{\"x\":1}": {status: 404, header: map[string]string{"Content-Type": "application/json"}, body: `{"x":1}`},
	} {
		if got := told(m.exchange(t, a, nil))[0]; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSelectEndsWithTheCall(t *testing.T) {
	t.Parallel()
	m := newMapper(t, Config{Select: "def f: f; f"}, Options{})
	cause := fmt.Errorf("call: %w", errTimeout)
	for _, tc := range []struct {
		cause error
		want  Outcome
	}{{cause, OutcomeTimeout}, {nil, OutcomeCancelled}} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cw := m.capture(answer{}.request(t), &Call{})
		if err := (answer{header: map[string]string{"Content-Type": "application/json"}, body: "{}"}).serve(cw); err != nil {
			t.Fatal(err)
		}
		done := make(chan *Result)
		go func() { done <- cw.result(ctx) }()
		cancel(tc.cause)
		if res := <-done; res.Outcome != tc.want {
			t.Errorf("outcome %s, want %s", res.Outcome, tc.want)
		}
	}
}

// In memory, values are much larger than as JSON: their number is bounded too.
func TestSelectBoundsValues(t *testing.T) {
	t.Parallel()
	m := newMapper(t, Config{Select: "length"}, Options{})
	for _, tc := range []struct {
		name, body, want string
		outcome          Outcome
	}{
		{"as many as may be", "[" + strings.Repeat("1,", selectValues-2) + "1]", fmt.Sprint(selectValues - 1), OutcomeOK},
		{"numbers", "[" + strings.Repeat("1,", selectValues-1) + "1]", "nothing could be selected from the upstream's answer: it has more than 1000000 values, too many values to select from; ask for less", OutcomeOutput},
		{"objects", "[" + strings.Repeat(`{"a":[]},`, selectValues/2) + "1]", "nothing could be selected from the upstream's answer: it has more than 1000000 values, too many values to select from; ask for less", OutcomeOutput},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			res := m.exchange(t, answer{header: map[string]string{"Content-Type": "application/json"}, body: tc.body}, nil)
			if got := told(res)[0]; got != tc.want || res.Outcome != tc.outcome {
				t.Errorf("%s: %.200q", res.Outcome, got)
			}
		})
	}
}

// What a program makes may grow with numbers in the answer, which are not the
// operator's.
func TestSelectBoundsGrowth(t *testing.T) {
	t.Parallel()
	const large = "nothing could be selected from the upstream's answer: the program makes a value that is too large"
	const oversize = "nothing could be selected from the upstream's answer: the answer is larger than the limit"
	for program, want := range map[string]string{
		`reduce range(100) as $i ("a"; . + .) | length`:             large,
		`reduce range(100) as $i ("a"; . += .) | length`:            large,
		`reduce range(100) as $i ({a: "a"}; .a += .a) | length`:     large,
		`def f: . + .; reduce range(100) as $i ("a"; f) | length`:   large,
		`{a: [reduce range(100) as $i ("a"; . + .) | length]}`:      large,
		`"\(reduce range(100) as $i ("a"; . + .) | length)"`:        large,
		`reduce range(100) as $i ([1]; . + .) | length`:             large,
		`reduce range(100) as $i ("a"; [., .] | add) | length`:      oversize,
		`reduce range(100) as $i ("a"; add(., .)) | length`:         oversize,
		`reduce range(100) as $i ("a"; [., .] | join("")) | length`: oversize,
		`reduce range(100) as $i ([1]; [., .]) | flatten | length`:  oversize,
		`[range(1000)] | map("") | join("a" * 1000) | length`:       large,
		`reduce range(100) as $i (10; . * .) | tostring | length`:   large,
		`"ab" * .n | length`:                  large,
		`.n * "ab" | length`:                  large,
		`. as {$n} | "ab" | . *= $n | length`: large,
		`[range(.n)] | length`:                large,
		`[limit(.n; repeat(1))] | length`:     large,
		`[.n | [range(.)] | length]`:          large,
		`add(range(.n))`:                      large,
		`try ("ab" * .n) catch "caught"`:      "caught",

		`[(1, 2) + (10, 20)]`:                                "[11,12,21,22]",
		`[(1, 2) * (10, 20)]`:                                "[10,20,20,40]",
		`def f: 2; f + 1 * 3 | . * .`:                        "25",
		`def _mcp(a): a; 1 + _mcp(2) as $x | $x + 1`:         "4",
		`.a += 1 | .a *= 3 | .b += "x" | [.a, .b]`:           `[3,"x"]`,
		`{a: {b: 1}} * {a: {c: 2}} + {d: null}`:              `{"a":{"b":1,"c":2},"d":null}`,
		`try (1 + "a") catch .`:                              `cannot add: number (1) and string ("a")`,
		`try ({} * []) catch .`:                              `cannot multiply: object ({}) and array ([])`,
		`try path(1 + 1) catch "no path"`:                    "no path",
		`[[[1], [[2]]] | add, flatten, flatten(1)]`:          "FROM JQ",
		`["a", 1, null] | join(", ", "-")`:                   `["a, 1, ","a-1-"]`,
		`[range(3)] + [limit(2; repeat(7))] | add, add(.[])`: "[17,17]",
		`"ab" * 2 + "c", ("x" * 0), ("x" * -1)`:              "FROM JQ",
		`null + 1, 1.5 + 2, .n + 1`:                          "[1,3.5,1000000001]",
		`first(range(1; infinite) | select(. * . > 50))`:     "8",
	} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			if want == "FROM JQ" {
				want = plainJQ(t, program, `{"n":1000000000}`)
			}
			m := newMapper(t, Config{Select: program}, Options{ResultSize: 1 << 15, AnswerSize: 1 << 16})
			res := m.exchange(t, answer{header: map[string]string{"Content-Type": "application/json"}, body: `{"n":1000000000}`}, nil)
			if err := check(m, res); err != nil {
				t.Fatal(err)
			}
			if got := told(res)[0]; got != want {
				t.Errorf("%.300q, want %q", got, want)
			}
		})
	}
}

// plainJQ runs a program as it is.
func plainJQ(t *testing.T, program, in string) string {
	t.Helper()
	q, err := gojq.Parse(program)
	if err != nil {
		t.Fatal(err)
	}
	v, err := decodeValue(t.Context(), []byte(in))
	if err != nil {
		t.Fatal(err)
	}
	outs := []any{}
	for it := q.Run(v); ; {
		v, ok := it.Next()
		if !ok {
			break
		}
		if err, ok := v.(error); ok {
			t.Fatal(err)
		}
		outs = append(outs, v)
	}
	var out any = outs
	if len(outs) == 1 {
		out = outs[0]
	}
	b, err := encodeJSON(out, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSelectDecodingEndsWithTheCall(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	// The end is no JSON: it is not to be reached.
	if _, err := decodeValue(ctx, []byte("["+strings.Repeat("1,", 2*selectCheck)+"!")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestCompileSelect(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]string{
		".items[":            `the jq program has a mistake: unexpected EOF at line 1, column 8`,
		".items\n| map({id":  `the jq program has a mistake: unexpected EOF at line 2, column 10`,
		".a | | .b":          `the jq program has a mistake: unexpected token "|" at line 1, column 6`,
		".é":                 `the jq program has a mistake: unexpected token "é" at line 1, column 2`,
		"nope(1)":            "the jq program has a mistake: function not defined: nope/1",
		"$x":                 "the jq program has a mistake: variable not defined: $x",
		"input":              "the jq program has a mistake: input(s)/0 is not allowed",
		"inputs":             "the jq program has a mistake: input(s)/0 is not allowed",
		"debug":              "the jq program has a mistake: function not defined: debug/0",
		"env.HOME":           "the jq program uses env or $ENV, which are not available here",
		"$ENV | .PATH":       "the jq program uses env or $ENV, which are not available here",
		`import "a" as a; 1`: `the jq program has a mistake: cannot load module: "a"`,
	} {
		m, problems := compileMapper(Config{Select: program}, Options{}.withDefaults())
		if m != nil || len(problems) != 1 || problems[0].Field != "select" || problems[0].Message != want {
			t.Errorf("%s: %v, want %s", program, problems, want)
		}
	}
}
