// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStream(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, contentType, body string
		sel                     string
		progress                []string // progress/total message
		want                    string
		structured              string
	}{
		{
			name: "reports and a result", contentType: "text/event-stream",
			body: "data: {\"progress\":1,\"total\":2.50,\"message\":\"half\"}\n\n" +
				": keep-alive\n\nevent: x\nid: 1\ndata:{\"progress\":2}\n\n" +
				"data: {\"id\":7}\n\n",
			progress: []string{"1/2.50 half", "2/ ", "/ {\"id\":7}"},
			want:     `{"id":7}`, structured: `{"id":7}`,
		},
		{
			name: "text of several lines", contentType: "text/event-stream; charset=utf-8",
			body:     "\uFEFFdata: a\ndata:  b\ndata\n\n",
			progress: []string{"/ a\n b\n"}, want: "a\n b\n",
		},
		{
			name: "all line ends", contentType: "text/event-stream",
			body:     "data: a\r\rdata: b\r\n\r\ndata: c\n\n",
			progress: []string{"/ a", "/ b", "/ c"}, want: "a\nb\nc",
		},
		{name: "no last line end", contentType: "text/event-stream", body: "data: a\n\ndata: b", progress: []string{"/ a", "/ b"}, want: "a\nb"},
		{name: "done", contentType: "text/event-stream", body: "data: a\n\ndata: [DONE]\n\n", progress: []string{"/ a"}, want: "a"},
		{name: "messages", contentType: "text/event-stream", body: "data: {\"message\":\"hi\",\"total\":3}\n\n", progress: []string{"/ hi"}, want: `{"message":"hi","total":3}`, structured: `{"message":"hi","total":3}`},
		{name: "reports only", contentType: "text/event-stream", body: "data: {\"progress\":1,\"message\":\"all done\"}\n\n", progress: []string{"1/ all done"}, want: "all done"},
		{name: "no words", contentType: "text/event-stream", body: "data: {\"progress\":1}\n\n", progress: []string{"1/ "}, want: "200 OK"},
		{name: "nothing", contentType: "text/event-stream", body: ": hello\n\n", want: "200 OK"},
		{name: "not quite reports", contentType: "text/event-stream", body: "data: {\"progress\":\"1\"}\n\n", progress: []string{`/ {"progress":"1"}`}, want: `{"progress":"1"}`, structured: `{"progress":"1"}`},
		{name: "bad bytes", contentType: "text/event-stream", body: "data: \xff\n\n", progress: []string{"/ \uFFFD"}, want: "\uFFFD"},
		{name: "rows", contentType: "application/x-ndjson", body: "{\"a\":1}\r\n\n{\"a\":2}", progress: []string{`/ {"a":1}`, `/ {"a":2}`}, want: "{\"a\":1}\n{\"a\":2}"},
		{name: "one row", contentType: "application/jsonl", body: "{\"a\":1}\n", progress: []string{`/ {"a":1}`}, want: `{"a":1}`, structured: `{"a":1}`},
		{name: "spring", contentType: "application/stream+json", body: "{\"progress\":1}\n[2]\n", progress: []string{"1/ ", "/ [2]"}, want: "[2]"},
		{name: "selected rows", contentType: "application/x-ndjson", body: "{\"a\":1}\n{\"a\":2}\n", sel: "map(.a)", progress: []string{`/ {"a":1}`, `/ {"a":2}`}, want: "[1,2]"},
		{name: "selected row", contentType: "application/x-ndjson", body: "{\"a\":1}\n", sel: ".a", progress: []string{`/ {"a":1}`}, want: "1"},
	} {
		for _, size := range []int{1, 3, 1 << 20} {
			t.Run(fmt.Sprintf("%s/%d", tc.name, size), func(t *testing.T) {
				t.Parallel()
				m := newMapper(t, Config{Select: tc.sel}, Options{})
				var progress []string
				c := &Call{Progress: func(p Progress) {
					progress = append(progress, string(p.Progress)+"/"+string(p.Total)+" "+p.Message)
				}}
				cw := m.capture(answer{}.request(t), c)
				cw.Header().Set("Content-Type", tc.contentType)
				for body := tc.body; body != ""; {
					n := min(size, len(body))
					if _, err := io.WriteString(cw, body[:n]); err != nil {
						t.Fatal(err)
					}
					body = body[n:]
				}
				res := cw.result(t.Context())
				if err := check(m, res); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.progress, progress); diff != "" {
					t.Errorf("progress: %s", diff)
				}
				if diff := cmp.Diff([]string{tc.want}, told(res)); diff != "" || string(res.Structured) != tc.structured {
					t.Errorf("%s, structured %s", diff, res.Structured)
				}

				c.Progress = nil
				if diff := cmp.Diff(told(res), told(m.exchange(t, answer{header: map[string]string{"Content-Type": tc.contentType}, body: tc.body}, c))); diff != "" {
					t.Errorf("without progress: %s", diff)
				}
				a := answer{header: map[string]string{"Content-Type": tc.contentType, "Content-Encoding": "gzip"}, body: compress(t, "gzip", tc.body)}
				if diff := cmp.Diff(told(res), told(m.exchange(t, a, c))); diff != "" {
					t.Errorf("compressed: %s", diff)
				}
			})
		}
	}
}

