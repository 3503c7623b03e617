// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"crypto/tls"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRedirect(t *testing.T) {
	t.Parallel()
	const kept = "Authorization Content-Length Content-Type X-Key"
	const dropped = "Authorization X-Key"
	for _, tc := range []struct {
		name, method string
		url          string // default http://api.example.com/orders/7?x=1
		host         string // Host header, if not the URL's
		told         string // by SetUpstreamHost
		inbound      string // how the client came: clear (default), tls or proxy
		status       int
		location     string
		want         string // method, URL, body and header names; empty if not followed
		refused      string // text, if refused
	}{
		{name: "301 GET", method: "GET", status: 301, location: "/orders/7/", want: "GET http://api.example.com/orders/7/ - " + kept},
		{name: "301 POST", method: "POST", status: 301, location: "/orders/7/", want: "GET http://api.example.com/orders/7/ - " + dropped},
		{name: "302 POST", method: "POST", status: 302, location: "/done?id=1#top", want: "GET http://api.example.com/done?id=1 - " + dropped},
		{name: "302 PUT", method: "PUT", status: 302, location: "/x", want: "PUT http://api.example.com/x body " + kept},
		{name: "303 PUT", method: "PUT", status: 303, location: "/x", want: "GET http://api.example.com/x - " + dropped},
		{name: "303 HEAD", method: "HEAD", status: 303, location: "/x", want: "HEAD http://api.example.com/x - " + kept},
		{name: "307 POST", method: "POST", status: 307, location: "/x", want: "POST http://api.example.com/x body " + kept},
		{name: "308 DELETE", method: "DELETE", status: 308, location: "/x", want: "DELETE http://api.example.com/x body " + kept},
		{name: "relative", method: "GET", status: 302, location: "8", want: "GET http://api.example.com/orders/8 - " + kept},
		{name: "query only", method: "GET", status: 302, location: "?page=2", want: "GET http://api.example.com/orders/7?page=2 - " + kept},
		{name: "dots", method: "GET", status: 302, location: "../../a", want: "GET http://api.example.com/a - " + kept},
		{name: "escaped slash", method: "GET", status: 302, location: "/a%2Fb", want: "GET http://api.example.com/a%2Fb - " + kept},
		{name: "absolute", method: "GET", status: 302, location: "http://api.example.com/x", want: "GET http://api.example.com/x - " + kept},
		{name: "absolute, no path", method: "GET", status: 302, location: "http://api.example.com", want: "GET http://api.example.com/ - " + kept},
		{name: "absolute with port", method: "GET", status: 302, location: "HTTP://API.example.com.:80/x", want: "GET http://api.example.com/x - " + kept},
		{name: "no scheme", method: "GET", status: 302, location: "//api.example.com/x", want: "GET http://api.example.com/x - " + kept},
		{name: "path only, own host", method: "GET", url: "/orders/7", host: "api.example.com", status: 302, location: "http://api.example.com:80/x", want: "GET /x - " + kept},
		{name: "path only, no scheme", method: "GET", url: "/orders/7", host: "api.example.com", status: 302, location: "//api.example.com/x", want: "GET /x - " + kept},
		{name: "path only, client at https", method: "GET", url: "/orders/7", host: "api.example.com", inbound: "tls", status: 302, location: "https://api.example.com:443/x", want: "GET /x - " + kept},
		{name: "path only, client at https, upstream unaware", method: "GET", url: "/orders/7", host: "api.example.com", inbound: "tls", status: 302, location: "http://api.example.com/x", want: "GET /x - " + kept},
		{name: "path only, client at a proxy's https", method: "GET", url: "/orders/7", host: "api.example.com", inbound: "proxy", status: 302, location: "https://api.example.com/x", want: "GET /x - " + kept},
		{name: "path only, upstream at 443", method: "GET", url: "/orders/7", host: "mcp.example.com", told: "api.example.com:443", status: 302, location: "https://API.example.com/x", want: "GET /x - " + kept},
		{name: "path only, upstream at another https port", method: "GET", url: "/orders/7", host: "mcp.example.com", told: "10.0.0.1:8443", status: 302, location: "https://10.0.0.1:8443/x", want: "GET /x - " + kept},
		{name: "IPv6", method: "GET", url: "http://[::1]:8080/", status: 302, location: "http://[::1]:8080/x", want: "GET http://[::1]:8080/x - " + kept},
		{name: "told host", method: "GET", told: "10.0.0.1:8080", status: 302, location: "http://10.0.0.1:8080/x", want: "GET http://api.example.com/x - " + kept},

		{name: "other host", method: "GET", status: 302, location: "http://evil.example.com/x", refused: "upstream returned 302 Found: a redirect to another host is not followed"},
		{name: "other host, no scheme", method: "GET", status: 302, location: "//evil.example.com/x", refused: "upstream returned 302 Found: a redirect to another host is not followed"},
		{name: "backslashes", method: "GET", status: 302, location: `\\evil.example.com/x`, want: `GET http://api.example.com/orders/%5C%5Cevil.example.com/x - ` + kept},
		{name: "longer host", method: "GET", status: 302, location: "http://api.example.com.evil.com/", refused: "upstream returned 302 Found: a redirect to another host is not followed"},
		{name: "other port", method: "GET", status: 302, location: "http://api.example.com:8080/", refused: "upstream returned 302 Found: a redirect to another host is not followed"},
		{name: "host as user", method: "GET", status: 302, location: "http://api.example.com@evil.com/", refused: "upstream returned 302 Found: a redirect to another host is not followed"},
		{name: "told another host", method: "GET", told: "10.0.0.1:8080", status: 302, location: "http://10.0.0.1:8081/x", refused: "upstream returned 302 Found: a redirect to another host is not followed"},
		{name: "downgrade", method: "GET", url: "https://api.example.com/", status: 302, location: "http://api.example.com/", refused: "upstream returned 302 Found: a redirect from https to another scheme is not followed"},
		{name: "upgrade", method: "GET", status: 301, location: "https://api.example.com/", refused: "upstream returned 301 Moved Permanently: a redirect from http to another scheme is not followed"},
		{name: "user in it", method: "GET", status: 302, location: "http://a:b@api.example.com/x", refused: "upstream returned 302 Found: a redirect with a user name is not followed"},
		{name: "empty user in it", method: "GET", status: 302, location: "//@api.example.com/x", refused: "upstream returned 302 Found: a redirect with a user name is not followed"},
		{name: "path only, upgrade", method: "GET", url: "/orders/7", host: "api.example.com", status: 301, location: "https://api.example.com/orders/7", refused: "upstream returned 301 Moved Permanently: a redirect to https is not followed"},
		{name: "path only, upgrade, other path", method: "GET", url: "/orders/7", host: "api.example.com", told: "10.0.0.1:8080", status: 301, location: "https://api.example.com/x", refused: "upstream returned 301 Moved Permanently: a redirect to https is not followed"},
		{name: "path only, upgrade of a body", method: "POST", url: "/orders/7", host: "api.example.com", status: 307, location: "HTTPS://api.example.com/orders/7", refused: "upstream returned 307 Temporary Redirect: a redirect to https is not followed"},
		{name: "path only, upgrade of the upstream's host", method: "GET", url: "/orders/7", host: "mcp.example.com", told: "api.example.com:80", status: 301, location: "https://api.example.com/x", refused: "upstream returned 301 Moved Permanently: a redirect to another host is not followed"},
		{name: "path only, upstream at 80, own host", method: "GET", url: "/orders/7", host: "api.example.com", told: "api.example.com:80", status: 301, location: "https://api.example.com/x", refused: "upstream returned 301 Moved Permanently: a redirect to https is not followed"},
		{name: "path only, client at https, upstream wants to see it", method: "GET", url: "/orders/7?x=1", host: "api.example.com", inbound: "tls", status: 301, location: "https://api.example.com/orders/7?x=1", refused: "upstream returned 301 Moved Permanently: a redirect from a URL to the same one by https is not followed"},
		{name: "other scheme", method: "GET", status: 302, location: "ftp://api.example.com/", refused: "upstream returned 302 Found: a redirect to another host is not followed"},
		{name: "script", method: "GET", status: 302, location: "javascript:alert(1)", refused: "upstream returned 302 Found: a redirect that cannot be followed"},
		{name: "file", method: "GET", status: 302, location: "file:///etc/passwd", refused: "upstream returned 302 Found: a redirect that cannot be followed"},
		{name: "nonsense", method: "GET", status: 302, location: "http://[::1/\x7f", refused: "upstream returned 302 Found: a redirect that cannot be followed"},
		{name: "escaped dots", method: "GET", status: 302, location: "/a/%2e%2e/b", refused: "upstream returned 302 Found: a redirect that cannot be followed"},

		{name: "no location", method: "GET", status: 302},
		{name: "no redirect", method: "GET", status: 200, location: "/x"},
		{name: "created", method: "POST", status: 201, location: "/x"},
		{name: "choices", method: "GET", status: 300, location: "/x"},
		{name: "not modified", method: "GET", status: 304, location: "/x"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if tc.url == "" {
				tc.url = "http://api.example.com/orders/7?x=1"
			}
			var body io.Reader
			if tc.method != "GET" && tc.method != "HEAD" {
				body = strings.NewReader("body")
			}
			r, err := http.NewRequest(tc.method, tc.url, body)
			if err != nil {
				t.Fatal(err)
			}
			if tc.host != "" {
				r.Host = tc.host
			}
			r.RequestURI = r.URL.RequestURI()
			for name := range strings.FieldsSeq(kept) {
				r.Header.Set(name, "v")
			}
			m := newMapper(t, Config{}, Options{})
			in := httptest.NewRequest(http.MethodPost, "/mcp", nil)
			switch tc.inbound {
			case "tls":
				in.TLS = &tls.ConnectionState{}
			case "proxy":
				in.Header.Set("X-Forwarded-Proto", "https")
			}
			cw := m.capture(r, &Call{Inbound: in})
			if tc.told != "" {
				cw.SetUpstreamHost(tc.told)
			}
			if err := (answer{status: tc.status, header: map[string]string{"Location": tc.location}, body: "moved"}).serve(cw); err != nil {
				t.Fatal(err)
			}
			next, res := m.redirect(t.Context(), r, cw, 0)
			if tc.refused != "" {
				if next != nil || res == nil {
					t.Fatalf("followed: %v, %v", next, res)
				}
				if diff := cmp.Diff([]string{tc.refused}, told(res)); diff != "" || res.Outcome != OutcomeUpstream {
					t.Errorf("%s: %s", res.Outcome, diff)
				}
				if !strings.Contains(res.Detail, strings.Trim(tc.location, "\x7f\\")) {
					t.Errorf("the detail lacks the location: %s", res.Detail)
				}
				if strings.Contains(res.Err.Error(), tc.location) {
					t.Errorf("the error repeats the location, and what is in it: %v", res.Err)
				}
				return
			}
			if res != nil || (next == nil) != (tc.want == "") {
				t.Fatalf("next %v, result %v", next, res)
			}
			if next == nil {
				return
			}
			got := next.Method + " " + next.URL.String()
			if b, err := io.ReadAll(bodyOf(next)); err != nil {
				t.Fatal(err)
			} else if len(b) > 0 {
				got += " " + string(b)
			} else {
				got += " -"
			}
			got += " " + strings.Join(slices.Sorted(maps.Keys(next.Header)), " ")
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if next.RequestURI != next.URL.RequestURI() || next.Host != r.Host {
				t.Errorf("request URI %s, host %s", next.RequestURI, next.Host)
			}
			if next.Body == http.NoBody && next.ContentLength != 0 {
				t.Errorf("length %d without a body", next.ContentLength)
			}
			if next, res := m.redirect(t.Context(), r, cw, maxRedirects); next != nil || res == nil || !strings.HasSuffix(told(res)[0], "more than 3 redirects") {
				t.Errorf("after %d: %v, %v", maxRedirects, next, res)
			}
		})
	}
}

