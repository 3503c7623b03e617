// SPDX-License-Identifier: Apache-2.0

package cases_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/fixture"
	"github.com/caddymcp/caddy-mcp/tests/harness"
)

func TestB01(t *testing.T) {
	profile := func(name, id, segment string) row {
		return row{name: name, tool: "b01", args: object{"id": id}, check: wantPath("/echo/users/" + segment + "/profile")}
	}
	// A value with a part that is dots may be refused as well: what decodes the
	// path on the way, such as a file server, would see that part.
	harmless := func(name, id, segment string) row {
		return row{name: name, tool: "b01", args: object{"id": id}, check: func(t *testing.T, v string, res harness.Result) {
			t.Helper()
			if res.IsError {
				wantError("id")(t, v, res)
				return
			}
			wantPath("/echo/users/"+segment+"/profile")(t, v, res)
		}}
	}
	refused := func(name, id string) row {
		return row{name: name, tool: "b01", args: object{"id": id}, check: func(t *testing.T, v string, res harness.Result) {
			t.Helper()
			wantError("id")(t, v, res)
			for _, r := range up.Seen("/echo/") {
				if strings.HasSuffix(r.Path, "profile") && strings.Count(r.Path, "/") != 4 {
					t.Errorf("the upstream was asked for %s", r.Path)
				}
			}
		}}
	}
	both(t,
		refused("dot dot", ".."), refused("dot", "."),
		harmless("admin", "../admin", "..%2Fadmin"),
		profile("encoded dots", "%2e%2e", "%252e%252e"),
		harmless("encoded slash", "..%2fadmin", "..%252fadmin"),
		harmless("backslash", `..\x`, "..%5Cx"),
		harmless("in the middle", "a/../../b", "a%2F..%2F..%2Fb"),
		profile("three dots", "...", "..."),
		profile("semicolon", "..;", "..%3B"),
		row{name: "segments dot dot", tool: "b02_many", args: object{"path": "a/../../b"}, check: wantError("path")},
		row{name: "segments dot", tool: "b02_many", args: object{"path": "./a"}, check: wantError("path")},
		row{name: "segments end", tool: "b02_many", args: object{"path": "a/.."}, check: wantError("path")},
	)
}

func TestB02(t *testing.T) {
	both(t,
		row{name: "all at once", tool: "b01", args: object{"id": "a b/c?d#e%25é"}, check: wantPath("/echo/users/a%20b%2Fc%3Fd%23e%2525%C3%A9/profile")},
		row{name: "plus", tool: "b01", args: object{"id": "a+b&c=d"}, check: func(t *testing.T, _ string, res harness.Result) {
			got, err := url.PathUnescape(echoed(t, res).Path)
			if err != nil || got != "/echo/users/a+b&c=d/profile" {
				t.Errorf("%v %s", err, got)
			}
		}},
		row{name: "control", tool: "b01", args: object{"id": "a\r\nb\x00"}, check: func(t *testing.T, _ string, res harness.Result) {
			if !res.IsError && echoed(t, res).Path != "/echo/users/a%0D%0Ab%00/profile" {
				t.Errorf("%s", res.Text())
			}
		}},
		row{name: "empty", tool: "b01", args: object{"id": ""}, check: wantError("id")},
		row{name: "segments", tool: "b02_many", args: object{"path": "a/b c/d?e"}, check: wantPath("/echo/files/a/b%20c/d%3Fe")},
	)
}

func TestB03(t *testing.T) {
	both(t,
		row{name: "twice", tool: "b03", args: object{"tenant": "t1", "id": "{tenant}"}, check: wantPath("/echo/t1/t1/device/%7Btenant%7D")},
		row{
			name: "placeholders of Caddy", tool: "b03", args: object{"tenant": "{env.CASES_TOKEN}", "id": "{http.request.host}"},
			check: wantPath("/echo/%7Benv.CASES_TOKEN%7D/%7Benv.CASES_TOKEN%7D/device/%7Bhttp.request.host%7D"),
		},
		row{
			name: "in a body", tool: "b12", args: object{"name": "{env.CASES_TOKEN}", "note": "{name}"},
			check: wantBody(`{"name":"{env.CASES_TOKEN}","greeting":"Hello, {env.CASES_TOKEN}!","note":"{name}","fixed":true}`),
		},
		row{name: "in a header", tool: "b12_header", args: object{"name": "{env.CASES_TOKEN}"}, check: echo(func(t *testing.T, got fixture.Request) {
			if v := got.Headers.Get("X-Name"); v != "{env.CASES_TOKEN}" {
				t.Errorf("X-Name %q", v)
			}
		})},
	)
}

