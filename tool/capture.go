// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"errors"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

var (
	_ http.ResponseWriter = (*capture)(nil)
	_ http.Flusher        = (*capture)(nil)
	_ io.ReaderFrom       = (*capture)(nil)
	_ UpstreamHoster      = (*capture)(nil)
)

// UpstreamHoster is implemented by the writer that [Backend.Serve] gets. A
// backend that knows which host (with its port, if it has one) the upstream
// believes to be tells it, so that absolute redirects to it are seen as what
// they are: redirects to the same host.
type UpstreamHoster interface {
	SetUpstreamHost(host string)
}

// errOversize is what a handler gets that writes more than is of any use, so
// that it stops reading its upstream.
var errOversize = errors.New("the answer is larger than the limit")

// errNoAnswer is a final status below 200.
var errNoAnswer = errors.New("the upstream's status is none of an answer")

const (
	// failureRead is how much of the body of an error is read.
	failureRead = 64 << 10
	// skipped is how much of a body that nobody looks at may be written.
	skipped = 1 << 20
	// spilled is how much beyond the limit is read and dropped.
	spilled = 4 << 20
	// prealloc caps what is allocated on the word of a Content-Length.
	prealloc = 1 << 20
	// runeSlack lets a cut at the limit see whether a character ends there.
	runeSlack = 4
)

// capture is the writer that the handlers of a call respond on. It has its own
// header, keeps no more of the body than a result can use, and hides the
// client's connection: it does not unwrap and cannot be hijacked.
type capture struct {
	m *mapper
	c *Call
	r *http.Request
	// url is the request's as it was before the handlers rewrote it.
	url url.URL

	header http.Header
	head   head
	status int
	// noAnswer says that the handlers ended with a status that is none of an
	// answer's: the upstream switched protocols, or sent nonsense.
	noAnswer bool

	// buf is the body as it was written, up to limit.
	buf   []byte
	limit int64
	// written counts what the handlers wrote.
	written int64
	// over says that they wrote, or wanted to write, more than limit.
	over bool
	// discard says that the body does not matter.
	discard bool
	// events takes the body in place of buf if it is a stream.
	events *stream

	upstreamHost string
}

// head is what counts of a response's header; trailers come too late to
// change it.
type head struct {
	contentType string
	// encoding is the Content-Encoding, empty for identity.
	encoding string
	// length is the Content-Length, -1 if unknown.
	length int64
}

func (m *mapper) capture(r *http.Request, c *Call) *capture {
	return &capture{m: m, c: c, r: r, url: *r.URL, header: make(http.Header, 8)}
}

// Header gives the header of the response.
func (cw *capture) Header() http.Header { return cw.header }

// SetUpstreamHost implements [UpstreamHoster].
func (cw *capture) SetUpstreamHost(host string) { cw.upstreamHost = host }

// Flush makes the header final; there is nothing else to flush.
func (cw *capture) Flush() { cw.commit() }

// FlushError is Flush for an [http.ResponseController].
func (cw *capture) FlushError() error {
	cw.commit()
	return nil
}

func (cw *capture) commit() {
	if cw.status == 0 {
		cw.WriteHeader(http.StatusOK)
	}
}

// WriteHeader takes the status; interim responses are not the answer. 101 is
// no interim response: nothing that could be used comes after it.
func (cw *capture) WriteHeader(status int) {
	if cw.status != 0 || status >= 100 && status < 200 && status != http.StatusSwitchingProtocols {
		return
	}
	if status < 200 {
		// As a gateway says it of an upstream like that.
		cw.noAnswer, status = true, http.StatusBadGateway
	}
	cw.status = status
	cw.head = head{contentType: first(cw.header, "Content-Type"), encoding: contentEncoding(cw.header), length: -1}
	if cl := first(cw.header, "Content-Length"); cl != "" {
		if n, err := strconv.ParseInt(textproto.TrimString(cl), 10, 64); err == nil && n >= 0 {
			cw.head.length = n
		}
	}
	switch {
	case cw.r.Method == http.MethodHead, status == http.StatusNoContent, status == http.StatusResetContent, cw.noAnswer:
		cw.discard, cw.limit = true, skipped
	case status >= 400:
		cw.limit = failureRead
	case status >= 300:
		cw.discard, cw.limit = true, skipped
	default:
		cw.limit = cw.m.limit() + runeSlack
		cw.startStream()
	}
}

