// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"net/http"
	"slices"
)

// maxBatchAnswer is where a batch runs no further: its answers are all in memory
// until the last one is there.
const maxBatchAnswer = 8 << 20

// batchable says that a method may be part of a batch.
func batchable(method string) bool {
	switch method {
	case "initialize", "server/discover", "subscriptions/listen":
		return false
	}
	return true
}

// answerBatch answers an array of messages, which only protocol 2025-03-26 has.
// If one of them is not what it should be, none is run.
func (h *Handler) answerBatch(x *exchange, batch []message, err *rpcError) {
	if err != nil {
		h.refuse(x, nil, Message{Method: otherMethod, Era: eraNone}, err)
		return
	}
	x.single = false
	// One slot for all: what is there of the answer is held meanwhile, also that
	// to methods which need none on their own.
	if slices.ContainsFunc(batch, func(m message) bool { return m.id != nil }) && !x.takeSlot() {
		h.refuse(x, nil, Message{Method: otherMethod, Era: eraLegacy}, busy())
		return
	}
	buf := newBuffer()
	defer buf.release()
	b := buf.b
	// One after the other: a batch gives a client no more than its requests
	// would, and what Caddy keeps for a request is not for several goroutines.
	for i := range batch {
		m := &batch[i]
		note := Message{Method: methodLabel(m.method), Era: eraLegacy}
		if m.id == nil {
			h.observe(x.r, note, outcomeOK)
			continue
		}
		if x.r.Context().Err() != nil {
			break
		}
		sep := byte(',')
		if len(b) == 0 {
			sep = '['
		}
		b = append(b, sep)
		start := len(b)
		var rep reply
		var err *rpcError
		if start > maxBatchAnswer {
			err = batchTooLarge()
		} else {
			rep, err = h.dispatch(x, m, versionBatch, b, &note)
		}
		if err != nil {
			h.observe(x.r, note, err.kind())
			b = err.append(b[:start], m.id)
			continue
		}
		h.observe(x.r, note, outcomeOK)
		b = append(rep.head, rep.tail...)
	}
	buf.b = b
	if len(b) == 0 {
		x.accepted()
		return
	}
	x.finish(http.StatusOK, reply{head: append(b, ']')})
}

// readBatch reads all messages of a batch.
func (h *Handler) readBatch(x *exchange, d *decoder) ([]message, *rpcError) {
	if _, err := d.json.ReadToken(); err != nil {
		return nil, parseError()
	}
	var bad *rpcError
	var batch []message
	for d.json.PeekKind() != ']' {
		if len(batch) == h.opt.Limits.Batch {
			// The rest is only looked at for whether it is JSON.
			bad = firstError(bad, tooManyMessages(h.opt.Limits.Batch))
			if err := d.json.SkipValue(); err != nil {
				return nil, parseError()
			}
			continue
		}
		batch = append(batch, message{})
		m := &batch[len(batch)-1]
		if err := d.message(m); err != nil {
			return nil, parseError()
		}
		switch {
		case m.bad != nil:
			bad = firstError(bad, m.bad)
		case m.modern():
			bad = firstError(bad, noBatches())
		case !batchable(m.method):
			bad = firstError(bad, invalidRequest(m.method+" must not be part of a batch"))
		}
	}
	if _, err := d.json.ReadToken(); err != nil || !d.end() {
		return nil, parseError()
	}
	header, present, err := single(x.r.Header, headerVersion)
	switch {
	case err != nil:
		return nil, err
	case present && header != versionBatch:
		return nil, noBatches()
	case bad != nil:
		return nil, invalidRequest(bad.message)
	case len(batch) == 0:
		return nil, invalidRequest("the batch is empty")
	}
	return batch, nil
}

func firstError(a, b *rpcError) *rpcError {
	if a != nil {
		return a
	}
	return b
}
