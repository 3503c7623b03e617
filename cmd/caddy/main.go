// SPDX-License-Identifier: Apache-2.0

// Command caddy is Caddy with the mcp module and the standard modules built in.
package main

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/caddymcp/caddy-mcp"
)

func main() { caddycmd.Main() }
