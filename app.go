// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/caddyserver/caddy/v2"
)

// App knows the MCP endpoints of one configuration. Caddy makes it as soon as
// there is an `mcp` handler; there is nothing to configure.
type App struct {
	mu    sync.Mutex
	names map[string][sha256.Size]byte
}

// CaddyModule returns the Caddy module information.
func (*App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "mcp",
		New: func() caddy.Module { return new(App) },
	}
}

// Start does nothing: the endpoints live in the http app.
func (*App) Start() error { return nil }

// Stop does nothing.
func (*App) Stop() error { return nil }

// claim takes an endpoint's name. A site with two addresses becomes two servers
// with the same handler: that is one endpoint. Two different ones would be mixed
// up in metrics and logs.
func (a *App) claim(name string, config [sha256.Size]byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if known, ok := a.names[name]; ok && known != config {
		return fmt.Errorf("two mcp endpoints have the name %q: give one of them another `name`", name)
	}
	if a.names == nil {
		a.names = make(map[string][sha256.Size]byte)
	}
	a.names[name] = config
	return nil
}

// claimName gives h its default name and makes sure that no other endpoint has it.
func claimName(ctx caddy.Context, h *Handler) error {
	if h.Name == "" {
		h.Name = "mcp"
	}
	config, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("encoding the configuration: %w", err)
	}
	app, err := ctx.App("mcp")
	if err != nil {
		return err
	}
	return app.(*App).claim(h.Name, sha256.Sum256(config))
}

// Interface guard
var _ caddy.App = (*App)(nil)
