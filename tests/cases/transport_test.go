// SPDX-License-Identifier: Apache-2.0

package cases_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/harness"
)

func TestB34(t *testing.T) {
	t.Parallel()
	for _, v := range harness.Eras {
		for accept, want := range map[string]string{
			"application/json": "application/json", "*/*": "application/json", "": "application/json", "application/*": "application/json",
			"application/json;q=0.9, text/event-stream": "application/json", "text/html, */*;q=0.1": "application/json",
			"application/json, text/event-stream": "application/json", "APPLICATION/JSON": "application/json",
			"text/event-stream": "text/event-stream", "text/*": "text/event-stream", "application/json;q=0, text/event-stream": "text/event-stream",
			"text/html": "", "image/png, application/xml": "", "application/json;q=0": "",
		} {
			r := harness.Tool(v, "b13_none", nil).With("Accept", accept)
			if accept == "" {
				r.Without("Accept")
			}
			res := caddy.Do(t, r)
			if want == "" {
				if res.Status != http.StatusNotAcceptable {
					t.Errorf("%s Accept %q: HTTP %d", v, accept, res.Status)
				}
				continue
			}
			if got, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";"); got != want || res.Result(t).IsError {
				t.Errorf("%s Accept %q: %s, want %s", v, accept, got, want)
			}
		}
		for _, kind := range []string{"application/json;charset=utf-8", "application/json; charset=UTF-8"} {
			caddy.Do(t, harness.Tool(v, "b13_none", nil).With("Content-Type", kind)).Result(t)
		}
	}
}

func TestB35(t *testing.T) {
	t.Parallel()
	const asked = "authorization, content-type, mcp-protocol-version, mcp-session-id, last-event-id, mcp-method, mcp-name"
	for _, origin := range []string{"https://app.example.com", caddy.URL} {
		pre := caddy.Do(t, &harness.Request{HTTPMethod: http.MethodOptions, Header: http.Header{
			"Origin": {origin}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {asked},
		}})
		if pre.Status != http.StatusNoContent && pre.Status != http.StatusOK {
			t.Errorf("%s: preflight HTTP %d", origin, pre.Status)
		}
		checkCORS(t, pre, origin)
		allowed := strings.ToLower(pre.Header.Get("Access-Control-Allow-Headers"))
		for name := range strings.SplitSeq(asked, ", ") {
			if !strings.Contains(allowed, name) && allowed != "*" {
				t.Errorf("%s is not allowed: %q", name, allowed)
			}
		}
		if allowed == "*" {
			t.Error("* does not allow authorization")
		}
		if !strings.Contains(pre.Header.Get("Access-Control-Allow-Methods"), "POST") {
			t.Errorf("methods %q", pre.Header.Get("Access-Control-Allow-Methods"))
		}
		for _, v := range harness.Eras {
			res := caddy.Do(t, harness.Tool(v, "b13_none", nil).With("Origin", origin))
			res.Result(t)
			checkCORS(t, res, origin)
			exposed := strings.ToLower(res.Header.Get("Access-Control-Expose-Headers"))
			for _, name := range []string{"mcp-session-id", "www-authenticate"} {
				if !strings.Contains(exposed, name) {
					t.Errorf("%s is not exposed: %q", name, exposed)
				}
			}
			// Errors have to be readable too.
			checkCORS(t, caddy.Do(t, harness.Tool(v, "no_such_tool", nil).With("Origin", origin)), origin)
			checkCORS(t, caddy.Do(t, harness.Tool(v, "b13_none", nil).With("Origin", origin).With("Content-Type", "text/plain")), origin)
		}
	}
	// Others are not told that they may.
	for _, method := range []string{http.MethodOptions, http.MethodPost} {
		res := caddy.Do(t, &harness.Request{HTTPMethod: method, Header: http.Header{
			"Origin": {"https://evil.example"}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {asked},
		}})
		if res.Status != http.StatusForbidden || res.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: HTTP %d %v", method, res.Status, res.Header)
		}
	}
	// Caches must not mix up what depends on the origin.
	if res := caddy.Do(t, harness.Tool(harness.Legacy, "b13_none", nil)); res.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("without an origin: %v", res.Header)
	}
}

func checkCORS(t *testing.T, res *harness.Response, origin string) {
	t.Helper()
	if got := res.Header.Get("Access-Control-Allow-Origin"); got != origin {
		t.Errorf("HTTP %d: Access-Control-Allow-Origin %q, want %q", res.Status, got, origin)
	}
	if !strings.Contains(strings.Join(res.Header.Values("Vary"), ","), "Origin") {
		t.Errorf("HTTP %d: Vary %v", res.Status, res.Header.Values("Vary"))
	}
}

