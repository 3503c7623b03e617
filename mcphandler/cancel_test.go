// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/caddymcp/caddy-mcp/tool"
)

func TestHTTP23(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		started, ended := make(chan struct{}), make(chan error, 1)
		h := newHandler(t, Options{}, &fakeTool{name: "slow", call: func(ctx context.Context, _ *tool.Call) *tool.Result {
			close(started)
			<-ctx.Done()
			ended <- ctx.Err()
			return &tool.Result{IsError: true, Outcome: tool.OutcomeCancelled}
		}})
		srv := serve(t, h)
		ctx, cancel := context.WithCancel(t.Context())
		r := call(v, "slow", "{}").http()
		out, err := http.NewRequestWithContext(ctx, r.Method, srv.URL, r.Body)
		if err != nil {
			t.Fatal(err)
		}
		out.Header = r.Header
		failed := make(chan error, 1)
		go func() {
			res, err := srv.Client().Do(out)
			if err == nil {
				res.Body.Close()
			}
			failed <- err
		}()
		<-started
		cancel()
		if err := <-ended; err != context.Canceled {
			t.Errorf("the call ended with %v", err)
		}
		if err := <-failed; err == nil {
			t.Error("there was an answer")
		}
	})
}

// serve runs a handler as Caddy would: what it returns is answered plainly.
func serve(t testing.TB, h *Handler) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h.ServeHTTP(w, r); err != nil {
			http.Error(w, err.Error(), err.(*StatusError).Status)
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

// The client of a cancelled call gets nothing more.
func TestHTTP23NothingWritten(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		ctx, cancel := context.WithCancel(t.Context())
		o := &recorder{}
		h := newHandler(t, Options{Observer: o}, &fakeTool{name: "slow", call: func(context.Context, *tool.Call) *tool.Result {
			cancel()
			return &tool.Result{IsError: true, Outcome: tool.OutcomeCancelled}
		}})
		q := call(v, "slow", "{}")
		q.ctx = ctx
		a := do(t, h, q)
		if a.status != statusClientClosed || len(a.body) != 0 {
			t.Errorf("HTTP %d: %s", a.status, a.body)
		}
		if len(o.messages) != 1 || o.messages[0].Outcome != "cancelled" {
			t.Errorf("%+v", o.messages)
		}
	})
}
