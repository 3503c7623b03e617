// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

func TestHTTP05Accept(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		h := newHandler(t, Options{})
		for _, tt := range []struct {
			accept string
			status int
			sse    bool
		}{
			{"application/json, text/event-stream", 200, false},
			{"application/json", 200, false},
			{"Application/JSON;charset=utf-8", 200, false},
			{"*/*", 200, false},
			{"application/*", 200, false},
			{"", 200, false},
			{"application/json;q=0.9, text/event-stream", 200, false},
			{"text/event-stream", 200, true},
			{"text/*", 200, true},
			{"application/json;q=0, */*", 200, true},
			{"application/json;q=0, text/event-stream;q=0.5", 200, true},
			{"text/html", 406, false},
			{"*/*;q=0", 406, false},
			{"application/json;q=0", 406, false},
			{"application/jsonx, nonsense", 406, false},
		} {
			a := do(t, h, call(v, "echo", `{"a":1}`).with("Accept", tt.accept))
			if a.status != tt.status || a.sse != tt.sse {
				t.Errorf("%q: HTTP %d, sse %v", tt.accept, a.status, a.sse)
				continue
			}
			if tt.status == 200 && a.text(t) != `{"a":1}` {
				t.Errorf("%q: %s", tt.accept, a.body)
			}
			if tt.status == 200 && !tt.sse && a.header.Get("Content-Length") == "" {
				t.Errorf("%q: no Content-Length", tt.accept)
			}
		}
		// Several lines count as one.
		q := call(v, "echo", "{}")
		q.lines = http.Header{"Accept": {"text/html", "application/json"}}
		do(t, h, q).result(t)
	})
}

func TestHTTP06(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		e := echo()
		h := newHandler(t, Options{}, e)
		for _, method := range []string{"notifications/initialized", "notifications/cancelled", "notifications/unheard-of", "tools/call"} {
			a := do(t, h, request{version: v, method: method, id: "-", params: `"name":"echo"`})
			if a.status != http.StatusAccepted || len(a.body) != 0 {
				t.Errorf("%s: HTTP %d, %q", method, a.status, a.body)
			}
		}
		// No header says of a notification what it is; the version does.
		a := do(t, h, request{version: v, body: `{"jsonrpc":"2.0","method":"notifications/initialized"}`}.with("Mcp-Method", ""))
		if a.status != http.StatusAccepted {
			t.Errorf("HTTP %d: %s", a.status, a.body)
		}
		if n := e.calls.Load(); n != 0 {
			t.Errorf("%d calls", n)
		}
	})
}

func TestHTTP07(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	for _, q := range []request{
		{body: `{"jsonrpc":"1.0","method":"notifications/initialized"}`},
		{body: `{"jsonrpc":"2.0","method":7}`},
		{body: `{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}`},
		{version: "1999-01-01", method: "notifications/initialized", id: "-"},
		request{version: versionModern, method: "notifications/initialized", id: "-"}.with("MCP-Protocol-Version", versionLegacy),
	} {
		a := do(t, h, q)
		if a.status < 400 || a.last(t).ID != nil {
			t.Errorf("%+v: HTTP %d, %s", q, a.status, a.body)
		}
	}
}

func TestHTTP08(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	for _, body := range []string{
		" ", "{", "nonsense", "[", "[1", `{"jsonrpc":"2.0","id":1,"method":"ping"`, `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}x`, `{'jsonrpc':'2.0'}`, `{"jsonrpc":"2.0","id":1,"method":"ping",}`,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xffng\"}", `{"jsonrpc":"2.0","id":01,"method":"ping"}`,
		"\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"\ud800"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\udc00\ud800"}}`, `[{"jsonrpc":"2.0","id":1,"method":"ping"}] 1`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}`, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\nb\"}",
		// What is not JSON is told before what is not JSON-RPC.
		`{"jsonrpc":"1.0","id":null,"method":7,}`, `[{"jsonrpc":"1.0"},]`,
	} {
		if m := do(t, h, request{body: body}).wantError(t, 400, codeParse); m.ID != nil {
			t.Errorf("%q: id %s", body, m.ID)
		}
	}
}

