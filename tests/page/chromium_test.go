// SPDX-License-Identifier: Apache-2.0

package page_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/harness"
)

// flags keep Chromium from talking to anybody but the page's server.
var flags = []string{
	"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
	"--disable-background-networking", "--disable-component-update", "--disable-sync",
	"--disable-dev-shm-usage", "--remote-debugging-pipe",
}

// tab is a page in Chromium, driven by the DevTools protocol over pipes.
type tab struct {
	t       *testing.T
	ctx     context.Context
	session string
	in      io.Writer

	mu      sync.Mutex
	last    int
	answers map[int]chan message
	events  []message
	closed  chan struct{}
	loads   chan struct{}
}

type message struct {
	ID      int             `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

func findChromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no Chromium: install by `apt-get install chromium`")
	return ""
}

// openTab starts Chromium with one empty tab.
func openTab(t *testing.T) *tab {
	t.Helper()
	bin := findChromium(t)
	// Not the test's context: that one ends before the cleanup.
	ctx, cancel := context.WithTimeout(context.Background(), 2*harness.Patience)
	t.Cleanup(cancel)
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cmd := exec.CommandContext(ctx, bin, append(flags, "--user-data-dir="+home)...)
	cmd.Env = append(os.Environ(), "HOME="+home)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = theirIn.Close(), theirOut.Close()
	c := &tab{
		t: t, ctx: ctx, in: ourIn, answers: make(map[int]chan message),
		closed: make(chan struct{}), loads: make(chan struct{}, 16),
	}
	go c.read(ourOut)
	t.Cleanup(func() {
		// Its files can be removed only when all its processes have ended.
		c.do("Browser.close", nil, nil)
		<-c.closed
		_ = cmd.Wait()
		_, _ = ourIn.Close(), ourOut.Close()
	})
	var target struct{ TargetID string }
	c.do("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct{ SessionID string }
	c.do("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	c.session = session.SessionID
	for _, domain := range []string{"Page", "Network", "Log", "Runtime", "Audits"} {
		c.do(domain+".enable", nil, nil)
	}
	return c
}

// read takes Chromium's messages, each of which ends with a zero byte.
func (c *tab) read(r io.Reader) {
	defer close(c.closed)
	br := bufio.NewReader(r)
	for {
		data, err := br.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(bytes.TrimSuffix(data, []byte{0}), &m) != nil {
			continue
		}
		c.mu.Lock()
		if answer, ok := c.answers[m.ID]; ok {
			answer <- m
			delete(c.answers, m.ID)
		} else {
			c.events = append(c.events, m)
		}
		c.mu.Unlock()
		if m.Method == "Page.loadEventFired" {
			c.loads <- struct{}{}
		}
	}
}

// do sends a command and reads its result.
func (c *tab) do(method string, params, result any) {
	c.t.Helper()
	if err := c.try(method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *tab) try(method string, params, result any) error {
	if params == nil {
		params = map[string]any{}
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	answer := make(chan message, 1)
	c.mu.Lock()
	c.last++
	m := message{ID: c.last, Method: method, Params: raw, Session: c.session}
	if method == "Browser.close" {
		m.Session = ""
	}
	c.answers[m.ID] = answer
	c.mu.Unlock()
	if raw, err = json.Marshal(m); err != nil {
		return err
	}
	if _, err := c.in.Write(append(raw, 0)); err != nil {
		return err
	}
	select {
	case m = <-answer:
	case <-c.closed:
		return errors.New("chromium has ended")
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
	if m.Error != nil {
		return errors.New(m.Error.Message)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(m.Result, result)
}

// open navigates and waits for the page to be loaded.
func (c *tab) open(url string) {
	c.t.Helper()
	for len(c.loads) > 0 {
		<-c.loads
	}
	var nav struct{ ErrorText string }
	c.do("Page.navigate", map[string]any{"url": url}, &nav)
	if nav.ErrorText != "" {
		c.t.Fatalf("opening %s: %s", url, nav.ErrorText)
	}
	select {
	case <-c.loads:
	case <-c.ctx.Done():
		c.t.Fatalf("opening %s: %v", url, c.ctx.Err())
	}
}

// eval gives the value of a JavaScript expression.
func (c *tab) eval(expression string, value any) {
	c.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	c.do("Runtime.evaluate", map[string]any{
		"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true,
	}, &r)
	if r.ExceptionDetails != nil {
		c.t.Fatalf("%s: %s", expression, r.ExceptionDetails)
	}
	if err := json.Unmarshal(r.Result.Value, value); err != nil {
		c.t.Fatalf("%s: %v in %s", expression, err, r.Result.Value)
	}
}

// screenshot saves what can be seen, all the way down.
func (c *tab) screenshot(file string) {
	c.t.Helper()
	var shot struct{ Data []byte }
	c.do("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true}, &shot)
	if err := os.WriteFile(file, shot.Data, 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// seen gives the events of a method.
func (c *tab) seen(method string) []json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []json.RawMessage
	for _, m := range c.events {
		if m.Method == method {
			out = append(out, m.Params)
		}
	}
	return out
}

// complaints are what Chromium found wrong: violations of the policy, errors of
// scripts, and what is on the console.
func (c *tab) complaints() []string {
	var out []string
	for _, method := range []string{"Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Audits.issueAdded"} {
		for _, p := range c.seen(method) {
			out = append(out, fmt.Sprintf("%s %s", method, p))
		}
	}
	return out
}
