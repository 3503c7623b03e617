// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddymcp/caddy-mcp/tool"
)

const hello = `"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}`

func TestLEG02(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{Name: "shop", Version: "2.0", Title: "Shop", Instructions: "Search first."})
	a := do(t, h, request{method: "initialize", params: hello})
	r := a.result(t)
	for name, want := range map[string]string{
		"protocolVersion": `"2025-06-18"`, "capabilities": `{"tools":{}}`, "instructions": `"Search first."`,
		"serverInfo": `{"name":"shop","title":"Shop","version":"2.0"}`,
	} {
		if string(r[name]) != want {
			t.Errorf("%s: %s, want %s", name, r[name], want)
		}
	}
	if got := a.header.Get("Mcp-Session-Id"); got != "" {
		t.Errorf("session %q", got)
	}
	h = newHandler(t, Options{})
	if r := do(t, h, request{method: "initialize", params: hello}).result(t); r["instructions"] != nil {
		t.Errorf("%s", r)
	}
}

func TestLEG04(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	for _, v := range append([]string{""}, supportedVersions[1:]...) {
		if a := do(t, h, request{version: v, method: "ping"}); string(a.last(t).Result) != "{}" {
			t.Errorf("%s", a.body)
		}
	}
}

func TestLEG05(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	for _, v := range []string{"2024-11-05", "1999-01-01", "latest", "2025-11-25 x"} {
		for _, method := range []string{"tools/list", "ping", "nosuch"} {
			checkSupported(t, do(t, h, request{version: v, method: method}).wantError(t, 400, codeVersion), v)
		}
	}
}

func TestLEG16(t *testing.T) {
	t.Parallel()
	o := &recorder{}
	h := newHandler(t, Options{Limits: Limits{Batch: 4}, Observer: o}, echo(), &fakeTool{name: "panics", call: func(context.Context, *tool.Call) *tool.Result { panic("x") }})
	const ping = `{"jsonrpc":"2.0","id":"p","method":"ping"}`
	const note = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	body := "[" + ping + "," + note + "," + callBody(versionBatch, "echo", `{"a":1}`) + `,{"jsonrpc":"2.0","id":8,"method":"nosuch"}]`
	for _, v := range []string{"", versionBatch} {
		a := do(t, h, request{version: v, body: " " + body + " "})
		if a.status != 200 || len(a.messages) != 3 {
			t.Fatalf("HTTP %d: %s", a.status, a.body)
		}
		for i, want := range []string{`"p"`, `7`, `8`} {
			if got := string(a.messages[i].ID); got != want {
				t.Errorf("id %s, want %s", got, want)
			}
		}
		if m := a.messages[1]; !strings.Contains(string(m.Result), `{\"a\":1}`) {
			t.Errorf("%s", m.raw)
		}
		if m := a.messages[2]; m.Error == nil || m.Error.Code != codeMethod {
			t.Errorf("%s", m.raw)
		}
	}
	if len(o.messages) != 8 || o.messages[2].Outcome != "ok" || o.messages[3].Outcome != "client_error" {
		t.Errorf("%+v", o.messages)
	}
	for _, v := range []string{versionLegacy, "2025-06-18", versionModern, "1999-01-01"} {
		do(t, h, request{version: v, body: body}).wantError(t, 400, codeInvalidRequest)
	}

	// One that fails leaves the others alone.
	a := do(t, h, request{body: "[" + callBody(versionBatch, "panics", `{}`) + "," + ping + "," + `{"jsonrpc":"2.0","id":9,"method":"tools/list"}` + "]"})
	if len(a.messages) != 3 || a.messages[0].Error == nil || a.messages[0].Error.Code != codeInternal || a.messages[1].Error != nil || a.messages[2].Error != nil {
		t.Errorf("%s", a.body)
	}
	// Nothing to answer.
	if a := do(t, h, request{body: "[" + note + "," + note + "]"}); a.status != 202 || len(a.body) != 0 {
		t.Errorf("HTTP %d: %s", a.status, a.body)
	}
	// As many as allowed, and one more.
	four := strings.Repeat(ping+",", 3) + ping
	if a := do(t, h, request{body: "[" + four + "]"}); len(a.messages) != 4 {
		t.Errorf("%s", a.body)
	}
	do(t, h, request{body: "[" + four + "," + ping + "]"}).wantError(t, 400, codeInvalidRequest)
	do(t, h, request{body: "[" + four + "," + ping + ",{]"}).wantError(t, 400, codeParse)

	a = do(t, h, request{body: "[" + ping + "]"}.with("Accept", "application/json"))
	if string(a.body) != `[{"jsonrpc":"2.0","id":"p","result":{}}]` {
		t.Errorf("%s", a.body)
	}
	// To a client that takes only events, all of them are one.
	w := httptest.NewRecorder()
	if err := h.ServeHTTP(w, request{body: "[" + ping + "," + ping + "]"}.with("Accept", "text/event-stream").http()); err != nil {
		t.Error(err)
	}
	if got := w.Body.String(); got != `data: [{"jsonrpc":"2.0","id":"p","result":{}},{"jsonrpc":"2.0","id":"p","result":{}}]`+"\n\n" {
		t.Errorf("%s", got)
	}
}

// A batch that is cancelled runs no further.
func TestLEG16Cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	after := echo()
	h := newHandler(t, Options{}, after, &fakeTool{name: "cancels", call: func(context.Context, *tool.Call) *tool.Result {
		cancel()
		return textResult("")
	}})
	q := request{body: "[" + callBody(versionBatch, "cancels", "{}") + "," + callBody(versionBatch, "echo", "{}") + "]"}
	q.ctx = ctx
	if a := do(t, h, q); a.status != statusClientClosed || len(a.body) != 0 || after.calls.Load() != 0 {
		t.Errorf("HTTP %d, %d calls: %s", a.status, after.calls.Load(), a.body)
	}
}

// A batch has one answer; there is no stream for the progress of its calls.
func TestLEG16Progress(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{}, stepping(tool.Progress{}))
	body := strings.Replace(callBody(versionBatch, "steps", "{}"), `"params":{`, `"params":{"_meta":{"progressToken":1},`, 1)
	if a := do(t, h, request{body: body}); !a.sse || len(a.messages) != 2 {
		t.Errorf("alone: %s", a.body)
	}
	if a := do(t, h, request{body: "[" + body + "]"}); a.sse || len(a.messages) != 1 {
		t.Errorf("in a batch: %s", a.body)
	}
}

// LEG-03, LEG-07 and LEG-10 are in TestHTTP06 and TestHTTP13And16.

// TASK-05: what nobody declared is ignored.
func TestLegacyTaskIgnored(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	q := call(versionLegacy, "echo", `{"a":1}`)
	q.params += `,"task":{"ttl":60000}`
	if got := do(t, h, q).text(t); got != `{"a":1}` {
		t.Error(got)
	}
}