func TestHTTP09(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	for _, tt := range []struct{ body, id string }{
		{`{"id":1,"method":"ping"}`, "1"},
		{`{"jsonrpc":"1.0","id":"x","method":"ping"}`, `"x"`},
		{`{"jsonrpc":2.0,"id":1,"method":"ping"}`, "1"},
		{`{"jsonrpc":"2.0","id":1}`, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":""}`, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":null}`, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}`, "1"},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, ""},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, ""},
		{`{"jsonrpc":"2.0","id":1e3,"method":"ping"}`, ""},
		{`{"jsonrpc":"2.0","id":1.0,"method":"ping"}`, ""},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, ""},
		{`{"jsonrpc":"2.0","id":[1],"method":"ping"}`, ""},
		{`{"jsonrpc":"2.0","id":true,"method":"ping"}`, ""},
		{`{}`, ""},
		{`7`, ""},
		{`null`, ""},
		{`"ping"`, ""},
		{`[]`, ""},
	} {
		if m := do(t, h, request{body: tt.body}).wantError(t, 400, codeInvalidRequest); string(m.ID) != tt.id {
			t.Errorf("%s: id %s, want %s", tt.body, m.ID, tt.id)
		}
	}
}

func TestHTTP10(t *testing.T) {
	t.Parallel()
	e := echo()
	h := newHandler(t, Options{}, e)
	body := "[" + callBody(versionModern, "echo", "{}") + "]"
	for _, v := range append([]string{""}, supportedVersions...) {
		do(t, h, request{version: v, body: body}).wantError(t, 400, codeInvalidRequest)
	}
	if n := e.calls.Load(); n != 0 {
		t.Errorf("%d calls", n)
	}
}