// Each event is told as soon as it is complete.
func TestStreamIsLive(t *testing.T) {
	t.Parallel()
	m := newMapper(t, Config{}, Options{})
	n := 0
	cw := m.capture(answer{}.request(t), &Call{Progress: func(Progress) { n++ }})
	cw.Header().Set("Content-Type", "text/event-stream")
	for i := range 5 {
		if _, err := io.WriteString(cw, "data: tick\n\n"); err != nil {
			t.Fatal(err)
		}
		if n != i+1 {
			t.Fatalf("%d events told after %d", n, i+1)
		}
	}
}

// Reports do not count against the limit, all else does.
func TestStreamIsBounded(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, contentType, unit string
		over                    bool
		nothing                 bool // of any use
	}{
		{"reports", "text/event-stream", "data: {\"progress\":1}\n\n", false, false},
		{"comments", "text/event-stream", ": ping\n\n", false, false},
		{"events", "text/event-stream", "data: é\n\n", true, false},
		{"one event", "text/event-stream", "data: é\n", true, false},
		{"one line", "text/event-stream", "data: é", true, false},
		{"one comment", "text/event-stream", ": é", true, true},
		{"rows", "application/x-ndjson", "{\"a\":1}\n", true, false},
		{"one row", "application/x-ndjson", "é", true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := newMapper(t, Config{}, Options{ResultSize: 2000})
			cw := m.capture(answer{}.request(t), &Call{})
			cw.Header().Set("Content-Type", tc.contentType)
			var err error
			for i := 0; i < 100_000 && err == nil; i++ {
				_, err = io.WriteString(cw, tc.unit)
			}
			if (err != nil) != tc.over {
				t.Fatalf("over: %v", err)
			}
			if kept := cap(cw.events.data) + cap(cw.events.event) + cap(cw.events.line); kept > 10_000 {
				t.Errorf("kept %d bytes", kept)
			}
			res := cw.overflow()
			if (res != nil) != tc.over {
				t.Fatalf("overflow %v", res)
			}
			if res == nil {
				return
			}
			if err := check(m, res); err != nil {
				t.Fatal(err)
			}
			texts := told(res)
			if tc.nothing {
				if !res.IsError || texts[0] != "the upstream's answer is a stream with no event in its first 2000 bytes" {
					t.Errorf("%v: %q", res.IsError, texts)
				}
				return
			}
			if len(texts) != 2 || res.Meta == nil || len(texts[0]) < 1500 {
				t.Errorf("%q", texts)
			}
		})
	}
}

