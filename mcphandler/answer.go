// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// knownMethods are the methods that metrics and logs tell apart; what clients
// make up must not fill them.
var knownMethods = []string{
	"tools/call", "tools/list", "server/discover", "initialize", "ping",
	"notifications/initialized", "notifications/cancelled",
}

const otherMethod = "other"

func methodLabel(m string) string {
	if slices.Contains(knownMethods, m) {
		return m
	}
	return otherMethod
}

// answer decodes the body of a POST and answers it.
func (h *Handler) answer(r *http.Request, body []byte, x *exchange) error {
	v, rerr := h.decode(body)
	if rerr != nil {
		h.observe(r, Message{Method: otherMethod, Era: eraNone, Outcome: rerr.kind()})
		return x.finish(rerr.status, rerr.append(nil, nil))
	}
	if v.Kind() == '[' {
		return h.answerBatch(r, v, x)
	}
	m, rerr := parse(v)
	if rerr != nil {
		note := Message{Method: otherMethod, Era: eraNone, Outcome: rerr.kind()}
		var id jsontext.Value
		if m != nil {
			id = m.id
			note.Method = methodLabel(m.method)
		}
		h.observe(r, note)
		return x.finish(rerr.status, rerr.append(nil, id))
	}
	era, version, rerr := judge(m, r.Header)
	if rerr != nil {
		h.observe(r, Message{Method: methodLabel(m.method), Era: era, Outcome: rerr.kind()})
		return x.finish(rerr.status, rerr.append(nil, m.id))
	}
	parts, rerr, note := h.dispatch(r, m, era, version, x)
	if rerr != nil {
		note.Outcome = rerr.kind()
		h.observe(r, note)
		if rerr.outcome == outcomeBusy {
			x.w.Header().Set("Retry-After", "1")
		}
		return x.finish(rerr.status, rerr.append(nil, m.id))
	}
	if note.Outcome == "" {
		note.Outcome = outcomeOK
	}
	h.observe(r, note)
	if r.Context().Err() != nil {
		x.abandon()
		return nil
	}
	if parts == nil {
		x.w.WriteHeader(http.StatusAccepted)
		return nil
	}
	return x.finish(http.StatusOK, parts...)
}

func (h *Handler) observe(r *http.Request, m Message) {
	if h.opt.Observer == nil {
		return
	}
	// It must not take a message down.
	defer func() { _ = recover() }()
	h.opt.Observer.Message(r, m)
}

// dispatch runs a method. The parts, one after the other, are the whole
// response; a notification has none.
func (h *Handler) dispatch(r *http.Request, m *message, era, version string, x *exchange) (parts [][]byte, err *rpcError, note Message) {
	note = Message{Method: methodLabel(m.method), Era: era}
	if m.id == nil {
		// Nothing that a client notifies of has an effect without sessions.
		return nil, nil, note
	}
	if strings.HasPrefix(m.method, "notifications/") {
		return nil, unknownMethod(era), note
	}
	if era == eraModern {
		return h.dispatchModern(r, m, version, x, note)
	}
	switch m.method {
	case "initialize":
		parts, err = h.initialize(m)
	case "ping":
		parts = one(append(appendResponse(nil, m.id), "{}}"...))
	case "tools/list":
		parts, err = h.list(m, &h.catalog.legacy, legacyListTail)
	case "tools/call":
		var b []byte
		b, err, note = h.call(r, m, era, version, x)
		parts = one(b)
	default:
		err = unknownMethod(era)
	}
	return parts, err, note
}

func (h *Handler) dispatchModern(r *http.Request, m *message, version string, x *exchange, note Message) (parts [][]byte, err *rpcError, _ Message) {
	if m.meta.capabilities.Kind() != '{' {
		return nil, malformedMeta(`params._meta["` + metaCapabilities + `"]: expected an object`), note
	}
	if k := m.meta.clientInfo.Kind(); m.meta.clientInfo != nil && k != '{' {
		return nil, malformedMeta(`params._meta["` + metaClientInfo + `"]: expected an object`), note
	}
	if err := checkMethod(r.Header, m); err != nil {
		return nil, err, note
	}
	switch m.method {
	case "server/discover":
		parts = [][]byte{appendResponse(nil, m.id), h.catalog.discover, closing}
	case "tools/list":
		parts, err = h.list(m, &h.catalog.modern, h.catalog.listTail)
	case "tools/call":
		var b []byte
		b, err, note = h.call(r, m, eraModern, version, x)
		parts = one(b)
	default:
		err = unknownMethod(eraModern)
	}
	return parts, err, note
}

