// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddy-mcp/tool"
)

// discard is a response that costs nothing to write.
type discard struct {
	header http.Header
	n      int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(b []byte) (int, error) { d.n += len(b); return len(b), nil }

// replay gives the same request again and again.
type replay struct {
	r    *http.Request
	body []byte
	rd   bytes.Reader
	w    discard
}

func newReplay(r *http.Request) *replay {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	p := &replay{r: r, body: body, w: discard{header: make(http.Header, 8)}}
	r.Body = io.NopCloser(&p.rd)
	return p
}

func (p *replay) run(h *Handler) error {
	p.rd.Reset(p.body)
	clear(p.w.header)
	p.w.n = 0
	return h.ServeHTTP(&p.w, p.r)
}

const callArguments = `{"id":"0123456789abcdef","limit":25,"deep":{"a":[1,2,3],"b":"some more text to have 100 bytes"}}`

func callBody(version, tool, arguments string) string {
	meta := ""
	if version == versionModern {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
			`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0"}}`
	}
	return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + meta + `}}`
}

func callRequest(version, tool, arguments string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(callBody(version, tool, arguments)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("MCP-Protocol-Version", version)
	if version == versionModern {
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", tool)
	}
	return r
}

func benchHandler(b testing.TB, n int) *Handler {
	b.Helper()
	res := &tool.Result{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("0123456789abcde ", 64)}}, Outcome: tool.OutcomeOK}
	tools := make([]Tool, n)
	for i := range tools {
		tools[i] = &fakeTool{name: fmt.Sprintf("tool_%d", i), result: res}
	}
	h, err := New(Options{Name: "bench", Version: "1.0.0", Tools: tools})
	if err != nil {
		b.Fatal(err)
	}
	return h
}

// maxCallAllocs is what a call may allocate in this package.
const maxCallAllocs = 25

func TestCallAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	h := benchHandler(t, 1)
	for _, v := range supportedVersions {
		p := newReplay(callRequest(v, "tool_0", callArguments))
		n := testing.AllocsPerRun(200, func() {
			if err := p.run(h); err != nil || p.w.n == 0 {
				t.Fatal(err, p.w.n)
			}
		})
		t.Logf("%s: %v allocations", v, n)
		if n > maxCallAllocs {
			t.Errorf("%s: %v allocations, want at most %d", v, n, maxCallAllocs)
		}
	}
}

func BenchmarkCall(b *testing.B) {
	big := `{"id":"` + strings.Repeat("x", 50_000) + `","list":[` + strings.TrimSuffix(strings.Repeat(`{"a":1,"b":"two"},`, 2500), ",") + `]}`
	for _, c := range []struct {
		name, version, args string
		tools               int
	}{
		{"modern", versionModern, callArguments, 1},
		{"legacy", versionLegacy, callArguments, 1},
		{"5000tools", versionModern, callArguments, 5000},
		{"100KB", versionModern, big, 1},
	} {
		b.Run(c.name, func(b *testing.B) {
			h := benchHandler(b, c.tools)
			p := newReplay(callRequest(c.version, fmt.Sprintf("tool_%d", c.tools-1), c.args))
			b.SetBytes(int64(len(p.body)))
			b.ReportAllocs()
			for b.Loop() {
				if err := p.run(h); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAnswer1MB(b *testing.B) {
	text := strings.Repeat("0123456789abcde ", 64<<10)
	res := &tool.Result{Content: []mcp.Content{&mcp.TextContent{Text: text}}, Outcome: tool.OutcomeOK}
	h, err := New(Options{Name: "bench", Version: "1.0.0", Tools: []Tool{&fakeTool{name: "big", result: res}}})
	if err != nil {
		b.Fatal(err)
	}
	p := newReplay(callRequest(versionModern, "big", "{}"))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if err := p.run(h); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkList(b *testing.B) {
	h := benchHandler(b, 1000)
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	p := newReplay(r)
	b.ReportAllocs()
	for b.Loop() {
		if err := p.run(h); err != nil {
			b.Fatal(err)
		}
	}
}
