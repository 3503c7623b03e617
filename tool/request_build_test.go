// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// Handlers may change the values of headers in place: no other request may see
// that.
func TestRequestOwnsItsHeaders(t *testing.T) {
	t.Parallel()
	b := &fakeBackend{placeholders: map[string]string{"env.KEY": "k"}}
	config := `{"request":{"url":"/","headers":[{"name":"X-Static","value":"s"},{"name":"X-Key","value":"{env.KEY}"},{"name":"X-Static","value":"t"}],
		"forward_headers":["X-Api-Key"]}}`
	tl := compiles(t, config, b)
	in := inbound()
	build := func() *http.Request {
		c := &Call{Inbound: in}
		if err := tl.inputs.prepare(c); err != nil {
			t.Fatal(err)
		}
		r, err := tl.request.build(t.Context(), c, b)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r, want := build(), build().Header
	for name := range r.Header {
		for i := range r.Header[name] {
			r.Header[name][i] = "changed"
		}
		r.Header[name] = append(r.Header[name], "more")
	}
	for name, values := range r.Header {
		for _, v := range values {
			if v != "changed" && v != "more" {
				t.Errorf("%s: %q", name, values)
			}
		}
	}
	got := build().Header
	for name := range want {
		if strings.Join(got[name], ",") != strings.Join(want[name], ",") {
			t.Errorf("%s: got %q, want %q", name, got[name], want[name])
		}
	}
	if in.Header.Get("X-Api-Key") != "mine" {
		t.Errorf("the client's header became %q", in.Header["X-Api-Key"])
	}
}

// What a model is told repeats what was wrong; the log has no values.
func TestBuildFailure(t *testing.T) {
	t.Parallel()
	b := &fakeBackend{placeholders: map[string]string{"env.SECRET_NAME": ""}}
	for name, tc := range map[string]struct {
		config, args string
		outcome      Outcome
		told, logged string
	}{
		"argument": {
			`{"input_schema":` + schemaOf("id") + `,"request":{"method":"GET","url":"/{id}"}}`, `{"id":".."}`,
			OutcomeArguments, "invalid arguments: id: . and .. cannot be part of the path", "invalid arguments: id",
		},
		"undeclared argument": {
			`{"input_schema":{"type":"object"},"request":{"method":"GET","url":"/?a=1"}}`, `{"a":"value"}`,
			OutcomeArguments, `invalid arguments: unknown argument "a"`, "invalid arguments",
		},
		"credential": {
			`{"request":{"method":"GET","url":"/","headers":[{"name":"X","value":"{env.SECRET_NAME}"}]}}`, ``,
			OutcomeInternal, "a credential of this tool is not configured",
			"header X: a credential of this tool is not configured: placeholder {env.SECRET_NAME} is unknown or empty",
		},
		"value of the configuration": {
			`{"request":{"method":"GET","url":"/{http.request.host}"}}`, ``,
			OutcomeInternal, "the request could not be built; the server's configuration needs mending",
			"building the request: path: placeholder without a value",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := builds(t, tc.config, tc.args, b)
			if err == nil {
				t.Fatal("it builds")
			}
			res := buildFailure(err)
			if !res.IsError || res.Outcome != tc.outcome || requestTold(res) != tc.told || res.Err == nil || res.Err.Error() != tc.logged {
				t.Errorf("%s, told %q, logged %q", res.Outcome, requestTold(res), res.Err)
			}
		})
	}
}

