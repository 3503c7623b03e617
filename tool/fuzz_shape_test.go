// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzSegments holds what several segments may do to a path: be those
// segments, below the place where they stand.
func FuzzSegments(f *testing.F) {
	for _, s := range []string{"a", "a/b", "/a", "a/", "//", "..", "a/..", "../a", "./a", "a/./b", "%2e%2e/a", `..\..\a`, "", "a b/é", "..;/a", ". ./a"} {
		f.Add(s, ".")
		f.Add("a", s)
	}
	tl := compiles(f, `{"input_schema":`+schemaOf("p", "q")+`,"request":{"method":"GET","url":"/x/.{q}/{p*}.{q}/y"}}`, nil)
	f.Fuzz(func(t *testing.T, p, q string) {
		args := []byte(`{"p":`)
		args, err := jsontext.AppendQuote(args, p)
		if err != nil {
			t.Skip("not UTF-8")
		}
		if args, err = jsontext.AppendQuote(append(args, `,"q":`...), q); err != nil {
			t.Skip("not UTF-8")
		}
		c := &Call{Arguments: append(args, '}')}
		if err := tl.inputs.prepare(c); err != nil {
			t.Skip(err)
		}
		r, err := tl.request.build(t.Context(), c, nil)
		if err != nil {
			return // Refusing is always safe; TestRequestLine says what is not refused.
		}
		raw := strings.Split(r.URL.EscapedPath(), "/")
		want := 4 + len(strings.Split(strings.TrimPrefix(p, "/"), "/"))
		if len(raw) != want || raw[1] != "x" || raw[len(raw)-1] != "y" {
			t.Fatalf("%q, %q: %s", p, q, r.URL.EscapedPath())
		}
		for i, seg := range raw[1:] {
			seg, err := url.PathUnescape(seg)
			if err != nil || seg == "." || seg == ".." || seg == "" {
				t.Fatalf("%q, %q: %s", p, q, r.URL.EscapedPath())
			}
			raw[i+1] = seg
		}
		if got := strings.Join(raw, "/"); got != "/x/."+q+"/"+strings.TrimPrefix(p, "/")+"."+q+"/y" && !strings.Contains(q, "/") {
			t.Fatalf("%q, %q come back as %s", p, q, got)
		}
	})
}

// FuzzQuery holds that a query gives all arguments back, and nothing else,
// whatever they are called.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{"a", "q", "a&b=c", "a+b", "%26", "a;b", "\x00", "[]", "é\r\n", ""} {
		f.Add(s, "v", s)
		f.Add("n", s, "w")
	}
	const config = `{"input_schema":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]},"request":`
	get := compiles(f, config+`{"method":"GET","url":"/?fixed=1","query":[{"name":"the q","value":"<{q}>"}]}}`, nil)
	form := compiles(f, config+`{"url":"/?q={q}&fixed=1","body":{"type":"form"}}}`, nil)
	f.Fuzz(func(t *testing.T, name, first, second string) {
		if strings.EqualFold(name, "q") || strings.EqualFold(name, "fixed") || strings.EqualFold(name, "the q") {
			t.Skip("taken")
		}
		args := []byte(`{"q":"{q}&x=1",`)
		args, err := jsontext.AppendQuote(args, name)
		if err != nil {
			t.Skip("not UTF-8")
		}
		args, err1 := jsontext.AppendQuote(append(args, ":["...), first)
		args, err2 := jsontext.AppendQuote(append(args, ","...), second)
		if err1 != nil || err2 != nil {
			t.Skip("not UTF-8")
		}
		args = append(args, "]}"...)
		for _, tl := range []*Tool{get, form} {
			c := &Call{Arguments: args}
			if err := tl.inputs.prepare(c); err != nil {
				t.Skip(err)
			}
			r, err := tl.request.build(t.Context(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			u, err := url.ParseRequestURI(r.RequestURI)
			if err != nil {
				t.Fatal(err)
			}
			query, err := url.ParseQuery(u.RawQuery)
			if err != nil || query.Get("fixed") != "1" {
				t.Fatalf("%v: %s", err, u.RawQuery)
			}
			values := query
			if tl == form {
				if len(query) != 2 || query.Get("q") != "{q}&x=1" {
					t.Fatal(u.RawQuery)
				}
				// Only a request with a body can be parsed as a form.
				if err := r.ParseForm(); err != nil {
					t.Fatal(err)
				}
				values = r.PostForm
			} else if len(query) != 3 || query.Get("the q") != "<{q}&x=1>" {
				t.Fatal(u.RawQuery)
			}
			if !slices.Equal(values[name], []string{first, second}) {
				t.Fatalf("%q: %q, %q come back as %q", name, first, second, values[name])
			}
		}
	})
}
