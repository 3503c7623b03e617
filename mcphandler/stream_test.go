// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/caddymcp/caddy-mcp/tool"
)

// stepping tells of each step.
func stepping(steps ...tool.Progress) *fakeTool {
	return &fakeTool{name: "steps", call: func(_ context.Context, c *tool.Call) *tool.Result {
		for _, s := range steps {
			if c.Progress != nil {
				c.Progress(s)
			}
		}
		return textResult("done")
	}}
}

type progressParams struct {
	ProgressToken   json.RawMessage
	Progress, Total json.RawMessage
	Message         string
}

func progressOf(t *testing.T, a *answer) []progressParams {
	t.Helper()
	var out []progressParams
	for _, m := range a.messages {
		if m.Method == "" {
			continue
		}
		if m.ID != nil || m.Method != "notifications/progress" {
			t.Errorf("HTTP-20: %s", m.raw)
		}
		var p progressParams
		if err := json.Unmarshal(m.Params, &p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// PROG-01, HTTP-19 and HTTP-22.
func TestPROG01(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		h := newHandler(t, Options{}, stepping(tool.Progress{Message: "a\nb"}, tool.Progress{Message: "c"}))
		if a := do(t, h, call(v, "steps", "{}")); a.sse || len(a.messages) != 1 {
			t.Errorf("progress that nobody asked for: %s", a.body)
		}
		for _, token := range []string{`"tok"`, `7`, `0`, `""`, `9007199254740993`, `"\u00fc\n"`} {
			q := call(v, "steps", "{}")
			q.meta = `"progressToken":` + token
			a := do(t, h, q)
			if !a.sse || a.text(t) != "done" {
				t.Fatalf("%s", a.body)
			}
			steps := progressOf(t, a)
			if len(steps) != 2 || steps[0].Message != "a\nb" || steps[1].Message != "c" {
				t.Errorf("%+v", steps)
			}
			for _, s := range steps {
				if string(s.ProgressToken) != token {
					t.Errorf("token %s, want %s", s.ProgressToken, token)
				}
			}
			if a.messages[len(a.messages)-1].Result == nil {
				t.Error("HTTP-22: something follows the response")
			}
			if a.header.Get("X-Accel-Buffering") != "no" || a.header.Get("Cache-Control") != "no-cache" || a.header.Get("Content-Length") != "" {
				t.Errorf("%v", a.header)
			}
			// A client that takes no events gets none.
			if a := do(t, h, q.with("Accept", "application/json")); a.sse || a.text(t) != "done" {
				t.Errorf("%s", a.body)
			}
		}
		for _, token := range []string{`{}`, `[1]`, `true`, `1.5`, `null`} {
			q := call(v, "steps", "{}")
			q.meta = `"progressToken":` + token
			do(t, h, q).wantError(t, 200, codeInvalidParams)
		}
	})
}

func TestPROG02(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		val := func(s string) jsontext.Value { return jsontext.Value(s) }
		for name, tt := range map[string]struct {
			steps []tool.Progress
			want  string
		}{
			"counted":           {[]tool.Progress{{}, {}, {}}, "1 2 3"},
			"given":             {[]tool.Progress{{Progress: val("0")}, {Progress: val("0.5")}, {Progress: val("1e2")}}, "0 0.5 1e2"},
			"negative first":    {[]tool.Progress{{Progress: val("-5")}, {}}, "-5 -4"},
			"not increasing":    {[]tool.Progress{{Progress: val("5")}, {Progress: val("5")}, {Progress: val("4")}, {Progress: val("6")}}, "5 6"},
			"mixed":             {[]tool.Progress{{Progress: val("5")}, {}, {Progress: val("5.5")}, {}}, "5 6 7"},
			"no numbers":        {[]tool.Progress{{Progress: val(`"5"`)}, {Progress: val("1e999")}, {Progress: val("null")}, {Progress: val("1}")}, {Progress: val(" 2")}, {Progress: val("01")}, {}}, "1"},
			"larger than exact": {[]tool.Progress{{Progress: val("9007199254740992")}, {}, {Progress: val("9007199254740994")}}, "9007199254740992 9007199254740994"},
		} {
			h := newHandler(t, Options{}, stepping(tt.steps...))
			q := call(v, "steps", "{}")
			q.meta = `"progressToken":1`
			var got []string
			for _, s := range progressOf(t, do(t, h, q)) {
				got = append(got, string(s.Progress))
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("%s: %s, want %s", name, s, tt.want)
			}
		}
		h := newHandler(t, Options{}, stepping(tool.Progress{Total: val("10")}, tool.Progress{Total: val(`"x"`)}, tool.Progress{Total: val("{}")}))
		q := call(v, "steps", "{}")
		q.meta = `"progressToken":1`
		s := progressOf(t, do(t, h, q))
		if len(s) != 3 || string(s[0].Total) != "10" || s[1].Total != nil || s[2].Total != nil {
			t.Errorf("%+v", s)
		}
	})
}