func TestB06(t *testing.T) {
	both(t,
		row{name: "all four", tool: "b06", args: object{"cartId": "c1", "dry": true, "itemId": "i1", "qty": 2}, check: all(
			wantPath("/echo/carts/c1"), wantQuery("dry=true"), wantBody(`{"itemId":"i1","qty":2}`))},
		row{name: "absent", tool: "b06", args: raw(`{"qty":2,"itemId":"i1","cartId":"c1"}`), check: all(wantQuery(""), echo(func(t *testing.T, got fixture.Request) {
			if got.Text != `{"qty":2,"itemId":"i1"}` && got.Text != `{"itemId":"i1","qty":2}` {
				t.Errorf("body %s", got.Text)
			}
		}))},
	)
	t.Run("schema", func(t *testing.T) {
		t.Parallel()
		for _, v := range harness.Eras {
			for _, tool := range caddy.Do(t, harness.Call(v, "tools/list", nil)).Result(t).Tools {
				if tool.Name != "b06" {
					continue
				}
				var s struct{ Properties map[string]any }
				if err := json.Unmarshal(tool.InputSchema, &s); err != nil || len(s.Properties) != 4 {
					t.Errorf("%v %s", err, tool.InputSchema)
				}
			}
		}
	})
}

func TestB07(t *testing.T) {
	blob := []byte("\x00\xff\r\n--x\r\n")
	encoded := base64.StdEncoding.EncodeToString(blob)
	both(t,
		row{name: "form", tool: "b07_form", args: object{"name": "Ä & b=c", "tags": []string{"x", "y,z"}, "deep": object{"k": 1}}, check: echo(func(t *testing.T, got fixture.Request) {
			if got.Type != "application/x-www-form-urlencoded" {
				t.Errorf("type %s", got.Type)
			}
			form, err := url.ParseQuery(got.Text)
			if err != nil || form.Get("name") != "Ä & b=c" || fmt.Sprint(form["tags"]) != "[x y,z]" || form.Get("deep") != `{"k":1}` {
				t.Errorf("%v %s", err, got.Text)
			}
		})},
		row{name: "multipart", tool: "b07_file", args: object{"title": "T\r\nX: y", "file": encoded}, check: echo(func(t *testing.T, got fixture.Request) {
			kind, params, err := mime.ParseMediaType(got.Type)
			if err != nil || kind != "multipart/form-data" {
				t.Fatalf("%v %s", err, got.Type)
			}
			r := multipart.NewReader(bytes.NewReader(got.Body), params["boundary"])
			for _, want := range []struct{ form, file, kind, content string }{
				{"title", "", "", "T\r\nX: y"}, {"file", "a b.bin", "application/x-thing", string(blob)},
			} {
				p, err := r.NextPart()
				if err != nil {
					t.Fatal(err)
				}
				content, err := io.ReadAll(p)
				if err != nil || p.FormName() != want.form || p.FileName() != want.file || string(content) != want.content ||
					want.kind != "" && p.Header.Get("Content-Type") != want.kind {
					t.Errorf("%v %s %q %v %q", err, p.FormName(), p.FileName(), p.Header, content)
				}
			}
			if _, err := r.NextPart(); err != io.EOF {
				t.Errorf("more parts: %v", err)
			}
		})},
		row{name: "raw", tool: "b07_raw", args: object{"file": encoded}, check: echo(func(t *testing.T, got fixture.Request) {
			if !bytes.Equal(got.Body, blob) || got.Type != "application/octet-stream" {
				t.Errorf("%s %q", got.Type, got.Body)
			}
		})},
		row{name: "no Base64", tool: "b07_raw", args: object{"file": "no base64!"}, check: wantError("file")},
	)
}

