// SPDX-License-Identifier: Apache-2.0

// Package mcphandler serves MCP over streamable HTTP: it decodes messages,
// tells the protocol's eras apart, checks mirrored headers, and answers from a
// catalog that was computed at load. It knows nothing of how a tool runs, and
// nothing of Caddy.
package mcphandler

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddy-mcp/tool"
)

// Tool is what the catalog needs of a tool.
type Tool interface {
	// Descriptor gives what clients are told about the tool.
	Descriptor() *tool.Descriptor
	// Call runs one call to its end.
	Call(ctx context.Context, c *tool.Call) *tool.Result
}

// Options configure a [Handler].
type Options struct {
	// Name, Title, Version, WebsiteURL and Icons say who the server is
	// (MCP, "Implementation"). Name and Version are required.
	Name, Title, Version, WebsiteURL string
	Icons                            []mcp.Icon
	// Instructions for the model; may be empty.
	Instructions string
	// Tools in the order that clients see.
	Tools []Tool
	// Limits; zero values mean the defaults.
	Limits Limits
	// Origins are browser origins besides the server's own, each scheme://host
	// with a port unless it is the scheme's own.
	Origins []string
	// AnyOrigin allows all browser origins.
	AnyOrigin bool
	// Scheme tells the scheme by which a client reached this endpoint. Default:
	// https if the request has TLS, else http.
	Scheme func(*http.Request) string
	// Page answers browsers that open the endpoint; nil means none does.
	Page http.Handler
	// Observer is told of messages and calls; nil means nobody is.
	Observer Observer
	// PageSize is the most tools on one page of a list. Default: 1000.
	PageSize int
}

// Limits cap what clients control.
type Limits struct {
	// Body is the most bytes of a request's body. Default: 1 MiB.
	Body int64
	// Elements is the most JSON members and elements of one message. Default:
	// 10,000, and some for the envelope.
	Elements int
	// Depth is how deep a message may nest. Default: 64.
	Depth int
	// Calls is the most concurrent calls. Default: 100.
	Calls int
	// Batch is the most messages of a 2025-03-26 batch. Default: 20.
	Batch int
}

// Message is a JSON-RPC message that was answered.
type Message struct {
	// Method is a method that this server knows, or "other".
	Method string
	// Era is modern, legacy, or none if it could not be told.
	Era string
	// Tool is the name of the tool of a call, if there is such a tool.
	Tool string
	// Outcome is ok, an outcome of a call, "client_error" for a JSON-RPC error
	// that the client can mend, "busy", or "internal_error".
	Outcome string
}

// Observer is told what happens, for metrics, logs and traces.
type Observer interface {
	// Message is called once for each JSON-RPC message, when its answer is known
	// and before the client sees it. r is the HTTP request that carried it.
	Message(r *http.Request, m Message)
	// Call is called before a tool runs. The context it returns is the call's;
	// done is called with the result.
	Call(ctx context.Context, c *tool.Call) (_ context.Context, done func(*tool.Result))
}

// StatusError is an HTTP error from before a JSON-RPC message was read. Headers
// that belong to it (Allow, Vary …) are set on the response already; nothing is
// written.
type StatusError struct {
	// Status is the HTTP status code.
	Status int
	// Err says why.
	Err error
}

// Error says why.
func (e *StatusError) Error() string { return e.Err.Error() }

// Unwrap gives the reason.
func (e *StatusError) Unwrap() error { return e.Err }
