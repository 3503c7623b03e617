// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// sandbox is a Caddy that is given configurations to see what it says. A process
// for each would take the longest time of all tests.
var sandbox struct {
	mu    sync.Mutex
	caddy *Caddy
}

// Validate loads a configuration, whose admin endpoint has to be {$ADMIN}, and
// gives all that Caddy says of it: the error, and warnings of its log.
func Validate(t testing.TB, cfg Config) (string, error) {
	t.Helper()
	sandbox.mu.Lock()
	defer sandbox.mu.Unlock()
	if sandbox.caddy == nil {
		c, err := New(Config{Text: `{"admin":{"listen":"{$ADMIN}","config":{"persist":false}}}`})
		if err != nil {
			t.Fatal(err)
		}
		sandbox.caddy = c
	}
	before := len(sandbox.caddy.Logs(nil))
	err := sandbox.caddy.Load(t.Context(), cfg)
	sandbox.caddy.flush(t)
	var out strings.Builder
	for _, l := range sandbox.caddy.Logs(nil)[before:] {
		if l.Level == "warn" || l.Level == "error" || l.Level == "" {
			out.WriteString(l.Raw + "\n")
		}
	}
	if err != nil {
		out.WriteString(err.Error())
	}
	return out.String(), err
}

// flush waits until all that was logged so far is here: Caddy logs each request
// to its admin endpoint, one after the other.
func (c *Caddy) flush(t testing.TB) {
	t.Helper()
	mark := fmt.Sprintf("/config/?mark=%d", lastID.Add(1))
	// The admin endpoint of the configuration before may still take a connection,
	// and close it.
	var err error
	for range 10 {
		if err = c.get(t.Context(), mark); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	c.WaitLog(t, func(l Log) bool { return l.Fields["uri"] == mark })
}

func (c *Caddy) get(ctx context.Context, path string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Admin+path, nil)
	if err != nil {
		return err
	}
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// Done ends what Validate has started; TestMain calls it.
func Done() error {
	sandbox.mu.Lock()
	defer sandbox.mu.Unlock()
	if sandbox.caddy == nil {
		return nil
	}
	return sandbox.caddy.Close()
}