// The path arrives as it was built, also through a reverse proxy.
func TestRequestThroughAProxy(t *testing.T) {
	t.Parallel()
	got := make(chan string, 1)
	upstream := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- r.Method + " " + r.RequestURI + " " + string(body)
	}))
	defer upstream.Close()
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = "http", strings.TrimPrefix(upstream.URL, "http://")
	}}
	for args, want := range map[string]string{
		`{"id":"a b/c?d#e%25é","p":"x y/..z/!"}`: "PUT /a'(b)/a%20b%2Fc%3Fd%23e%2525%C3%A9/x%20y/..z/%21?q=a%20b%2Fc%3Fd%23e%2525%C3%A9 ",
		`{"id":"../admin","p":"%2e%2e/b"}`:       "PUT /a'(b)/..%2Fadmin/%252e%252e/b?q=..%2Fadmin ",
		`{"id":"plain","p":"p","n":1.50}`:        `PUT /a'(b)/plain/p?q=plain {"n":1.50}`,
	} {
		c := &Call{Arguments: jsontext.Value(args)}
		tl := compiles(t, `{"input_schema":`+schemaOf("id", "p", "n?:number")+`,"request":{"method":"PUT","url":"/a'(b)/{id}/{p*}?q={id}"}}`, nil)
		if err := tl.inputs.prepare(c); err != nil {
			t.Fatal(err)
		}
		r, err := tl.request.build(t.Context(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		proxy.ServeHTTP(httptest.NewRecorder(), r)
		line := <-got
		if !strings.HasSuffix(want, "}") {
			want += "{}"
		}
		if line != want {
			t.Errorf("%s:\ngot  %s\nwant %s", args, line, want)
		}
	}
}

func TestBuildAllocations(t *testing.T) {
	b := &fakeBackend{placeholders: map[string]string{"env.KEY": "k"}}
	for name, tc := range map[string]struct {
		config, args string
		most         float64
	}{
		"GET with a query": {
			`{"input_schema":` + schemaOf("q", "n:integer") + `,"request":{"method":"GET","url":"/s?q={q}&n={n}","headers":[{"name":"Authorization","value":"Bearer {env.KEY}"}]}}`,
			`{"q":"some words","n":5}`, 12,
		},
		"POST of JSON": {
			`{"input_schema":` + schemaOf("a", "b:array") + `,"request":{"url":"/o","body":{"type":"json","json":{"lines":"{b}","note":"from {a}"}}}}`,
			`{"a":"x","b":[1,2,{"c":"d"}]}`, 14,
		},
	} {
		tl := compiles(t, tc.config, b)
		c := &Call{Arguments: jsontext.Value(tc.args)}
		if err := tl.inputs.prepare(c); err != nil {
			t.Fatal(err)
		}
		n := testing.AllocsPerRun(100, func() {
			if _, err := tl.request.build(t.Context(), c, b); err != nil {
				t.Fatal(err)
			}
		})
		if n > tc.most {
			t.Errorf("%s: %v allocations, want at most %v", name, n, tc.most)
		}
	}
}

// Handlers that look at the decoded path see an encoded slash as a slash.
func TestDecodedPath(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ url, args, want string }{
		"plain":                      {"/p/{id}.md", `{"id":"a b..c"}`, "/p/a%20b..c.md"},
		"dots and a slash":           {"/p/{id}.md", `{"id":"../secret"}`, ""},
		"a slash":                    {"/p/{id}.md", `{"id":"a/b"}`, ""},
		"a backslash":                {"/p/{id}.md", `{"id":"..\\secret"}`, ""},
		"several segments":           {"/p/{id*}", `{"id":"a/b"}`, "/p/a/b"},
		"several, a backslash":       {"/p/{id*}", `{"id":"a/..\\b"}`, ""},
		"in a query it is all right": {"/p?id={id}", `{"id":"../a"}`, "/p?id=..%2Fa"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := Config{Name: "t", Description: "d", InputSchema: []byte(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`)}
			cfg.Request = Request{Method: "GET", URL: tc.url}
			tl, problems := Compile(cfg, Options{DecodedPath: true})
			if tl == nil {
				t.Fatal(problems)
			}
			c := &Call{Arguments: []byte(tc.args)}
			if err := tl.inputs.prepare(c); err != nil {
				t.Fatal(err)
			}
			r, err := tl.request.build(t.Context(), c, nil)
			if err != nil {
				if tc.want != "" || !strings.Contains(err.Error(), "slash") {
					t.Fatal(err)
				}
				return
			}
			if r.RequestURI != tc.want {
				t.Errorf("got %s, want %q", r.RequestURI, tc.want)
			}
		})
	}
}
