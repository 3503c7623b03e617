// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/go-json-experiment/json/jsontext"
)

func (l line) String() string {
	var b strings.Builder
	b.WriteString(l.word.Text)
	for _, a := range l.args {
		fmt.Fprintf(&b, " %q", a.Text)
	}
	if l.braces {
		b.WriteString(" {")
		for _, m := range l.block {
			b.WriteString(" " + m.String() + ";")
		}
		b.WriteString(" }")
	}
	return b.String()
}

func TestLines(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"a word", "a", "a"},
		{"arguments", "a b \"c d\"", `a "b" "c d"`},
		{"a block", "a b {\n c d\n e {\n f\n }\n}", `a "b" { c "d"; e { f; }; }`},
		{"an empty block", "a {\n}", "a { }"},
		{"a quoted brace", "a \"{\" `}`", `a "{" "}"`},
		{"text of several lines", "a {\n b \"1\n2\" c\n d\n}", "a { b \"1\\n2\" \"c\"; d; }"},
		{"a heredoc", "a {\n b <<X\n 1\n X c\n d\n}", "a { b \"1\" \"c\"; d; }"},
		{"a brace after an argument", "a {\n b c }", `a { b "c"; }`},
		{"an escaped line break", "a b \\\n c", `a "b" "c"`},
		{"an open block", "a {\n b", "a { b; }"},
		{"nothing", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tokens, err := caddyfile.Tokenize([]byte(tc.in), "Caddyfile")
			if err != nil && tc.in != "" {
				t.Fatal(err)
			}
			if got := lines(newDispenser(tokens)).String(); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestSuggest(t *testing.T) {
	t.Parallel()
	words := []string{"name", "version", "title", "description", "request", "reverse_proxy", "respond", "min"}
	for word, want := range map[string]string{
		"reqest": "request", "vresion": "version", "desscription": "description", "reverseproxy": "reverse_proxy",
		"mim": "min", "zzz": "", "": "", "tool": "", "respnod": "respond", "TITLE": "",
	} {
		if got := suggest(word, words); got != want {
			t.Errorf("suggest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	t.Parallel()
	expand := httpcaddyfile.NewShorthandReplacer()
	for _, short := range shorthands() {
		if strings.HasSuffix(short, ".") {
			short += "x"
		}
		s := caddyfile.Segment{{Text: "a {" + short + "} {b}"}}
		expand.ApplyToSegment(&s)
		if !strings.Contains(s[0].Text, "{http.") {
			t.Errorf("Caddy does not expand {%s}", short)
		}
		if got, want := shorten(s[0].Text, nil), "a {"+short+"} {b}"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	only := func(name string) bool { return name == "path" }
	in := "{http.request.uri.path} {http.request.host} {http.mcp.args.path} {http.regexp.a.1}"
	if got, want := shorten(in, only), "{path} {http.request.host} {http.mcp.args.path} {http.regexp.a.1}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := shorten(in, nil), "{path} {host} {http.mcp.args.path} {re.a.1}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What keep gives must come out of Caddy's decoding and encoding unchanged.
func TestKeep(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		`{"type":"object"}`,
		`{"type":"object","properties":{"a":{},"b":{}}}`,
		`{"type":"object","properties":{"b":{},"a":{}}}`,
		`{"properties":{"x":{"properties":{"b":{},"a":{}}}}}`,
		`{"properties":{"a":{"maximum":18446744073709551615}}}`,
		`{"a":1.0}`, `{"a":1e400}`, `{"@id":"x"}`, `{"a":[{"@id":1}]}`, `[1,2.5]`, `"text"`, `5`, `null`,
	} {
		var rewritten any
		if err := json.Unmarshal(keep(jsontext.Value(in)), &rewritten); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(rewritten)
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := rewritten.(string); ok && in[0] != '"' {
			if s != in {
				t.Errorf("got %s in a string, want %s", s, in)
			}
			continue
		}
		if !keeps(jsontext.Value(in)) {
			t.Errorf("%s is not in a string", in)
		}
		a, b := jsontext.Value(got), jsontext.Value(in).Clone()
		if a.Canonicalize() != nil || b.Canonicalize() != nil || string(a) != string(b) {
			t.Errorf("got %s, want %s", got, in)
		}
	}
}

func TestKeepsNoMore(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		`{"b":1,"a":2}`: true, `{"properties":{"a":{},"b":{}}}`: true, `{"properties":{"b":{},"a":{}}}`: false,
		`9007199254740992`: true, `9007199254740993`: false, `-0`: true, `1.50`: false, `{"@id":"x"}`: false, `"@id"`: true,
	} {
		if got := keeps(jsontext.Value(in)); got != want {
			t.Errorf("keeps(%s) = %t, want %t", in, got, want)
		}
	}
}
