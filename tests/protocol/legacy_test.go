// SPDX-License-Identifier: Apache-2.0

package protocol_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/harness"
)

var legacyVersions = []string{harness.Legacy, harness.Legacy6, harness.Legacy3}

func TestLEG01(t *testing.T) {
	t.Parallel()
	for _, v := range legacyVersions {
		if got := do(t, harness.Call(v, "initialize", nil)).Result(t).Version; got != v {
			t.Errorf("asked for %s, got %s", v, got)
		}
		if got := do(t, harness.Call(v, "initialize", nil).With("MCP-Protocol-Version", v)).Result(t).Version; got != v {
			t.Errorf("asked for %s with the header, got %s", v, got)
		}
	}
	for _, v := range []string{"2024-10-07", "1999-01-01", "2099-01-01", "x", ""} {
		r := harness.Call(harness.Legacy, "initialize", nil)
		r.Params["protocolVersion"] = v
		if got := do(t, r).Result(t).Version; got != harness.Legacy {
			t.Errorf("asked for %q, got %s", v, got)
		}
	}
}

func TestLEG02(t *testing.T) {
	t.Parallel()
	for _, v := range legacyVersions {
		res := do(t, harness.Call(v, "initialize", nil)).Result(t)
		if res.Server["name"] != "proto" || res.Server["version"] != "1.2.3" || res.Capabilities == nil || res.Instructions != "Instructions of proto." {
			t.Errorf("%s: %+v", v, res)
		}
	}
	for _, params := range []object{{}, {"protocolVersion": 7}} {
		r := harness.Call(harness.Legacy, "initialize", params)
		if m := do(t, r).Final(t); m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("%v: %s", params, m.Raw)
		}
	}
}

func TestLEG03(t *testing.T) {
	t.Parallel()
	for _, v := range legacyVersions {
		do(t, harness.Notification(v, "notifications/initialized", nil)).WantStatus(t, http.StatusAccepted)
		do(t, harness.Notification(v, "notifications/initialized", nil).Without("MCP-Protocol-Version")).WantStatus(t, http.StatusAccepted)
	}
}

func TestLEG04(t *testing.T) {
	t.Parallel()
	for _, v := range legacyVersions {
		if got := string(do(t, harness.Call(v, "ping", nil)).Final(t).Result); got != "{}" {
			t.Errorf("%s: %s", v, got)
		}
	}
	if got := string(do(t, harness.Call(harness.Legacy, "ping", object{}).Without("MCP-Protocol-Version")).Final(t).Result); got != "{}" {
		t.Errorf("without a version: %s", got)
	}
}

func TestLEG05(t *testing.T) {
	t.Parallel()
	for _, v := range []string{"1999-01-01", "2024-11-05", "latest", "2025-11-25x", "2025-06-18, 2025-11-25"} {
		res := do(t, harness.Call(harness.Legacy, "tools/list", nil).With("MCP-Protocol-Version", v))
		res.WantStatus(t, http.StatusBadRequest)
		if m := res.Final(t); m.Error == nil || m.Error.Code != -32022 {
			t.Errorf("%s: %s", v, m.Raw)
		}
	}
}

func batch(t *testing.T, requests ...*harness.Request) *harness.Request {
	t.Helper()
	var all []string
	for _, r := range requests {
		all = append(all, string(message(t, r)))
	}
	b := harness.Post("[" + strings.Join(all, ",") + "]")
	b.Version = harness.Legacy3
	return b
}

func TestLEG06(t *testing.T) {
	t.Parallel()
	// Only 2025-03-26 has batches, so this is how one sees which is assumed.
	b := batch(t, harness.Call(harness.Legacy3, "ping", nil), harness.Call(harness.Legacy3, "tools/list", nil))
	if res := do(t, b).WantStatus(t, http.StatusOK); len(res.Messages) != 2 {
		t.Errorf("%s", res.Body)
	}
	// Nor does it know structured content.
	if res := do(t, harness.Tool(harness.Legacy3, "person", nil).Without("MCP-Protocol-Version")).Result(t); res.Text() != `{"name":"Ada","n":1}` {
		t.Errorf("%+v", res)
	}
}

func TestLEG07(t *testing.T) {
	t.Parallel()
	for _, v := range legacyVersions {
		r := &harness.Request{HTTPMethod: http.MethodGet, Header: http.Header{"Accept": {"text/event-stream"}, "Mcp-Protocol-Version": {v}, "Last-Event-Id": {"1"}}}
		do(t, r).WantStatus(t, http.StatusMethodNotAllowed)
	}
}

