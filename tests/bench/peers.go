// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The processes that Caddy is measured with and against are this program in
// other roles. They print the address that they listen on.
const (
	roleLoad     = "load"
	roleUpstream = "upstream"
	roleSDK      = "sdk"
)

// greeting is what the small tool answers, in Caddy and in the SDK's server.
const greeting = "Monday to Saturday, 9 to 18 o'clock."

// sdkBallast is memory that the SDK's server holds, so that its heap is as large
// as Caddy's: with a heap of 4 MiB it would be busy collecting garbage, and
// measure worse than it is.
const sdkBallast = 40 << 20

// answer is a JSON object of n bytes.
func answer(n int) string {
	const head, tail = `{"id":9007199254740993,"name":"an answer","items":[`, `{}]}`
	const item = `{"sku":"A-1001","title":"a product","price":1999,"stock":12,"tags":["new","sale"]},`
	var b strings.Builder
	b.WriteString(head)
	for b.Len()+len(item)+len(tail) <= n {
		b.WriteString(item)
	}
	b.WriteString(strings.Repeat(" ", max(0, n-b.Len()-len(tail))))
	b.WriteString(tail)
	return b.String()
}

// serveUpstream is the API: /raw/N answers N bytes of JSON.
func serveUpstream() error {
	answers := map[string]string{}
	for _, n := range []int{1 << 10, 10_000, 100_000, 1_000_000} {
		answers[strconv.Itoa(n)] = answer(n)
	}
	return serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		a := answers[strings.TrimPrefix(r.URL.Path, "/raw/")]
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(a)))
		_, _ = io.WriteString(w, a)
	}))
}

// serveSDK is an MCP server made with the Go SDK, with one tool.
func serveSDK() error {
	ballast := make([]byte, sdkBallast)
	for i := 0; i < len(ballast); i += 4096 {
		ballast[i] = 1
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "t0", Description: "A tool.", InputSchema: toolSchema()},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: greeting}}}, nil
		})
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	err := serve(h)
	return fmt.Errorf("%w (%d)", err, ballast[0])
}

func serve(h http.Handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(os.Stdout, l.Addr()); err != nil {
		return err
	}
	return (&http.Server{Handler: h}).Serve(l)
}