var (
	closing        = []byte("}")
	legacyListTail = []byte("}")
)

func one(b []byte) [][]byte { return [][]byte{b} }

// list answers tools/list from bytes that were made at load.
func (h *Handler) list(m *message, l *list, tail []byte) ([][]byte, *rpcError) {
	start := 0
	if m.params.cursor != nil && m.params.cursor.Kind() != 'n' {
		cursor, ok := text(m.params.cursor)
		if ok {
			start, ok = h.catalog.after(cursor)
		}
		if !ok {
			return nil, invalidParams("params.cursor: not a cursor of this list; start again without one")
		}
	}
	end := min(start+h.catalog.pageSize, len(l.ends))
	head := append(appendResponse(nil, m.id), `{"tools":[`...)
	next := []byte("]")
	if end < len(l.ends) {
		next = append(next, `,"nextCursor":`...)
		next = quote(next, cursorFor(h.opt.Tools[end-1].Descriptor().Name))
	}
	return [][]byte{head, l.slice(start, end), next, tail, closing}, nil
}

// initialize answers the handshake of the legacy era: with the version that
// the client asks for if it is one of them, else with the newest.
func (h *Handler) initialize(m *message) ([][]byte, *rpcError) {
	version, ok := text(m.params.protocolVersion)
	if !ok {
		return nil, invalidParams("params.protocolVersion: expected a string")
	}
	if !slices.Contains(legacyVersions, version) {
		version = versionLegacy
	}
	head := append(appendResponse(nil, m.id), `{"protocolVersion":`...)
	return [][]byte{quote(head, version), h.catalog.initialize, closing}, nil
}

// answerBatch answers an array of messages, which only protocol 2025-03-26 has.
// If one of them is not what it should be, none is run.
func (h *Handler) answerBatch(r *http.Request, v jsontext.Value, x *exchange) error {
	refuse := func(err *rpcError) error {
		h.observe(r, Message{Method: otherMethod, Era: eraNone, Outcome: err.kind()})
		return x.finish(err.status, err.append(nil, nil))
	}
	header, present, rerr := single(r.Header, headerVersion)
	if rerr != nil {
		return refuse(rerr)
	}
	if present && header != versionBatch {
		return refuse(invalidRequest("batches exist in protocol " + versionBatch + " only"))
	}
	var batch []*message
	elements(v, func(e jsontext.Value) {
		if rerr != nil {
			return
		}
		m, err := parse(e)
		switch {
		case err != nil:
			rerr = err
		case m.modern():
			rerr = invalidRequest("batches exist in protocol " + versionBatch + " only")
		case m.method == "initialize", m.method == "server/discover", m.method == "subscriptions/listen":
			rerr = invalidRequest(m.method + " must not be part of a batch")
		case len(batch) == h.opt.Limits.Batch:
			rerr = invalidRequest("the batch has too many messages")
		}
		batch = append(batch, m)
	})
	if rerr == nil && len(batch) == 0 {
		rerr = invalidRequest("the batch is empty")
	}
	if rerr != nil {
		rerr.status = http.StatusBadRequest
		return refuse(rerr)
	}
	return h.runBatch(r, batch, x)
}

// runBatch runs messages one after the other: a batch gives a client no more
// than its requests would.
func (h *Handler) runBatch(r *http.Request, batch []*message, x *exchange) error {
	var b []byte
	for _, m := range batch {
		parts, err, note := h.dispatch(r, m, eraLegacy, versionBatch, nil)
		switch {
		case err != nil:
			note.Outcome = err.kind()
		case note.Outcome == "":
			note.Outcome = outcomeOK
		}
		h.observe(r, note)
		if r.Context().Err() != nil {
			x.abandon()
			return nil
		}
		if m.id == nil {
			continue
		}
		if len(b) == 0 {
			b = append(b, '[')
		} else {
			b = append(b, ',')
		}
		if err != nil {
			b = err.append(b, m.id)
			continue
		}
		for _, p := range parts {
			b = append(b, p...)
		}
	}
	if len(b) == 0 {
		x.w.WriteHeader(http.StatusAccepted)
		return nil
	}
	return x.finish(http.StatusOK, append(b, ']'))
}
