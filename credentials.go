// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

var headerPlaceholderRE = regexp.MustCompile(`\{([a-zA-Z0-9_.$*/\-\[\]]+)\}`)

// headerCredentials finds the placeholders in request headers that routes set
// and whose value is part of the configuration or of the caller's identity:
// {env.*}, {file.*}, secret stores of third parties, {http.auth.*}. What
// belongs to a request, such as {http.request.uri}, may be empty.
func headerCredentials(routes caddyhttp.RouteList) []string {
	found := make(map[string]struct{})
	for _, route := range routes {
		for _, raw := range route.HandlersRaw {
			var v any
			if json.Unmarshal(raw, &v) == nil {
				scanHandlers(v, found)
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func scanHandlers(v any, found map[string]struct{}) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			scanHandlers(e, found)
		}
	case map[string]any:
		switch v["handler"] {
		case "headers":
			scanHeaderOps(v["request"], found)
		case "reverse_proxy":
			if h, ok := v["headers"].(map[string]any); ok {
				scanHeaderOps(h["request"], found)
			}
		}
		for _, e := range v {
			scanHandlers(e, found)
		}
	}
}

func scanHeaderOps(v any, found map[string]struct{}) {
	ops, ok := v.(map[string]any)
	if !ok {
		return
	}
	for _, op := range []string{"set", "add"} {
		scanStrings(ops[op], found)
	}
}

func scanStrings(v any, found map[string]struct{}) {
	switch v := v.(type) {
	case string:
		for _, m := range headerPlaceholderRE.FindAllStringSubmatch(v, -1) {
			if isCredential(m[1]) {
				found[m[1]] = struct{}{}
			}
		}
	case []any:
		for _, e := range v {
			scanStrings(e, found)
		}
	case map[string]any:
		for _, e := range v {
			scanStrings(e, found)
		}
	}
}

func isCredential(key string) bool {
	for _, p := range []string{"http.auth.", "http.mcp.auth."} {
		if strings.HasPrefix(key, p) {
			return true
		}
	}
	for _, p := range []string{"http.", "time.", "system.", "tls.", "l4."} {
		if strings.HasPrefix(key, p) {
			return false
		}
	}
	return strings.Contains(key, ".")
}
