// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHTTP01And02(t *testing.T) {
	t.Parallel()
	e := echo()
	h := newHandler(t, Options{Origins: []string{"https://app.example.com"}}, e)
	for _, verb := range []string{"POST", "GET", "DELETE", "OPTIONS", "PUT"} {
		for _, origin := range []string{
			"http://evil.example", "null", "http://example.com.evil.example", "http://example.com:81", "https://example.com",
			"http://app.example.com", "example.com", "http://example.com/",
		} {
			q := call(versionModern, "echo", "{}").with("Origin", origin)
			q.verb = verb
			a := do(t, h, q)
			if a.status != http.StatusForbidden || a.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s from %s: HTTP %d, %v", verb, origin, a.status, a.header)
			}
		}
	}
	q := call(versionModern, "echo", "{}")
	q.lines = http.Header{"Origin": {"http://example.com", "http://evil.example"}}
	if a := do(t, h, q); a.status != http.StatusForbidden {
		t.Errorf("two origins: HTTP %d", a.status)
	}
	if n := e.calls.Load(); n != 0 {
		t.Errorf("%d calls", n)
	}
}

func TestHTTP03(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		h := newHandler(t, Options{Origins: []string{"https://App.example.com"}})
		for _, origin := range []string{"", "http://example.com", "https://app.example.com"} {
			a := do(t, h, call(v, "echo", "{}").with("Origin", origin))
			if a.text(t) != "{}" {
				t.Errorf("%q: %s", origin, a.body)
			}
			if got := a.header.Get("Access-Control-Allow-Origin"); got != origin {
				t.Errorf("%q: allowed %q", origin, got)
			}
			if !strings.Contains(strings.Join(a.header.Values("Vary"), ","), "Origin") {
				t.Errorf("%q: no Vary", origin)
			}
			exposed := a.header.Get("Access-Control-Expose-Headers")
			if origin != "" && (!strings.Contains(exposed, "Mcp-Session-Id") || !strings.Contains(exposed, "WWW-Authenticate")) {
				t.Errorf("%q: exposed %q", origin, exposed)
			}
		}
		h = newHandler(t, Options{AnyOrigin: true})
		if a := do(t, h, call(v, "echo", "{}").with("Origin", "https://anyone.example")); a.text(t) != "{}" {
			t.Errorf("any origin: %s", a.body)
		}
		h = newHandler(t, Options{Scheme: func(*http.Request) string { return "https" }})
		if a := do(t, h, call(v, "echo", "{}").with("Origin", "https://example.com")); a.text(t) != "{}" {
			t.Errorf("https: %s", a.body)
		}
	})
}

// A page of another site may have had its name point to this machine: then its
// origin is the Host, and only the address tells.
func TestHTTP04(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		addr, host, origin string
		status             int
	}{
		{"127.0.0.1:8080", "evil.example:8080", "http://evil.example:8080", 403},
		{"[::1]:8080", "evil.example:8080", "http://evil.example:8080", 403},
		{"127.0.0.1:8080", "listed.example:8080", "http://listed.example:8080", 200},
		{"127.0.0.1:8080", "localhost:8080", "http://localhost:8080", 200},
		{"127.0.0.1:8080", "LOCALHOST:8080", "http://localhost:8080", 200},
		{"127.0.0.1:8080", "app.localhost:8080", "http://app.localhost:8080", 200},
		{"127.0.0.1:8080", "127.0.0.1:8080", "http://127.0.0.1:8080", 200},
		{"[::1]:8080", "[::1]:8080", "http://[::1]:8080", 200},
		{"127.0.0.1:80", "localhost:80", "http://localhost", 200},
		{"127.0.0.1:8080", "localhost:8080", "http://localhost:9", 403},
		{"192.0.2.1:8080", "mcp.example:8080", "http://mcp.example:8080", 200},
		{"127.0.0.1:8080", "evil.example:8080", "", 200},
	} {
		h := newHandler(t, Options{Origins: []string{"http://listed.example:8080"}})
		addr, err := net.ResolveTCPAddr("tcp", tt.addr)
		if err != nil {
			t.Fatal(err)
		}
		r := call(versionModern, "echo", "{}").with("Origin", tt.origin).http()
		r.Host = tt.host
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, addr))
		w := httptest.NewRecorder()
		status := w.Code
		if err := h.ServeHTTP(w, r); err != nil {
			status = err.(*StatusError).Status
		}
		if status != tt.status {
			t.Errorf("%s, Host %s, Origin %q: HTTP %d, want %d", tt.addr, tt.host, tt.origin, status, tt.status)
		}
	}
}

