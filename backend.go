// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/caddymcp/caddy-mcp/tool"
)

// backend runs the requests of tools through Caddy routes.
type backend struct {
	routes caddyhttp.Handler
	// host is the Host of requests to an absolute URL; else the client's.
	host string
	// credentials are placeholders in headers that the routes set. One that is
	// empty fails the call: an upstream must not see a request that was meant to
	// be authenticated and is not.
	credentials []string
	// decodedPath says that the routes look at the decoded path.
	decodedPath bool
	// ownRequest says that the routes may change the request in place.
	ownRequest bool
}

// routeEnd is what a route list ends in: nothing responded.
var routeEnd = caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error {
	return tool.ErrNoRoute
})

// Placeholder gives what is known before the request of the tool exists: the
// call's own values, then those of the client's request.
func (b *backend) Placeholder(c *tool.Call, key string) (string, bool) {
	v, ok := lookup(c, outerReplacer(c), key)
	if !ok {
		return "", false
	}
	return caddy.ToString(v), true
}

// Serve runs r through the routes, as an HTTP request of its own that inherits
// from the client's what Caddy found out about it.
func (b *backend) Serve(w http.ResponseWriter, r *http.Request, c *tool.Call) error {
	outer := c.Inbound
	octx := outer.Context()
	server, ok := octx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if !ok {
		return errors.New("the client's request did not come through a Caddy server")
	}
	outerVars, _ := octx.Value(caddyhttp.VarsCtxKey).(map[string]any)
	origin := r.URL.Host
	if b.ownRequest || r.URL.Scheme != "" {
		// What handlers do to the request must not be done twice after a redirect.
		inner, u := *r, *r.URL
		// The URL as a server sees it: with a scheme in it, a proxy would not use
		// its own.
		u.Scheme, u.Host = "", ""
		inner.URL, inner.Header = &u, r.Header.Clone()
		r = &inner
	}
	r.RemoteAddr, r.TLS = outer.RemoteAddr, outer.TLS
	r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/1.1", 1, 1
	switch {
	case b.host != "" && (r.Host == "" || r.Host == origin):
		// Known only now, if it has placeholders.
		r.Host = b.host
	case r.Host == "":
		r.Host = outer.Host
	}
	if trusted, _ := outerVars[caddyhttp.TrustedProxyVarKey].(bool); trusted {
		for _, name := range forwardedHeaders {
			if v := outer.Header[name]; len(v) > 0 {
				r.Header[name] = slices.Clone(v)
			}
		}
	}
	traced := trace.SpanContextFromContext(r.Context()).IsValid()
	if traced {
		propagation.TraceContext{}.Inject(r.Context(), propagation.HeaderCarrier(r.Header))
	}

	repl := caddy.NewReplacer()
	r = caddyhttp.PrepareRequest(r, repl, w, server)
	vars := r.Context().Value(caddyhttp.VarsCtxKey).(map[string]any)
	for k, v := range outerVars {
		switch k {
		case "start_time", "uuid", "unhandled":
		default:
			vars[k] = v
		}
	}
	vars["start_time"] = time.Now()
	if extra := octx.Value(caddyhttp.ExtraLogFieldsCtxKey); extra != nil && (traced || server.Logs != nil) {
		// In place, because the replacer holds this very request.
		*r = *r.WithContext(context.WithValue(r.Context(), caddyhttp.ExtraLogFieldsCtxKey, extra))
	}
	outerRepl := outerReplacer(c)
	repl.Map(func(key string) (any, bool) { return lookup(c, outerRepl, key) })

	for _, key := range b.credentials {
		if s, ok := repl.GetString(key); !ok || s == "" {
			return fmt.Errorf("%w: placeholder {%s} is empty", tool.ErrNoCredential, key)
		}
	}
	err := b.routes.ServeHTTP(w, r)
	if u, ok := w.(tool.UpstreamHoster); ok {
		if host, ok := repl.GetString("http.reverse_proxy.upstream.hostport"); ok {
			u.SetUpstreamHost(host)
		}
	}
	return statusError(err)
}

// statusError keeps of a handler's error what the tool needs to know.
func statusError(err error) error {
	if err == nil || errors.Is(err, tool.ErrNoRoute) {
		return err
	}
	he, ok := errors.AsType[caddyhttp.HandlerError](err)
	if !ok || he.StatusCode == 0 {
		return err
	}
	return &tool.StatusError{Status: he.StatusCode, Err: err}
}

// forwardedHeaders tell of the way before a trusted proxy.
var forwardedHeaders = []string{"X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host"}

func outerReplacer(c *tool.Call) *caddy.Replacer {
	if c.Inbound == nil {
		return nil
	}
	repl, _ := c.Inbound.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	return repl
}

// Interface guard
var _ tool.Backend = (*backend)(nil)
