// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"net/http"
	"strings"
	"testing"
)

// Large answers that nobody reads are bounded: by the room for them, and then by
// the slots for calls. Small ones hold neither.
func TestSlowReadersOfLargeAnswers(t *testing.T) {
	t.Parallel()
	large := call(versionLegacy, "large", "{}")
	for _, tt := range []struct {
		name    string
		q       request
		writing int64
		holds   bool
	}{
		{"large", large, 0, false},
		{"large, no room", large, maxWriting - smallAnswer, true},
		{"large, as events, no room", large.with("Accept", "text/event-stream"), maxWriting - smallAnswer, true},
		{"small, no room", call(versionLegacy, "small", "{}"), maxWriting, false},
		{"batch, no room", request{body: "[" + callBody(versionBatch, "large", "{}") + "]"}, maxWriting - smallAnswer, true},
		{"batch without calls, no room", request{body: `[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]`}, maxWriting - smallAnswer, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			described := &fakeTool{name: "described"}
			d := *described.Descriptor()
			d.Description = strings.Repeat("x", 2*smallAnswer)
			described.desc = &d
			h := newHandler(t, Options{Limits: Limits{Calls: 1}},
				described,
				&fakeTool{name: "large", result: textResult(strings.Repeat("x", smallAnswer))},
				&fakeTool{name: "small", result: textResult(strings.Repeat("x", smallAnswer/2))})
			h.writing.Store(tt.writing)
			w := &blocked{discard: discard{header: http.Header{}}, writing: make(chan struct{}, 8), release: make(chan struct{})}
			done := make(chan error)
			go func() { done <- h.ServeHTTP(w, tt.q.http()) }()
			<-w.writing
			a := do(t, h, call(versionLegacy, "small", "{}"))
			if busy := a.status == http.StatusServiceUnavailable; busy != tt.holds {
				t.Errorf("HTTP %d while the other answer is not read", a.status)
			}
			if tt.holds {
				// A batch is refused before any of it runs.
				a := do(t, h, request{body: `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`})
				a.wantError(t, http.StatusServiceUnavailable, codeInternal)
				if a.header.Get("Retry-After") == "" {
					t.Error("no Retry-After")
				}
			}
			close(w.release)
			if err := <-done; err != nil || w.n == 0 {
				t.Errorf("%v, %d bytes", err, w.n)
			}
			if r, n := h.running.Load(), h.writing.Load(); r != 0 || n != tt.writing {
				t.Errorf("%d slots and %d bytes are still taken", r, n)
			}
			do(t, h, call(versionLegacy, "small", "{}")).result(t)
		})
	}
}
