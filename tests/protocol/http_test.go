// SPDX-License-Identifier: Apache-2.0

package protocol_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/harness"
)

func TestHTTP01(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		text := "http01-" + v
		for _, origin := range []string{"https://evil.example", "null", "http://127.0.0.1:1", "http://localhost.evil.example"} {
			do(t, harness.Tool(v, "item", object{"id": 101}).With("Origin", origin)).WantStatus(t, http.StatusForbidden)
		}
		for _, r := range up.Seen("/echo/items/101") {
			t.Errorf("%s: the handler ran: %v", text, r)
		}
	})
}

func TestHTTP02(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodOptions} {
		for _, accept := range []string{"text/event-stream", "text/html"} {
			r := &harness.Request{HTTPMethod: method, Header: http.Header{"Origin": {"https://evil.example"}, "Accept": {accept}}}
			if got := do(t, r).Status; got != http.StatusForbidden {
				t.Errorf("%s %s: HTTP %d", method, accept, got)
			}
		}
	}
}

func TestHTTP03(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		do(t, harness.Call(v, "tools/list", nil)).Result(t)
		do(t, harness.Call(v, "tools/list", nil).With("Origin", caddy.URL)).Result(t)
		r := harness.Call(v, "tools/list", nil).With("Origin", "http://localhost:8123")
		r.Host = "localhost:8123"
		do(t, r).Result(t)
		do(t, harness.Call(v, "tools/list", nil).At("/origins").With("Origin", "https://app.example.com")).Result(t)
	})
}

func TestHTTP04(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		r := harness.Call(v, "tools/list", nil).With("Origin", "http://evil.example")
		r.Host = "evil.example"
		do(t, r).WantStatus(t, http.StatusForbidden)
	})
}

func TestHTTP05(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		for _, r := range []*harness.Request{
			harness.Call(v, "tools/list", nil),
			harness.Tool(v, "echo", object{"text": "x"}),
			harness.Tool(v, "fails", nil),
			harness.Tool(v, "no_such_tool", nil),
			harness.Call(v, "no/such", nil),
		} {
			res := do(t, r)
			if res.SSE || len(res.Messages) != 1 {
				t.Errorf("%s: want one JSON object: %s", r.Method, res.Body)
			}
		}
		r := harness.Tool(v, "events", nil)
		r.Params["_meta"] = object{"progressToken": "p"}
		if v == harness.Modern {
			delete(r.Params, "_meta")
			r.WithMeta("progressToken", "p")
		}
		if !do(t, r).SSE {
			t.Error("a call with progress is not a stream")
		}
	})
}

func TestHTTP06(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		for _, method := range []string{"notifications/initialized", "notifications/cancelled", "notifications/unknown"} {
			res := do(t, harness.Notification(v, method, object{"requestId": 1})).WantStatus(t, http.StatusAccepted)
			if len(res.Body) > 0 || res.Header.Get("Content-Type") != "" {
				t.Errorf("%s: %v %q", method, res.Header, res.Body)
			}
		}
	})
}

func TestHTTP07(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"jsonrpc":"1.0","method":"notifications/initialized"}`,
		`{"method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":7}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized","params":"x"}`,
	} {
		res := do(t, harness.Post(body))
		if res.Status < 400 {
			t.Errorf("%s: HTTP %d", body, res.Status)
		}
		for _, m := range res.Messages {
			if m.ID != nil {
				t.Errorf("%s: id %s", body, m.ID)
			}
		}
	}
}

func TestHTTP08(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		``, ` `, `{`, `nonsense`, `{"jsonrpc":"2.0","id":1,"method":"ping"`, `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}x`, `{'jsonrpc':'2.0'}`, `{"jsonrpc":"2.0","id":1,"method":"ping",}`,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xffng\"}", `{"jsonrpc":"2.0","id":01,"method":"ping"}`,
		"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"",
	} {
		for _, v := range harness.Eras {
			r := harness.Call(v, "ping", nil)
			r.Body = []byte(body)
			res := do(t, r)
			res.WantError(t, http.StatusBadRequest, -32700)
			if m := res.Final(t); m.ID != nil {
				t.Errorf("%q: id %s", body, m.ID)
			}
		}
	}
}

func TestHTTP09(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"id":1,"method":"ping"}`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":2.0,"id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":7}`, `{"jsonrpc":"2.0","id":1}`, `{"jsonrpc":"2.0","id":1,"method":null}`,
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, `{"jsonrpc":"2.0","id":true,"method":"ping"}`,
		`"ping"`, `7`, `null`, `true`, `{}`,
	} {
		for _, v := range harness.Eras {
			r := harness.Call(v, "ping", nil)
			r.Body = []byte(body)
			res := do(t, r)
			if res.Status != http.StatusBadRequest || len(res.Messages) != 1 || res.Messages[0].Error == nil || res.Messages[0].Error.Code != -32600 {
				t.Errorf("%s %s: HTTP %d %s", v, body, res.Status, res.Body)
			}
		}
	}
}

