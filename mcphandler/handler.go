// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// Handler serves one MCP endpoint. It is safe for concurrent use.
type Handler struct {
	opt     Options
	origins []string
	catalog *catalog
	// running counts the slots that are taken, and writing the bytes of answers
	// that clients are reading without one.
	running, writing atomic.Int64
	// Shorter in tests.
	bodyTimeout, keepAlive time.Duration
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
	h := &Handler{opt: o, bodyTimeout: bodyTimeout, keepAlive: keepAlive}
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
// none that MCP has an answer for; then nothing is written.
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
		if h.opt.Page == nil {
			break
		}
		// Also for 405, which caches may keep.
		w.Header().Add("Vary", "Accept")
		if wantsPage(r.Header["Accept"]) {
			if err := h.checkHost(r); err != nil {
				return err
			}
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
	x := &exchange{h: h, w: w, r: r, single: true}
	if x.json, x.sse = answerTypes(r.Header["Accept"]); !x.json && !x.sse {
		return &StatusError{
			Status: http.StatusNotAcceptable,
			Err:    errors.New("not acceptable: answers are application/json or text/event-stream"),
		}
	}
	body, err := h.timedBody(w, r)
	if err != nil {
		return err
	}
	defer x.close()
	h.answer(x, body)
	return nil
}

func checkContentType(h http.Header) error {
	values := h["Content-Type"]
	if len(values) == 1 {
		if values[0] == "application/json" {
			return checkEncoding(h)
		}
		if mt, params, err := mime.ParseMediaType(values[0]); err == nil && mt == "application/json" {
			charset, given := params["charset"]
			if given && !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "utf8") {
				return &StatusError{
					Status: http.StatusUnsupportedMediaType,
					Err:    errors.New("unsupported charset: expected utf-8"),
				}
			}
			return checkEncoding(h)
		}
	}
	return &StatusError{
		Status: http.StatusUnsupportedMediaType,
		Err:    errors.New("unsupported media type: expected application/json"),
	}
}

func checkEncoding(h http.Header) error {
	for _, line := range h["Content-Encoding"] {
		if line == "" || strings.EqualFold(line, "identity") {
			continue
		}
		return &StatusError{
			Status: http.StatusUnsupportedMediaType,
			Err:    errors.New("unsupported content encoding: expected none"),
		}
	}
	return nil
}
