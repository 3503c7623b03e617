// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/caddymcp/caddy-mcp/mcphandler"
	"github.com/caddymcp/caddy-mcp/tool"
)

const (
	allocationsName = "allocations per call inside mcphandler and tool"
	// allocationsAtMost is the target.
	allocationsAtMost = 60
)

// backend answers as an API would, at once and without an allocation.
type backend struct{ answer []byte }

var jsonType = []string{"application/json"}

func (b backend) Serve(w http.ResponseWriter, _ *http.Request, _ *tool.Call) error {
	w.Header()["Content-Type"] = jsonType
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(b.answer)
	return err
}

func (backend) Placeholder(*tool.Call, string) (string, bool) { return "", false }

// sink is a response writer that is used again and again.
type sink struct {
	header http.Header
	status int
	n      int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(p []byte) (int, error) { s.n += len(p); return len(p), nil }

// newCall gives a function that sends one tools/call through a handler.
func newCall(e era) (func() error, error) {
	t, problems := tool.Compile(tool.Config{
		Name: "post", Description: "A tool.", InputSchema: raw(toolSchema()),
		Request: tool.Request{Method: http.MethodPost, URL: "/raw/1024"},
	}, tool.Options{Backend: backend{[]byte(answer(1024))}})
	if t == nil {
		return nil, fmt.Errorf("compiling the tool: %v", problems)
	}
	h, err := mcphandler.New(mcphandler.Options{Name: "bench", Version: "1", Tools: []mcphandler.Tool{t}})
	if err != nil {
		return nil, err
	}
	target := e.call("localhost", "/mcp", "post", smallArguments, "")
	r, body, err := parse(target.Request)
	if err != nil {
		return nil, err
	}
	w := &sink{header: make(http.Header)}
	reader := bytes.NewReader(nil)
	return func() error {
		clear(w.header)
		w.status, w.n = 0, 0
		reader.Reset(body)
		r.Body = io.NopCloser(reader)
		if err := h.ServeHTTP(w, r); err != nil {
			return err
		}
		if w.n < 1024 {
			return fmt.Errorf("status %d with %d bytes", w.status, w.n)
		}
		return nil
	}, nil
}

// parse gives a request as a server sees it, and its body.
func parse(wire []byte) (*http.Request, []byte, error) {
	head, body, _ := bytes.Cut(wire, []byte("\r\n\r\n"))
	r := &http.Request{Method: http.MethodPost, URL: &url.URL{Path: "/mcp"}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Host: "localhost", Header: make(http.Header)}
	for _, line := range bytes.Split(head, []byte("\r\n"))[1:] {
		name, value, _ := bytes.Cut(line, []byte(": "))
		r.Header.Set(string(name), string(value))
	}
	r.ContentLength = int64(len(body))
	return r, body, nil
}

// allocations counts what one call allocates.
func allocations(e era) (float64, error) {
	call, err := newCall(e)
	if err != nil {
		return 0, err
	}
	if err := call(); err != nil {
		return 0, err
	}
	n := testing.AllocsPerRun(1000, func() {
		if callErr := call(); callErr != nil {
			err = callErr
		}
	})
	return n, err
}

func reportAllocations(r *report) error {
	for _, e := range []era{modern, legacy} {
		n, err := allocations(e)
		if err != nil {
			return fmt.Errorf("%s: %w", allocationsName, err)
		}
		atMost := fmt.Sprint(allocationsAtMost)
		if n > allocationsAtMost {
			atMost += " (missed)"
			r.missed++
		}
		fmt.Fprintf(r.out, "| %s (%s) | | %.0f | %s | | | | |\n", allocationsName, e, n, atMost)
	}
	return nil
}
