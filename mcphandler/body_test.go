// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

func TestLimits(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		e := echo()
		h := newHandler(t, Options{Limits: Limits{Body: 20_000, Elements: 100, Depth: 10}}, e)
		fits := func(args string) { t.Helper(); do(t, h, call(v, "echo", args)).result(t) }
		fails := func(args string) { t.Helper(); do(t, h, call(v, "echo", args)).wantError(t, 400, codeInvalidRequest) }

		nested := func(n int) string { return `{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}` }
		fits(nested(9))
		fails(nested(30))
		fails(nested(9_000))
		many := func(n int) string { return `{"a":[` + strings.TrimSuffix(strings.Repeat("{},", n), ",") + `]}` }
		fits(many(99))
		fails(many(600))
		// Nothing within strings counts.
		fits(`{"a":"` + strings.Repeat(`,{[\"\\`, 500) + `"}`)

		if a := do(t, h, call(v, "echo", `{"a":"`+strings.Repeat("x", 20_000)+`"}`)); a.status != http.StatusRequestEntityTooLarge {
			t.Errorf("HTTP %d", a.status)
		}
		// A length that is not announced.
		r := call(v, "echo", `{"a":"`+strings.Repeat("x", 20_000)+`"}`).http()
		r.ContentLength = -1
		if err, ok := h.ServeHTTP(httptest.NewRecorder(), r).(*StatusError); !ok || err.Status != http.StatusRequestEntityTooLarge {
			t.Errorf("%v", err)
		}
		r = call(v, "echo", `{"a":"`+strings.Repeat("x", 5_000)+`"}`).http()
		r.ContentLength = -1
		w := httptest.NewRecorder()
		if err := h.ServeHTTP(w, r); err != nil || w.Code != 200 {
			t.Errorf("%v, HTTP %d", err, w.Code)
		}
	})
}

// A body is read whole whatever its announced length.
func TestReadBody(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{Limits: Limits{Body: 300_000}})
	for _, n := range []int{0, 1, 1023, 1024, firstRead - 1, firstRead, firstRead + 1, 200_000, 300_000} {
		for _, announced := range []int64{-1, int64(n)} {
			r := httptest.NewRequest("POST", "/", io.NopCloser(strings.NewReader(strings.Repeat("x", n))))
			r.ContentLength = announced
			b, err := h.readBody(r)
			if err != nil || len(b) != n {
				t.Errorf("%d announced as %d: %d, %v", n, announced, len(b), err)
			}
		}
	}
	for _, announced := range []int64{-1, 300_001} {
		r := httptest.NewRequest("POST", "/", io.NopCloser(strings.NewReader(strings.Repeat("x", 300_001))))
		r.ContentLength = announced
		if _, err := h.readBody(r); err == nil || err.(*StatusError).Status != http.StatusRequestEntityTooLarge {
			t.Errorf("one byte too many, announced as %d: %v", announced, err)
		}
	}
	r := httptest.NewRequest("POST", "/", nil)
	r.ContentLength = -1
	r.Body = io.NopCloser(failing{&http.MaxBytesError{Limit: 5}})
	if _, err := h.readBody(r); err.(*StatusError).Status != http.StatusRequestEntityTooLarge {
		t.Error(err)
	}
	r.Body = io.NopCloser(failing{os.ErrDeadlineExceeded})
	if _, err := h.readBody(r); err.(*StatusError).Status != http.StatusRequestTimeout {
		t.Error(err)
	}
	r.Body = io.NopCloser(failing{io.ErrUnexpectedEOF})
	if _, err := h.readBody(r); err.(*StatusError).Status != http.StatusBadRequest {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