func TestPreflight(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{Origins: []string{"https://app.example.com"}})
	q := request{verb: "OPTIONS", body: " "}.
		with("Origin", "https://app.example.com").with("Access-Control-Request-Method", "POST").
		with("Access-Control-Request-Headers", "authorization,content-type,mcp-protocol-version,mcp-session-id,last-event-id,mcp-method,mcp-name,mcp-param-region,x-evil").
		with("Content-Type", "").with("Accept", "")
	a := do(t, h, q)
	if a.status != http.StatusNoContent {
		t.Fatalf("HTTP %d", a.status)
	}
	allowed := strings.ToLower(a.header.Get("Access-Control-Allow-Headers"))
	for _, name := range []string{"authorization", "content-type", "mcp-protocol-version", "mcp-session-id", "last-event-id", "mcp-method", "mcp-name", "mcp-param-region"} {
		if !strings.Contains(allowed, name) {
			t.Errorf("%s is not in %q", name, allowed)
		}
	}
	if strings.Contains(allowed, "x-evil") {
		t.Errorf("allowed %q", allowed)
	}
	if !strings.Contains(a.header.Get("Access-Control-Allow-Methods"), "POST") || a.header.Get("Access-Control-Allow-Origin") != "https://app.example.com" {
		t.Errorf("%v", a.header)
	}
}

// A browser sends no Origin when it opens a page, and reads it if its own name
// points here.
func TestPageRebinding(t *testing.T) {
	t.Parallel()
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	origins := []string{"http://Listed.example:8080", "https://tunnel.example"}
	for _, tt := range []struct {
		addr, host string
		any        bool
		status     int
	}{
		{"127.0.0.1:8080", "evil.example:8080", false, 403},
		{"[::1]:8080", "evil.example", false, 403},
		{"127.0.0.1:8080", "127.0.0.1.evil.example", false, 403},
		{"127.0.0.1:8080", "listed.example:81", false, 403},
		{"127.0.0.1:8080", "", false, 403},
		{"127.0.0.1:8080", "evil.example:8080", true, http.StatusTeapot},
		{"127.0.0.1:8080", "listed.EXAMPLE:8080", false, http.StatusTeapot},
		// What is in front of this server may speak TLS, and this one not.
		{"127.0.0.1:8080", "tunnel.example", false, http.StatusTeapot},
		{"127.0.0.1:8080", "tunnel.example:443", false, http.StatusTeapot},
		{"127.0.0.1:8080", "localhost:8080", false, http.StatusTeapot},
		{"127.0.0.1:8080", "127.0.0.1:8080", false, http.StatusTeapot},
		{"[::1]:8080", "[::1]:8080", false, http.StatusTeapot},
		{"192.0.2.1:8080", "mcp.example:8080", false, http.StatusTeapot},
	} {
		h := newHandler(t, Options{Page: page, Origins: origins, AnyOrigin: tt.any})
		addr, err := net.ResolveTCPAddr("tcp", tt.addr)
		if err != nil {
			t.Fatal(err)
		}
		for _, verb := range []string{"GET", "HEAD"} {
			r := request{verb: verb, body: " "}.with("Accept", "text/html").http()
			r.Host = tt.host
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, addr))
			w := httptest.NewRecorder()
			err = h.ServeHTTP(w, r)
			status := w.Code
			if err != nil {
				status = err.(*StatusError).Status
			}
			if status != tt.status {
				t.Errorf("%s, %s, Host %q: HTTP %d, want %d", verb, tt.addr, tt.host, status, tt.status)
			}
		}
	}
}
