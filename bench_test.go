// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// server provisions one endpoint and gives the HTTP server that it is on, which
// is not started.
func server(tb testing.TB, handler string) http.Handler {
	tb.Helper()
	apps, err := json.Marshal(map[string]any{"servers": map[string]any{"srv0": map[string]any{
		"listen":          []string{"127.0.0.1:1"},
		"automatic_https": map[string]any{"disable": true},
		"routes":          []any{map[string]any{"handle": []any{json.RawMessage(handler)}}},
	}}})
	if err != nil {
		tb.Fatal(err)
	}
	cfg := &caddy.Config{
		Admin:   &caddy.AdminConfig{Disabled: true},
		AppsRaw: caddy.ModuleMap{"http": apps},
	}
	provisioning.Lock()
	defer provisioning.Unlock()
	ctx, err := caddy.ProvisionContext(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	app, err := ctx.App("http")
	if err != nil {
		tb.Fatal(err)
	}
	return app.(*caddyhttp.App).Servers["srv0"]
}

// BenchmarkCall is a whole tools/call through Caddy, without the network.
func BenchmarkCall(b *testing.B) {
	const tool = `"tools":[{"name":"echo","description":"d","input_schema":{"type":"object","properties":{
		"id":{"type":"string"},"q":{"type":"string"},"limit":{"type":"integer","default":20}},"required":["id"],"additionalProperties":false},
		"request":{"method":"GET","url":"/items/{id}?q={q}&limit={limit}"}}]`
	const params = `"name":"echo","arguments":{"id":"item-1234","q":"some words to look for","limit":25}`
	for name, respond := range map[string]string{
		"mcp":    `{"handler":"mcp","page":"off","instructions":"",` + tool + `,"routes":[{"handle":[{"handler":"static_response","body":"{\"ok\":true,\"items\":[1,2,3]}","headers":{"Content-Type":["application/json"]}}]}]}`,
		"direct": `{"handler":"static_response","body":"{\"ok\":true,\"items\":[1,2,3]}","headers":{"Content-Type":["application/json"]}}`,
	} {
		b.Run(name, func(b *testing.B) {
			srv := server(b, respond)
			body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + params + `}}`
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
				r.Header["Content-Type"] = []string{"application/json"}
				w := httptest.NewRecorder()
				srv.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					out, _ := io.ReadAll(w.Body)
					b.Fatalf("HTTP %d: %s", w.Code, out)
				}
			}
		})
	}
}
