// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/caddyserver/caddy/v2"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
)

// provisioning changes defaults of the certificate library, so only one at a
// time.
var provisioning sync.Mutex

// validate provisions a configuration with these endpoints, each on a server of
// its own.
func validate(t *testing.T, handlers ...string) error {
	t.Helper()
	servers := make(map[string]any)
	for i, h := range handlers {
		servers["srv"+string(rune('0'+i))] = map[string]any{
			"listen":          []string{"127.0.0.1:" + string(rune('1'+i))},
			"automatic_https": map[string]any{"disable": true},
			"routes":          []any{map[string]any{"handle": []any{json.RawMessage(h)}}},
		}
	}
	raw, err := json.Marshal(map[string]any{
		"admin":   map[string]any{"disabled": true},
		"logging": map[string]any{"logs": map[string]any{"default": map[string]any{"writer": map[string]any{"output": "discard"}}}},
		"apps":    map[string]any{"http": map[string]any{"servers": servers}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var cfg caddy.Config
	if err := caddy.StrictUnmarshalJSON(raw, &cfg); err != nil {
		t.Fatal(err)
	}
	provisioning.Lock()
	defer provisioning.Unlock()
	return caddy.Validate(&cfg)
}

const respond = `"routes":[{"handle":[{"handler":"static_response","body":"ok"}]}]`

func TestProvision(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		handlers []string
		want     string // what the error says; empty means none
	}{
		"nothing":               {handlers: []string{`{"handler":"mcp"}`}},
		"the endpoint's routes": {handlers: []string{`{"handler":"mcp","tools":[{"name":"a","description":"A."}],` + respond + `}`}},
		"the tool's own routes": {handlers: []string{`{"handler":"mcp","tools":[{"name":"a","description":"A.",` + respond + `}]}`}},
		"an absolute URL": {handlers: []string{`{"handler":"mcp","tools":[
			{"name":"a","request":{"method":"GET","url":"https://api.example.com/a"}},
			{"name":"b","request":{"method":"GET","url":"https://api.example.com/b"}}]}`}},
		"nobody answers after the tool's own": {
			handlers: []string{`{"handler":"mcp","tools":[{"name":"a","routes":[{"handle":[{"handler":"headers"}]}]}]}`},
			want:     "tool a: no handler answers it: add handlers",
		},
		"the tool's own, then the endpoint's": {
			handlers: []string{`{"handler":"mcp","tools":[{"name":"a","routes":[{"handle":[{"handler":"headers"}]}]}],` + respond + `}`},
		},
		"nobody answers": {
			handlers: []string{`{"handler":"mcp","tools":[{"name":"a"}]}`},
			want:     "tool a: no handler answers it: add handlers",
		},
		"all mistakes at once": {
			handlers: []string{`{"handler":"mcp","tools":[{"name":"a","request":{"method":"FETCH"}},{"name":"b","request":{"url":"ftp://x/"}}],` + respond + `}`},
			want:     `unknown scheme "ftp"`,
		},
		"same tool twice": {
			handlers: []string{`{"handler":"mcp","tools":[{"name":"a"},{"name":"a"}],` + respond + `}`},
			want:     "tool a: another tool has the same name",
		},
		"a null tool": {
			handlers: []string{`{"handler":"mcp","tools":[null]}`},
			want:     "tool 0: expected an object, got null",
		},
		"the host from an argument": {
			handlers: []string{`{"handler":"mcp","tools":[{"name":"a","input_schema":{"type":"object","properties":{"h":{"type":"string"}},"required":["h"]},
				"request":{"method":"GET","url":"https://{h}/"}}]}`},
			want: "host",
		},
		"the host from nowhere": {
			handlers: []string{`{"handler":"mcp","tools":[{"name":"a","request":{"method":"GET","url":"https://{env.CADDY_MCP_TEST_UNSET}/"}}]}`},
			want:     "the host of URL",
		},
		"an unknown handler": {
			handlers: []string{`{"handler":"mcp","tools":[{"name":"a","routes":[{"handle":[{"handler":"nope"}]}]}]}`},
			want:     "tool a: handlers:",
		},
		"name": {
			handlers: []string{`{"handler":"mcp","name":"a b"}`},
			want:     `name "a b": expected`,
		},
		"page": {
			handlers: []string{`{"handler":"mcp","page":"yes"}`},
			want:     `page "yes": expected on or off`,
		},
		"negative limit": {
			handlers: []string{`{"handler":"mcp","limits":{"calls":-1}}`},
			want:     "limits: calls is negative",
		},
		"too deep": {
			handlers: []string{`{"handler":"mcp","limits":{"depth":100000}}`},
			want:     "limits: depth 100000: expected at most",
		},
		"origin": {
			handlers: []string{`{"handler":"mcp","origins":["example.com"]}`},
			want:     `origin "example.com": expected scheme://host`,
		},
		"any and others": {
			handlers: []string{`{"handler":"mcp","origins":["any","https://a.example"]}`},
			want:     "origins: any allows all",
		},
		"website": {
			handlers: []string{`{"handler":"mcp","website_url":"javascript:alert(1)"}`},
			want:     `website_url "javascript:alert(1)": expected an http or https URL`,
		},
		"icon": {
			handlers: []string{`{"handler":"mcp","icons":[{"src":"http://a/b.png"}]}`},
			want:     `icon "http://a/b.png": expected`,
		},
		"negative timeout": {
			handlers: []string{`{"handler":"mcp","tools":[{"name":"a","timeout":-5}],` + respond + `}`},
			want:     "tool a: timeout is negative",
		},
		"unknown field": {
			handlers: []string{`{"handler":"mcp","tolls":[]}`},
			want:     `unknown field "tolls"`,
		},
		"two endpoints of one name": {
			handlers: []string{`{"handler":"mcp","name":"x"}`, `{"handler":"mcp","name":"x","version":"2"}`},
			want:     `two mcp endpoints have the name "x"`,
		},
		"one endpoint on two servers": {
			handlers: []string{`{"handler":"mcp","name":"x"}`, `{"handler":"mcp","name":"x"}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := validate(t, tc.handlers...)
			switch {
			case tc.want == "" && err != nil:
				t.Fatalf("unexpected error: %v", err)
			case tc.want != "" && err == nil:
				t.Fatalf("no error; want one with %q", tc.want)
			case err != nil && !strings.Contains(err.Error(), tc.want):
				t.Fatalf("error %q does not say %q", err, tc.want)
			}
		})
	}
	t.Run("both mistakes are told", func(t *testing.T) {
		t.Parallel()
		err := validate(t, `{"handler":"mcp","tools":[{"name":"a","request":{"method":"FETCH"}},{"name":"b","request":{"url":"ftp://x/"}}],`+respond+`}`)
		if err == nil || !strings.Contains(err.Error(), `tool a: request.method: unknown method "FETCH"`) || !strings.Contains(err.Error(), "tool b:") {
			t.Fatalf("got %v", err)
		}
	})
}
