// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/caddymcp/caddy-mcp/tool"
)

// call answers tools/call.
func (h *Handler) call(x *exchange, m *message, version string, b []byte, note *Message) (reply, *rpcError) {
	modern := note.Era == eraModern
	e, err := h.called(x, m, modern)
	if e != nil {
		note.Tool = e.desc.Name
	}
	if err != nil {
		return reply{}, err
	}
	c := &tool.Call{Tool: e.desc.Name, Arguments: m.params.arguments, Protocol: version, Inbound: x.r}
	if c.Arguments.Kind() == 'n' {
		c.Arguments = nil
	}
	if t := m.meta.progressToken; t != nil {
		if !validID(t) {
			return reply{}, invalidParams("params._meta.progressToken: expected a string or an integer")
		}
		if x.single && x.sse {
			c.Progress = x.progress(t)
		}
	}
	c.ClientName, c.ClientVersion = clipped(m.meta.clientName), clipped(m.meta.clientVersion)
	if !x.takeSlot() {
		return reply{}, busy()
	}
	c.ID = rand.Text()
	res := h.run(x.r.Context(), e, c)
	if res == nil {
		return reply{}, internalError()
	}
	if b = h.encode(b, m.id, res, modern); b == nil {
		return reply{}, internalError()
	}
	note.Outcome = string(res.Outcome)
	return reply{head: b}, nil
}

// encode appends the response to a call. It gives nil if a content of a kind of
// its own panics.
func (h *Handler) encode(b []byte, id jsontext.Value, res *tool.Result, modern bool) (out []byte) {
	defer func() {
		if v := recover(); v != nil {
			out = nil
		}
	}()
	return h.catalog.appendCall(b, id, res, modern)
}

// called finds the tool, if everything that is said of it agrees. The order is
// that of the specification: headers first, which intermediaries have seen.
func (h *Handler) called(x *exchange, m *message, modern bool) (*entry, *rpcError) {
	name, ok := unquote(m.params.name)
	if modern {
		if err := checkName(x.r.Header, name, ok); err != nil {
			return nil, err
		}
	}
	if !ok {
		return nil, invalidParams("params.name: expected a string")
	}
	e := h.catalog.entries[string(name)]
	if e == nil {
		return nil, invalidParams("unknown tool: " + clip(string(name), 128))
	}
	args := m.params.arguments
	if k := args.Kind(); args != nil && k != '{' && k != 'n' {
		return e, invalidParams("params.arguments: expected an object")
	}
	if modern {
		return e, checkParams(x.r.Header, e.params, args)
	}
	return e, nil
}

// run runs a call. Whatever panics in there fails this call only.
func (h *Handler) run(ctx context.Context, e *entry, c *tool.Call) (res *tool.Result) {
	// Observers may panic too, even when they are told of a panic.
	defer func() {
		if v := recover(); v != nil {
			res = nil
		}
	}()
	if h.opt.Observer == nil {
		return runTool(ctx, e, c, nil)
	}
	ctx, done := h.opt.Observer.Call(ctx, c)
	return runTool(ctx, e, c, done)
}

// errNoResult is a tool that does not keep its contract.
var errNoResult = errors.New("the tool gave no result")

// runTool runs the tool and tells how it ended. It gives nil if the client can
// only be told that there was an internal error.
func runTool(ctx context.Context, e *entry, c *tool.Call, done func(*tool.Result)) (res *tool.Result) {
	told := false
	tell := func(r *tool.Result) {
		if done != nil && !told {
			told = true
			done(r)
		}
	}
	defer func() {
		if v := recover(); v != nil {
			res = nil
			tell(&tool.Result{
				IsError: true, Outcome: tool.OutcomeInternal,
				Err: fmt.Errorf("panic: %v\n%s", v, debug.Stack()),
			})
		}
	}()
	res = e.tool.Call(ctx, c)
	if res == nil {
		tell(&tool.Result{IsError: true, Outcome: tool.OutcomeInternal, Err: errNoResult})
		return nil
	}
	tell(res)
	return res
}

// clipped gives what a client calls itself, at a length that logs can bear.
func clipped(v jsontext.Value) string {
	b, _ := unquote(v)
	return clip(string(b[:min(len(b), 260)]), 256)
}
