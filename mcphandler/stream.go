// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/caddymcp/caddy-mcp/tool"
)

// keepAlive is how long an open stream may be silent: proxies cut what is idle,
// most of them after a minute.
const keepAlive = 15 * time.Second

// startStream writes the header of an event stream.
func (x *exchange) startStream() {
	if x.started {
		return
	}
	x.started = true
	h := x.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	x.w.WriteHeader(http.StatusOK)
}

// send writes b to the stream at once. What a client does not take in time
// breaks the stream; the server then ends the call through its context.
func (x *exchange) send(b []byte, timeout time.Duration) {
	if x.broken {
		return
	}
	x.startStream()
	x.deadline(len(b), timeout)
	_, err := x.w.Write(b)
	if err == nil {
		err = http.NewResponseController(x.w).Flush()
	}
	x.broken = err != nil
	// HTTP/2 resets a stream whose deadline passes, even if nothing is written.
	x.noDeadline()
}

// endStream writes the response, which ends the stream.
func (x *exchange) endStream(rep reply, gone bool) {
	if x.timer != nil {
		x.timer.Stop()
	}
	if gone {
		return
	}
	buf := newBuffer()
	defer buf.release()
	buf.b = appendEvent(buf.b, rep.head, rep.tail)
	x.send(buf.b, answerTimeout)
}

// stayAlive writes a comment whenever nothing else was written for a while.
func (x *exchange) stayAlive() {
	if x.timer != nil {
		x.timer.Reset(x.h.keepAlive)
		return
	}
	x.timer = time.AfterFunc(x.h.keepAlive, x.tick)
}

func (x *exchange) tick() {
	// A panic here would end the process.
	defer func() { _ = recover() }()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.done || x.broken {
		return
	}
	x.send([]byte(": still working\n\n"), eventTimeout)
	x.timer.Reset(x.h.keepAlive)
}

// Progress may come as fast as an upstream writes; a client gets a burst of it,
// and so many a second.
const (
	progressBurst = 1000
	progressRate  = 200
)

// progressor tells a client of a call's progress. What it says grows strictly,
// whatever the upstream says.
type progressor struct {
	x     *exchange
	token jsontext.Value

	last    float64
	first   bool
	allowed float64
	refill  time.Time
	buf     []byte
}

func (x *exchange) progress(token jsontext.Value) func(tool.Progress) {
	p := &progressor{x: x, token: token, first: true, allowed: progressBurst, refill: time.Now()}
	return p.tell
}

func (p *progressor) tell(step tool.Progress) {
	p.x.mu.Lock()
	defer p.x.mu.Unlock()
	if p.x.done || p.x.broken || !p.may() {
		return
	}
	number, value, ok := p.next(step.Progress)
	if !ok {
		return
	}
	p.first, p.last = false, number
	b := append(p.buf[:0], `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`...)
	b = append(b, p.token...)
	b = append(append(b, `,"progress":`...), value...)
	if isNumber(step.Total) {
		b = append(append(b, `,"total":`...), step.Total...)
	}
	if step.Message != "" {
		b = quote(append(b, `,"message":`...), step.Message)
	}
	p.buf = append(append(b, "}}"...), eventEnd...)
	p.x.send(p.buf, eventTimeout)
	p.x.stayAlive()
}

// may takes from the budget of notifications.
func (p *progressor) may() bool {
	now := time.Now()
	p.allowed = min(progressBurst, p.allowed+now.Sub(p.refill).Seconds()*progressRate)
	p.refill = now
	if p.allowed < 1 {
		return false
	}
	p.allowed--
	return true
}

// next gives the progress to tell: the upstream's number if it is more than the
// last one, or one more than that.
func (p *progressor) next(given jsontext.Value) (number float64, value jsontext.Value, ok bool) {
	if len(given) == 0 {
		number = p.last + 1
		return number, strconv.AppendFloat(nil, number, 'f', -1, 64), number > p.last
	}
	if !isNumber(given) {
		return 0, nil, false
	}
	number, err := strconv.ParseFloat(string(given), 64)
	if err != nil {
		return 0, nil, false
	}
	return number, given, p.first || number > p.last
}

// isNumber says that v is one JSON number and nothing else.
func isNumber(v jsontext.Value) bool {
	if len(v) == 0 || v[0] != '-' && (v[0] < '0' || v[0] > '9') {
		return false
	}
	last := v[len(v)-1]
	return last >= '0' && last <= '9' && v.IsValid()
}
