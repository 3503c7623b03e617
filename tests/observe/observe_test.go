// SPDX-License-Identifier: Apache-2.0

// Package observe_test looks at what an operator sees: metrics, the access log,
// traces, and what becomes of panics.
package observe_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/harness"
)

func TestMetrics(t *testing.T) {
	t.Parallel()
	c := start(t)
	m, l := harness.Modern, harness.Legacy
	for _, v := range harness.Eras {
		c.Do(t, harness.Tool(v, "echo", object{"text": "x"}))
		c.Do(t, harness.Tool(v, "echo", object{"text": 7}))
		c.Do(t, harness.Tool(v, "in_path", object{"way": "status", "text": "404"}))
		c.Do(t, harness.Tool(v, "refused", nil))
		c.Do(t, harness.Tool(v, "panics", nil))
		c.Do(t, harness.Tool(v, "slow", object{"key": "metrics-" + v}))
		c.Do(t, harness.Tool(v, "broken_promise", nil))
		c.Do(t, harness.Tool(v, "no_key", nil))
		c.Do(t, harness.Tool(v, "nobody", nil))
		c.Do(t, harness.Tool(v, "no_such_tool", nil))
		c.Do(t, harness.Call(v, "tools/list", nil))
		c.Do(t, harness.Call(v, "made/up", nil))
		c.Do(t, harness.Tool(v, "echo", nil).At("/other"))
	}
	c.Do(t, harness.Call(m, "server/discover", nil))
	c.Do(t, harness.Call(l, "initialize", nil))
	c.Do(t, harness.Call(l, "ping", nil))
	c.Do(t, harness.Notification(l, "notifications/initialized", nil))
	c.Do(t, harness.Call(m, "tools/list", nil).Without("Mcp-Method"))

	got := scrape(t, c)
	for sample, want := range map[string]string{
		`caddy_mcp_tool_calls_total{outcome="ok",server="shop",tool="echo"}`:                                   "2",
		`caddy_mcp_tool_calls_total{outcome="invalid_arguments",server="shop",tool="echo"}`:                    "2",
		`caddy_mcp_tool_calls_total{outcome="upstream_error",server="shop",tool="in_path"}`:                    "2",
		`caddy_mcp_tool_calls_total{outcome="upstream_error",server="shop",tool="refused"}`:                    "2",
		`caddy_mcp_tool_calls_total{outcome="internal_error",server="shop",tool="panics"}`:                     "2",
		`caddy_mcp_tool_calls_total{outcome="timeout",server="shop",tool="slow"}`:                              "2",
		`caddy_mcp_tool_calls_total{outcome="nonconforming",server="shop",tool="broken_promise"}`:              "2",
		`caddy_mcp_tool_calls_total{outcome="internal_error",server="shop",tool="no_key"}`:                     "2",
		`caddy_mcp_tool_calls_total{outcome="internal_error",server="shop",tool="nobody"}`:                     "2",
		`caddy_mcp_tool_calls_total{outcome="ok",server="other",tool="echo"}`:                                  "2",
		`caddy_mcp_tool_call_duration_seconds_count{server="shop",tool="echo"}`:                                "4",
		`caddy_mcp_calls_in_flight{server="shop"}`:                                                             "0",
		`caddy_mcp_requests_total{era="modern",method="tools/list",outcome="ok",server="shop"}`:                "1",
		`caddy_mcp_requests_total{era="legacy",method="tools/list",outcome="ok",server="shop"}`:                "1",
		`caddy_mcp_requests_total{era="legacy",method="initialize",outcome="ok",server="shop"}`:                "1",
		`caddy_mcp_requests_total{era="legacy",method="ping",outcome="ok",server="shop"}`:                      "1",
		`caddy_mcp_requests_total{era="modern",method="server/discover",outcome="ok",server="shop"}`:           "1",
		`caddy_mcp_requests_total{era="modern",method="other",outcome="client_error",server="shop"}`:           "1",
		`caddy_mcp_requests_total{era="legacy",method="other",outcome="client_error",server="shop"}`:           "1",
		`caddy_mcp_requests_total{era="modern",method="tools/list",outcome="client_error",server="shop"}`:      "1",
		`caddy_mcp_requests_total{era="legacy",method="tools/call",outcome="ok",server="other"}`:               "1",
		`caddy_mcp_requests_total{era="modern",method="tools/call",outcome="client_error",server="shop"}`:      "1",
		`caddy_mcp_requests_total{era="modern",method="tools/call",outcome="invalid_arguments",server="shop"}`: "1",
		`caddy_mcp_requests_total{era="legacy",method="notifications/initialized",outcome="ok",server="shop"}`: "1",
	} {
		if got[sample] != want {
			t.Errorf("%s is %q, want %s", sample, got[sample], want)
		}
	}
	// What clients make up must not become labels.
	families := map[string]bool{}
	for sample := range got {
		family, labels, _ := strings.Cut(sample, "{")
		families[strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(family, "_bucket"), "_sum"), "_count")] = true
		if strings.Contains(labels, "made/up") || strings.Contains(labels, "no_such_tool") || strings.Contains(labels, "harness") {
			t.Errorf("a client's word is a label: %s", sample)
		}
	}
	if len(families) != 4 {
		t.Errorf("metrics %v", families)
	}
}

