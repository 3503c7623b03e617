// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"encoding/json"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// passing are Caddy's handlers that never answer by themselves.
var passing = map[string]bool{
	"headers": true, "vars": true, "encode": true, "request_body": true, "log_append": true, "tracing": true,
	"rewrite": true, "templates": true, "intercept": true, "map": true, "push": true,
}

// changesRequest says that a handler of the routes may change the request that
// it gets. A proxy changes a copy.
func changesRequest(routes caddyhttp.RouteList) bool {
	for _, route := range routes {
		for _, raw := range route.HandlersRaw {
			var h struct {
				Handler string `json:"handler"`
			}
			if json.Unmarshal(raw, &h) != nil || h.Handler != "reverse_proxy" && h.Handler != "static_response" {
				return true
			}
		}
	}
	return false
}

// mayAnswer says that a request may be answered by the routes. What is unknown
// may answer.
func mayAnswer(routes caddyhttp.RouteList) bool {
	for _, route := range routes {
		for _, raw := range route.HandlersRaw {
			var h struct {
				Handler string              `json:"handler"`
				Routes  caddyhttp.RouteList `json:"routes"`
			}
			switch {
			case json.Unmarshal(raw, &h) != nil:
				return true
			case h.Handler == "subroute":
				if mayAnswer(h.Routes) {
					return true
				}
			case !passing[h.Handler]:
				return true
			}
		}
	}
	return false
}
