// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	// Requests to absolute URLs go through it.
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/caddymcp/caddy-mcp/tool"
)

// backends gives tools the routes that run their requests. Tools without routes
// of their own share the endpoint's; tools of one origin share its proxy, and
// with it connections and health.
type backends struct {
	ctx      caddy.Context
	repl     *caddy.Replacer
	endpoint *backend
	origins  map[string]*backend
}

func newBackends(ctx caddy.Context, h *Handler) (*backends, error) {
	b := &backends{ctx: ctx, repl: caddy.NewReplacer(), origins: make(map[string]*backend)}
	if len(h.Routes) == 0 {
		return b, nil
	}
	var err error
	if b.endpoint, err = b.compile(h.Routes, nil); err != nil {
		return nil, fmt.Errorf("handlers of the endpoint: %w", err)
	}
	return b, nil
}

// compile provisions routes, once for all calls. What they do not answer goes on
// to next, if there is one.
func (b *backends) compile(routes caddyhttp.RouteList, next *backend) (*backend, error) {
	credentials, decoded, own := headerCredentials(routes), usesDecodedPath(routes), changesRequest(routes)
	if err := routes.Provision(b.ctx); err != nil {
		return nil, err
	}
	if next == nil {
		return &backend{
			routes: routes.Compile(routeEnd), credentials: credentials, decodedPath: decoded, ownRequest: own,
		}, nil
	}
	return &backend{
		routes: routes.Compile(next.routes), host: next.host, decodedPath: decoded || next.decodedPath,
		ownRequest:  own || next.ownRequest,
		credentials: slices.Compact(slices.Sorted(slices.Values(slices.Concat(credentials, next.credentials)))),
	}, nil
}

func (b *backends) forTool(t *Tool) (*backend, error) {
	scheme, host, absolute := tool.Origin(t.Config)
	if absolute {
		host = b.repl.ReplaceKnown(host, "")
		if host == "" || strings.ContainsAny(host, "{}/?#@ ") {
			return nil, fmt.Errorf("request: the host of URL %q is empty or unknown: only placeholders with a fixed value, such as {env.API_HOST}, may stand there", t.Request.URL)
		}
	}
	next := b.endpoint
	if absolute {
		var err error
		if next, err = b.forOrigin(scheme, host); err != nil {
			return nil, err
		}
	}
	switch {
	case len(t.Routes) > 0 && (next != nil || mayAnswer(t.Routes)):
		own, err := b.compile(t.Routes, next)
		if err != nil {
			return nil, fmt.Errorf("handlers: %w", err)
		}
		return own, nil
	case next != nil:
		return next, nil
	}
	return nil, errors.New("no handler answers it: add handlers (such as reverse_proxy or respond) to the tool or at the end of the mcp block, or give its request an absolute URL")
}

// forOrigin makes a reverse proxy to an origin: certificates are verified, and
// the upstream sees its own name as Host.
func (b *backends) forOrigin(scheme, host string) (*backend, error) {
	key := scheme + "://" + strings.ToLower(host)
	if known, ok := b.origins[key]; ok {
		return known, nil
	}
	proxy := map[string]any{
		"handler":   "reverse_proxy",
		"upstreams": []any{map[string]any{"dial": dialAddress(scheme, host)}},
		"headers":   map[string]any{"request": map[string]any{"set": map[string]any{"Host": []string{host}}}},
	}
	if scheme == "https" {
		proxy["transport"] = map[string]any{"protocol": "http", "tls": map[string]any{}}
	}
	raw, err := json.Marshal(proxy)
	if err != nil {
		return nil, err
	}
	made, err := b.compile(caddyhttp.RouteList{{HandlersRaw: []json.RawMessage{raw}}}, nil)
	if err != nil {
		return nil, fmt.Errorf("proxy to %s: %w", key, err)
	}
	made.host, made.credentials = host, nil
	b.origins[key] = made
	return made, nil
}

func dialAddress(scheme, host string) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	port := "80"
	if scheme == "https" {
		port = "443"
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), port)
}
