// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"encoding/json"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func TestUsesDecodedPath(t *testing.T) {
	t.Parallel()
	for routes, want := range map[string]bool{
		`[]`: false,
		`[{"handle":[{"handler":"headers"},{"handler":"reverse_proxy","upstreams":[{"dial":"a:1"}]}]}]`:                    false,
		`[{"match":[{"method":["GET"]}],"handle":[{"handler":"static_response"}]}]`:                                        false,
		`[{"match":[{"path":["/private/*"]}],"handle":[{"handler":"error"}]}]`:                                             true,
		`[{"match":[{"not":[{"path":["/private/*"]}]}],"handle":[{"handler":"error"}]}]`:                                   true,
		`[{"match":[{"expression":"true"}],"handle":[{"handler":"error"}]}]`:                                               true,
		`[{"handle":[{"handler":"reverse_proxy","transport":{"protocol":"fastcgi"}}]}]`:                                    true,
		`[{"handle":[{"handler":"reverse_proxy","transport":{"protocol":"http"}}]}]`:                                       false,
		`[{"handle":[{"handler":"subroute","errors":{"routes":[{"handle":[{"handler":"rewrite"}]}]}}]}]`:                   true,
		`[{"handle":[{"handler":"file_server"}]}]`:                                                                         true,
		`[{"handle":[{"handler":"rewrite","strip_path_prefix":"/api"}]}]`:                                                  true,
		`[{"handle":[{"handler":"invoke","name":"x"}]}]`:                                                                   true,
		`[{"handle":[{"handler":"third_party"}]}]`:                                                                         true,
		`[{"handle":[{"handler":"reverse_proxy","rewrite":{"uri":"/auth"}}]}]`:                                             true,
		`[{"handle":[{"handler":"subroute","routes":[{"handle":[{"handler":"file_server"}]}]}]}]`:                          true,
		`[{"handle":[{"handler":"subroute","routes":[{"handle":[{"handler":"encode"}]}]}]}]`:                               false,
		`[{"handle":[{"handler":"reverse_proxy","handle_response":[{"routes":[{"handle":[{"handler":"templates"}]}]}]}]}]`: true,
	} {
		var list caddyhttp.RouteList
		if err := json.Unmarshal([]byte(routes), &list); err != nil {
			t.Fatalf("%s: %v", routes, err)
		}
		if got := usesDecodedPath(list); got != want {
			t.Errorf("%s: got %v, want %v", routes, got, want)
		}
	}
}
