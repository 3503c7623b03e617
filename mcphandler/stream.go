// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/caddymcp/caddy-mcp/tool"
)

// exchange is the answer to one POST: a JSON body, or an event stream as soon
// as there is something to stream. What has a status of its own must be decided
// before that.
type exchange struct {
	w http.ResponseWriter
	// stream says that the client takes no JSON, only events.
	streamOnly bool

	mu      sync.Mutex
	started bool // the stream's header is written
	done    bool
}

// startStream writes the header of an event stream.
func (x *exchange) startStream() {
	if x.started {
		return
	}
	x.started = true
	h := x.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	x.w.WriteHeader(http.StatusOK)
}

// event writes one message as an event. A message is one line: there are
// clients that read line by line.
func (x *exchange) event(msg []byte) error {
	if bytes.IndexByte(msg, '\n') >= 0 || bytes.IndexByte(msg, '\r') >= 0 {
		v := jsontext.Value(msg)
		if err := v.Compact(); err != nil {
			return err
		}
		msg = v
	}
	b := make([]byte, 0, len(msg)+8)
	b = append(append(append(b, "data: "...), msg...), "\n\n"...)
	if _, err := x.w.Write(b); err != nil {
		return err
	}
	return http.NewResponseController(x.w).Flush()
}

// finish writes the last message, with a status if it still can have one.
func (x *exchange) finish(status int, parts ...[]byte) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.done = true
	if x.started || x.streamOnly && status == http.StatusOK {
		x.startStream()
		return x.event(bytes.Join(parts, nil))
	}
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	h := x.w.Header()
	h["Content-Type"] = jsonType
	h["Cache-Control"] = noStore
	h["Content-Length"] = []string{strconv.Itoa(n)}
	h["X-Content-Type-Options"] = noSniff
	x.w.WriteHeader(status)
	for _, p := range parts {
		if len(p) == 0 {
			continue
		}
		if _, err := x.w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// statusClientClosed is what Caddy logs for a client that went away.
const statusClientClosed = 499

// abandon ends the exchange with a client that is gone. Nobody reads the
// status; it is for the access log.
func (x *exchange) abandon() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.done = true
	if !x.started {
		x.w.WriteHeader(statusClientClosed)
	}
}

// Shared, so that setting them allocates nothing; nobody changes them in place.
var (
	jsonType = []string{"application/json"}
	noStore  = []string{"no-store"}
	noSniff  = []string{"nosniff"}
)

// progress makes the function that tells the client of a call's progress. What
// it gives to the client grows strictly, whatever the upstream says.
func (x *exchange) progress(token jsontext.Value) func(tool.Progress) {
	last := 0.0
	first := true
	return func(p tool.Progress) {
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.done {
			return
		}
		value, number := p.Progress, 0.0
		if len(value) == 0 {
			number = last + 1
			value = strconv.AppendFloat(nil, number, 'f', -1, 64)
		} else {
			var err error
			if number, err = strconv.ParseFloat(string(value), 64); err != nil || !value.IsValid() {
				return
			}
		}
		if !first && !(number > last) {
			return
		}
		first, last = false, number
		b := append([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`), token...)
		b = append(append(b, `,"progress":`...), value...)
		if p.Total.Kind() == '0' && p.Total.IsValid() {
			b = append(append(b, `,"total":`...), p.Total...)
		}
		if p.Message != "" {
			b = quote(append(b, `,"message":`...), p.Message)
		}
		b = append(b, "}}"...)
		x.startStream()
		// A client that is gone ends the call through its context.
		_ = x.event(b)
	}
}
