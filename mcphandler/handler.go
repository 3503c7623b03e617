// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
)

// Handler serves one MCP endpoint. It is safe for concurrent use.
type Handler struct {
	opt     Options
	origins []string
	catalog *catalog
	running atomic.Int64
}

// Room that the envelope of a message needs besides the arguments of a call.
const (
	envelopeDepth    = 8
	envelopeElements = 256
)

// New makes a handler and everything that its answers consist of. It fails if
// two tools have the same name or something is not valid JSON.
func New(o Options) (*Handler, error) {
	if o.Name == "" || o.Version == "" {
		return nil, errors.New("name and version are required")
	}
	l := &o.Limits
	if l.Body <= 0 {
		l.Body = 1 << 20
	}
	for _, d := range []struct {
		value *int
		def   int
	}{{&l.Elements, 10_000}, {&l.Depth, 64}, {&l.Calls, 100}, {&l.Batch, 20}, {&o.PageSize, 1000}} {
		if *d.value <= 0 {
			*d.value = d.def
		}
	}
	if o.Scheme == nil {
		o.Scheme = func(r *http.Request) string {
			if r.TLS != nil {
				return "https"
			}
			return "http"
		}
	}
	h := &Handler{opt: o}
	for _, origin := range o.Origins {
		h.origins = append(h.origins, strings.ToLower(origin))
	}
	var err error
	if h.catalog, err = newCatalog(&o); err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	return h, nil
}

// ServeHTTP answers a client. It returns a [*StatusError] if the request is
// none that MCP has an answer for; then nothing is written. Other errors are
// those of writing.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) error {
	if err := h.checkOrigin(w, r); err != nil {
		return err
	}
	switch r.Method {
	case http.MethodPost:
		return h.post(w, r)
	case http.MethodOptions:
		if r.Header.Get("Origin") != "" && r.Header.Get("Access-Control-Request-Method") != "" {
			preflight(w, r)
			return nil
		}
	case http.MethodGet, http.MethodHead:
		if h.opt.Page != nil && wantsPage(r.Header["Accept"]) {
			w.Header().Add("Vary", "Accept")
			h.opt.Page.ServeHTTP(w, r)
			return nil
		}
	}
	w.Header().Set("Allow", http.MethodPost)
	return &StatusError{
		Status: http.StatusMethodNotAllowed,
		Err:    errors.New("method not allowed: MCP clients POST here"),
	}
}

// wantsPage says that a browser asks, not a client that opens an event stream.
func wantsPage(accept []string) bool {
	if len(accept) == 0 {
		return false
	}
	named := false
	for _, line := range accept {
		named = named || strings.Contains(strings.ToLower(line), "text/html")
	}
	q := accepts(accept, "text", "html")
	return named && q > 0 && q >= accepts(accept, "text", "event-stream")
}

func (h *Handler) post(w http.ResponseWriter, r *http.Request) error {
	if err := checkContentType(r.Header); err != nil {
		return err
	}
	accept := r.Header["Accept"]
	x := &exchange{w: w}
	if len(accept) > 0 && accepts(accept, "application", "json") == 0 {
		if accepts(accept, "text", "event-stream") == 0 {
			return &StatusError{
				Status: http.StatusNotAcceptable,
				Err:    errors.New("not acceptable: answers are application/json or text/event-stream"),
			}
		}
		x.streamOnly = true
	}
	body, err := h.readBody(r)
	if err != nil {
		return err
	}
	return h.answer(r, body, x)
}

func checkContentType(h http.Header) error {
	values := h["Content-Type"]
	if len(values) == 1 {
		if values[0] == "application/json" {
			return checkEncoding(h)
		}
		if mt, _, err := mime.ParseMediaType(values[0]); err == nil && mt == "application/json" {
			return checkEncoding(h)
		}
	}
	return &StatusError{
		Status: http.StatusUnsupportedMediaType,
		Err:    errors.New("unsupported media type: expected application/json"),
	}
}

func checkEncoding(h http.Header) error {
	if e := h.Get("Content-Encoding"); e == "" || strings.EqualFold(e, "identity") {
		return nil
	}
	return &StatusError{
		Status: http.StatusUnsupportedMediaType,
		Err:    errors.New("unsupported content encoding: expected none"),
	}
}

// readBody reads the whole body: only then does net/http notice that a client
// is gone.
func (h *Handler) readBody(r *http.Request) ([]byte, error) {
	limit := h.opt.Limits.Body
	tooLarge := &StatusError{
		Status: http.StatusRequestEntityTooLarge,
		Err:    fmt.Errorf("request body larger than %d bytes", limit),
	}
	if r.ContentLength > limit {
		return nil, tooLarge
	}
	size := r.ContentLength
	if size < 0 {
		size = 1024
	}
	// Room for one byte more, so that the end is seen without growing.
	body := make([]byte, 0, size+1)
	for {
		if len(body) == cap(body) {
			body = append(body, 0)[:len(body)]
		}
		n, err := r.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if int64(len(body)) > limit {
			return nil, tooLarge
		}
		if err == io.EOF {
			return body, nil
		}
		if err != nil {
			var mbe *http.MaxBytesError
			if errors.As(err, &mbe) {
				return nil, tooLarge
			}
			return nil, &StatusError{Status: http.StatusBadRequest, Err: errors.New("the request body could not be read")}
		}
	}
}

// decode checks that the body is one JSON value within the limits.
func (h *Handler) decode(body []byte) (jsontext.Value, *rpcError) {
	l := &h.opt.Limits
	if err := measure(body, l.Depth+envelopeDepth, l.Elements+envelopeElements); err != nil {
		return nil, invalidRequest(err.Error())
	}
	v := jsontext.Value(body)
	if !v.IsValid() {
		return nil, &rpcError{
			code: codeParse, status: http.StatusBadRequest,
			message: "expected one JSON value in UTF-8, without duplicate names",
		}
	}
	i := skipSpace(v, 0)
	return v[i:], nil
}
