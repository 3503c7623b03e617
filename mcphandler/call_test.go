// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddy-mcp/tool"
)

func TestTOOL08(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		o := &recorder{}
		h := newHandler(t, Options{Observer: o})
		for _, name := range []string{"nosuch", "Echo", "echo ", "x" + strings.Repeat("ü", 3000)} {
			q := call(v, name, "{}")
			if v == versionModern {
				q = q.with("Mcp-Name", sentinel(name))
			}
			m := do(t, h, q).wantError(t, 200, codeInvalidParams)
			if len(m.raw) > 600 {
				t.Errorf("%d bytes", len(m.raw))
			}
		}
		for _, params := range []string{``, `"name":null`, `"name":7`, `"name":["echo"]`} {
			do(t, h, request{version: v, method: "tools/call", params: params}.with("Mcp-Name", "x")).wantError(t, 200, codeInvalidParams)
		}
		for _, args := range []string{`[]`, `"{}"`, `7`, `true`} {
			do(t, h, call(v, "echo", args)).wantError(t, 200, codeInvalidParams)
		}
		for i, m := range o.messages {
			want := Message{Method: "tools/call", Era: era(v), Outcome: "client_error"}
			if i >= 8 {
				want.Tool = "echo"
			}
			if m != want {
				t.Errorf("%+v, want %+v", m, want)
			}
		}
	})
}

func era(version string) string {
	if version == versionModern {
		return eraModern
	}
	return eraLegacy
}

func TestCallFields(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		o := &recorder{}
		h := newHandler(t, Options{Observer: o})
		for args, want := range map[string]string{"": "", "null": "", "{}": "{}", ` { "n" : 9007199254740993 } `: `{ "n" : 9007199254740993 }`} {
			if got := do(t, h, call(v, "echo", args)).text(t); got != want {
				t.Errorf("%q: %q", args, got)
			}
		}
		seen := map[string]bool{}
		for _, c := range o.calls {
			if c.Tool != "echo" || c.Protocol != v || c.Inbound == nil || c.Progress != nil || len(c.ID) < 22 || seen[c.ID] {
				t.Errorf("%+v", c)
			}
			seen[c.ID] = true
		}
		for i, m := range o.messages {
			if want := (Message{Method: "tools/call", Era: era(v), Tool: "echo", Outcome: "ok"}); m != want {
				t.Errorf("%+v", m)
			}
			if o.results[i].Outcome != tool.OutcomeOK {
				t.Errorf("%+v", o.results[i])
			}
		}
	})
}

func TestObserverMessages(t *testing.T) {
	t.Parallel()
	o := &recorder{}
	h := newHandler(t, Options{Observer: o}, &fakeTool{name: "fails", result: &tool.Result{IsError: true, Outcome: tool.OutcomeUpstream}})
	for _, q := range []request{
		{version: versionModern, method: "server/discover"},
		{version: versionLegacy, method: "ping"},
		{version: versionLegacy, method: "made/up"},
		{version: versionLegacy, method: "notifications/initialized", id: "-"},
		{version: versionLegacy, method: "notifications/made-up", id: "-"},
		call(versionLegacy, "fails", "{}"),
		{body: "{"},
		{body: `{"jsonrpc":"1.0","id":1,"method":"ping"}`},
		{version: "1999-01-01", method: "ping"},
	} {
		do(t, h, q)
	}
	for i, want := range []Message{
		{"server/discover", "modern", "", "ok"},
		{"ping", "legacy", "", "ok"},
		{"other", "legacy", "", "client_error"},
		{"notifications/initialized", "legacy", "", "ok"},
		{"other", "legacy", "", "ok"},
		{"tools/call", "legacy", "fails", "upstream_error"},
		{"other", "none", "", "client_error"},
		{"other", "none", "", "client_error"},
		{"ping", "none", "", "client_error"},
	} {
		if i >= len(o.messages) || o.messages[i] != want {
			t.Fatalf("%d: %+v, want %+v", i, o.messages, want)
		}
	}
}

