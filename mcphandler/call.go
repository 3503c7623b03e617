// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/caddymcp/caddy-mcp/tool"
)

// errPanic marks a call that panicked.
var errPanic = errors.New("panic")

// call answers tools/call. The response is complete but for its writing.
func (h *Handler) call(r *http.Request, m *message, era, version string, x *exchange) (_ []byte, _ *rpcError, note Message) {
	note = Message{Method: "tools/call", Era: era}
	name, ok := text(m.params.name)
	if !ok {
		return nil, invalidParams("params.name: expected a string"), note
	}
	if era == eraModern {
		if err := checkName(r.Header, name); err != nil {
			return nil, err, note
		}
	}
	e, ok := h.catalog.entries[name]
	if !ok {
		return nil, invalidParams("unknown tool: " + clip(name, 128)), note
	}
	note.Tool = name
	args := m.params.arguments
	if k := args.Kind(); args != nil && k != '{' && k != 'n' {
		return nil, invalidParams("params.arguments: expected an object"), note
	}
	if era == eraModern && len(e.desc.HeaderParams) > 0 {
		if err := checkParams(r.Header, e.desc.HeaderParams, args); err != nil {
			return nil, err, note
		}
	}
	if args.Kind() == 'n' {
		args = nil
	}
	c := &tool.Call{ID: rand.Text(), Tool: name, Arguments: args, Protocol: version, Inbound: r}
	c.ClientName, c.ClientVersion = clientInfo(m.meta.clientInfo)
	if t := m.meta.progressToken; t != nil {
		if !validID(t) {
			return nil, invalidParams("params._meta.progressToken: expected a string or an integer"), note
		}
		if x != nil && accepts(r.Header["Accept"], "text", "event-stream") > 0 {
			c.Progress = x.progress(t)
		}
	}

	if h.running.Add(1) > int64(h.opt.Limits.Calls) {
		h.running.Add(-1)
		return nil, &rpcError{
			code: codeInternal, status: http.StatusServiceUnavailable, outcome: outcomeBusy,
			message: "too many calls are running; try again in a moment",
		}, note
	}
	res := h.run(r.Context(), e, c)
	if res == nil {
		return nil, internalError(), note
	}
	note.Outcome = string(res.Outcome)
	return h.catalog.appendCall(nil, m.id, res, era == eraModern), nil, note
}

// run runs a call and gives its slot back. Whatever panics in there fails this
// call only.
func (h *Handler) run(ctx context.Context, e *entry, c *tool.Call) (res *tool.Result) {
	defer h.running.Add(-1)
	done := func(*tool.Result) {}
	defer func() {
		if v := recover(); v != nil {
			res = nil
			done(&tool.Result{Outcome: tool.OutcomeInternal, Err: fmt.Errorf("%w: %v", errPanic, v)})
		}
	}()
	if h.opt.Observer != nil {
		ctx, done = h.opt.Observer.Call(ctx, c)
	}
	res = e.tool.Call(ctx, c)
	if res == nil {
		res = &tool.Result{Outcome: tool.OutcomeInternal, Err: errors.New("the tool gave no result")}
		defer func() { res = nil }()
	}
	finish := done
	done = func(*tool.Result) {}
	finish(res)
	return res
}

// clientInfo tells what the client calls itself.
func clientInfo(v jsontext.Value) (name, version string) {
	if v.Kind() != '{' {
		return "", ""
	}
	members(v, func(key, value jsontext.Value) bool {
		switch {
		case is(key, "name"):
			name, _ = text(value)
		case is(key, "version"):
			version, _ = text(value)
		}
		return true
	})
	return clip(name, 256), clip(version, 256)
}
