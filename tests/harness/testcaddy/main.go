// SPDX-License-Identifier: Apache-2.0

// Command testcaddy is the caddy command of this repository with a handler that
// panics, which no real module offers.
package main

import (
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/caddymcp/caddy-mcp"
)

func init() {
	caddy.RegisterModule(panicHandler{})
	httpcaddyfile.RegisterHandlerDirective("test_panic", func(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		var p panicHandler
		return p, p.UnmarshalCaddyfile(h.Dispenser)
	})
	httpcaddyfile.RegisterDirectiveOrder("test_panic", httpcaddyfile.Before, "respond")
}

// panicHandler panics with words that no client may see.
type panicHandler struct{}

func (panicHandler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.test_panic", New: func() caddy.Module { return new(panicHandler) }}
}

func (panicHandler) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	return nil
}

func (panicHandler) ServeHTTP(http.ResponseWriter, *http.Request, caddyhttp.Handler) error {
	panic("test_panic: top secret")
}

func main() { caddycmd.Main() }
