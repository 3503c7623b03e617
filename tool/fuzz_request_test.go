// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzPath holds what a value may do to a path: be one segment, and come back
// the same when a server decodes it.
func FuzzPath(f *testing.F) {
	for _, s := range []string{"7", "../admin", "..", ".", "%2e%2e", `..\x`, "a/../b", "a b?c#d%25é", "\xff", "", "\x00", ";x", "a//b"} {
		f.Add(s)
	}
	tl := compiles(f, `{"input_schema":`+schemaOf("id")+`,"request":{"method":"GET","url":"/u/{id}/p?q={id}"}}`, nil)
	f.Fuzz(func(t *testing.T, s string) {
		arg, err := jsontext.AppendQuote(nil, s)
		if err != nil {
			t.Skip("not UTF-8")
		}
		c := &Call{Arguments: jsontext.Value(`{"id":` + string(arg) + `}`)}
		if err := tl.inputs.prepare(c); err != nil {
			t.Skip(err)
		}
		r, err := tl.request.build(t.Context(), c, nil)
		if err != nil {
			if s == "" || s == "." || s == ".." || hasControl(s) {
				return
			}
			t.Fatalf("refused %q: %v", s, err)
		}
		u, err := url.ParseRequestURI(r.URL.RequestURI())
		if err != nil {
			t.Fatalf("%q gives a URI that does not parse: %v", s, err)
		}
		segs := strings.Split(u.EscapedPath(), "/")
		if len(segs) != 4 || segs[1] != "u" || segs[3] != "p" {
			t.Fatalf("%q changes the path to %s", s, u.EscapedPath())
		}
		if got, err := url.PathUnescape(segs[2]); err != nil || got != s {
			t.Fatalf("%q comes back from the path as %q, %v", s, got, err)
		}
		q, err := url.ParseQuery(u.RawQuery)
		if err != nil || len(q) != 1 || len(q["q"]) != 1 || q["q"][0] != s {
			t.Fatalf("%q comes back from the query as %q, %v", s, u.RawQuery, err)
		}
	})
}

// FuzzBody holds that bodies of all kinds give the argument back.
func FuzzBody(f *testing.F) {
	for _, s := range []string{"x", `"`, `\`, "a&b=c", "\r\n--x", "{id}", "é\u2028", ""} {
		f.Add(s)
	}
	object := compiles(f, `{"input_schema":`+schemaOf("id")+`,"request":{"url":"/","body":{"type":"json","json":{"a":{"b":["{id}","<{id}>"]}}}}}`, nil)
	form := compiles(f, `{"input_schema":`+schemaOf("id")+`,"request":{"url":"/","body":{"type":"form"}}}`, nil)
	parts := compiles(f, `{"input_schema":`+schemaOf("id")+`,"request":{"url":"/","body":{"type":"multipart","fields":[{"name":"id","value":"{id}"}]}}}`, nil)
	f.Fuzz(func(t *testing.T, s string) {
		arg, err := jsontext.AppendQuote(nil, s)
		if err != nil {
			t.Skip("not UTF-8")
		}
		body := func(tl *Tool) (*http.Request, []byte) {
			c := &Call{Arguments: jsontext.Value(`{"id":` + string(arg) + `}`)}
			if err := tl.inputs.prepare(c); err != nil {
				t.Skip(err)
			}
			r, err := tl.request.build(t.Context(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(r.Body)
			if err != nil {
				t.Fatal(err)
			}
			return r, b
		}
		_, b := body(object)
		var v struct{ A struct{ B []string } }
		if err := json.Unmarshal(b, &v); err != nil || len(v.A.B) != 2 || v.A.B[0] != s || v.A.B[1] != "<"+s+">" {
			t.Fatalf("json: %q gives %q, %v", s, b, err)
		}
		_, b = body(form)
		if q, err := url.ParseQuery(string(b)); err != nil || len(q) != 1 || q.Get("id") != s {
			t.Fatalf("form: %q gives %q, %v", s, b, err)
		}
		r, b := body(parts)
		_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil {
			t.Fatal(err)
		}
		mf, err := multipart.NewReader(strings.NewReader(string(b)), params["boundary"]).ReadForm(1 << 20)
		if err != nil || len(mf.Value["id"]) != 1 || mf.Value["id"][0] != s {
			t.Fatalf("multipart: %q gives %q, %v", s, b, err)
		}
	})
}

func BenchmarkBuild(b *testing.B) {
	for name, tc := range map[string]struct{ config, args string }{
		"GET":  {`{"input_schema":` + schemaOf("id", "q", "n?:integer") + `,"request":{"method":"GET","url":"/u/{id}?q={q}&n={n}"}}`, `{"id":"7","q":"some words","n":20}`},
		"POST": {`{"input_schema":` + schemaOf("a", "b:integer") + `,"request":{"url":"/u"}}`, `{"a":"7","b":20}`},
	} {
		b.Run(name, func(b *testing.B) {
			tl := compiles(b, tc.config, nil)
			c := &Call{Arguments: jsontext.Value(tc.args)}
			if err := tl.inputs.prepare(c); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tl.request.build(b.Context(), c, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
