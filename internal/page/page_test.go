// SPDX-License-Identifier: Apache-2.0

package page

import (
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func get(t *testing.T, info Info, method, target, host string) *httptest.ResponseRecorder {
	t.Helper()
	h, err := New(info)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(method, target, nil)
	if host != "" {
		r.Host = host
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func shop() Info {
	return Info{
		Title: "Bookshop", Name: "bookshop", Version: "1.4.0", WebsiteURL: "https://example.com/",
		Instructions: "Search before you order.\nPrices are in cents.",
		Tools: []Tool{
			{Name: "search", Title: "Search books", Description: "Find books.", ReadOnly: true, Args: []Arg{
				{Name: "q", Type: "string", Description: "Words of the title.", Required: true, Limits: "at least 2 characters"},
				{Name: "sort", Type: "string", Values: []string{`"title"`, `"year"`}, Default: `"title"`},
			}},
			{Name: "order", Description: "Order a book."},
			{Name: "cancel", Description: "Cancel an order.", Destructive: true},
		},
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	login := shop()
	login.Login = true
	for name, info := range map[string]Info{"open": shop(), "login": login, "bare": {Name: "x"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := get(t, info, http.MethodGet, "https://mcp.example.com/mcp", "")
			got := outline(t, w.Body.String())
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("page changed (-want +got), run with -update if that is intended:\n%s", diff)
			}
		})
	}
}

// outline shows the structure and the texts of a page, without style and script.
func outline(t *testing.T, page string) string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var walk func(n *html.Node, indent string)
	walk = func(n *html.Node, indent string) {
		switch n.Type {
		case html.TextNode:
			if s := strings.TrimSpace(n.Data); s != "" {
				b.WriteString(indent + strconv.Quote(s) + "\n")
			}
		case html.ElementNode:
			b.WriteString(indent + n.Data)
			for _, a := range n.Attr {
				b.WriteString(" " + a.Key + "=" + strconv.Quote(a.Val))
			}
			b.WriteString("\n")
			if n.Data == "style" || n.Data == "script" {
				return
			}
			indent += "  "
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, indent)
		}
	}
	walk(doc, "")
	return b.String()
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	w := get(t, shop(), http.MethodGet, "https://mcp.example.com/mcp", "")
	want := map[string]string{
		"Content-Type":           "text/html; charset=utf-8",
		"Content-Length":         strconv.Itoa(w.Body.Len()),
		"X-Content-Type-Options": "nosniff",
		"X-Frame-Options":        "DENY",
		"Referrer-Policy":        "no-referrer",
		"Cache-Control":          "no-store",
	}
	for name, value := range want {
		if got := w.Header().Get(name); got != value {
			t.Errorf("%s: got %q, want %q", name, got, value)
		}
	}
	head := get(t, shop(), http.MethodHead, "https://mcp.example.com/mcp", "")
	if head.Code != http.StatusOK || head.Body.Len() != 0 {
		t.Errorf("HEAD: status %d with %d bytes", head.Code, head.Body.Len())
	}
	if diff := cmp.Diff(w.Header(), head.Header()); diff != "" {
		t.Errorf("HEAD and GET differ in their headers:\n%s", diff)
	}
	post := get(t, shop(), http.MethodPost, "https://mcp.example.com/mcp", "")
	if post.Code != http.StatusMethodNotAllowed || post.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: status %d, Allow %q", post.Code, post.Header().Get("Allow"))
	}
}

// TestPolicy computes the hashes as a browser does: of what is between the tags.
func TestPolicy(t *testing.T) {
	t.Parallel()
	w := get(t, shop(), http.MethodGet, "https://mcp.example.com/mcp", "")
	csp := w.Header().Get("Content-Security-Policy")
	for _, directive := range []string{"default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"} {
		if !strings.Contains(csp, directive) {
			t.Errorf("policy lacks %s: %s", directive, csp)
		}
	}
	if strings.Contains(csp, "unsafe") || strings.Contains(csp, "*") {
		t.Errorf("policy is not strict: %s", csp)
	}
	for tag, directive := range map[string]string{"style": "style-src", "script": "script-src"} {
		found := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(w.Body.String(), -1)
		if len(found) != 1 {
			t.Fatalf("%d %s elements, want 1", len(found), tag)
		}
		sum := sha256.Sum256([]byte(found[0][1]))
		want := directive + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		if !strings.Contains(csp, want) {
			t.Errorf("policy lacks %s: %s", want, csp)
		}
	}
	// Nothing that the policy would block, and nothing from elsewhere.
	for _, bad := range []string{" style=", " onclick=", " src=", "<img", "<link", "<iframe", "<form", "@import", "url("} {
		if strings.Contains(w.Body.String(), bad) {
			t.Errorf("page has %q", bad)
		}
	}
}

const hostile = `</script><img src=x onerror=alert(1)>"'` + "`" + `{{.}}&lt;`

