// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func TestHeaderCredentials(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		handlers []string
		want     []string
	}{
		"request header": {
			handlers: []string{`{"handler":"headers","request":{"set":{"Authorization":["Bearer {env.TOKEN}"]}}}`},
			want:     []string{"env.TOKEN"},
		},
		"header_up": {
			handlers: []string{`{"handler":"reverse_proxy","headers":{"request":{"add":{"X-Key":["{file./run/key}"]}}}}`},
			want:     []string{"file./run/key"},
		},
		"nested and repeated": {
			handlers: []string{`{"handler":"subroute","routes":[{"handle":[
				{"handler":"headers","request":{"set":{"A":["{env.B}{env.A}"],"B":["{env.A}"]}}}]}]}`},
			want: []string{"env.A", "env.B"},
		},
		"the caller's identity": {
			handlers: []string{`{"handler":"headers","request":{"set":{"X-User":["{http.auth.user.id}"]}}}`},
			want:     []string{"http.auth.user.id"},
		},
		"what belongs to the request may be empty": {
			handlers: []string{`{"handler":"headers","request":{"set":{"X-Q":["{http.request.uri.query}"],"X-T":["{time.now}"],"X-A":["{http.mcp.args.q}"]}}}`},
		},
		"response headers and other places": {
			handlers: []string{
				`{"handler":"headers","response":{"set":{"X":["{env.A}"]}}}`,
				`{"handler":"static_response","body":"{env.A}"}`,
			},
		},
		"no JSON": {handlers: []string{`{`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var route caddyhttp.Route
			for _, h := range tc.handlers {
				route.HandlersRaw = append(route.HandlersRaw, json.RawMessage(h))
			}
			if got := headerCredentials(caddyhttp.RouteList{route}); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
