// SPDX-License-Identifier: Apache-2.0

// Command gosdk is a client made with the Go SDK for MCP. It is built with
// several releases of the SDK, so it uses only what all of them have. It does
// what every client of these tests does, and prints what it saw.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// report is the same for all clients; see the tests that read it.
type report struct {
	Protocol string         `json:"protocol"`
	Tools    []string       `json:"tools"`
	Calls    map[string]any `json:"calls"`
	Progress int            `json:"progress"`
}

func main() {
	steps := flag.Int("steps", 0, "progress notifications to wait for")
	flag.Parse()
	log.SetFlags(0)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	r, err := run(ctx, &mcp.StreamableClientTransport{Endpoint: flag.Arg(0)}, *steps)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, t mcp.Transport, steps int) (*report, error) {
	r := &report{Calls: map[string]any{}}
	progress := make(chan struct{}, 100)
	c := mcp.NewClient(&mcp.Implementation{Name: "gosdk", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { progress <- struct{}{} },
	})
	s, err := c.Connect(ctx, t, nil)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	if res := s.InitializeResult(); res != nil {
		r.Protocol = res.ProtocolVersion
	}
	for t, err := range s.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("listing tools: %w", err)
		}
		r.Tools = append(r.Tools, t.Name)
	}
	for _, name := range []string{"echo", "fail", "image", "steps"} {
		p := &mcp.CallToolParams{Name: name, Arguments: map[string]any{}}
		switch name {
		case "echo":
			p.Arguments = map[string]any{"id": "a b/c", "n": 7}
		case "steps":
			// Releases before v1.4 lose the token where there is no metadata yet.
			p.Meta = mcp.Meta{}
			p.SetProgressToken("steps-1")
		}
		res, err := s.CallTool(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("calling %s: %w", name, err)
		}
		r.Calls[name] = summary(res)
	}
	// The SDK hands notifications over besides the results, in no order.
	for r.Progress < steps {
		select {
		case <-progress:
			r.Progress++
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for progress, %d of %d came: %w", r.Progress, steps, ctx.Err())
		}
	}
	err = s.Close()
	r.Progress += len(progress)
	return r, err
}

func summary(res *mcp.CallToolResult) map[string]any {
	var text strings.Builder
	m := map[string]any{"isError": res.IsError}
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			text.WriteString(c.Text)
		case *mcp.ImageContent:
			m["image"], m["mimeType"] = c.Data, c.MIMEType
		}
	}
	m["text"] = text.String()
	if res.StructuredContent != nil {
		m["structured"] = res.StructuredContent
	}
	return m
}