func TestB08(t *testing.T) {
	t.Parallel()
	for _, v := range harness.Eras {
		for tool, want := range map[string]string{"b08": "application/vnd.api+json", "b08_none": ""} {
			var args any
			if tool == "b08" {
				args = object{"a": "x"}
			}
			r := harness.Tool(v, tool, args)
			for name, value := range map[string]string{
				"Cookie": "session=secret", "Authorization": "Bearer secret", "Proxy-Authorization": "Basic secret", "Accept-Language": "xx",
				"Accept-Encoding": "deflate", "Last-Event-ID": "9", "Mcp-Session-Id": "s", "Mcp-Param-X": "secret", "X-Custom": "secret",
				"Forwarded": "for=secret", "X-Forwarded-For": "203.0.113.7", "Referer": "https://secret.example", "User-Agent": "secret-agent", "TE": "trailers",
				"Content-Language": "xx", "X-Http-Method-Override": "DELETE", "Priority": "u=1",
			} {
				r.With(name, value)
			}
			got := echoed(t, caddy.Do(t, r).Result(t))
			if got.Type != want {
				t.Errorf("%s %s: type %q, want %q", v, tool, got.Type, want)
			}
			for name, values := range got.Headers {
				line := name + ": " + strings.Join(values, ", ")
				for _, bad := range []string{"secret", "203.0.113.7", "xx", "deflate", "Mcp-", "text/event-stream", "Last-Event", "Priority", "Override"} {
					if strings.Contains(line, bad) {
						t.Errorf("%s %s: the upstream got %s", v, tool, line)
					}
				}
			}
			if tool == "b08_none" && (got.Method != "GET" || len(got.Body) > 0 || got.Headers.Get("Content-Length") != "") {
				t.Errorf("%s: %+v", v, got)
			}
			if n := got.Headers.Get("Content-Length"); tool == "b08" && n != fmt.Sprint(len(got.Body)) {
				t.Errorf("Content-Length %s for %d bytes", n, len(got.Body))
			}
		}
	}
}

func TestB09(t *testing.T) {
	both(t,
		row{name: "empty", tool: "b09_empty", check: all(wantError(), notSeen("/echo/b09_empty"))},
		row{name: "empty in a handler", tool: "b09_handler", check: all(wantError(), notSeen("/echo/b09_handler"))},
	)
	for _, v := range harness.Eras {
		t.Run(v+"/static", func(t *testing.T) {
			t.Parallel()
			got := echoed(t, caddy.Do(t, harness.Tool(v, "b09_static", nil).With("Authorization", "Bearer client")).Result(t))
			if a := got.Headers["Authorization"]; len(a) != 1 || a[0] != "Bearer sesame" {
				t.Errorf("Authorization %q", a)
			}
		})
		t.Run(v+"/forward", func(t *testing.T) {
			t.Parallel()
			var wg sync.WaitGroup
			for i := range 20 {
				wg.Go(func() {
					key := fmt.Sprintf("key-%d", i)
					r := harness.Tool(v, "b09_forward", nil).With("Authorization", "Bearer client").With("X-API-Key", key)
					if i%4 == 0 {
						r.Without("X-API-Key")
						key = ""
					}
					res, err := caddy.Try(t.Context(), r)
					if err != nil {
						t.Error(err)
						return
					}
					got := echoed(t, res.Result(t))
					if got.Headers.Get("X-Api-Key") != key || got.Headers.Get("Authorization") != "" {
						t.Errorf("want %q: %v", key, got.Headers)
					}
				})
			}
			wg.Wait()
		})
	}
}

func notSeen(path string) func(*testing.T, string, harness.Result) {
	return func(t *testing.T, _ string, _ harness.Result) {
		t.Helper()
		if n := len(up.Seen(path)); n > 0 {
			t.Errorf("the upstream was asked %d times", n)
		}
	}
}
