// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// preflightHeaders are the request headers that MCP clients in a browser send.
const preflightHeaders = "Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, MCP-Protocol-Version, Mcp-Session-Id"

// exposedHeaders are the response headers that a client must be able to read.
const exposedHeaders = "Mcp-Session-Id, WWW-Authenticate, Retry-After"

// checkOrigin keeps pages of other sites, and of names that were made to point
// here (DNS rebinding), from calling the server (MCP, transports, "Security
// Warning"). Requests without an Origin do not come from a page, except that for
// the page itself.
func (h *Handler) checkOrigin(w http.ResponseWriter, r *http.Request) error {
	w.Header().Add("Vary", "Origin")
	values := r.Header["Origin"]
	if len(values) == 0 {
		return nil
	}
	if len(values) > 1 || !h.allowed(r, values[0]) {
		return &StatusError{Status: http.StatusForbidden, Err: errors.New("origin not allowed")}
	}
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", values[0])
	header.Set("Access-Control-Expose-Headers", exposedHeaders)
	return nil
}

func (h *Handler) allowed(r *http.Request, origin string) bool {
	if h.opt.AnyOrigin {
		return true
	}
	origin = strings.ToLower(origin)
	if slices.Contains(h.origins, origin) {
		return true
	}
	scheme := h.opt.Scheme(r)
	if origin != scheme+"://"+withoutDefaultPort(strings.ToLower(r.Host), scheme) {
		return false
	}
	return !loopbackAddr(r) || loopbackName(r.Host)
}

// checkHost does the same for requests of the page for people: a browser that
// opens one sends no Origin.
func (h *Handler) checkHost(r *http.Request) error {
	if h.opt.AnyOrigin || r.Header["Origin"] != nil || !loopbackAddr(r) || loopbackName(r.Host) || h.listedHost(r.Host) {
		return nil
	}
	return &StatusError{
		Status: http.StatusForbidden,
		Err:    errors.New("host not allowed on a loopback address: its origin is not listed"),
	}
}

// listedHost says that a Host is that of a listed origin. The scheme may be
// another one: something in front of this server may speak TLS for it.
func (h *Handler) listedHost(host string) bool {
	host = strings.ToLower(host)
	return slices.ContainsFunc(h.origins, func(origin string) bool {
		scheme, listed, _ := strings.Cut(origin, "://")
		return listed == withoutDefaultPort(host, scheme)
	})
}

func withoutDefaultPort(host, scheme string) string {
	switch scheme {
	case "http":
		return strings.TrimSuffix(host, ":80")
	case "https":
		return strings.TrimSuffix(host, ":443")
	}
	return host
}

// loopbackAddr says that the connection came in on a loopback address.
func loopbackAddr(r *http.Request) bool {
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if addr == nil {
		return false
	}
	ap, err := netip.ParseAddrPort(addr.String())
	return err == nil && ap.Addr().Unmap().IsLoopback()
}

// loopbackName says that a Host can only mean this machine.
func loopbackName(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Unmap().IsLoopback()
}

// preflight answers a CORS preflight; it needs no credentials.
func preflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Add("Vary", "Access-Control-Request-Headers")
	h.Set("Access-Control-Allow-Methods", "POST, GET, DELETE")
	allow := preflightHeaders
	// Mirrored arguments have headers of their own.
	for _, line := range r.Header["Access-Control-Request-Headers"] {
		for name := range strings.SplitSeq(line, ",") {
			name = strings.TrimSpace(name)
			if len(name) <= 256 && len(allow) < 4096 && len(name) > len("mcp-param-") &&
				strings.EqualFold(name[:len("mcp-param-")], "mcp-param-") && token(name) {
				allow += ", " + name
			}
		}
	}
	h.Set("Access-Control-Allow-Headers", allow)
	h.Set("Access-Control-Max-Age", "7200")
	w.WriteHeader(http.StatusNoContent)
}

// token says that s is a token (RFC 9110, section 5.6.2).
func token(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			continue
		}
		if strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}
