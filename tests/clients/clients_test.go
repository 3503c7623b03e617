// SPDX-License-Identifier: Apache-2.0

// Package clients_test runs MCP clients that people use against a real Caddy.
// Every one of them lists the tools, calls one that answers, one that fails, one
// that answers an image and, where it can, one that reports progress.
package clients_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/caddymcp/caddy-mcp/tests/fixture"
	"github.com/caddymcp/caddy-mcp/tests/harness"
)

const caddyfile = `
{
	admin {$ADMIN}
	persist_config off
	auto_https off
}
http:// {
	bind {$LISTEN}
	log
	mcp {
		name clients
		instructions "Call any tool."
		tool echo {
			description "Tell what the API was asked."
			arg id string "One path segment."
			arg n integer "A number." min=0
			request GET /echo/{id}?n={n}
			select "{path: .rawPath, query: .rawQuery}"
			output <<JSON
				{"type": "object", "properties": {"path": {"type": "string"}, "query": {"type": "string"}}, "required": ["path", "query"]}
				JSON
		}
		tool fail {
			description "Fail."
			request GET /status/500
		}
		tool image {
			description "A picture."
			request GET /png
		}
		tool steps {
			description "Something that takes three steps."
			request GET /events/3
		}
		reverse_proxy {$UPSTREAM}
	}
}
`

// start gives the endpoint's URL. Requests to it can be told apart in the log by
// the query that urlFor adds.
func start(t *testing.T) *harness.Caddy {
	t.Helper()
	up := fixture.New()
	t.Cleanup(up.Close)
	return harness.Start(t, harness.Config{
		Caddyfile: true,
		Text:      strings.ReplaceAll(caddyfile, "{$UPSTREAM}", up.Addr()),
	})
}

func urlFor(t *testing.T, c *harness.Caddy) string {
	return c.URL + "/mcp?test=" + url.QueryEscape(t.Name())
}

// era gives the eras that this test's requests were of, as the access log says.
func eras(t *testing.T, c *harness.Caddy) []string {
	t.Helper()
	var out []string
	for _, l := range c.Logs(nil) {
		req, _ := l.Fields["request"].(map[string]any)
		uri, _ := req["uri"].(string)
		era, _ := l.Fields["mcp_era"].(string)
		method, _ := l.Fields["mcp_method"].(string)
		if method == "tools/call" && strings.HasSuffix(uri, "?test="+url.QueryEscape(t.Name())) && !slices.Contains(out, era) {
			out = append(out, era)
		}
	}
	return out
}

// steps is how many notifications of progress the tool of that name makes: three
// and one for the last event, of which nobody can know that it is.
const steps = 4

// report is what a client saw.
type report struct {
	Protocol string          `json:"protocol"`
	Tools    []string        `json:"tools"`
	Calls    map[string]call `json:"calls"`
	Progress int             `json:"progress"`
}

type call struct {
	IsError    bool           `json:"isError"`
	Text       string         `json:"text"`
	Structured map[string]any `json:"structured"`
	Image      string         `json:"image"`
	MIMEType   string         `json:"mimeType"`
}

// check compares a report with what every client must see.
func check(t *testing.T, out []byte, protocol string) {
	t.Helper()
	r := read(t, out, protocol)
	if r.Progress != steps {
		t.Errorf("%d progress notifications, want %d", r.Progress, steps)
	}
}

// read is check without the progress.
func read(t *testing.T, out []byte, protocol string) report {
	t.Helper()
	var r report
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("the client printed %q: %v", out, err)
	}
	if r.Protocol != protocol {
		t.Errorf("protocol %q, want %q", r.Protocol, protocol)
	}
	if diff := cmp.Diff([]string{"echo", "fail", "image", "steps"}, r.Tools); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	checkEcho(t, r.Calls["echo"])
	checkFail(t, r.Calls["fail"])
	checkImage(t, r.Calls["image"])
	if steps := r.Calls["steps"]; steps.IsError || steps.Text == "" {
		t.Errorf("steps: %+v", steps)
	}
	return r
}

func checkEcho(t *testing.T, c call) {
	t.Helper()
	want := map[string]any{"path": "/echo/a%20b%2Fc", "query": "n=7"}
	if diff := cmp.Diff(want, c.Structured); diff != "" || c.IsError {
		t.Errorf("echo: isError %v, structured content (-want +got):\n%s", c.IsError, diff)
	}
	var text map[string]any
	if err := json.Unmarshal([]byte(c.Text), &text); err != nil || cmp.Diff(want, text) != "" {
		t.Errorf("echo: text %q, want the same as the structured content", c.Text)
	}
}

func checkFail(t *testing.T, c call) {
	t.Helper()
	if !c.IsError || !strings.Contains(c.Text, "500") || strings.Contains(c.Text, "detail") {
		t.Errorf("fail: %+v, want an error that names the status only", c)
	}
}

func checkImage(t *testing.T, c call) {
	t.Helper()
	if c.IsError || c.MIMEType != "image/png" || c.Image != base64.StdEncoding.EncodeToString(fixture.PNG) {
		t.Errorf("image: %+v, want the fixture's PNG", c)
	}
}