// Nothing comes after the response, whatever a tool left running.
func TestPROG02After(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		for _, first := range []bool{true, false} {
			var late func(tool.Progress)
			h := newHandler(t, Options{}, &fakeTool{name: "late", call: func(_ context.Context, c *tool.Call) *tool.Result {
				if late = c.Progress; first {
					late(tool.Progress{})
				}
				return textResult("done")
			}})
			q := call(v, "late", "{}")
			q.meta = `"progressToken":1`
			w := httptest.NewRecorder()
			if err := h.ServeHTTP(w, q.http()); err != nil {
				t.Fatal(err)
			}
			before := w.Body.String()
			late(tool.Progress{})
			if got := w.Body.String(); got != before {
				t.Errorf("%q after %q", got, before)
			}
		}
	})
}

// An upstream that tells too much is cut short; the response comes.
func TestProgressFlood(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{}, stepping(make([]tool.Progress, 50*progressBurst)...))
	q := call(versionModern, "steps", "{}")
	q.meta = `"progressToken":1`
	a := do(t, h, q)
	if n := len(progressOf(t, a)); n < progressBurst || n >= 50*progressBurst || a.text(t) != "done" {
		t.Errorf("%d notifications", n)
	}
}

// Each step reaches the client before the next one is made.
func TestProgressIsFlushed(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		next := make(chan struct{})
		srv := serve(t, newHandler(t, Options{}, &fakeTool{name: "steps", call: func(ctx context.Context, c *tool.Call) *tool.Result {
			for range 3 {
				c.Progress(tool.Progress{})
				select {
				case <-next:
				case <-ctx.Done():
				}
			}
			return textResult("done")
		}}))
		q := call(v, "steps", "{}")
		q.meta = `"progressToken":"t"`
		r := q.http()
		out, err := http.NewRequestWithContext(t.Context(), "POST", srv.URL, r.Body)
		if err != nil {
			t.Fatal(err)
		}
		out.Header = r.Header
		res, err := srv.Client().Do(out)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		lines := bufio.NewScanner(res.Body)
		for i := 1; i <= 3; i++ {
			for lines.Scan() && !strings.HasPrefix(lines.Text(), "data: ") {
			}
			if !strings.Contains(lines.Text(), fmt.Sprintf(`"progress":%d`, i)) {
				t.Fatalf("step %d: %q, %v", i, lines.Text(), lines.Err())
			}
			next <- struct{}{}
		}
		for lines.Scan() && !strings.HasPrefix(lines.Text(), "data: ") {
		}
		if !strings.Contains(lines.Text(), "done") {
			t.Errorf("%q", lines.Text())
		}
	})
}

// A stream that is silent for a while carries comments, and none at its end.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	comments := make(chan struct{}, 1)
	w := &watcher{ResponseRecorder: httptest.NewRecorder(), comments: comments}
	x := &exchange{h: &Handler{keepAlive: time.Millisecond}, w: w, r: httptest.NewRequest("POST", "/", nil), json: true, sse: true, single: true}
	x.progress(jsontext.Value("1"))(tool.Progress{})
	for range 3 {
		<-comments
	}
	x.finish(http.StatusOK, reply{head: []byte("{}")})
	x.close()
	body := w.Body.String()
	x.tick() // one that came while the response was written
	if got := w.Body.String(); got != body {
		t.Errorf("%q after %q", got, body)
	}
	if !strings.HasSuffix(body, "\n\ndata: {}\n\n") || strings.Count(body, "\n\n: still working\n\n") == 0 {
		t.Errorf("%q", body)
	}
}

