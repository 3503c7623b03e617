// SPDX-License-Identifier: Apache-2.0

// Package tool is an MCP tool whose calls are HTTP requests: arguments are
// checked against a JSON Schema, become a request, and the response becomes a
// result. It knows net/http and JSON Schema, and nothing of JSON-RPC, protocol
// eras, SSE or Caddy.
package tool

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options are what a tool needs besides its own configuration.
type Options struct {
	// Backend runs the requests. It may be nil to check a configuration only.
	Backend Backend
	// Elements is the most members and elements that the arguments of one call
	// may have. 0 means DefaultElements.
	Elements int
	// Depth is how deep arguments may nest. 0 means DefaultDepth.
	Depth int
	// ResultSize is the most bytes that a result may have. 0 means
	// DefaultResultSize.
	ResultSize int64
	// AnswerSize is the most bytes of an answer that are read, after decoding,
	// where the whole of it is needed: for Select. 0 means DefaultAnswerSize; at
	// least ResultSize.
	AnswerSize int64
	// ResultError makes an oversize result an error instead of cutting it.
	ResultError bool
	// Timeout of one call. 0 means DefaultTimeout.
	Timeout time.Duration
	// DecodedPath says that the handlers look at the decoded path, as file
	// servers, rewrites and path matchers do. To them an encoded slash is a slash:
	// a value that has one is refused, unless its placeholder allows several
	// segments.
	DecodedPath bool
}

// Defaults of [Options].
const (
	DefaultElements   = 10_000
	DefaultDepth      = 64
	DefaultResultSize = 1 << 20
	DefaultAnswerSize = 16 << 20
	DefaultTimeout    = 30 * time.Second
)

func (o Options) withDefaults() Options {
	if o.Elements <= 0 {
		o.Elements = DefaultElements
	}
	if o.Depth <= 0 {
		o.Depth = DefaultDepth
	}
	if o.ResultSize <= 0 {
		o.ResultSize = DefaultResultSize
	}
	if o.AnswerSize <= 0 {
		o.AnswerSize = DefaultAnswerSize
	}
	o.AnswerSize = max(o.AnswerSize, o.ResultSize)
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	return o
}

// Descriptor is what clients are told about a tool.
type Descriptor struct {
	Name, Title, Description string
	// InputSchema is the schema that clients see: as configured, in the same
	// order and with the same digits, without fixed and hidden arguments.
	InputSchema jsontext.Value
	// OutputSchema as configured; nil means none.
	OutputSchema jsontext.Value
	// OutputObject says that OutputSchema's root is an object, as legacy
	// clients need.
	OutputObject bool
	// Annotations has every hint set.
	Annotations mcp.ToolAnnotations
	Icons       []mcp.Icon
	// Meta is the tool's _meta object; nil means none.
	Meta jsontext.Value
	// HeaderParams are the arguments annotated with x-mcp-header.
	HeaderParams []HeaderParam
}

// HeaderParam is an argument that clients mirror in a header
// (MCP 2026-07-28, transports, "x-mcp-header").
type HeaderParam struct {
	// Header is the full field name, such as Mcp-Param-Region.
	Header string
	// Path leads through properties from the root to the argument.
	Path []string
	// Type is string, integer or boolean.
	Type string
}

// Tool is a compiled tool. It is immutable and safe for concurrent use.
type Tool struct {
	desc    Descriptor
	opt     Options
	inputs  *inputs
	request *request
	mapper  *mapper
}