func TestStreamLongMessage(t *testing.T) {
	t.Parallel()
	m := newMapper(t, Config{}, Options{})
	var got string
	c := &Call{Progress: func(p Progress) { got = p.Message }}
	m.exchange(t, answer{header: map[string]string{"Content-Type": "text/event-stream"}, body: "data: x" + strings.Repeat("é", 5000) + "\n\n"}, c)
	if want := "x" + strings.Repeat("é", (messageSize-1)/2) + "…"; got != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}

// One event, or line, that is larger than a result is cut as any other answer
// is, however its parts come in.
func TestStreamCutsOneEvent(t *testing.T) {
	t.Parallel()
	long := `{"a":"` + strings.Repeat("x", 5000) + `"}`
	for _, tc := range []struct {
		name, contentType, body string
		begin                   string
	}{
		{"event", "text/event-stream", "data: " + long + "\n\n", `{"a":"xxx`},
		{"event with a mark", "text/event-stream", "\uFEFFdata:" + long + "\n\n", `{"a":"xxx`},
		{"event that does not end", "text/event-stream", "data: " + long, `{"a":"xxx`},
		{"event of several lines", "text/event-stream", "id: 1\ndata: [\ndata: " + long + "\ndata: ]\n\n", "[\n{\"a\":\"xxx"},
		{"second event", "text/event-stream", "data: {}\n\ndata: " + long + "\n\n", "{}\n{\"a\":\"xxx"},
		{"after a report", "text/event-stream", "data: {\"progress\":1}\n\ndata: " + long + "\n\n", `{"a":"xxx`},
		{"line", "application/x-ndjson", long + "\n", `{"a":"xxx`},
		{"line with a mark", "application/x-ndjson", "\uFEFF  " + long + "\n", `{"a":"xxx`},
		{"second line", "application/x-ndjson", "{}\n" + long, "{}\n{\"a\":\"xxx"},
	} {
		for _, size := range []int{1, 1000, 1 << 20} {
			t.Run(fmt.Sprintf("%s/%d", tc.name, size), func(t *testing.T) {
				t.Parallel()
				m := newMapper(t, Config{}, Options{ResultSize: 2000})
				cw := m.capture(answer{}.request(t), &Call{})
				cw.Header().Set("Content-Type", tc.contentType)
				for part := range slices.Chunk([]byte(tc.body), size) {
					if _, err := cw.Write(part); err != nil {
						break
					}
				}
				cut(t, m, cw.overflow(), tc.begin)
			})
		}
		t.Run(tc.name+"/gzip", func(t *testing.T) {
			t.Parallel()
			m := newMapper(t, Config{}, Options{ResultSize: 2000})
			a := answer{header: map[string]string{"Content-Type": tc.contentType, "Content-Encoding": "gzip"}, body: compress(t, "gzip", tc.body)}
			cut(t, m, m.exchange(t, a, nil), tc.begin)
		})
	}
}

func cut(t *testing.T, m *mapper, res *Result, begin string) {
	t.Helper()
	if res == nil {
		t.Fatal("no overflow")
	}
	if err := check(m, res); err != nil {
		t.Fatal(err)
	}
	texts := told(res)
	if len(texts) != 2 || res.IsError || !strings.HasPrefix(texts[0], begin) || len(texts[0]) < 1500 || res.Meta == nil {
		t.Errorf("%v, %d texts: %q", res.IsError, len(texts), texts)
	}
}

// What is only a part must neither pass select nor an output schema.
func TestStreamCutIsNoJSON(t *testing.T) {
	t.Parallel()
	body := "data: [1" + strings.Repeat(",1", 5000) + "]\n\n"
	for _, cfg := range []Config{{Select: "."}, {OutputSchema: []byte(`{"type":"array"}`)}} {
		m := newMapper(t, cfg, Options{ResultSize: 2000, AnswerSize: 4000})
		res := m.exchange(t, answer{header: map[string]string{"Content-Type": "text/event-stream"}, body: body}, nil)
		if err := check(m, res); err != nil {
			t.Fatal(err)
		}
		if res.Outcome != OutcomeOutput {
			t.Errorf("%s: %q", res.Outcome, told(res))
		}
	}
}