func TestB39(t *testing.T) {
	t.Parallel()
	call := func() *harness.Request { return harness.Tool(harness.Modern, "b13_none", nil) }
	for name, r := range map[string]*harness.Request{
		"no method": call().Without("Mcp-Method"), "no name": call().Without("Mcp-Name"), "no version": call().Without("MCP-Protocol-Version"),
		"other method": call().With("Mcp-Method", "tools/list"), "other name": call().With("Mcp-Name", "b13"), "other version": call().With("MCP-Protocol-Version", harness.Legacy),
		"empty sentinel": call().With("Mcp-Name", "=?base64??="), "bad sentinel": call().With("Mcp-Name", "=?base64?*?="),
		// What the header says is no way around what the body says.
		"forged name": harness.Tool(harness.Modern, "b09_static", nil).With("Mcp-Name", "b13_none"),
	} {
		res := caddy.Do(t, r)
		m := res.Final(t)
		if res.Status != http.StatusBadRequest || m.Error == nil || m.Error.Code != -32020 || string(m.ID) != r.ID {
			t.Errorf("%s: HTTP %d %s", name, res.Status, m.Raw)
		}
	}
	caddy.Do(t, call().With("Mcp-Name", "=?base64?YjEzX25vbmU=?=")).Result(t)
	caddy.Do(t, call().With("MCP-Protocol-Version", "2030-01-01").WithMeta(harness.MetaVersion, "2030-01-01")).WantError(t, http.StatusBadRequest, -32022)
	for _, v := range []string{harness.Legacy, harness.Legacy6, harness.Legacy3} {
		caddy.Do(t, harness.Tool(v, "b13_none", nil)).Result(t)
	}
}

func TestB40(t *testing.T) {
	t.Parallel()
	for _, v := range harness.Eras {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			key := "b40-" + v
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := caddy.Try(ctx, harness.Tool(v, "b40", object{"key": key}))
				done <- err
			}()
			if err := up.Arrived(deadline(t), key); err != nil {
				t.Fatal(err)
			}
			cancel()
			if err := up.Cancelled(deadline(t), key); err != nil {
				t.Error(err)
			}
			if err := <-done; err == nil {
				t.Error("an answer for a client that is gone")
			}
		})
	}
	t.Run("another client's cancelled", func(t *testing.T) {
		t.Parallel()
		const key = "b40-other"
		r := harness.Tool(harness.Legacy, "b40", object{"key": key}).WithID("4040")
		done := make(chan *harness.Response, 1)
		go func() {
			res, err := caddy.Try(t.Context(), r)
			if err != nil {
				t.Error(err)
			}
			done <- res
		}()
		if err := up.Arrived(deadline(t), key); err != nil {
			t.Fatal(err)
		}
		caddy.Do(t, harness.Notification(harness.Legacy, "notifications/cancelled", object{"requestId": 4040})).WantStatus(t, http.StatusAccepted)
		up.Release(key)
		if res := <-done; res == nil || res.Result(t).IsError {
			t.Error("the call did not survive")
		}
	})
	t.Run("slot", func(t *testing.T) {
		t.Parallel()
		// A call whose client is gone gives its slot back.
		const key = "b40-slot"
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _, _ = caddy.Try(ctx, harness.Tool(harness.Modern, "b40", object{"key": key}).At("/busy")) }()
		if err := up.Arrived(deadline(t), key); err != nil {
			t.Fatal(err)
		}
		caddy.Do(t, harness.Tool(harness.Modern, "b40", object{"key": "b40-none"}).At("/busy")).WantError(t, http.StatusServiceUnavailable, -32603)
		cancel()
		if err := up.Cancelled(deadline(t), key); err != nil {
			t.Fatal(err)
		}
		up.Release("b40-free")
		// The access log is written when the handler has returned.
		caddy.WaitLog(t, func(l harness.Log) bool {
			return l.Fields["mcp_outcome"] == "cancelled" && l.Fields["mcp_tool"] == "b40" && requestURI(l) == "/busy"
		})
		caddy.Do(t, harness.Tool(harness.Modern, "b40", object{"key": "b40-free"}).At("/busy")).Result(t)
	})
}

func requestURI(l harness.Log) string {
	r, _ := l.Fields["request"].(map[string]any)
	uri, _ := r["uri"].(string)
	return uri
}
