// SPDX-License-Identifier: Apache-2.0

// Package reload_test replaces configurations under load.
package reload_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/fixture"
	"github.com/caddymcp/caddy-mcp/tests/harness"
)

var up *fixture.Upstream

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	up = fixture.New()
	defer up.Close()
	return m.Run()
}

type object = map[string]any

// generation is a configuration that differs from all others.
func generation(n int) harness.Config {
	return harness.Config{Caddyfile: true, Text: fmt.Sprintf(`{
	admin {$ADMIN}
	persist_config off
}

http:// {
	bind {$LISTEN} {
		protocols h1 h2c
	}
	mcp {
		name shop
		instructions "Generation %[1]d."
		tool stable {
			description "Always here."
			arg text string "A text."
			request POST /echo/stable
		}
		tool wait {
			description "It waits."
			arg key string "A gate."
			request GET /gate/{key}
		}
		tool gen_%[1]d {
			description "Only here."
			request GET /x
			respond "generation %[1]d"
		}
		reverse_proxy %[2]s
	}
}
`, n, up.Addr())}
}

// fresh is a client whose connections are new for each request.
func fresh(c *harness.Caddy) *harness.Caddy {
	other := *c
	other.Client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return &other
}

// multiplexed is a client with one HTTP/2 connection, as clients have behind
// TLS. A server tells it to go elsewhere, so that it loses nothing.
func multiplexed(c *harness.Caddy) *harness.Caddy {
	other := *c
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	other.Client = &http.Client{Transport: &http.Transport{Protocols: p}}
	return &other
}

// try sends a call once more if its HTTP/1.1 connection was closed without an answer: a
// server of net/http that is told to shut down drops requests that it has not
// begun, whatever its handlers do. That it had not begun is checked: the
// upstream must not know of it.
func try(t *testing.T, c *harness.Caddy, r *harness.Request, text string) (*harness.Response, error) {
	for range 10 {
		// Not a context that ends: what has begun is finished.
		res, err := c.Try(t.Context(), r)
		if err == nil {
			return res, nil
		}
		if ran(text) != 0 {
			return nil, fmt.Errorf("the call ran, but its answer was lost: %w", err)
		}
	}
	return nil, errors.New("no connection lives long enough")
}

// ran counts the calls with a text.
func ran(text string) int {
	if text == "" {
		return 0
	}
	n := 0
	for _, r := range up.Seen("/echo/stable") {
		if strings.Contains(r.Text, `"`+text+`"`) {
			n++
		}
	}
	return n
}

func TestReloadUnderCalls(t *testing.T) {
	t.Parallel()
	const loads = 50
	kept := harness.Start(t, generation(0))
	c := fresh(kept)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	var calls, multi, failed atomic.Int64
	for worker := range 6 {
		wg.Go(func() {
			version := harness.Eras[worker%2]
			client, strict := c, false
			switch worker / 2 {
			case 0:
				client = kept
			case 1:
				client, strict = multiplexed(kept), true
			}
			defer client.Client.CloseIdleConnections()
			for i := 0; ctx.Err() == nil; i++ {
				text := fmt.Sprintf("w%d-%d", worker, i)
				r := harness.Tool(version, "stable", object{"text": text})
				if i%5 == 4 {
					r = harness.Call(version, "tools/list", nil)
				}
				var res *harness.Response
				var err error
				if strict {
					res, err = client.Try(t.Context(), r)
					multi.Add(1)
				} else {
					res, err = try(t, client, r, text)
				}
				calls.Add(1)
				switch {
				case err != nil:
					t.Errorf("%s: %v", text, err)
				case res.Status != http.StatusOK || len(res.Messages) != 1 || res.Messages[0].Result == nil || string(res.Messages[0].ID) != r.ID:
					t.Errorf("%s: HTTP %d %s", text, res.Status, res.Body)
				case r.Method == "tools/call" && !strings.Contains(string(res.Body), text):
					t.Errorf("%s: another call's answer: %s", text, res.Body)
				case r.Method == "tools/call" && ran(text) != 1:
					t.Errorf("%s: the call ran %d times", text, ran(text))
				default:
					continue
				}
				if failed.Add(1) > 5 {
					return
				}
			}
		})
	}
	for n := 1; n <= loads; n++ {
		if err := c.Load(t.Context(), generation(n)); err != nil {
			t.Fatalf("load %d: %v", n, err)
		}
		// The new one serves as soon as the load is over.
		res, err := try(t, c, harness.Tool(harness.Modern, fmt.Sprintf("gen_%d", n), nil), "")
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("generation %d", n); res.Result(t).Text() != want {
			t.Errorf("%q, want %q", res.Body, want)
		}
	}
	cancel()
	wg.Wait()
	t.Logf("%d calls during %d loads, %d of them over HTTP/2", calls.Load(), loads, multi.Load())
	if multi.Load() < loads {
		t.Errorf("only %d calls over HTTP/2 during %d loads", multi.Load(), loads)
	}
}

// A call that is running when the configuration changes is finished by the old one.
func TestReloadDuringCall(t *testing.T) {
	t.Parallel()
	for _, v := range harness.Eras {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			c := fresh(harness.Start(t, generation(0)))
			key := "reload-" + v
			done := make(chan *harness.Response, 1)
			go func() {
				res, err := c.Try(t.Context(), harness.Tool(v, "wait", object{"key": key}))
				if err != nil {
					t.Error(err)
				}
				done <- res
			}()
			ctx, cancel := context.WithTimeout(t.Context(), harness.Patience)
			defer cancel()
			if err := up.Arrived(ctx, key); err != nil {
				t.Fatal(err)
			}
			// Caddy waits for old requests before it answers the load.
			loaded := make(chan error, 1)
			go func() { loaded <- c.Load(t.Context(), generation(1)) }()
			c.WaitLog(t, func(l harness.Log) bool { return l.Logger == "admin.api" && l.Msg == "received request" })
			for i := 0; ; i++ {
				res, err := try(t, c, harness.Call(v, "tools/list", nil), "")
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(res.Body), "gen_1") {
					break
				}
				if ctx.Err() != nil {
					t.Fatal("the new configuration never served")
				}
			}
			up.Release(key)
			if res := <-done; res == nil || res.Result(t).IsError {
				t.Error("the call was lost")
			}
			if err := <-loaded; err != nil {
				t.Error(err)
			}
		})
	}
}

// A configuration that is wrong changes nothing.
func TestReloadWrong(t *testing.T) {
	t.Parallel()
	c := fresh(harness.Start(t, generation(0)))
	for name, change := range map[string][2]string{
		"a word":   {"instructions", "instrucions"},
		"a schema": {"arg text string", "arg text strnig"},
		"a tool":   {"tool wait", "tool stable"},
		"jq":       {"request GET /x", "select \".[\"\n\t\t\trequest GET /x"},
	} {
		cfg := generation(1)
		cfg.Text = strings.Replace(cfg.Text, change[0], change[1], 1)
		err := c.Load(t.Context(), cfg)
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		if res := c.Do(t, harness.Tool(harness.Legacy, "gen_0", nil)).Result(t); res.Text() != "generation 0" {
			t.Errorf("%s: %q", name, res.Text())
		}
	}
	if err := c.Load(t.Context(), generation(2)); err != nil {
		t.Error(err)
	}
}

// A process that was reloaded ends when told to.
func TestExitAfterReload(t *testing.T) {
	t.Parallel()
	c, err := harness.New(generation(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Load(t.Context(), generation(1)); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if c.Running() {
		t.Error("it is still running")
	}
}