// watcher tells of comments.
type watcher struct {
	*httptest.ResponseRecorder
	comments chan struct{}
}

func (w *watcher) Write(b []byte) (int, error) {
	if b[0] == ':' {
		select {
		case w.comments <- struct{}{}:
		default:
		}
	}
	return w.ResponseRecorder.Write(b)
}

// deadlines is a writer that keeps track of deadlines and can fail.
type deadlines struct {
	discard
	set    []time.Time
	writes int
	fail   error
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return nil
}

func (d *deadlines) Write(b []byte) (int, error) {
	d.writes++
	if d.fail != nil {
		return 0, d.fail
	}
	return d.discard.Write(b)
}

func (d *deadlines) Flush() {}

// Every write that can block has a deadline, and the next request has none.
func TestWriteDeadlines(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		big := textResult(strings.Repeat("x", 100_000))
		h := newHandler(t, Options{}, echo(), &fakeTool{name: "big", result: big}, stepping(tool.Progress{}, tool.Progress{}))
		for name, want := range map[string]int{"echo": 0, "big": 2, "steps": 6} {
			w := &deadlines{discard: discard{header: http.Header{}}}
			q := call(v, name, "{}")
			q.meta = `"progressToken":1`
			if err := h.ServeHTTP(w, q.http()); err != nil {
				t.Fatal(err)
			}
			if len(w.set) != want {
				t.Errorf("%s: %d deadlines, want %d", name, len(w.set), want)
			}
			for i, d := range w.set {
				if d.IsZero() != (i%2 == 1) {
					t.Errorf("%s: %v", name, w.set)
				}
			}
		}
	})
}

// A client that takes nothing any more is not written to again.
func TestBrokenStream(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		w := &deadlines{discard: discard{header: http.Header{}}, fail: errors.New("too slow")}
		h := newHandler(t, Options{}, stepping(make([]tool.Progress, 5)...))
		q := call(v, "steps", "{}")
		q.meta = `"progressToken":1`
		if err := h.ServeHTTP(w, q.http()); err != nil {
			t.Error(err)
		}
		if w.writes != 1 {
			t.Errorf("%d writes", w.writes)
		}
		// Nor is it an error of the server that a client is gone.
		w.writes = 0
		if err := h.ServeHTTP(w, call(v, "steps", "{}").http()); err != nil || w.writes != 1 {
			t.Errorf("%v after %d writes", err, w.writes)
		}
	})
}

// A failure after the stream began still ends it with a response.
func TestErrorOnStream(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		h := newHandler(t, Options{}, &fakeTool{name: "x", call: func(_ context.Context, c *tool.Call) *tool.Result {
			c.Progress(tool.Progress{})
			panic("x")
		}})
		q := call(v, "x", "{}")
		q.meta = `"progressToken":1`
		a := do(t, h, q)
		if m := a.last(t); !a.sse || len(a.messages) != 2 || m.Error == nil || m.Error.Code != codeInternal || string(m.ID) != "1" {
			t.Errorf("%s", a.body)
		}
	})
}

func TestEventsAreLines(t *testing.T) {
	t.Parallel()
	b := appendEvent(nil, []byte("{\"a\":\r\n"), []byte("[1,\n2]}"))
	if string(b) != "data: {\"a\":  [1, 2]}\n\n" {
		t.Errorf("%q", b)
	}
}

func TestIsNumber(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"0": true, "-1": true, "1.5": true, "1e5": true, "1E+5": true, "": false, "-": false, "01": false, "1.": false,
		" 1": false, "1 ": false, "1,": false, "null": false, `"1"`: false, "0x1": false, "Inf": false, "1 2": false,
	} {
		if isNumber(jsontext.Value(s)) != want {
			t.Errorf("%s: %s", strconv.Quote(s), strconv.FormatBool(!want))
		}
	}
}
