// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Response is an answer, read to its end.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	// SSE says that it was an event stream.
	SSE bool
	// Messages of the stream, or the one of the body.
	Messages []Message
}

// Message is a JSON-RPC message.
type Message struct {
	Raw    json.RawMessage `json:"-"`
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// Error is a JSON-RPC error.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// Result is a result of tools/call and what else tests look at.
type Result struct {
	Content    []Content       `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
	ResultType string          `json:"resultType"`
	Meta       map[string]any  `json:"_meta"`
	Tools      []ToolInfo      `json:"tools"`
	NextCursor *string         `json:"nextCursor"`
	TTL        *json.Number    `json:"ttlMs"`
	Scope      string          `json:"cacheScope"`
	Versions   []string        `json:"supportedVersions"`
	Version    string          `json:"protocolVersion"`
	Server     map[string]any  `json:"serverInfo"`
	// Capabilities of the server.
	Capabilities map[string]map[string]any `json:"capabilities"`
	Instructions string                    `json:"instructions"`
}

// Content is a content block.
type Content struct {
	Type, Text, Data, MIMEType string
	Resource                   *struct{ URI, MIMEType, Text, Blob string }
}

// ToolInfo is a tool of a list.
type ToolInfo struct {
	Name, Title, Description string
	InputSchema              json.RawMessage
	OutputSchema             json.RawMessage
	Annotations              map[string]any
	Icons                    []map[string]any
	Meta                     map[string]any `json:"_meta"`
	Raw                      json.RawMessage
}

// UnmarshalJSON keeps the bytes.
func (t *ToolInfo) UnmarshalJSON(b []byte) error {
	type plain ToolInfo
	if err := json.Unmarshal(b, (*plain)(t)); err != nil {
		return err
	}
	t.Raw = bytes.Clone(b)
	return nil
}

// Stream is an answer that is still coming.
type Stream struct {
	*http.Response
	cancel context.CancelFunc
}

// Hang drops the connection.
func (s *Stream) Hang() {
	s.cancel()
	_ = s.Body.Close()
}

// Open sends a request and gives the answer before its body.
func (c *Caddy) Open(t testing.TB, r *Request) *Stream {
	t.Helper()
	s, err := c.open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Hang)
	return s
}

func (c *Caddy) open(ctx context.Context, r *Request) (*Stream, error) {
	method, path := r.HTTPMethod, r.Path
	if method == "" {
		method = http.MethodPost
	}
	if path == "" {
		path = "/mcp"
	}
	ctx, cancel := context.WithTimeout(ctx, Patience)
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, bytes.NewReader(r.payload()))
	if err != nil {
		cancel()
		return nil, err
	}
	req.Header = r.Header
	if req.Header == nil {
		req.Header = http.Header{}
	}
	if r.Host != "" {
		req.Host = r.Host
	}
	res, err := c.Client.Do(req)
	if err != nil {
		cancel()
		return nil, err
	}
	return &Stream{Response: res, cancel: cancel}, nil
}

// Do sends a request and checks what holds for every answer.
func (c *Caddy) Do(t testing.TB, r *Request) *Response {
	t.Helper()
	res, err := c.Try(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Invalid {
		if err := res.check(r); err != nil {
			t.Fatalf("%s %s: %v\nHTTP %d %v\n%s", r.Version, r.Method, err, res.Status, res.Header, short(res.Body))
		}
	}
	return res
}

// Try sends a request and reads the answer; it may be called by any goroutine.
func (c *Caddy) Try(ctx context.Context, r *Request) (*Response, error) {
	s, err := c.open(ctx, r)
	if err != nil {
		return nil, err
	}
	defer s.cancel()
	defer s.Body.Close()
	out := &Response{Status: s.StatusCode, Header: s.Header}
	if out.Body, err = io.ReadAll(s.Body); err != nil {
		return nil, fmt.Errorf("reading the answer: %w (so far: %s)", err, short(out.Body))
	}
	return out, out.parse()
}

func (r *Response) parse() error {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch {
	case len(r.Body) == 0:
		return nil
	case kind == "text/event-stream":
		r.SSE = true
		for _, e := range Events(r.Body) {
			if err := r.add(e); err != nil {
				return err
			}
		}
		return nil
	case kind == "application/json" && bytes.HasPrefix(r.Body, []byte("[")):
		var all []json.RawMessage
		if err := json.Unmarshal(r.Body, &all); err != nil {
			return err
		}
		for _, m := range all {
			if err := r.add(m); err != nil {
				return err
			}
		}
		return nil
	case kind == "application/json":
		return r.add(r.Body)
	}
	return nil
}

func (r *Response) add(raw []byte) error {
	m := Message{Raw: raw}
	if err := json.Unmarshal(raw, &m); err != nil {
		return fmt.Errorf("no JSON-RPC message: %w: %s", err, short(raw))
	}
	r.Messages = append(r.Messages, m)
	return nil
}

// Events gives the data of the events of a stream.
func Events(stream []byte) [][]byte {
	var out [][]byte
	for e := range bytes.SplitSeq(stream, []byte("\n\n")) {
		var data [][]byte
		for line := range bytes.SplitSeq(e, []byte("\n")) {
			if d, ok := bytes.CutPrefix(line, []byte("data:")); ok {
				data = append(data, bytes.TrimPrefix(d, []byte(" ")))
			}
		}
		if len(data) > 0 {
			out = append(out, bytes.Join(data, []byte("\n")))
		}
	}
	return out
}

// Final is the response to the request: the last message.
func (r *Response) Final(t testing.TB) Message {
	t.Helper()
	if len(r.Messages) == 0 {
		t.Fatalf("no message in the answer: HTTP %d %v\n%s", r.Status, r.Header, short(r.Body))
	}
	return r.Messages[len(r.Messages)-1]
}

// Result decodes the result; anything else fails the test.
func (r *Response) Result(t testing.TB) Result {
	t.Helper()
	m := r.Final(t)
	if m.Error != nil || m.Result == nil {
		t.Fatalf("expected a result: HTTP %d\n%s", r.Status, short(m.Raw))
	}
	if r.Status != http.StatusOK {
		t.Fatalf("a result with HTTP %d: %s", r.Status, short(m.Raw))
	}
	var out Result
	if err := json.Unmarshal(m.Result, &out); err != nil {
		t.Fatalf("%v: %s", err, short(m.Result))
	}
	return out
}

// WantError wants a JSON-RPC error with that HTTP status.
func (r *Response) WantError(t testing.TB, status, code int) *Error {
	t.Helper()
	if r.Status != status {
		t.Errorf("HTTP %d, want %d: %s", r.Status, status, short(r.Body))
	}
	m := r.Final(t)
	if m.Error == nil || m.Error.Code != code {
		t.Fatalf("want error %d: %s", code, short(m.Raw))
	}
	return m.Error
}

// WantStatus wants an HTTP status.
func (r *Response) WantStatus(t testing.TB, status int) *Response {
	t.Helper()
	if r.Status != status {
		t.Fatalf("HTTP %d, want %d: %s", r.Status, status, short(r.Body))
	}
	return r
}

// Text is the text of the first content block.
func (r Result) Text() string {
	for _, c := range r.Content {
		if c.Type == "text" {
			return c.Text
		}
	}
	return ""
}

func short(b []byte) string {
	if len(b) > 3000 {
		return string(b[:2000]) + " … " + string(b[len(b)-500:])
	}
	return string(b)
}