func TestHTTP11(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		h := newHandler(t, Options{})
		for _, body := range []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`} {
			// The id is that of our request, had there been one.
			if m := do(t, h, request{version: v, body: body}).wantError(t, 400, codeInvalidRequest); m.ID != nil {
				t.Errorf("%s: id %s", body, m.ID)
			}
		}
	})
}

func TestHTTP12(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		h := newHandler(t, Options{})
		for _, kind := range []string{
			"", "text/plain", "application/x-www-form-urlencoded", "application/jsonx", "application/json-patch+json", "application/json, text/plain",
			"application/json; charset=utf-16", "application/json;charset=ISO-8859-1", "application/json; charset=",
		} {
			if a := do(t, h, call(v, "echo", "{}").with("Content-Type", kind)); a.status != http.StatusUnsupportedMediaType {
				t.Errorf("%q: HTTP %d", kind, a.status)
			}
		}
		for _, kind := range []string{"application/json; charset=utf-8", "application/json;charset=UTF-8", "Application/JSON", `application/json; charset="utf-8"`} {
			do(t, h, call(v, "echo", "{}").with("Content-Type", kind)).result(t)
		}
		for _, lines := range [][]string{{"gzip"}, {"identity", "gzip"}, {"identity, gzip"}, {"", "br"}} {
			q := call(v, "echo", "{}")
			q.lines = http.Header{"Content-Encoding": lines}
			if a := do(t, h, q); a.status != http.StatusUnsupportedMediaType {
				t.Errorf("%q: HTTP %d", lines, a.status)
			}
		}
		for _, lines := range [][]string{{"identity"}, {""}, {"Identity", "identity"}} {
			q := call(v, "echo", "{}")
			q.lines = http.Header{"Content-Encoding": lines}
			do(t, h, q).result(t)
		}
	})
}

// HTTP-13, HTTP-16, LEG-07 and LEG-10.
func TestHTTP13And16(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") })
		for _, o := range []Options{{}, {Page: page}} {
			h := newHandler(t, o)
			for _, verb := range []string{"GET", "HEAD", "DELETE", "PUT", "PATCH", "OPTIONS"} {
				q := request{version: v, method: "ping", verb: verb}.with("Accept", "text/event-stream")
				if a := do(t, h, q); a.status != http.StatusMethodNotAllowed || !strings.Contains(a.header.Get("Allow"), "POST") {
					t.Errorf("%s: HTTP %d, Allow %q", verb, a.status, a.header.Get("Allow"))
				}
			}
		}
	})
}

func TestHTTP14(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		h := newHandler(t, Options{})
		for _, id := range []string{
			`1`, `"1"`, `0`, `-7`, `9007199254740993`, `123456789012345678901234567890`, `""`, `"ü"`, `"\u00fc\n\"\\"`, `"</script>"`,
		} {
			for _, method := range []string{"tools/list", "nosuch/method"} {
				a := do(t, h, request{version: v, method: method, id: id})
				if got := a.last(t).ID; string(got) != id {
					t.Errorf("%s: id %s", id, got)
				}
			}
			q := call(v, "echo", "{}")
			q.id = id
			if got := do(t, h, q).last(t).ID; string(got) != id {
				t.Errorf("tools/call %s: id %s", id, got)
			}
		}
	})
}

func TestHTTP15(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		h := newHandler(t, Options{})
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 20 {
					do(t, h, request{version: v, method: "tools/list"}).result(t)
					if got := do(t, h, call(v, "echo", `{"a":[1,2]}`)).text(t); got != `{"a":[1,2]}` {
						t.Errorf("got %s", got)
					}
				}
			})
		}
		wg.Wait()
	})
}

// HTTP-17 and HTTP-18.
func TestHTTP17And18(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		h := newHandler(t, Options{})
		a := do(t, h, call(v, "echo", "{}").with("Mcp-Session-Id", "made-up").with("Last-Event-ID", "7"))
		a.result(t)
		if got := a.header.Get("Mcp-Session-Id"); got != "" {
			t.Errorf("session %q", got)
		}
	})
}

func TestHTTP26(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		e := echo()
		h := newHandler(t, Options{}, e)
		meta := ""
		if v == versionModern {
			meta = `,"_meta":{` + goodMeta + `}`
		}
		for _, body := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping","params":{"name":"echo"}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","\u006dethod":"ping","params":{"name":"echo"}}`,
			`{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"echo"}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"x"}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":{"b":1,"b":2}}}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":[{"b":1,"\u0062":2}]}}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{"x":1,"x":1}}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"},"x":{"y":1,"y":1}}`,
		} {
			do(t, h, request{version: v, body: body}).wantError(t, 400, codeParse)
		}
		for _, body := range []string{
			`{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"echo"` + meta + `}}`,
			`{"JSONRPC":"2.0","id":1,"method":"tools/call","params":{"name":"echo"` + meta + `}}`,
		} {
			do(t, h, request{version: v, body: body}).wantError(t, 400, codeInvalidRequest)
		}
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"echo"` + meta + `}}`
		do(t, h, request{version: v, method: "tools/call", body: body}.with("Mcp-Name", "echo")).wantError(t, 200, codeInvalidParams)
		// An escaped name is the same name.
		body = `{"jsonrpc":"2.0","id":1,"\u006dethod":"tools\/call","p\u0061rams":{"n\u0061me":"\u0065cho"` + meta + `}}`
		do(t, h, request{version: v, method: "tools/call", body: body}.with("Mcp-Name", "echo")).result(t)
		if n := e.calls.Load(); n != 1 {
			t.Errorf("%d calls", n)
		}
	})
}

func TestPage(t *testing.T) {
	t.Parallel()
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	h := newHandler(t, Options{Page: page})
	for accept, want := range map[string]int{
		"text/html,application/xhtml+xml,*/*;q=0.8": http.StatusTeapot,
		"text/html;q=0.5, text/event-stream;q=0.4":  http.StatusTeapot,
		"text/html;q=0": 405,
		"text/html;q=0.4, text/event-stream;q=0.9": 405,
		"*/*":               405,
		"":                  405,
		"text/event-stream": 405,
		"application/json, text/event-stream, */*": 405,
		"text/HTML": http.StatusTeapot,
	} {
		a := do(t, h, request{verb: "GET", body: " "}.with("Accept", accept))
		if a.status != want {
			t.Errorf("%q: HTTP %d, want %d", accept, a.status, want)
		}
		if !strings.Contains(strings.Join(a.header.Values("Vary"), ","), "Accept") {
			t.Errorf("%q: Vary %v", accept, a.header.Values("Vary"))
		}
	}
}