func bodyOf(r *http.Request) io.Reader {
	if r.Body == nil {
		return strings.NewReader("")
	}
	return r.Body
}

// The handlers of the next request rewrite it again.
func TestRedirectOfARewrittenRequest(t *testing.T) {
	t.Parallel()
	m := newMapper(t, Config{}, Options{})
	for location, want := range map[string]string{"8": "/orders/8", "?a=1": "/orders/7?a=1", "/x": "/x"} {
		r, err := http.NewRequest(http.MethodGet, "/orders/7", nil)
		if err != nil {
			t.Fatal(err)
		}
		cw := m.capture(r, &Call{})
		r.URL.Path, r.URL.RawQuery = "/v1/orders/7", "b=2"
		if err := (answer{status: 302, header: map[string]string{"Location": location}}).serve(cw); err != nil {
			t.Fatal(err)
		}
		next, res := m.redirect(t.Context(), r, cw, 0)
		if res != nil || next.URL.String() != want {
			t.Errorf("%s: %v, want %s; %v", location, next, want, res)
		}
	}
}

func TestRedirectWithoutBodyToRepeat(t *testing.T) {
	t.Parallel()
	r, err := http.NewRequest(http.MethodPost, "http://api.example.com/", io.MultiReader(strings.NewReader("once")))
	if err != nil {
		t.Fatal(err)
	}
	m := newMapper(t, Config{}, Options{})
	cw := m.capture(r, &Call{})
	if err := (answer{status: 307, header: map[string]string{"Location": "/x"}}).serve(cw); err != nil {
		t.Fatal(err)
	}
	next, res := m.redirect(t.Context(), r, cw, 0)
	if next != nil || res == nil || !res.IsError {
		t.Errorf("%v, %+v", next, res)
	}
}