func TestInFlight(t *testing.T) {
	t.Parallel()
	c := start(t)
	const key = "in-flight"
	done := make(chan error, 1)
	go func() {
		_, err := c.Try(t.Context(), harness.Tool(harness.Modern, "waits", object{"key": key}))
		done <- err
	}()
	if err := up.Arrived(deadline(t), key); err != nil {
		t.Fatal(err)
	}
	if got := scrape(t, c)[`caddy_mcp_calls_in_flight{server="shop"}`]; got != "1" {
		t.Errorf("calls in flight: %s", got)
	}
	up.Release(key)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	// Counters survive a reload.
	if err := c.Load(t.Context(), harness.Config{Caddyfile: true, Text: strings.ReplaceAll(strings.Replace(caddyfile, "A text.", "Another text.", 1), "{$UPSTREAM}", up.Addr())}); err != nil {
		t.Fatal(err)
	}
	c.Client.CloseIdleConnections()
	if got := scrape(t, c)[`caddy_mcp_tool_calls_total{outcome="ok",server="shop",tool="waits"}`]; got != "1" {
		t.Errorf("after a reload: %s", got)
	}
}

func access(l harness.Log) bool { return l.Logger == "http.log.access" }

func TestAccessLog(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, v := range harness.Eras {
		era := map[string]string{harness.Modern: "modern", harness.Legacy: "legacy"}[v]
		for i, want := range []struct {
			r      *harness.Request
			fields object
		}{
			{harness.Tool(v, "echo", object{"text": "x"}), object{"mcp_method": "tools/call", "mcp_tool": "echo", "mcp_era": era, "mcp_outcome": "ok"}},
			{harness.Tool(v, "refused", nil), object{"mcp_method": "tools/call", "mcp_tool": "refused", "mcp_era": era, "mcp_outcome": "upstream_error"}},
			{harness.Tool(v, "made_up", nil), object{"mcp_method": "tools/call", "mcp_tool": nil, "mcp_era": era, "mcp_outcome": "client_error"}},
			{harness.Call(v, "tools/list", nil), object{"mcp_method": "tools/list", "mcp_tool": nil, "mcp_era": era, "mcp_outcome": "ok"}},
			{harness.Call(v, "made/up", nil), object{"mcp_method": "other", "mcp_tool": nil, "mcp_era": era, "mcp_outcome": "client_error"}},
		} {
			mark := fmt.Sprintf("%s-%d", era, i)
			c.Do(t, want.r.With("User-Agent", mark))
			line := c.WaitLog(t, func(l harness.Log) bool { return access(l) && strings.Contains(l.Raw, mark) })
			for name, value := range want.fields {
				if line.Fields[name] != value {
					t.Errorf("%s %s: %s is %v, want %v", era, want.r.Method, name, line.Fields[name], value)
				}
			}
		}
	}
	// One line for each of the client's requests, none for the requests of tools.
	if lines := c.Logs(access); len(lines) != 10 {
		t.Errorf("%d lines for 10 requests", len(lines))
	}
}