// Compile checks a configuration and prepares a tool. It returns every problem
// that it finds; the tool is nil if one of them is not a warning.
func Compile(cfg Config, opt Options) (*Tool, []Problem) {
	opt = opt.withDefaults()
	cfg = cfg.withDocuments()
	t := &Tool{opt: opt}
	problems := describe(cfg, &t.desc)

	in, ps := compileInputs(cfg, opt)
	problems = append(problems, ps...)

	// A schema that does not compile says nothing about its arguments: what
	// else is wrong with the request would only be noise.
	if in != nil {
		t.inputs = in
		t.desc.InputSchema = in.public
		t.desc.HeaderParams = in.headers
		req, ps := compileRequest(cfg, in.properties)
		problems = append(problems, ps...)
		if req != nil {
			req.decodedPath = opt.DecodedPath
		}
		t.request = req
	}

	m, ps := compileMapper(cfg, opt)
	problems = append(problems, ps...)
	if m != nil {
		t.mapper = m
		t.desc.OutputSchema, t.desc.OutputObject = m.outputSchema, m.outputObject
	}
	for _, p := range problems {
		if !p.Warning {
			return nil, problems
		}
	}
	return t, problems
}

// Descriptor gives what clients are told about the tool. It must not be changed.
func (t *Tool) Descriptor() *Descriptor { return &t.desc }

// Call runs a call to its end. It always gives a result: what goes wrong is
// told in it.
func (t *Tool) Call(ctx context.Context, c *Call) *Result {
	if err := t.inputs.prepare(c); err != nil {
		return failure(OutcomeArguments, err.Error(), loggable(err))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, t.opt.Timeout, errTimeout)
	defer cancel()
	r, err := t.request.build(ctx, c, t.opt.Backend)
	if err != nil {
		return buildFailure(err)
	}
	return t.exchange(ctx, c, r)
}

var errTimeout = errors.New("call timed out")

// exchange runs the request, follows redirects and maps the response.
func (t *Tool) exchange(ctx context.Context, c *Call, r *http.Request) *Result {
	for hop := 0; ; hop++ {
		cw := t.mapper.capture(r, c)
		err := t.serve(cw, r, c)
		if ctx.Err() != nil {
			// Whatever the handlers made of it, this is why they ended.
			if errors.Is(context.Cause(ctx), errTimeout) {
				return failure(OutcomeTimeout, fmt.Sprintf("timed out after %s", t.opt.Timeout), err)
			}
			return failure(OutcomeCancelled, "the call was cancelled", err)
		}
		if err != nil {
			if res := cw.overflow(); res != nil {
				return res
			}
			return serveFailure(err)
		}
		next, res := t.mapper.redirect(ctx, r, cw, hop)
		if res != nil {
			return res
		}
		if next == nil {
			return cw.result(ctx)
		}
		r = next
	}
}

// errAborted is an upstream that broke off in the middle of its answer.
var errAborted = errors.New("upstream aborted the response")

// panicError is a handler's panic.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.value, e.stack) }

func (t *Tool) serve(w http.ResponseWriter, r *http.Request, c *Call) (err error) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			err = errAborted
		default:
			err = &panicError{value: v, stack: debug.Stack()}
		}
	}()
	return t.opt.Backend.Serve(w, r, c)
}

func serveFailure(err error) *Result {
	if errors.Is(err, ErrNoRoute) {
		return failure(OutcomeInternal, "no handler answered this request; the server's configuration needs mending", err)
	}
	if errors.Is(err, ErrNoCredential) {
		return failure(OutcomeInternal, ErrNoCredential.Error(), err)
	}
	if errors.Is(err, errAborted) {
		return failure(OutcomeUpstream, "upstream aborted the response", err)
	}
	if _, ok := errors.AsType[*panicError](err); ok {
		return failure(OutcomeInternal, "internal error", err)
	}
	var se *StatusError
	if errors.As(err, &se) && se.Status >= 400 {
		return failure(OutcomeUpstream, fmt.Sprintf("upstream returned %s", statusText(se.Status)), err)
	}
	return failure(OutcomeUpstream, "the request failed", err)
}

func statusText(code int) string {
	if s := http.StatusText(code); s != "" {
		return fmt.Sprintf("%d %s", code, s)
	}
	return fmt.Sprint(code)
}

// failure is a result that tells the model of a failure; err is for the log.
func failure(o Outcome, text string, err error) *Result {
	if err == nil {
		err = errors.New(text)
	}
	return &Result{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: true, Outcome: o, Err: err}
}
