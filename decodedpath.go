// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"encoding/json"
	"slices"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// encodedHandlers pass a path on as it is encoded, or do not look at it.
var encodedHandlers = map[string]bool{
	"reverse_proxy": true, "subroute": true, "headers": true, "request_body": true, "encode": true,
	"static_response": true, "error": true, "vars": true, "log_append": true, "tracing": true,
	"intercept": true, "authentication": true, "rate_limit": true,
}

// encodedMatchers do not look at the path.
var encodedMatchers = map[string]bool{
	"host": true, "method": true, "header": true, "header_regexp": true, "query": true, "protocol": true,
	"remote_ip": true, "client_ip": true, "tls": true,
}

// usesDecodedPath says that a handler or matcher of the routes may look at the
// decoded path, in which %2F is a slash like any other: file_server would leave
// its directory's shape, a rewrite would send it on decoded. What is unknown may.
func usesDecodedPath(routes caddyhttp.RouteList) bool {
	for _, route := range routes {
		for _, set := range route.MatcherSetsRaw {
			for name := range set {
				if !encodedMatchers[name] {
					return true
				}
			}
		}
		if slices.ContainsFunc(route.HandlersRaw, handlerUsesDecodedPath) {
			return true
		}
	}
	return false
}

func handlerUsesDecodedPath(raw json.RawMessage) bool {
	var h struct {
		Handler string              `json:"handler"`
		Routes  caddyhttp.RouteList `json:"routes"`
		Errors  struct {
			Routes caddyhttp.RouteList `json:"routes"`
		} `json:"errors"`
		Rewrite   json.RawMessage `json:"rewrite"`
		Transport struct {
			Protocol string `json:"protocol"`
		} `json:"transport"`
		HandleResponse []struct {
			Routes caddyhttp.RouteList `json:"routes"`
		} `json:"handle_response"`
	}
	if json.Unmarshal(raw, &h) != nil || !encodedHandlers[h.Handler] || h.Rewrite != nil {
		return true
	}
	// FastCGI names files by the decoded path.
	if p := h.Transport.Protocol; p != "" && p != "http" {
		return true
	}
	if usesDecodedPath(h.Routes) || usesDecodedPath(h.Errors.Routes) {
		return true
	}
	for _, r := range h.HandleResponse {
		if usesDecodedPath(r.Routes) {
			return true
		}
	}
	return false
}
