// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// headerField is a header that the configuration sets.
type headerField struct {
	// name in canonical form.
	name  string
	value template
	// static is the value if there are no placeholders in it.
	static string
	// empty are the placeholders that may have no value, and no header then.
	empty []*placeholder
	// repeats says that an earlier field has the same name.
	repeats bool
}

// ownHeaders belong to a connection, to the framing of a message or to a proxy:
// they are nobody's to set.
var ownHeaders = []string{
	"Connection", "Content-Length", "Expect", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization",
	"Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// clientHeaders belong to the client's own message: they cannot be passed on.
var clientHeaders = []string{"Content-Encoding", "Content-Type", "Host"}

// compileHeaders checks the headers that are set and those that are passed on.
func (rc *requestCompiler) compileHeaders(q *request) {
	for _, f := range rc.cfg.Request.Headers {
		h, ok := rc.headerField("request.headers."+f.Name, f)
		if !ok {
			continue
		}
		if h.name == "Host" {
			if q.host != nil {
				rc.fail("request.headers."+f.Name, "", "header Host is set twice")
			}
			q.host = &h
			continue
		}
		h.repeats = slices.ContainsFunc(q.headers, func(o headerField) bool { return o.name == h.name })
		q.headers = append(q.headers, h)
	}
	for _, name := range rc.cfg.Request.ForwardHeaders {
		rc.forward(q, name)
	}
}

func (rc *requestCompiler) headerField(at string, f Field) (h headerField, ok bool) {
	h.name = http.CanonicalHeaderKey(f.Name)
	switch {
	case !isToken(f.Name):
		rc.fail(at, "", "%q is not the name of a header: expected letters, digits and -", f.Name)
		return h, false
	case slices.Contains(ownHeaders, h.name):
		rc.fail(at, "", "header %s belongs to the connection and cannot be set", h.name)
		return h, false
	case f.File != nil:
		rc.fail(at, "", "a file has its place in a multipart body only")
		return h, false
	}
	h.value = rc.parse(at, f.Value, false)
	rc.refuseStar(at, h.value)
	for _, p := range h.value {
		if !validHeaderValue(p.text) {
			rc.fail(at, "", "header %s has a line break or another control character in its value", h.name)
			return h, false
		}
		if h.name == "Host" && p.ph != nil && p.ph.arg != "" {
			rc.fail(at, p.ph.arg, "argument %s in header Host: which host is asked must not be the client's choice", p.ph.arg)
			return h, false
		}
	}
	for _, p := range h.value {
		if p.ph != nil && p.ph.arg == "" && mayBeEmpty(p.ph.key) {
			h.empty = append(h.empty, p.ph)
		}
	}
	if h.value.isPlain() {
		h.static, h.value = strings.TrimSpace(h.value.literal()), nil
	}
	return h, true
}

func (rc *requestCompiler) forward(q *request, header string) {
	at := "request.forward_headers." + header
	name := http.CanonicalHeaderKey(header)
	switch {
	case !isToken(header):
		rc.fail(at, "", "%q is not the name of a header: expected letters, digits and -", header)
		return
	case slices.Contains(ownHeaders, name), slices.Contains(clientHeaders, name):
		rc.fail(at, "", "header %s belongs to the client's own message and cannot be passed on", name)
		return
	case slices.ContainsFunc(q.headers, func(h headerField) bool { return h.name == name }):
		rc.fail(at, "", "header %s is both set and passed on: choose one", name)
		return
	case slices.Contains(q.forward, name):
		return
	case name == "Authorization" || name == "Cookie":
		rc.warn(at, "passing %s on gives the client's credentials away, which MCP forbids for its token; give the upstream credentials of its own", name)
	}
	q.forward = append(q.forward, name)
}

// Defaults of headers that upstreams ask for.
const (
	defaultAccept    = "application/json, */*;q=0.5"
	defaultUserAgent = "caddy-mcp"
)

// setHeaders sets all headers. Their values are the request's own, since Caddy's
// handlers may change them in place.
func (b *builder) setHeaders(q *request, h http.Header, contentType string) error {
	values := make([]string, 0, 3+len(q.headers)+len(q.forward))
	set := func(name, value string) {
		values = append(values, value)
		h[name] = values[len(values)-1 : len(values) : len(values)]
	}
	set("Accept", defaultAccept)
	set("User-Agent", defaultUserAgent)
	if contentType != "" {
		set("Content-Type", contentType)
	}
	if in := b.call.Inbound; in != nil {
		for _, name := range q.forward {
			if v := in.Header[name]; len(v) > 0 {
				h[name] = slices.Clone(v)
			}
		}
	}
	var own map[string]bool // Only where a name repeats.
	for i := range q.headers {
		f := &q.headers[i]
		value, ok, err := b.header(f)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if f.repeats && own[f.name] {
			h[f.name] = append(h[f.name], value)
			continue
		}
		set(f.name, value)
		if q.repeats {
			if own == nil {
				own = make(map[string]bool)
			}
			own[f.name] = true
		}
	}
	return nil
}

// header gives the value of a header; ok is false if it is left out.
func (b *builder) header(f *headerField) (value string, ok bool, err error) {
	if f.value == nil {
		return f.static, true, nil
	}
	for _, ph := range f.empty {
		if s, err := b.external(ph); err != nil || s == "" {
			return "", false, err
		}
	}
	var buf [128]byte
	out, ok, err := b.expand(buf[:0], f.value, asText)
	if err != nil {
		return "", false, fmt.Errorf("header %s: %w", f.name, err)
	}
	if !ok {
		return "", false, nil
	}
	if value = string(out); validHeaderValue(value) {
		return strings.TrimSpace(value), true, nil
	}
	// A secret's file may end in a line break; an argument may not.
	for _, p := range f.value {
		if p.ph == nil || p.ph.arg == "" {
			continue
		}
		if v, ok := b.lookup(p.ph); ok && !validHeaderValue(b.text(v)) {
			return "", false, p.ph.refuse("must not have line breaks or other control characters: it is part of a header")
		}
	}
	if value = strings.TrimSpace(value); validHeaderValue(value) {
		return value, true, nil
	}
	return "", false, fmt.Errorf("header %s: a placeholder has a line break or another control character in its value", f.name)
}
