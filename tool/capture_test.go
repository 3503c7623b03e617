// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// A handler must stop reading from its upstream as soon as no more is needed.
func TestCaptureStopsTheUpstream(t *testing.T) {
	t.Parallel()
	for _, readFrom := range []bool{false, true} {
		m := newMapper(t, Config{}, Options{ResultSize: 10_000})
		cw := m.capture(answer{}.request(t), &Call{})
		endless := &countingReader{}
		var w io.Writer = struct{ io.Writer }{cw}
		if readFrom {
			w = cw
		}
		if _, err := io.Copy(w, endless); err == nil {
			t.Fatal("no error")
		}
		if endless.n > spilled+100_000 || len(cw.buf) > 10_000+runeSlack {
			t.Errorf("read %d, kept %d bytes", endless.n, len(cw.buf))
		}
		if res := cw.overflow(); res == nil || res.IsError || len(res.Meta) != 1 {
			t.Errorf("result %+v", res)
		}
	}
}

type countingReader struct{ n int }

func (r *countingReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	r.n += len(p)
	return len(p), nil
}

func TestCaptureWriter(t *testing.T) {
	t.Parallel()
	m := newMapper(t, Config{}, Options{})
	cw := m.capture(answer{}.request(t), &Call{})
	cw.WriteHeader(http.StatusEarlyHints)
	cw.Header().Set("Content-Type", "application/json")
	if err := http.NewResponseController(cw).Flush(); err != nil {
		t.Fatal(err)
	}
	// Too late, as for any ResponseWriter.
	cw.WriteHeader(http.StatusNotFound)
	cw.Header().Set("Content-Type", "image/png")
	cw.Header().Set("Content-Length", "7")
	for part := range strings.SplitSeq(`{"a"|:|1}`, "|") {
		if n, err := io.WriteString(cw, part); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if n, err := cw.ReadFrom(strings.NewReader("  ")); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if cw.overflow() != nil {
		t.Error("overflow")
	}
	if res := cw.result(t.Context()); string(res.Structured) != `{"a":1}` {
		t.Errorf("%+v", res)
	}
	var w http.ResponseWriter = cw
	if _, ok := w.(http.Hijacker); ok {
		t.Error("can be hijacked")
	}
	if _, ok := w.(interface{ Unwrap() http.ResponseWriter }); ok {
		t.Error("can be unwrapped")
	}
}

// Interim responses come before the answer; a final status below 200 is none.
func TestCaptureNoAnswer(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		statuses []int
		want     string
		failed   bool
	}{
		{"switching protocols", []int{http.StatusSwitchingProtocols}, "upstream gave no valid answer", true},
		{"switching protocols after a hint", []int{http.StatusEarlyHints, http.StatusSwitchingProtocols}, "upstream gave no valid answer", true},
		{"zero", []int{0}, "upstream gave no valid answer", true},
		{"two digits", []int{99}, "upstream gave no valid answer", true},
		{"interim", []int{http.StatusContinue, http.StatusProcessing, http.StatusEarlyHints, 199, http.StatusOK}, "said", false},
		{"too late", []int{http.StatusOK, 0}, "said", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := newMapper(t, Config{}, Options{})
			cw := m.capture(answer{}.request(t), &Call{})
			cw.Header().Set("Content-Type", "text/plain")
			for _, status := range tc.statuses {
				cw.WriteHeader(status)
			}
			if _, err := io.WriteString(cw, "said"); err != nil {
				t.Fatal(err)
			}
			res := cw.result(t.Context())
			if err := check(m, res); err != nil {
				t.Fatal(err)
			}
			if got := told(res); len(got) != 1 || got[0] != tc.want || res.IsError != tc.failed {
				t.Errorf("%q, %v", got, res.IsError)
			}
			if tc.failed && (res.Outcome != OutcomeUpstream || res.Status != http.StatusBadGateway) {
				t.Errorf("outcome %s, status %d", res.Outcome, res.Status)
			}
		})
	}
}
