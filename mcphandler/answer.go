// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// knownMethods are the methods that metrics and logs tell apart; what clients
// make up must not fill them.
var knownMethods = [...]string{
	"tools/call", "tools/list", "server/discover", "initialize", "ping",
	"notifications/initialized", "notifications/cancelled",
}

const otherMethod = "other"

// methodName gives a method as a string, without an allocation if it is known.
func methodName(b []byte) string {
	for _, known := range knownMethods {
		if string(b) == known {
			return known
		}
	}
	return string(b)
}

func methodLabel(m string) string {
	for _, known := range knownMethods {
		if m == known {
			return known
		}
	}
	return otherMethod
}

// reply is a whole JSON-RPC response: what was made for this request, and what
// was made at load. Notifications get an empty one.
type reply struct {
	head, tail []byte
}

// answer decodes the body of a POST and answers it.
func (h *Handler) answer(x *exchange, body []byte) {
	l := &h.opt.Limits
	if err := measure(body, l.Depth+envelopeDepth, l.Elements+envelopeElements); err != nil {
		h.refuse(x, nil, Message{Method: otherMethod, Era: eraNone}, invalidRequest(err.Error()))
		return
	}
	d := newDecoder(body)
	if d.json.PeekKind() == '[' {
		batch, err := h.readBatch(x, d)
		d.release()
		h.answerBatch(x, batch, err)
		return
	}
	m := &x.message
	ok := d.message(m) == nil && d.end()
	d.release()
	if !ok {
		h.refuse(x, nil, Message{Method: otherMethod, Era: eraNone}, parseError())
		return
	}
	note := Message{Method: methodLabel(m.method), Era: eraNone}
	if m.bad != nil {
		h.refuse(x, m.id, note, m.bad)
		return
	}
	era, version, err := judge(m, x.r.Header)
	note.Era = era
	if err != nil {
		h.refuse(x, m.id, note, err)
		return
	}
	if m.id == nil {
		// Nothing that a client notifies of has an effect without sessions.
		h.observe(x.r, note, outcomeOK)
		x.accepted()
		return
	}
	buf := newBuffer()
	defer buf.release()
	rep, err := h.dispatch(x, m, version, buf.b, &note)
	if err != nil {
		h.refuse(x, m.id, note, err)
		return
	}
	buf.b = rep.head
	h.observe(x.r, note, outcomeOK)
	x.finish(http.StatusOK, rep)
}

// refuse answers with an error. An id that could not be read is left out.
func (h *Handler) refuse(x *exchange, id jsontext.Value, note Message, err *rpcError) {
	h.observe(x.r, note, err.kind())
	if err.outcome == outcomeBusy {
		x.w.Header().Set("Retry-After", "1")
	}
	x.finish(err.status, reply{head: err.append(nil, id)})
}

// observe tells of a message. The outcome is for one that has none yet.
func (h *Handler) observe(r *http.Request, m Message, outcome string) {
	if h.opt.Observer == nil {
		return
	}
	if m.Outcome == "" {
		m.Outcome = outcome
	}
	// It must not take a message down.
	defer func() { _ = recover() }()
	h.opt.Observer.Message(r, m)
}

// dispatch runs the method of a request and appends its response to b.
func (h *Handler) dispatch(x *exchange, m *message, version string, b []byte, note *Message) (reply, *rpcError) {
	if note.Era == eraModern {
		return h.dispatchModern(x, m, version, b, note)
	}
	switch m.method {
	case "initialize":
		return h.initialize(m, b)
	case "ping":
		return reply{head: append(appendResponse(b, m.id), "{}}"...)}, nil
	case "tools/list":
		return h.catalog.legacy.page(m, b)
	case "tools/call":
		return h.call(x, m, version, b, note)
	}
	return reply{}, unknownMethod(m.method, eraLegacy)
}

func (h *Handler) dispatchModern(x *exchange, m *message, version string, b []byte, note *Message) (reply, *rpcError) {
	if m.meta.capabilities == nil {
		return reply{}, malformedMeta(metaCapabilities, "missing")
	}
	if m.meta.capabilities.Kind() != '{' {
		return reply{}, malformedMeta(metaCapabilities, "expected an object")
	}
	if m.meta.clientInfo != nil {
		return reply{}, malformedMeta(metaClientInfo, "expected an object")
	}
	if err := checkMethod(x.r.Header, m.method); err != nil {
		return reply{}, err
	}
	switch m.method {
	case "server/discover":
		return reply{head: appendResponse(b, m.id), tail: h.catalog.discover}, nil
	case "tools/list":
		return h.catalog.modern.page(m, b)
	case "tools/call":
		return h.call(x, m, version, b, note)
	}
	return reply{}, unknownMethod(m.method, eraModern)
}

// appendResponse starts a JSON-RPC response; the result follows.
func appendResponse(b []byte, id jsontext.Value) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	return append(b, `,"result":`...)
}

// unknownMethod answers what is not there, and what belongs to a capability
// that is not declared.
func unknownMethod(method, era string) *rpcError {
	status := http.StatusNotFound
	if era == eraLegacy {
		// A legacy client takes 404 as the end of its session.
		status = http.StatusOK
	}
	return &rpcError{
		code: codeMethod, status: status,
		message: "method not found: " + clip(method, 128),
	}
}