func TestLEG10(t *testing.T) {
	t.Parallel()
	r := &harness.Request{HTTPMethod: http.MethodDelete, Header: http.Header{"Mcp-Session-Id": {"abc"}}}
	do(t, r).WantStatus(t, http.StatusMethodNotAllowed)
}

func TestLEG15(t *testing.T) {
	t.Parallel()
	// There is no session to find a call by, so `cancelled` is accepted and ends
	// nothing, least of all the call of another client with the same id.
	const key = "leg15"
	r := harness.Tool(harness.Legacy, "wait", object{"key": key})
	done := make(chan *harness.Response, 1)
	go func() {
		res, err := caddy.Try(t.Context(), r)
		if err != nil {
			t.Error(err)
		}
		done <- res
	}()
	if err := up.Arrived(deadline(t), key); err != nil {
		t.Fatal(err)
	}
	do(t, harness.Notification(harness.Legacy, "notifications/cancelled", object{"requestId": harness.Raw(r.ID)})).WantStatus(t, http.StatusAccepted)
	up.Release(key)
	if res := <-done; res == nil || res.Result(t).IsError {
		t.Error("the call was cancelled")
	}

	// While there are no sessions nobody could fetch the answer later, so a
	// disconnect ends the call.
	const gone = "leg15-gone"
	ctx, cancel := context.WithCancel(t.Context())
	go func() { _, _ = caddy.Try(ctx, harness.Tool(harness.Legacy, "wait", object{"key": gone})) }()
	if err := up.Arrived(deadline(t), gone); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := up.Cancelled(deadline(t), gone); err != nil {
		t.Error(err)
	}
}

func TestLEG16(t *testing.T) {
	t.Parallel()
	ping := func() *harness.Request { return harness.Call(harness.Legacy3, "ping", nil) }
	note := harness.Notification(harness.Legacy3, "notifications/initialized", object{})

	a, b := ping(), harness.Tool(harness.Legacy3, "echo", object{"text": "x"})
	res := do(t, batch(t, a, note, b).With("MCP-Protocol-Version", harness.Legacy3)).WantStatus(t, http.StatusOK)
	var ids []string
	for _, m := range res.Messages {
		ids = append(ids, string(m.ID))
	}
	slices.Sort(ids)
	want := []string{a.ID, b.ID}
	slices.Sort(want)
	if !slices.Equal(ids, want) {
		t.Errorf("ids %v, want %v: %s", ids, want, res.Body)
	}

	if res := do(t, batch(t, note, note)).WantStatus(t, http.StatusAccepted); len(res.Body) > 0 {
		t.Errorf("notifications only: %s", res.Body)
	}
	do(t, harness.Post(`[]`)).WantError(t, http.StatusBadRequest, -32600)

	for _, v := range []string{harness.Legacy6, harness.Legacy} {
		r := batch(t, ping()).With("MCP-Protocol-Version", v)
		r.Version = v
		do(t, r).WantError(t, http.StatusBadRequest, -32600)
	}

	var many []*harness.Request
	for i := range 21 {
		many = append(many, harness.Tool(harness.Legacy3, "item", object{"id": 161600 + i}))
	}
	do(t, batch(t, many[:20]...)).WantStatus(t, http.StatusOK)
	seen := len(up.Seen("/echo/items/1616"))
	if res := do(t, batch(t, many...)); res.Status < 400 {
		t.Errorf("21 elements: HTTP %d", res.Status)
	}
	if n := len(up.Seen("/echo/items/1616")); n != seen {
		t.Error("calls of a batch that is too large were run")
	}
}

func TestLEG17(t *testing.T) {
	t.Parallel()
	// A client with every capability is asked for nothing: the harness refuses
	// requests from the server, and there is no stream to send one on.
	r := harness.Call(harness.Legacy, "initialize", nil)
	r.Params["capabilities"] = object{"sampling": object{}, "elicitation": object{}, "roots": object{"listChanged": true}}
	res := do(t, r)
	if res.SSE {
		t.Errorf("a stream for initialize: %s", res.Body)
	}
	if res := do(t, withProgress(harness.Tool(harness.Legacy, "events", nil), `1`)); res.Final(t).Method != "" {
		t.Errorf("%s", res.Body)
	}
}

func TestLEG18(t *testing.T) {
	t.Parallel()
	// Nothing is sent before `initialized`, and without sessions nothing is
	// refused before it either.
	for i, r := range []*harness.Request{harness.Call(harness.Legacy, "ping", nil), harness.Call(harness.Legacy, "tools/list", nil), harness.Tool(harness.Legacy, "echo", nil)} {
		if res := do(t, r); res.SSE || res.Status != http.StatusOK {
			t.Error(fmt.Sprint(i), res.Status)
		}
	}
}