func TestEscaping(t *testing.T) {
	t.Parallel()
	info := Info{
		Title: hostile, Name: hostile, Version: hostile, WebsiteURL: "javascript:alert(1)", Instructions: hostile,
		Tools: []Tool{{
			Name: hostile, Title: hostile, Description: hostile,
			Args: []Arg{{Name: hostile, Type: hostile, Description: hostile, Values: []string{hostile}, Default: hostile, Limits: hostile}},
		}},
	}
	body := get(t, info, http.MethodGet, "http://localhost:8080/mcp", "").Body.String()
	plain := get(t, Info{
		Title: "t", Name: "n", Version: "v", WebsiteURL: "https://example.com", Instructions: "i",
		Tools: []Tool{{
			Name: "n", Title: "t", Description: "d",
			Args: []Arg{{Name: "n", Type: "t", Description: "d", Values: []string{"v"}, Default: "d", Limits: "l"}},
		}},
	}, http.MethodGet, "http://localhost:8080/mcp", "").Body.String()

	// Whatever the texts are, the elements and the names of attributes stay.
	shape := func(page string) string {
		var b strings.Builder
		z := html.NewTokenizer(strings.NewReader(page))
		for {
			switch z.Next() {
			case html.ErrorToken:
				return b.String()
			case html.StartTagToken, html.EndTagToken:
				tok := z.Token()
				b.WriteString(tok.Type.String() + " " + tok.Data)
				for _, a := range tok.Attr {
					b.WriteString(" " + a.Key)
				}
				b.WriteString("\n")
			}
		}
	}
	if diff := cmp.Diff(shape(plain), shape(body)); diff != "" {
		t.Errorf("texts changed the page's shape (-plain +hostile):\n%s", diff)
	}
	if strings.Contains(body, "javascript:") {
		t.Error("a website URL with another scheme is linked")
	}
	if n := strings.Count(outline(t, body), strconv.Quote(hostile)); n < 9 {
		t.Errorf("the text is shown %d times as written", n)
	}
}

func TestEndpoint(t *testing.T) {
	t.Parallel()
	https := func(*http.Request) string { return "https" }
	for _, tt := range []struct {
		name, target, host string
		info               Info
		want               string // empty: 400
	}{
		{"plain", "http://localhost:8080/mcp", "", Info{}, "http://localhost:8080/mcp"},
		{"tls", "https://example.com/mcp", "", Info{}, "https://example.com/mcp"},
		{"behind a proxy", "http://example.com/mcp", "", Info{Scheme: https}, "https://example.com/mcp"},
		{"odd scheme", "http://example.com/mcp", "", Info{Scheme: func(*http.Request) string { return "javascript" }}, ""},
		{"ipv4", "http://x/mcp", "192.0.2.1:8080", Info{}, "http://192.0.2.1:8080/mcp"},
		{"ipv6", "http://x/mcp", "[2001:db8::1]:8080", Info{}, "http://[2001:db8::1]:8080/mcp"},
		{"underscore", "http://x/mcp", "my_host", Info{}, "http://my_host/mcp"},
		{"query is left out", "http://localhost/mcp?x=1", "", Info{}, "http://localhost/mcp"},
		{"path from outside", "http://localhost/", "", Info{Path: func(*http.Request) string { return "/v1/mcp" }}, "http://localhost/v1/mcp"},
		{"no path", "http://localhost/", "", Info{Path: func(*http.Request) string { return "" }}, "http://localhost/"},
		{"shell in the path", "http://localhost/mcp;$(id)'&%22", "", Info{}, "http://localhost/mcp%3B%24%28id%29%27%26%22"},
		{"shell in the host", "http://x/mcp", "a$(id).example", Info{}, ""},
		{"quote in the host", "http://x/mcp", "a'b", Info{}, ""},
		{"markup in the host", "http://x/mcp", "<b>", Info{}, ""},
		{"user in the host", "http://x/mcp", "a@b", Info{}, ""},
		{"no host", "http://x/mcp", ":80", Info{}, ""},
		{"port is no number", "http://x/mcp", "a:b", Info{}, ""},
		{"port is too large", "http://x/mcp", "a:65536", Info{}, ""},
		{"port is signed", "http://x/mcp", "a:+80", Info{}, ""},
		{"open bracket", "http://x/mcp", "[::1", Info{}, ""},
		{"after the bracket", "http://x/mcp", "[::1]x", Info{}, ""},
		{"space", "http://x/mcp", "a b", Info{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := get(t, tt.info, http.MethodGet, tt.target, tt.host)
			if tt.want == "" {
				if w.Code != http.StatusBadRequest {
					t.Errorf("status %d, want 400", w.Code)
				}
				return
			}
			if w.Code != http.StatusOK || !strings.Contains(outline(t, w.Body.String()), strconv.Quote("claude mcp add --transport http mcp "+tt.want)) {
				t.Errorf("status %d, no command with %s", w.Code, tt.want)
			}
		})
	}
}

func TestLoginHidesWhatIsOffered(t *testing.T) {
	t.Parallel()
	info := shop()
	info.Login = true
	body := get(t, info, http.MethodGet, "https://mcp.example.com/mcp", "").Body.String()
	for _, secret := range []string{"search", "Search before", "1.4.0", "Words of the title"} {
		if strings.Contains(body, secret) {
			t.Errorf("the page tells strangers %q", secret)
		}
	}
	for _, want := range []string{"Bookshop", "Sign-in needed", "claude mcp add"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
