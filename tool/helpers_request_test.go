// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// fakeBackend knows some placeholders and keeps the requests.
type fakeBackend struct {
	placeholders map[string]string
	serve        func(http.ResponseWriter, *http.Request) error
}

func (b *fakeBackend) Placeholder(_ *Call, key string) (string, bool) {
	v, ok := b.placeholders[key]
	return v, ok
}

func (b *fakeBackend) Serve(w http.ResponseWriter, r *http.Request, _ *Call) error {
	return b.serve(w, r)
}

// builds compiles a tool and builds the request of one call.
func builds(t testing.TB, config, args string, b Backend) (*http.Request, error) {
	t.Helper()
	tl := compiles(t, config, b)
	c := &Call{ID: "call-1", Tool: "t", Arguments: jsontext.Value(args), Inbound: inbound()}
	if err := tl.inputs.prepare(c); err != nil {
		t.Fatalf("prepare: %v", err)
	}
	return tl.request.build(t.Context(), c, b)
}

func compiles(t testing.TB, config string, b Backend) *Tool {
	t.Helper()
	var cfg Config
	if err := json.Unmarshal([]byte(config), &cfg); err != nil {
		t.Fatal(err)
	}
	if cfg.Name == "" {
		cfg.Name = "t"
	}
	tl, problems := Compile(cfg, Options{Backend: b})
	for _, p := range problems {
		if !p.Warning {
			t.Fatalf("compile: %v", p)
		}
	}
	return tl
}

func inbound() *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	r.Header.Set("Authorization", "Bearer client")
	r.Header.Set("Cookie", "a=b")
	r.Header.Set("X-Api-Key", "mine")
	r.Header.Set("X-Other", "secret")
	r.Header.Set("User-Agent", "client/1")
	return r
}

// schemaOf declares arguments: a name with `?` is optional, and may be followed
// by its type.
func schemaOf(args ...string) string {
	props, required := []string{}, []string{}
	for _, a := range args {
		name, typ, ok := strings.Cut(a, ":")
		if !ok {
			typ = "string"
		}
		if opt, cut := strings.CutSuffix(name, "?"); cut {
			name = opt
		} else {
			required = append(required, `"`+name+`"`)
		}
		props = append(props, `"`+name+`":{"type":"`+typ+`"}`)
	}
	return `{"type":"object","properties":{` + strings.Join(props, ",") + `},"required":[` +
		strings.Join(required, ",") + `],"additionalProperties":false}`
}

// requestTold gives the text of a result.
func requestTold(res *Result) string {
	var b strings.Builder
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}