// startStream takes the body event by event if it is a stream. A compressed
// one is no good for progress; its events are read in the end.
func (cw *capture) startStream() {
	mt, _ := mediaType(cw.head.contentType)
	kind := classify(mt)
	if kind != kindSSE && kind != kindLines {
		return
	}
	cw.events = newStream(kind, cw.m.limit(), cw.c.Progress)
	if cw.head.encoding != "" {
		cw.events.late = true
	}
}

// Write takes a part of the body. It fails once there is more than can be
// used; the handlers then stop, and [capture.overflow] gives the result.
func (cw *capture) Write(p []byte) (int, error) {
	cw.commit()
	cw.written += int64(len(p))
	if cw.over {
		return cw.spill(len(p), 0)
	}
	if cw.discard {
		if cw.written > cw.limit {
			cw.over = true
			return 0, errOversize
		}
		return len(p), nil
	}
	if cw.events != nil && !cw.events.late {
		if !cw.events.write(p) {
			cw.over = true
			return 0, errOversize
		}
		return len(p), nil
	}
	n := min(int64(len(p)), cw.limit-int64(len(cw.buf)))
	cw.grow(int(n))
	cw.buf = append(cw.buf, p[:n]...)
	if n < int64(len(p)) {
		cw.over = true
		return cw.spill(len(p), int(n))
	}
	return len(p), nil
}

// spill drops n bytes that are beyond the limit, of which some are kept. A
// handler that fails to write logs the whole request, with the arguments in its
// URL; so it only fails where there is more to come than is worth reading.
func (cw *capture) spill(n, kept int) (int, error) {
	if max(cw.written, cw.head.length) > cw.limit+spilled {
		return kept, errOversize
	}
	return n, nil
}

// grow makes room for n more bytes: at once for all that the response
// promises, else by doubling.
func (cw *capture) grow(n int) {
	if len(cw.buf)+n <= cap(cw.buf) {
		return
	}
	if cw.buf == nil {
		if want := min(cw.head.length, cw.limit, prealloc); want > int64(n) {
			n = int(want)
		}
	}
	cw.buf = slices.Grow(cw.buf, max(n, len(cw.buf)))
}

// ReadFrom spares io.Copy its buffer.
func (cw *capture) ReadFrom(r io.Reader) (n int64, err error) {
	cw.commit()
	if cw.discard || cw.events != nil || cw.over {
		return io.Copy(struct{ io.Writer }{cw}, r)
	}
	for {
		if len(cw.buf) == cap(cw.buf) {
			// One byte more than promised: room to see the end.
			cw.grow(max(512, min(int(cw.head.length), prealloc)+1))
		}
		k, err := r.Read(cw.buf[len(cw.buf):cap(cw.buf)])
		cw.buf = cw.buf[:len(cw.buf)+k]
		cw.written += int64(k)
		n += int64(k)
		if int64(len(cw.buf)) > cw.limit {
			cw.buf, cw.over = cw.buf[:cw.limit], true
			if _, err := cw.spill(0, 0); err != nil {
				return n, err
			}
			m, err := io.Copy(struct{ io.Writer }{cw}, r)
			return n + m, err
		}
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// broken says that less came than was promised.
func (cw *capture) broken() bool {
	return !cw.discard && !cw.over && cw.head.length > cw.written
}

// place is where the Location header points to, without its origin; empty if
// that is another host.
func (cw *capture) place() string {
	loc := first(cw.header, "Location")
	if loc == "" || len(loc) > 2048 {
		return ""
	}
	u, err := url.Parse(loc)
	if err != nil || u.Opaque != "" || u.Host != "" && !cw.sameHost(u) {
		return ""
	}
	return cw.url.ResolveReference(u).RequestURI()
}

func first(h http.Header, name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

func contentEncoding(h http.Header) string {
	v := h["Content-Encoding"]
	if len(v) == 0 {
		return ""
	}
	enc := strings.ToLower(strings.TrimSpace(strings.Join(v, ",")))
	if enc == "identity" {
		return ""
	}
	return enc
}
