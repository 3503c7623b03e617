// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddy-mcp/tests/schema"
	"github.com/caddymcp/caddy-mcp/tool"
)

// fakeTool is a tool that does what a test says.
type fakeTool struct {
	name   string
	desc   *tool.Descriptor
	result *tool.Result
	call   func(ctx context.Context, c *tool.Call) *tool.Result
	calls  atomic.Int64
}

func (f *fakeTool) Descriptor() *tool.Descriptor {
	if f.desc != nil {
		return f.desc
	}
	return &tool.Descriptor{
		Name: f.name, Description: "A tool of the tests.",
		InputSchema: jsontext.Value(`{"type":"object"}`),
	}
}

func (f *fakeTool) Call(ctx context.Context, c *tool.Call) *tool.Result {
	f.calls.Add(1)
	if f.call != nil {
		return f.call(ctx, c)
	}
	return f.result
}

var _ Tool = (*fakeTool)(nil)

func textResult(s string) *tool.Result {
	return &tool.Result{Content: []mcp.Content{&mcp.TextContent{Text: s}}, Outcome: tool.OutcomeOK}
}

// echo gives its arguments back as text.
func echo() *fakeTool {
	return &fakeTool{name: "echo", call: func(_ context.Context, c *tool.Call) *tool.Result {
		return textResult(string(c.Arguments))
	}}
}

