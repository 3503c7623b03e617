// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"errors"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Call is one tools/call in flight.
type Call struct {
	// ID is a random identifier of this call, for logs and idempotency keys.
	ID string
	// Tool is the tool's name.
	Tool string
	// Arguments as the client sent them: nil, JSON null, or a value that the
	// wire layer found to be valid, duplicate-free JSON.
	Arguments jsontext.Value
	// ClientName and ClientVersion are what the client calls itself; unverified.
	ClientName, ClientVersion string
	// Protocol is the MCP version of the request, such as 2026-07-28.
	Protocol string
	// Inbound is the client's HTTP request; its body has been read.
	Inbound *http.Request
	// Progress tells the client how far the call is; nil if it did not ask.
	Progress func(Progress)

	args Args
}

// Args are the arguments after validation, conversion and defaults; empty
// before.
func (c *Call) Args() *Args { return &c.args }

// Progress is one step of a long call.
type Progress struct {
	// Progress and Total are JSON numbers; an empty Progress means "one more
	// than before", an empty Total an unknown one.
	Progress, Total jsontext.Value
	// Message for people; may be empty.
	Message string
}

// Outcome says how a call ended, for metrics and logs.
type Outcome string

// The outcomes of a call.
const (
	// OutcomeOK is a call that gave its result.
	OutcomeOK Outcome = "ok"
	// OutcomeArguments is a call refused for its arguments.
	OutcomeArguments Outcome = "invalid_arguments"
	// OutcomeUpstream is a call whose upstream answered with an error status,
	// was unreachable or broke off.
	OutcomeUpstream Outcome = "upstream_error"
	// OutcomeOutput is a call whose answer could not be made a result: oversize,
	// undecodable, or not what the output schema promises.
	OutcomeOutput Outcome = "invalid_output"
	// OutcomeTimeout is a call that took too long.
	OutcomeTimeout Outcome = "timeout"
	// OutcomeCancelled is a call whose client went away.
	OutcomeCancelled Outcome = "cancelled"
	// OutcomeInternal is a call that failed in here: a panic, a missing
	// credential, no handler.
	OutcomeInternal Outcome = "internal_error"
)

// Result is what a call gives to the client.
type Result struct {
	// Content for the model; never nil on the wire.
	Content []mcp.Content
	// Structured is the structuredContent; nil means none, "null" is a value.
	Structured jsontext.Value
	// IsError marks a result that tells of a failure.
	IsError bool
	// Meta is the result's _meta members, in order; nil means none.
	Meta []Member
	// Outcome for metrics and logs.
	Outcome Outcome
	// Err is the reason for the log. It may hold addresses and names that
	// clients must not see.
	Err error
	// Status is the upstream's, if it told of an error; else 0.
	Status int
	// Detail is what the upstream said about it, for logs at debug level: it may
	// repeat arguments, or hold personal data.
	Detail string
	// Nonconforming says that the result breaks its output schema.
	Nonconforming bool
}

// Backend runs the requests of a tool.
type Backend interface {
	// Placeholder gives the value of a placeholder that is not an argument of
	// the call, such as env.API_KEY; ok is false if it is unknown.
	Placeholder(c *Call, key string) (value string, ok bool)
	// Serve answers r on w. It returns ErrNoRoute if nothing responded, a
	// *StatusError if a handler failed with a status, or any other error. It
	// may panic, with http.ErrAbortHandler if the upstream broke off.
	Serve(w http.ResponseWriter, r *http.Request, c *Call) error
}

// ErrNoRoute means that no handler responded to a request.
var ErrNoRoute = errors.New("no handler responded")

// ErrNoCredential means that a placeholder of a header, most likely a
// credential, has no value; the request was not sent.
var ErrNoCredential = errors.New("a credential of this tool is not configured")

// StatusError is a handler's error that stands for an HTTP status.
type StatusError struct {
	// Status is the HTTP status code.
	Status int
	// Err is the reason, for the log only.
	Err error
}

// Error tells the status and the reason.
func (e *StatusError) Error() string {
	if e.Err == nil {
		return http.StatusText(e.Status)
	}
	return e.Err.Error()
}

// Unwrap gives the reason.
func (e *StatusError) Unwrap() error { return e.Err }
