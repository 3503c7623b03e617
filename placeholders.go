// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"strings"

	"github.com/caddyserver/caddy/v2"

	"github.com/caddymcp/caddy-mcp/tool"
)

const placeholderPrefix = "http.mcp."

// lookup gives the value of a placeholder of a call: ours, else one of the
// client's request, such as {http.auth.user.id}.
func lookup(c *tool.Call, outer *caddy.Replacer, key string) (any, bool) {
	name, ours := strings.CutPrefix(key, placeholderPrefix)
	if !ours {
		if outer == nil {
			return nil, false
		}
		return outer.Get(key)
	}
	switch name {
	case "tool":
		return c.Tool, true
	case "call.id":
		return c.ID, true
	case "client.name":
		return c.ClientName, true
	case "client.version":
		return c.ClientVersion, true
	case "protocol":
		return c.Protocol, true
	}
	if path, ok := strings.CutPrefix(name, "args."); ok {
		v, ok := c.Args().Lookup(path)
		if !ok {
			// Known and empty, so that handlers do not see the braces.
			return "", true
		}
		return tool.Text(v), true
	}
	if header, ok := strings.CutPrefix(name, "request.header."); ok {
		if c.Inbound == nil {
			return "", true
		}
		return strings.Join(c.Inbound.Header.Values(header), ","), true
	}
	return nil, false
}
