// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// headerField is a header that the configuration sets.
type headerField struct {
	// name in canonical form.
	name  string
	value template
}

// connectionHeaders belong to the connection or to the message's framing: they
// are not a tool's to set.
var connectionHeaders = map[string]bool{
	"Connection": true, "Content-Length": true, "Keep-Alive": true, "Proxy-Connection": true,
	"Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true, "Expect": true,
}

func (p *parser) headerField(f Field) (headerField, bool) {
	field := "request.headers." + f.Name
	if !httpguts.ValidHeaderFieldName(f.Name) {
		p.problem(field, "", "%q is not a header name: expected letters, digits and `-`", f.Name)
		return headerField{}, false
	}
	h := headerField{name: http.CanonicalHeaderKey(f.Name)}
	if connectionHeaders[h.name] {
		p.problem(field, "", "header %s belongs to the connection and cannot be set", h.name)
		return headerField{}, false
	}
	h.value = p.parse(field, f.Value)
	p.refuseRest(field, h.value)
	for i := range h.value {
		if l := h.value[i].literal; !httpguts.ValidHeaderFieldValue(l) {
			p.problem(field, "", "header %s: the value has a control character", h.name)
			return headerField{}, false
		}
	}
	return h, true
}

// forwarded checks the headers of the client that are passed on.
func (p *parser) forwarded(names []string) []string {
	const field = "request.forward_headers"
	var out []string
	for _, n := range names {
		name := http.CanonicalHeaderKey(n)
		switch {
		case !httpguts.ValidHeaderFieldName(n):
			p.problem(field, "", "%q is not a header name: expected letters, digits and `-`", n)
			continue
		case connectionHeaders[name], name == "Host":
			p.problem(field, "", "header %s belongs to the client's connection and cannot be forwarded", name)
			continue
		case name == "Authorization":
			p.warn(field, "", "forwarding Authorization passes the client's token on, which MCP forbids: an upstream needs a credential of its own")
		}
		out = append(out, name)
	}
	return out
}

// requestOnly are the prefixes of placeholders that belong to the client's
// request and may well be empty; others are most likely credentials.
var requestOnly = []string{"http.mcp.client.", "http.mcp.request.", "http.mcp.args.", "http.request.", "http.vars.", "http.regexp.", "time.", "system."}

func mayBeEmpty(key string) bool {
	for _, p := range requestOnly {
		if strings.HasPrefix(key, p) {
			return true
		}
	}
	return false
}

// build gives the header's value; ok is false if it is left out.
func (f *headerField) build(c *Call, b Backend) (s string, ok bool, err error) {
	for i := range f.value {
		p := &f.value[i]
		if p.key == "" || mayBeEmpty(p.key) {
			continue
		}
		if s, err := external(c, b, p.key); err != nil || s == "" {
			return "", false, fmt.Errorf("%w: placeholder {%s} of header %s is empty", ErrNoCredential, p.key, f.name)
		}
	}
	s, ok, err = f.value.expand(c, b)
	if err != nil || !ok {
		return "", false, err
	}
	s = strings.Trim(s, " \t")
	if s == "" && len(f.value) > 0 {
		return "", false, nil
	}
	if !httpguts.ValidHeaderFieldValue(s) {
		if arg := f.argument(); arg != "" {
			return "", false, argumentErrorf("%s: line breaks and control characters are not allowed here", arg)
		}
		return "", false, fmt.Errorf("header %s: the value has a control character", f.name)
	}
	return s, true, nil
}

func (f *headerField) argument() string {
	for i := range f.value {
		if f.value[i].isArg() {
			return f.value[i].path
		}
	}
	return ""
}