// newHandler makes a handler; its tools are those, or one that echoes.
func newHandler(t testing.TB, o Options, tools ...Tool) *Handler {
	t.Helper()
	if o.Name == "" {
		o.Name, o.Version = "test", "1.2.3"
	}
	o.Tools = tools
	if tools == nil {
		o.Tools = []Tool{echo()}
	}
	h, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// request is a message and how it is sent.
type request struct {
	version string // header and, if it is modern, metadata; empty means neither
	method  string
	params  string // members, without braces
	id      string // raw; empty means 1, "-" means none
	meta    string // more members of _meta
	body    string // instead of a message made of the above
	verb    string // instead of POST
	header  map[string]string
	lines   http.Header
	ctx     context.Context
}

func call(version, name, arguments string) request {
	p := `"name":` + string(quote(nil, name))
	if arguments != "" {
		p += `,"arguments":` + arguments
	}
	r := request{version: version, method: "tools/call", params: p}
	if version != versionModern {
		return r
	}
	return r.with("Mcp-Name", name)
}

// with sets a header; an empty value removes it.
func (q request) with(name, value string) request {
	h := make(map[string]string, len(q.header)+1)
	maps.Copy(h, q.header)
	h[name] = value
	q.header = h
	return q
}

const goodMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`

func (q request) http() *http.Request {
	body := q.body
	if body == "" {
		params := q.params
		meta := q.meta
		if q.version == versionModern {
			meta = strings.TrimPrefix(meta+","+goodMeta, ",")
		}
		if meta != "" {
			params = strings.TrimPrefix(params+`,"_meta":{`+meta+`}`, ",")
		}
		id := `,"id":` + q.id
		switch q.id {
		case "":
			id = `,"id":1`
		case "-":
			id = ""
		}
		body = `{"jsonrpc":"2.0"` + id + `,"method":` + string(quote(nil, q.method)) + `,"params":{` + params + `}}`
	}
	verb := q.verb
	if verb == "" {
		verb = http.MethodPost
	}
	r := httptest.NewRequest(verb, "http://example.com/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if q.version != "" {
		r.Header.Set("MCP-Protocol-Version", q.version)
	}
	if q.version == versionModern {
		r.Header.Set("Mcp-Method", q.method)
	}
	for k, v := range q.header {
		if v == "" {
			r.Header.Del(k)
			continue
		}
		r.Header.Set(k, v)
	}
	maps.Copy(r.Header, q.lines)
	if q.ctx != nil {
		r = r.WithContext(q.ctx)
	}
	return r
}

// rpc is any JSON-RPC message.
type rpc struct {
	raw    json.RawMessage
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

// answer is what came back.
type answer struct {
	status   int
	header   http.Header
	body     []byte
	sse      bool
	messages []rpc
}

// do sends a request and checks what must be true of every answer.
func do(t testing.TB, h *Handler, q request) *answer {
	t.Helper()
	w := httptest.NewRecorder()
	err := h.ServeHTTP(w, q.http())
	a := &answer{status: w.Code, header: w.Header(), body: w.Body.Bytes()}
	if err != nil {
		var se *StatusError
		if !errors.As(err, &se) || len(a.body) > 0 {
			t.Fatalf("error %v, body %q", err, a.body)
		}
		a.status = se.Status
		return a
	}
	if len(a.body) == 0 {
		return a
	}
	a.parse(t)
	version := q.version
	if !slices.Contains(supportedVersions, version) {
		version = versionLegacy
	}
	for _, m := range a.messages {
		m.check(t, version, q.method)
	}
	return a
}

func (a *answer) parse(t testing.TB) {
	t.Helper()
	add := func(b []byte) {
		var m rpc
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatalf("%v: %s", err, b)
		}
		m.raw = bytes.Clone(b)
		if m.Result == nil && m.Error == nil && m.Method == "" {
			t.Fatalf("neither response nor notification: %s", b)
		}
		a.messages = append(a.messages, m)
	}
	switch ct := a.header.Get("Content-Type"); ct {
	case "text/event-stream":
		a.sse = true
		s := bufio.NewScanner(bytes.NewReader(a.body))
		s.Buffer(nil, 64<<20)
		for s.Scan() {
			line := s.Text()
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				add([]byte(data))
			} else if line != "" && line[0] != ':' {
				t.Fatalf("unexpected line %q", line)
			}
		}
	case "application/json":
		if len(a.body) > 0 && a.body[0] == '[' {
			var all []json.RawMessage
			if err := json.Unmarshal(a.body, &all); err != nil {
				t.Fatal(err)
			}
			for _, b := range all {
				add(b)
			}
			return
		}
		add(a.body)
	default:
		t.Fatalf("Content-Type %q", ct)
	}
}

// resultTypes are the definitions of results in the protocol's schema.
var resultTypes = map[string]string{
	"tools/call": "CallToolResult", "tools/list": "ListToolsResult",
	"server/discover": "DiscoverResult", "initialize": "InitializeResult", "ping": "EmptyResult",
}

// check validates a message with the schema of its protocol version.
func (m *rpc) check(t testing.TB, version, method string) {
	t.Helper()
	if !jsontext.Value(m.raw).IsValid() {
		t.Errorf("not strict JSON: %s", m.raw)
	}
	var err error
	switch {
	case m.Method != "":
		err = schema.Validate(version, "ProgressNotification", m.raw)
	case m.Error != nil:
		// Older schemas want an id even where none could be read.
		if m.ID != nil || version >= versionLegacy {
			err = schema.Validate(version, "JSONRPCErrorResponse", m.raw)
		}
	default:
		if err = schema.Validate(version, "JSONRPCResultResponse", m.raw); err == nil && resultTypes[method] != "" {
			err = schema.Validate(version, resultTypes[method], m.Result)
		}
	}
	if err != nil {
		t.Errorf("%v\n%s", err, m.raw)
	}
}

// last is the response.
func (a *answer) last(t testing.TB) *rpc {
	t.Helper()
	if len(a.messages) == 0 {
		t.Fatalf("HTTP %d without a message: %q", a.status, a.body)
	}
	return &a.messages[len(a.messages)-1]
}

// result decodes the result of a request that must have one.
func (a *answer) result(t testing.TB) map[string]json.RawMessage {
	t.Helper()
	m := a.last(t)
	if a.status != http.StatusOK || m.Error != nil {
		t.Fatalf("HTTP %d: %s", a.status, a.body)
	}
	var r map[string]json.RawMessage
	if err := json.Unmarshal(m.Result, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// text is the first text of a call's result.
func (a *answer) text(t testing.TB) string {
	t.Helper()
	var content []struct{ Text string }
	if err := json.Unmarshal(a.result(t)["content"], &content); err != nil || len(content) == 0 {
		t.Fatalf("%v: %s", err, a.body)
	}
	return content[0].Text
}

// wantError wants a JSON-RPC error with that HTTP status.
func (a *answer) wantError(t testing.TB, status, code int) *rpc {
	t.Helper()
	if len(a.messages) != 1 || a.messages[0].Error == nil {
		t.Fatalf("HTTP %d, want error %d: %s", a.status, code, a.body)
	}
	m := &a.messages[0]
	if a.status != status || m.Error.Code != code {
		t.Errorf("HTTP %d, code %d; want %d, %d: %s", a.status, m.Error.Code, status, code, a.body)
	}
	if m.Error.Message == "" {
		t.Errorf("no message: %s", a.body)
	}
	return m
}

// both runs a test in both eras.
func both(t *testing.T, f func(t *testing.T, version string)) {
	t.Helper()
	t.Parallel()
	for _, v := range supportedVersions {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			f(t, v)
		})
	}
}

// recorder is an observer that remembers.
type recorder struct {
	mu       sync.Mutex
	messages []Message
	results  []*tool.Result
	calls    []*tool.Call
}

func (o *recorder) Message(_ *http.Request, m Message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.messages = append(o.messages, m)
}

func (o *recorder) Call(ctx context.Context, c *tool.Call) (context.Context, func(*tool.Result)) {
	return ctx, func(res *tool.Result) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.calls = append(o.calls, c)
		o.results = append(o.results, res)
	}
}

var _ Observer = (*recorder)(nil)