// TOOL-11, TOOL-14 and the encoding of every kind of content.
func TestTOOL11And14(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		size := int64(7)
		res := &tool.Result{
			Content: []mcp.Content{
				&mcp.TextContent{Text: "a\"\\\n\x00\u2028é😀<\xff>"},
				&mcp.TextContent{},
				&mcp.ImageContent{Data: []byte{0, 255, 1}, MIMEType: "image/png"},
				&mcp.AudioContent{Data: []byte{}, MIMEType: "audio/wav"},
				&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "tool://x/1", MIMEType: "application/pdf", Blob: []byte("%PDF")}},
				&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "tool://x/2", Text: "t"}},
				&mcp.TextContent{Text: "for you", Annotations: &mcp.Annotations{Audience: []mcp.Role{"user"}}},
			},
			Meta:    []tool.Member{{Name: "com.example/a", Value: jsontext.Value(`{"n":1}`)}, {Name: "com.example/b", Value: jsontext.Value(`2`)}},
			Outcome: tool.OutcomeOK,
		}
		if v != versionBatch { // which has no links
			res.Content = append(res.Content, &mcp.ResourceLink{URI: "https://x.example", Name: "x", Size: &size})
		}
		h := newHandler(t, Options{}, &fakeTool{name: "all", result: res})
		r := do(t, h, call(v, "all", "{}")).result(t)
		want := `[{"type":"text","text":"a\"\\\n\u0000` + "\u2028é😀<\ufffd>" + `"},{"type":"text","text":""},` +
			`{"type":"image","mimeType":"image/png","data":"AP8B"},{"type":"audio","mimeType":"audio/wav","data":""},` +
			`{"type":"resource","resource":{"uri":"tool://x/1","mimeType":"application/pdf","blob":"JVBERg=="}},` +
			`{"type":"resource","resource":{"uri":"tool://x/2","text":"t"}},` +
			`{"type":"text","text":"for you","annotations":{"audience":["user"]}}`
		if got := string(r["content"]); !strings.HasPrefix(got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if r["isError"] != nil || r["structuredContent"] != nil {
			t.Errorf("%s", r)
		}
		var meta map[string]json.RawMessage
		if err := json.Unmarshal(r["_meta"], &meta); err != nil || string(meta["com.example/a"]) != `{"n":1}` || string(meta["com.example/b"]) != "2" {
			t.Errorf("%v: %s", err, r["_meta"])
		}
	})
}

func TestTOOL11Empty(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		h := newHandler(t, Options{}, &fakeTool{name: "none", result: &tool.Result{Outcome: tool.OutcomeOK}},
			&fakeTool{name: "nil", result: &tool.Result{Content: []mcp.Content{nil, &mcp.TextContent{Text: "x"}, nil}, IsError: true, Outcome: tool.OutcomeOK}})
		if r := do(t, h, call(v, "none", "{}")).result(t); string(r["content"]) != "[]" {
			t.Errorf("%s", r)
		}
		if r := do(t, h, call(v, "nil", "{}")).result(t); string(r["content"]) != `[{"type":"text","text":"x"}]` || string(r["isError"]) != "true" {
			t.Errorf("%s", r)
		}
	})
}

func TestTOOL14Structured(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		for value, object := range map[string]bool{
			`{"a":9007199254740993}`: true, " {\n\"b\": 1 }\n": true, `[1]`: false, `null`: false, `7`: false, `"x"`: false, `true`: false,
		} {
			res := textResult("t")
			res.Structured = jsontext.Value(value)
			h := newHandler(t, Options{}, &fakeTool{name: "s", result: res})
			for _, accept := range []string{"application/json", "text/event-stream"} {
				got := do(t, h, call(v, "s", "{}").with("Accept", accept)).result(t)["structuredContent"]
				want := ""
				if object || v == versionModern {
					want = strings.TrimSpace(value)
				}
				if accept == "text/event-stream" {
					want = strings.ReplaceAll(want, "\n", " ")
				}
				if string(got) != want {
					t.Errorf("%s: %q, want %q", accept, got, want)
				}
			}
		}
	})
}

// TOOL-15: calls beyond the limit are refused, and a slot is free when its call
// is done.
func TestTOOL15(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		started, release := make(chan struct{}), make(chan struct{})
		o := &recorder{}
		h := newHandler(t, Options{Limits: Limits{Calls: 2}, Observer: o}, echo(), &fakeTool{name: "wait", call: func(context.Context, *tool.Call) *tool.Result {
			started <- struct{}{}
			<-release
			return textResult("done")
		}})
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if got := do(t, h, call(v, "wait", "{}")).text(t); got != "done" {
					t.Error(got)
				}
			})
		}
		<-started
		<-started
		a := do(t, h, call(v, "echo", "{}"))
		a.wantError(t, http.StatusServiceUnavailable, codeInternal)
		if a.header.Get("Retry-After") != "1" {
			t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
		}
		// Whatever is no call goes on.
		do(t, h, request{version: v, method: "tools/list"}).result(t)
		close(release)
		wg.Wait()
		do(t, h, call(v, "echo", "{}")).result(t)
		if got := o.messages[0]; got.Outcome != "busy" || got.Tool != "echo" {
			t.Errorf("%+v", got)
		}
	})
}

