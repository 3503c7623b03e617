// SPDX-License-Identifier: Apache-2.0

// Package page renders what a person sees who opens an MCP endpoint in a
// browser: what the server offers and how to connect a client to it.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
)

// Info is what the page tells.
type Info struct {
	// Title for people; the page falls back on Name.
	Title string
	// Name and Version as clients see them.
	Name, Version string
	// WebsiteURL is linked if it is an http or https URL.
	WebsiteURL string
	// Instructions for the model, shown as written.
	Instructions string
	// Tools in the order that clients see.
	Tools []Tool
	// Login says that clients must sign in. What the server offers is then not
	// told to strangers: only its name and how to connect are shown.
	Login bool
	// Scheme tells the scheme by which a client reached the endpoint. Default:
	// https if the request has TLS, else http.
	Scheme func(*http.Request) string
	// Path tells the path by which a client reached the endpoint, percent-encoded.
	// Default: the path of the request's URL.
	Path func(*http.Request) string
}

// Tool is a tool on the page.
type Tool struct {
	// Name, Title and Description as clients see them.
	Name, Title, Description string
	// Args are its arguments; see [ArgsOf].
	Args []Arg
	// ReadOnly and Destructive are its hints.
	ReadOnly, Destructive bool
}

var (
	//go:embed assets/page.html
	pageHTML string
	//go:embed assets/page.css
	pageCSS string
	//go:embed assets/page.js
	pageJS string

	templates = template.Must(template.New("page").Parse(pageHTML))
	policy    = contentSecurityPolicy(pageCSS, pageJS)
)

// contentSecurityPolicy allows the page's own style and script by their hashes,
// and nothing else.
func contentSecurityPolicy(css, js string) string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; style-src " + hash(css) + "; script-src " + hash(js) +
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// handler serves the page. Only the part that shows the endpoint's URL depends
// on the request; what is before and after it is made once.
type handler struct {
	info       Info
	head, tail []byte
}

// New prepares the page.
func New(info Info) (http.Handler, error) {
	if info.Login {
		info.Tools, info.Instructions, info.Version = nil, "", ""
	}
	if info.Name == "" {
		info.Name = "mcp"
	}
	if info.Title == "" {
		info.Title = info.Name
	}
	h := &handler{info: info}
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, "head", map[string]any{
		"Info": info,
		// Whole elements, so that the bytes which the policy's hashes are of are
		// the bytes that are sent.
		"Style": template.HTML("<style>" + pageCSS + "</style>"), //nolint:gosec // a constant of ours
	}); err != nil {
		return nil, fmt.Errorf("rendering the page: %w", err)
	}
	h.head = bytes.Clone(b.Bytes())
	b.Reset()
	if err := templates.ExecuteTemplate(&b, "tail", map[string]any{
		"Info":   info,
		"Open":   len(info.Tools) <= 8,
		"Script": template.HTML("<script>" + pageJS + "</script>"), //nolint:gosec // a constant of ours
	}); err != nil {
		return nil, fmt.Errorf("rendering the page: %w", err)
	}
	h.tail = bytes.Clone(b.Bytes())
	return h, nil
}

// ServeHTTP answers GET and HEAD with the page.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	endpoint, ok := h.endpoint(r)
	if !ok {
		http.Error(w, "the request names no valid host", http.StatusBadRequest)
		return
	}
	var mid bytes.Buffer
	if err := templates.ExecuteTemplate(&mid, "connect", connectTo(h.info.Name, endpoint, h.info.Login)); err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	hd := w.Header()
	hd.Set("Content-Type", "text/html; charset=utf-8")
	hd.Set("Content-Length", strconv.Itoa(len(h.head)+mid.Len()+len(h.tail)))
	hd.Set("Content-Security-Policy", policy)
	hd.Set("X-Content-Type-Options", "nosniff")
	hd.Set("X-Frame-Options", "DENY")
	hd.Set("Referrer-Policy", "no-referrer")
	hd.Set("Cross-Origin-Opener-Policy", "same-origin")
	hd.Set("Cross-Origin-Resource-Policy", "same-origin")
	hd.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	for _, part := range [][]byte{h.head, mid.Bytes(), h.tail} {
		if _, err := w.Write(part); err != nil {
			return
		}
	}
}

// endpoint is the URL that clients connect to. The host is what the client
// says, so it is only believed if it could be one: people paste it into shells.
func (h *handler) endpoint(r *http.Request) (string, bool) {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	if h.info.Scheme != nil {
		scheme = h.info.Scheme(r)
	}
	path := r.URL.EscapedPath()
	if h.info.Path != nil {
		path = h.info.Path(r)
	}
	if scheme != "http" && scheme != "https" || !validHost(r.Host) {
		return "", false
	}
	return scheme + "://" + r.Host + plainPath(path), true
}

// validHost tells whether s can be the host of a URL: a name, an IPv4 address
// or a bracketed IPv6 address, each with an optional port.
func validHost(s string) bool {
	host, port, bracketed := s, "", false
	if rest, ok := strings.CutPrefix(s, "["); ok {
		host, port, bracketed = strings.Cut(rest, "]")
		if !bracketed {
			return false
		}
	} else if i := strings.IndexByte(s, ':'); i >= 0 {
		host, port = s[:i], s[i:]
	}
	if port != "" {
		n, err := strconv.ParseUint(strings.TrimPrefix(port, ":"), 10, 16)
		if err != nil || n == 0 || port[0] != ':' {
			return false
		}
	}
	if host == "" || len(host) > 253 {
		return false
	}
	for _, c := range []byte(host) {
		hex := c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
		switch {
		case hex || c == '.':
		case bracketed && c == ':':
		case !bracketed && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_'):
		default:
			return false
		}
	}
	return true
}

// plainPath encodes everything in a path that a shell or a page could
// misunderstand; the URL stays the same resource.
func plainPath(path string) string {
	if path == "" || path[0] != '/' {
		path = "/" + path
	}
	var b strings.Builder
	for _, c := range []byte(path) {
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', strings.IndexByte("/-._~%:@+,=", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
