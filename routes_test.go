// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// callTool calls a tool of a provisioned endpoint and gives the answer's body.
func callTool(t *testing.T, srv http.Handler, name string) string {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`"}}`))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	srv.ServeHTTP(w, r)
	return w.Body.String()
}

// What a tool's own handlers do not answer goes on to the endpoint's.
func TestOwnHandlersThenTheEndpoints(t *testing.T) {
	t.Parallel()
	srv := server(t, `{"handler":"mcp","instructions":"","tools":[
		{"name":"adds","description":"d","request":{"method":"GET","url":"/"},"routes":[{"handle":[
			{"handler":"headers","request":{"set":{"X-Own":["set by the tool"]}}}]}]},
		{"name":"answers","description":"d","request":{"method":"GET","url":"/"},"routes":[{"handle":[
			{"handler":"static_response","body":"its own answer"}]}]},
		{"name":"plain","description":"d","request":{"method":"GET","url":"/"}},
		{"name":"needs","description":"d","request":{"method":"GET","url":"/"},"routes":[{"handle":[
			{"handler":"headers","request":{"set":{"Authorization":["Bearer {env.CADDY_MCP_TEST_UNSET}"]}}}]}]}],
		"routes":[{"handle":[{"handler":"static_response","body":"the endpoint's, own={http.request.header.X-Own}"}]}]}`)
	for tool, want := range map[string]string{
		"adds":    "the endpoint's, own=set by the tool",
		"answers": "its own answer",
		"plain":   `the endpoint's, own="`,
		"needs":   "a credential of this tool is not configured",
	} {
		if got := callTool(t, srv, tool); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", tool, got, want)
		}
	}
}