// blocked is a client that reads nothing until it is let.
type blocked struct {
	discard
	writing chan struct{}
	release chan struct{}
}

func (b *blocked) Write(p []byte) (int, error) {
	b.writing <- struct{}{}
	<-b.release
	return b.discard.Write(p)
}

func TestSlowReaderHoldsNoSlot(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		h := newHandler(t, Options{Limits: Limits{Calls: 1}})
		w := &blocked{discard: discard{header: http.Header{}}, writing: make(chan struct{}), release: make(chan struct{})}
		done := make(chan error)
		go func() { done <- h.ServeHTTP(w, call(v, "echo", "{}").http()) }()
		<-w.writing
		do(t, h, call(v, "echo", "{}")).result(t)
		close(w.release)
		if err := <-done; err != nil || w.n == 0 {
			t.Errorf("%v, %d bytes", err, w.n)
		}
	})
}

// panicky is an observer that panics somewhere.
type panicky struct {
	recorder
	where string
}

func (o *panicky) Message(r *http.Request, m Message) {
	o.recorder.Message(r, m)
	if o.where == "message" {
		panic(o.where)
	}
}

func (o *panicky) Call(ctx context.Context, c *tool.Call) (context.Context, func(*tool.Result)) {
	if o.where == "call" {
		panic(o.where)
	}
	ctx, done := o.recorder.Call(ctx, c)
	return ctx, func(res *tool.Result) {
		done(res)
		if o.where == "done" {
			panic(o.where)
		}
	}
}

func TestPanics(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		for _, where := range []string{"tool", "abort", "nil", "content", "call", "done", "message"} {
			o := &panicky{where: where}
			h := newHandler(t, Options{Observer: o, Limits: Limits{Calls: 1}}, &fakeTool{name: "x", call: func(context.Context, *tool.Call) *tool.Result {
				switch where {
				case "tool":
					panic("secret")
				case "abort":
					panic(http.ErrAbortHandler)
				case "nil":
					return nil
				case "content":
					return &tool.Result{Content: []mcp.Content{(*mcp.TextContent)(nil)}, Outcome: tool.OutcomeOK}
				}
				return textResult("fine")
			}})
			for range 3 { // a slot that is lost would show
				a := do(t, h, call(v, "x", "{}"))
				if where == "message" {
					if a.text(t) != "fine" {
						t.Errorf("%s", a.body)
					}
					continue
				}
				a.wantError(t, 200, codeInternal)
				if strings.Contains(string(a.body), "secret") {
					t.Errorf("%s", a.body)
				}
			}
			last := o.messages[len(o.messages)-1]
			if where != "message" && last.Outcome != "internal_error" {
				t.Errorf("%s: %+v", where, last)
			}
			switch where {
			case "tool", "abort", "nil":
				if len(o.results) != 3 || o.results[0].Outcome != tool.OutcomeInternal || o.results[0].Err == nil {
					t.Errorf("%s: %+v", where, o.results)
				}
			case "done":
				if len(o.results) != 3 {
					t.Errorf("told %d times", len(o.results))
				}
			}
			if n := h.running.Load(); n != 0 {
				t.Errorf("%s: %d calls run", where, n)
			}
		}
	})
}

func TestCallContext(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		type key struct{}
		h := newHandler(t, Options{}, &fakeTool{name: "x", call: func(ctx context.Context, c *tool.Call) *tool.Result {
			s, _ := ctx.Value(key{}).(string)
			return textResult(s + c.Inbound.Header.Get("X-Mine"))
		}})
		q := call(v, "x", "{}").with("X-Mine", "!")
		q.ctx = context.WithValue(t.Context(), key{}, "value")
		if got := do(t, h, q).text(t); got != "value!" {
			t.Error(got)
		}
	})
}