func TestNothingPrivateInLogs(t *testing.T) {
	t.Parallel()
	c := start(t)
	const secret = "tr0ub4dor"
	for _, v := range harness.Eras {
		for _, r := range []*harness.Request{
			harness.Tool(v, "echo", object{"text": secret}),
			harness.Tool(v, "echo", object{"text": 1, secret: 1}),
			harness.Tool(v, "in_path", object{"way": secret, "text": secret}),
			harness.Tool(v, "in_path", object{"way": "echo", "text": secret}),
			harness.Tool(v, "in_path", object{"way": "status", "text": secret}),
			harness.Tool(v, "in_path", object{"way": "die-early", "text": secret}),
			harness.Tool(v, "in_path", object{"way": "die", "text": secret}),
			harness.Tool(v, "oversize", object{"text": secret}),
			harness.Tool(v, "panics", object{"text": secret}),
			harness.Tool(v, "refused", object{"text": secret}),
			harness.Tool(v, "slow", object{"key": secret + v}),
			harness.Call(v, "tools/list", object{"cursor": secret}),
		} {
			c.Do(t, r.With("Authorization", "Bearer "+secret).With("Cookie", "a="+secret))
		}
	}
	c.Do(t, harness.Call(harness.Legacy, "ping", nil).With("User-Agent", "the last one"))
	c.WaitLog(t, func(l harness.Log) bool { return access(l) && strings.Contains(l.Raw, "the last one") })
	for _, l := range c.Logs(func(l harness.Log) bool { return strings.Contains(l.Raw, secret) }) {
		// Caddy's own proxy tells the URL of a request whose upstream broke off;
		// no handler around it can change that.
		if l.Logger == "http.handlers.reverse_proxy" && l.Msg == "aborting with incomplete response" && strings.Contains(l.Raw, "/die/") {
			continue
		}
		t.Errorf("in the log: %s", l.Raw)
	}
}

func TestPanic(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, v := range harness.Eras {
		res := c.Do(t, harness.Tool(v, "panics", nil))
		if r := res.Result(t); !r.IsError || strings.Contains(string(res.Body), "secret") || strings.Contains(string(res.Body), "goroutine") {
			t.Errorf("%s", res.Body)
		}
		// Others go on.
		if c.Do(t, harness.Tool(v, "echo", object{"text": "x"})).Result(t).IsError || !c.Running() {
			t.Error("the panic did harm")
		}
	}
	line := c.WaitLog(t, func(l harness.Log) bool {
		return l.Level == "error" && strings.Contains(l.Raw, "test_panic: top secret")
	})
	if line.Fields["tool"] != "panics" || line.Fields["server"] != "shop" || !strings.Contains(line.Raw, "testcaddy") {
		t.Errorf("neither the tool nor the stack are in %s", line.Raw)
	}
}

func TestFailuresAreLogged(t *testing.T) {
	t.Parallel()
	c := start(t)
	for tool, words := range map[string]string{"refused": "127.0.0.1:1", "slow": "timed out", "no_key": "OBSERVE_NO_KEY", "nobody": "no handler"} {
		args := object{}
		if tool == "slow" {
			args["key"] = "logged"
		}
		c.Do(t, harness.Tool(harness.Modern, tool, args)).Result(t)
		line := c.WaitLog(t, func(l harness.Log) bool { return l.Fields["tool"] == tool })
		if !strings.Contains(line.Raw, words) || line.Fields["call"] == "" || line.Fields["server"] != "shop" {
			t.Errorf("%s: no %q in %s", tool, words, line.Raw)
		}
	}
}

// Before a message is read an error is Caddy's, so that a site can style it.
func TestHandleErrors(t *testing.T) {
	t.Parallel()
	c := start(t)
	r := harness.Call(harness.Legacy, "ping", nil).With("Content-Type", "text/plain")
	r.Invalid = true
	res := c.Do(t, r)
	if res.Status != http.StatusUnsupportedMediaType || string(res.Body) != "handled 415" {
		t.Errorf("HTTP %d %s", res.Status, res.Body)
	}
	// Later ones are the protocol's.
	c.Do(t, harness.Call(harness.Modern, "made/up", nil)).WantError(t, http.StatusNotFound, -32601)
}

func TestTracing(t *testing.T) {
	t.Parallel()
	c := start(t)
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	r := harness.Tool(harness.Modern, "echo", object{"text": "x"}).With("Traceparent", "00-"+id+"-00f067aa0ba902b7-01")
	res := c.Do(t, r).Result(t)
	m := regexp.MustCompile(`"Traceparent":\["00-` + id + `-([0-9a-f]{16})-01"\]`).FindStringSubmatch(res.Text())
	if m == nil {
		t.Fatalf("the trace does not go on: %s", res.Text())
	}
	if m[1] == "00f067aa0ba902b7" {
		t.Error("the upstream's parent is the client's span")
	}
	for _, name := range []string{"tools/call echo", "gen_ai.tool.name", "mcp.outcome"} {
		if err := traces.wait(deadline(t), name); err != nil {
			t.Error(err)
		}
	}
	// Without a trace of the client's there is one of Caddy's own.
	res = c.Do(t, harness.Tool(harness.Legacy, "echo", object{"text": "x"})).Result(t)
	if !regexp.MustCompile(`"Traceparent":\["00-[0-9a-f]{32}-[0-9a-f]{16}-01"\]`).MatchString(res.Text()) {
		t.Errorf("%s", res.Text())
	}
}
