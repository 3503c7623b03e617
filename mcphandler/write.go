// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// exchange is the answer to one POST: a JSON body, or an event stream as soon
// as there is something to stream. What has a status of its own must be decided
// before that.
type exchange struct {
	h *Handler
	w http.ResponseWriter
	r *http.Request
	// json and sse are what the client takes.
	json, sse bool
	// single says that the message stands alone, not in a batch.
	single bool
	// slot says that this exchange holds one of those for calls, and reserved
	// what it has of the room for answers. (Here they take no more memory.)
	slot     bool
	reserved int32
	message  message

	// mu guards what follows and the writing of events.
	mu      sync.Mutex
	started bool // the stream's header is written
	done    bool // nothing more is written
	broken  bool // the client takes nothing any more
	timer   *time.Timer
}

// buffer is a pooled byte slice.
type buffer struct{ b []byte }

var buffers = sync.Pool{New: func() any { return &buffer{b: make([]byte, 0, 4<<10)} }}

// maxPooled is the largest slice that is kept: one large answer must not hold
// its memory for ever.
const maxPooled = 128 << 10

func newBuffer() *buffer { return buffers.Get().(*buffer) }

func (b *buffer) release() {
	if cap(b.b) > maxPooled {
		return
	}
	b.b = b.b[:0]
	buffers.Put(b)
}

// Limits of how long a client may take to read.
const (
	// eventTimeout is for an event while the call is still running.
	eventTimeout = 10 * time.Second
	// answerTimeout is for an answer, and slowestReader what it may take more
	// per byte.
	answerTimeout = 30 * time.Second
	slowestReader = time.Second / (64 << 10)
	// atOnce is what surely fits in the buffers below; it needs no deadline.
	atOnce = 16 << 10
)

// deadline bounds the writing of n bytes where that is supported.
func (x *exchange) deadline(n int, base time.Duration) {
	_ = http.NewResponseController(x.w).SetWriteDeadline(time.Now().Add(base + time.Duration(n)*slowestReader))
}

// noDeadline leaves the connection as the next request expects it.
func (x *exchange) noDeadline() {
	_ = http.NewResponseController(x.w).SetWriteDeadline(time.Time{})
}

// accepted answers a notification.
func (x *exchange) accepted() {
	x.w.WriteHeader(http.StatusAccepted)
}

// statusClientClosed is what Caddy logs for a client that went away.
const statusClientClosed = 499

// finish writes the last message, with a status if it still can have one.
// There is nobody to tell of an error: the client is gone.
func (x *exchange) finish(status int, rep reply) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.done = true
	x.leaveSlot(len(rep.head) + len(rep.tail))
	gone := x.r.Context().Err() != nil
	switch {
	case x.started || !x.json && status == http.StatusOK && !gone:
		x.endStream(rep, gone)
	case gone:
		// Nobody reads the status; it is for the access log.
		x.w.WriteHeader(statusClientClosed)
	default:
		x.writeJSON(status, rep)
	}
}

func (x *exchange) writeJSON(status int, rep reply) {
	n := len(rep.head) + len(rep.tail)
	h := x.w.Header()
	// One allocation for all; not shared between requests, since handlers
	// around this one may change values in place.
	values := [...]string{"application/json", "no-store", "nosniff", strconv.Itoa(n)}
	h["Content-Type"] = values[0:1:1]
	h["Cache-Control"] = values[1:2:2]
	h["X-Content-Type-Options"] = values[2:3:3]
	h["Content-Length"] = values[3:4:4]
	if n > atOnce {
		x.deadline(n, answerTimeout)
		defer x.noDeadline()
	}
	x.w.WriteHeader(status)
	if _, err := x.w.Write(rep.head); err != nil {
		return
	}
	if len(rep.tail) > 0 {
		if _, err := x.w.Write(rep.tail); err != nil {
			return
		}
	}
	if n > atOnce {
		// What is left in buffers must go while the deadline stands.
		_ = http.NewResponseController(x.w).Flush()
	}
}

// close ends the exchange, whatever happened.
func (x *exchange) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.done = true
	x.release()
	if x.timer != nil {
		x.timer.Stop()
	}
}

// oneLine replaces the line breaks of valid JSON, which are all between its
// tokens: events end at them.
func oneLine(b []byte) {
	for i := range b {
		if b[i] == '\n' || b[i] == '\r' {
			b[i] = ' '
		}
	}
}

var eventEnd = []byte("\n\n")

// appendEvent adds messages as one event, on one line: there are clients that
// read line by line.
func appendEvent(b []byte, parts ...[]byte) []byte {
	b = append(b, "data: "...)
	start := len(b)
	for _, p := range parts {
		b = append(b, p...)
	}
	if bytes.IndexByte(b[start:], '\n') >= 0 || bytes.IndexByte(b[start:], '\r') >= 0 {
		oneLine(b[start:])
	}
	return append(b, eventEnd...)
}