func TestHTTP10(t *testing.T) {
	t.Parallel()
	r := harness.Tool(harness.Modern, "item", object{"id": 1010})
	one := harness.Call(harness.Modern, "ping", nil)
	one.Body = []byte(`[` + string(message(t, r)) + `]`)
	one.Header = r.Header
	do(t, one).WantError(t, http.StatusBadRequest, -32600)
	if got := up.Seen("/echo/items/1010"); len(got) > 0 {
		t.Error("the call of a batch ran")
	}
}

func TestHTTP11(t *testing.T) {
	t.Parallel()
	for _, v := range harness.Eras {
		for _, body := range []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`} {
			r := harness.Call(v, "ping", nil)
			r.Body = []byte(body)
			do(t, r).WantError(t, http.StatusBadRequest, -32600)
		}
	}
}

func TestHTTP12(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx", "application/json-patch+json", ""} {
			r := harness.Call(v, "tools/list", nil).With("Content-Type", kind)
			if kind == "" {
				r.Without("Content-Type")
			}
			if got := do(t, r).Status; got != http.StatusUnsupportedMediaType {
				t.Errorf("%q: HTTP %d", kind, got)
			}
		}
		for _, kind := range []string{"application/json; charset=utf-8", "application/json;charset=UTF-8", "Application/JSON", `application/json; charset="utf-8"`} {
			do(t, harness.Call(v, "tools/list", nil).With("Content-Type", kind)).Result(t)
		}
	})
}

func TestHTTP13(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut, http.MethodPatch, http.MethodHead} {
		res := do(t, &harness.Request{HTTPMethod: method, Header: http.Header{"Accept": {"text/event-stream"}}}).WantStatus(t, http.StatusMethodNotAllowed)
		if allow := res.Header.Get("Allow"); !strings.Contains(allow, http.MethodPost) || strings.Contains(allow, method) && method != http.MethodGet {
			t.Errorf("%s: Allow %q", method, allow)
		}
	}
}

func TestHTTP14(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		for _, id := range []string{`"1"`, `1`, `0`, `-7`, `9007199254740993`, `18446744073709551617`, `""`, `"grüße \"q\""`, `"\u0041"`, `"null"`} {
			if got := string(do(t, harness.Call(v, "tools/list", nil).WithID(id)).Final(t).ID); got != id {
				t.Errorf("id %s came back as %s", id, got)
			}
			if got := string(do(t, harness.Tool(v, "no_such_tool", nil).WithID(id)).Final(t).ID); got != id {
				t.Errorf("id %s came back as %s in an error", id, got)
			}
		}
	})
}

func TestHTTP15(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				r := harness.Call(v, "tools/list", nil)
				res, err := caddy.Try(t.Context(), r)
				if err != nil || res.Status != http.StatusOK || len(res.Messages) != 1 || string(res.Messages[0].ID) != r.ID {
					t.Errorf("%v %v", err, res)
				}
			})
		}
		wg.Wait()
		// A call that waits does not hold up another one.
		key := "http15-" + v
		first := make(chan error, 1)
		go func() {
			_, err := caddy.Try(t.Context(), harness.Tool(v, "wait", object{"key": key}))
			first <- err
		}()
		if err := up.Arrived(deadline(t), key); err != nil {
			t.Fatal(err)
		}
		call(t, v, "echo", object{"text": "meanwhile"})
		up.Release(key)
		if err := <-first; err != nil {
			t.Error(err)
		}
	})
}

func TestHTTP16(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		for _, v := range []string{"", harness.Modern, harness.Legacy} {
			r := &harness.Request{HTTPMethod: method, Header: http.Header{"Accept": {"text/event-stream"}}}
			if v != "" {
				r.Header.Set("MCP-Protocol-Version", v)
			}
			do(t, r).WantStatus(t, http.StatusMethodNotAllowed)
		}
	}
}

func TestHTTP17(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		// That no answer has one is checked everywhere.
		do(t, harness.Call(v, "tools/list", nil).With("Mcp-Session-Id", "abc")).Result(t)
		do(t, harness.Tool(v, "echo", nil).With("Mcp-Session-Id", "")).Result(t)
	})
}

func TestHTTP18(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		do(t, harness.Tool(v, "echo", nil).With("Last-Event-ID", "1")).Result(t)
	})
}

// message is the JSON that a request would send.
func message(t *testing.T, r *harness.Request) []byte {
	t.Helper()
	params := object{}
	maps.Copy(params, r.Params)
	if r.Meta != nil {
		params["_meta"] = r.Meta
	}
	m := object{"jsonrpc": "2.0", "method": r.Method, "params": params}
	if !r.Notify {
		m["id"] = json.RawMessage(r.ID)
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), harness.Patience)
	t.Cleanup(cancel)
	return ctx
}
