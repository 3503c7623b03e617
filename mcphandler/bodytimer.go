// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"net/http"
	"os"
	"sync"
	"time"
)

// Limits of how long a client may take to send a body: a while, and more for
// each byte of it.
const (
	bodyTimeout   = 30 * time.Second
	slowestSender = time.Second / (64 << 10)
)

// bodyTimer ends the reading of a body that takes too long. It is a timer and
// not a deadline from the start, since nearly all bodies are there at once:
// deadlines cost more to set, most of all in HTTP/2, and must be taken back.
type bodyTimer struct {
	timer *time.Timer

	mu    sync.Mutex
	w     http.ResponseWriter // nil while nothing is read
	r     *http.Request
	fired bool
}

var bodyTimers sync.Pool

func startBodyTimer(w http.ResponseWriter, r *http.Request, d time.Duration) *bodyTimer {
	t, _ := bodyTimers.Get().(*bodyTimer)
	if t == nil {
		t = new(bodyTimer)
		t.w, t.r = w, r
		t.timer = time.AfterFunc(d, t.fire)
		return t
	}
	t.w, t.r = w, r
	t.timer.Reset(d)
	return t
}

// timedBody reads the body, if it comes in time.
func (h *Handler) timedBody(w http.ResponseWriter, r *http.Request) (body []byte, err error) {
	limit := h.opt.Limits.Body
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	n := r.ContentLength
	if n < 0 {
		n = limit
	}
	t := startBodyTimer(w, r, h.bodyTimeout+time.Duration(min(n, 1<<40))*slowestSender)
	// Whatever happens: it must not fire into the next request.
	defer func() {
		if late := t.stop(); late != nil {
			body, err = nil, bodyError(late, limit)
		}
	}()
	return h.readBody(r)
}

// fire makes all reading fail from now on. The deadline stays: the server must
// not wait for the rest of the body either before it closes the connection.
func (t *bodyTimer) fire() {
	// A panic here would end the process.
	defer func() { _ = recover() }()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.w == nil {
		return
	}
	if s, ok := t.r.Context().Value(http.ServerContextKey).(*http.Server); ok && s.ReadTimeout > 0 {
		return // whoever runs the server has decided
	}
	t.fired = http.NewResponseController(t.w).SetReadDeadline(time.Unix(1, 0)) == nil
}

// stop ends the timer. It gives an error if it came first, even if the body is
// there: then the connection is no more of use.
func (t *bodyTimer) stop() error {
	stopped := t.timer.Stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.w, t.r = nil, nil
	if stopped {
		bodyTimers.Put(t)
		return nil
	}
	if t.fired {
		return os.ErrDeadlineExceeded
	}
	return nil
}
