// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"context"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

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

func textResult(s string) *tool.Result {
	return &tool.Result{Content: []mcp.Content{&mcp.TextContent{Text: s}}, Outcome: tool.OutcomeOK}
}

var _ Tool = (*fakeTool)(nil)
