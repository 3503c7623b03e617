// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Log is a line of Caddy's log.
type Log struct {
	Level, Logger, Msg string
	// Fields are all members of the line.
	Fields map[string]any
	// Raw is the line itself.
	Raw string
}

// Logs gives the lines that match; nil matches all.
func (c *Caddy) Logs(match func(Log) bool) []Log { return c.logs.find(match) }

// LogText is everything that Caddy has written.
func (c *Caddy) LogText() string { return c.logs.text() }

// WaitLog waits for a line.
func (c *Caddy) WaitLog(t testing.TB, match func(Log) bool) Log {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	if err := c.logs.wait(ctx, match); err != nil {
		t.Fatalf("no such line in the log: %v", err)
	}
	return c.logs.find(match)[0]
}

type logs struct {
	mu      sync.Mutex
	buf     bytes.Buffer
	lines   []Log
	rest    []byte
	changed chan struct{}
	closed  bool
}

func newLogs() *logs { return &logs{changed: make(chan struct{})} }

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf.Write(p)
	l.rest = append(l.rest, p...)
	for {
		line, rest, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok {
			break
		}
		l.rest = rest
		l.lines = append(l.lines, parseLog(line))
	}
	close(l.changed)
	l.changed = make(chan struct{})
	return len(p), nil
}

func parseLog(line []byte) Log {
	out := Log{Raw: string(line)}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if d.Decode(&out.Fields) != nil {
		return out
	}
	out.Level, _ = out.Fields["level"].(string)
	out.Logger, _ = out.Fields["logger"].(string)
	out.Msg, _ = out.Fields["msg"].(string)
	return out
}

func (l *logs) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *logs) find(match func(Log) bool) []Log {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Log
	for _, line := range l.lines {
		if match == nil || match(line) {
			out = append(out, line)
		}
	}
	return out
}

func (l *logs) wait(ctx context.Context, match func(Log) bool) error {
	seen := 0
	for {
		l.mu.Lock()
		fresh, changed, closed := l.lines[seen:], l.changed, l.closed
		seen = len(l.lines)
		l.mu.Unlock()
		if slices.ContainsFunc(fresh, match) {
			return nil
		}
		if closed {
			return errors.New("caddy has ended")
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (l *logs) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func (l *logs) tail(n int) string {
	lines := strings.Split(strings.TrimSpace(l.text()), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
