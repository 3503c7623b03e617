// SPDX-License-Identifier: Apache-2.0

// Package oracle_test asks two servers the same: this one, and one that is made
// with the official Go SDK and has the same tools. Where they differ on purpose,
// a table says why; a difference that is no more fails the test too.
package oracle_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddy-mcp/tests/harness"
)

type object = map[string]any

// spec is a tool of both servers. Their order is alphabetical, since the SDK
// sorts.
type spec struct {
	name   string
	input  string
	output string
	// kind and body of the answer; no body means the arguments.
	kind, body string
	status     int
	// result is what the SDK's tool gives.
	result func(args json.RawMessage) *mcp.CallToolResult
}

var truth = true

func text(s string) func(json.RawMessage) *mcp.CallToolResult {
	return func(json.RawMessage) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
	}
}

func structured(s string) func(json.RawMessage) *mcp.CallToolResult {
	return func(json.RawMessage) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}, StructuredContent: json.RawMessage(s)}
	}
}

var specs = []spec{
	{name: "a_text", input: `{"type":"object","additionalProperties":false}`, kind: "text/plain; charset=utf-8", body: "hello", result: text("hello")},
	{
		name: "b_object", input: `{"type":"object"}`, output: `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`,
		kind: "application/json", body: `{"a":1}`, result: structured(`{"a":1}`),
	},
	{
		name: "c_echo", input: `{"type":"object","properties":{"s":{"type":"string","description":"A <text> & more."},"n":{"type":"integer"},"list":{"type":"array","items":{"type":"string"}}},"required":["s"]}`,
		kind: "application/json", result: func(args json.RawMessage) *mcp.CallToolResult {
			if len(args) == 0 {
				args = json.RawMessage("{}")
			}
			return structured(string(args))(nil)
		},
	},
	{name: "d_fails", input: `{"type":"object"}`, kind: "application/json", body: `{"detail":"gone"}`, status: 410, result: func(json.RawMessage) *mcp.CallToolResult {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "410"}}}
	}},
	{name: "e_list", input: `{"type":"object"}`, kind: "application/json", body: `[1,2]`, result: text(`[1,2]`)},
	{name: "f_title", input: `{"type":"object","$defs":{"x":{"type":"string"}},"properties":{"x":{"$ref":"#/$defs/x"}}}`, kind: "text/plain", body: "ünïcödé \u2028 </script>", result: text("ünïcödé \u2028 </script>")},
}

var caddy, sdk *harness.Caddy

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	oracle := sdkServer()
	defer oracle.Close()
	sdk = &harness.Caddy{URL: oracle.URL, Client: http.DefaultClient}
	var err error
	if caddy, err = harness.New(harness.Config{Text: config()}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := caddy.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func sdkServer() *httptest.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "oracle", Version: "1.0.0", Title: "Oracle"}, &mcp.ServerOptions{Instructions: "Ask.", Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	for _, c := range specs {
		t := &mcp.Tool{
			Name: c.name, Title: "Title of " + c.name, Description: "The tool " + c.name + ".", InputSchema: json.RawMessage(c.input),
			Annotations: &mcp.ToolAnnotations{DestructiveHint: new(bool), OpenWorldHint: &truth},
		}
		if c.output != "" {
			t.OutputSchema = json.RawMessage(c.output)
		}
		s.AddTool(t, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return c.result(r.Params.Arguments), nil
		})
	}
	return httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
}

func config() string {
	var tools []object
	for _, c := range specs {
		handler := object{"handler": "static_response", "headers": object{"Content-Type": []string{c.kind}}, "body": c.body}
		if c.body == "" {
			handler["body"] = "{http.request.body}"
		}
		if c.status != 0 {
			handler["status_code"] = c.status
		}
		t := object{
			"name": c.name, "title": "Title of " + c.name, "description": "The tool " + c.name + ".", "input_schema": c.input,
			"routes": []object{{"handle": []object{handler}}},
		}
		if c.output != "" {
			t["output_schema"] = c.output
		}
		tools = append(tools, t)
	}
	b, err := json.Marshal(object{
		"admin": object{"disabled": true},
		"apps": object{"http": object{"servers": object{"main": object{
			"listen": []string{"{$LISTEN}"}, "automatic_https": object{"disable": true}, "protocols": []string{"h1"},
			"routes": []object{{"handle": []object{{"handler": "mcp", "name": "oracle", "version": "1.0.0", "title": "Oracle", "instructions": "Ask.", "tools": tools}}}},
		}}}},
	})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// answer is what is compared. Of an error the code counts, not the words.
type answer struct {
	Status int
	Code   int
	ID     string
	Result any
}

// ignored are members of results that differ on purpose.
var ignored = []struct {
	member string
	legacy bool
	why    string
}{
	{"ttlMs", false, "ours is a minute; the SDK says that a list is stale at once"},
	{"cacheScope", true, "legacy clients do not know it; the SDK sends it all the same"},
}

func normal(t *testing.T, version string, res *harness.Response) answer {
	t.Helper()
	out := answer{Status: res.Status}
	if len(res.Messages) == 0 {
		return out
	}
	m := res.Messages[len(res.Messages)-1]
	out.ID = string(m.ID)
	if m.Error != nil {
		out.Code = m.Error.Code
		return out
	}
	d := json.NewDecoder(bytes.NewReader(m.Result))
	d.UseNumber()
	if err := d.Decode(&out.Result); err != nil {
		t.Fatal(err)
	}
	r, ok := out.Result.(object)
	if !ok {
		return out
	}
	for _, i := range ignored {
		if !i.legacy || version != harness.Modern {
			delete(r, i.member)
		}
	}
	content, _ := r["content"].([]any)
	if r["isError"] == true {
		// The words are each server's own.
		r["content"] = len(content)
	}
	for _, c := range content {
		c := c.(object)
		if text, ok := c["text"].(string); ok {
			c["text"] = parsed(text)
		}
	}
	return out
}

// parsed is JSON in a text, whose members may have any order.
func parsed(text string) any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return text
	}
	return v
}

func TestOracle(t *testing.T) {
	t.Parallel()
	for _, version := range []string{harness.Modern, harness.Legacy, harness.Legacy6, harness.Legacy3} {
		own := legacyQuestions
		if version == harness.Modern {
			own = modernQuestions
		}
		for _, q := range slices.Concat(questions, own) {
			t.Run(version+"/"+q.name, func(t *testing.T) {
				t.Parallel()
				r := q.ask(version)
				r.Version = version
				ours := normal(t, version, caddy.Do(t, r))
				res, err := sdk.Try(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				theirs := normal(t, version, res)
				why, ok := q.differs[version]
				if !ok {
					why = q.differs[""]
				}
				diff := cmp.Diff(theirs, ours)
				switch {
				case diff != "" && why == "":
					t.Errorf("the SDK (-) and we (+) differ:\n%s\nSDK: HTTP %d %s", diff, res.Status, res.Body)
				case diff == "" && why != "":
					t.Errorf("no difference any more (%s): %s", why, res.Body)
				}
			})
		}
	}
}
