// SPDX-License-Identifier: Apache-2.0

package protocol_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/harness"
)

// withProgress asks for progress with a token, as raw JSON.
func withProgress(r *harness.Request, token string) *harness.Request {
	if r.Version == harness.Modern {
		return r.WithMeta("progressToken", json.RawMessage(token))
	}
	r.Params["_meta"] = object{"progressToken": json.RawMessage(token)}
	return r
}

type progress struct {
	ProgressToken   json.RawMessage
	Progress, Total json.Number
	Message         string
}

func steps(t *testing.T, res *harness.Response) []progress {
	t.Helper()
	var out []progress
	for _, m := range res.Messages[:len(res.Messages)-1] {
		var p progress
		if err := json.Unmarshal(m.Params, &p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

func TestPROG01(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		for _, name := range []string{"events", "lines"} {
			if res := do(t, harness.Tool(v, name, nil)); res.SSE || len(res.Messages) != 1 {
				t.Errorf("%s: progress that nobody asked for: %s", name, res.Body)
			}
			for _, token := range []string{`"tok"`, `7`, `0`, `""`, `9007199254740993`, `"\u00fc"`} {
				got := steps(t, do(t, withProgress(harness.Tool(v, name, nil), token)))
				if len(got) == 0 {
					t.Errorf("%s: no progress", name)
				}
				for _, p := range got {
					if string(p.ProgressToken) != token {
						t.Errorf("%s: token %s, want %s", name, p.ProgressToken, token)
					}
				}
			}
		}
		// A token that is none.
		for _, token := range []string{`{}`, `[1]`, `true`, `1.5`} {
			res := do(t, withProgress(harness.Tool(v, "events", nil), token))
			if len(res.Messages) != 1 {
				t.Errorf("progress for the token %s: %s", token, res.Body)
			}
		}
	})
}

func TestPROG02(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		for name, word := range map[string]string{"events": "step", "lines": "line"} {
			res := do(t, withProgress(harness.Tool(v, name, nil), `"t"`))
			got := steps(t, res)
			for i := 1; i < len(got); i++ {
				a, _ := got[i-1].Progress.Float64()
				b, _ := got[i].Progress.Float64()
				if b <= a {
					t.Errorf("%s: progress %v after %v", name, b, a)
				}
			}
			for i, p := range got[:min(3, len(got))] {
				if want := fmt.Sprintf("%s %d", word, i+1); p.Message != want || p.Total != "3" || p.Progress != json.Number(fmt.Sprint(i+1)) {
					t.Errorf("%s: %+v, want %q", name, p, want)
				}
			}
			if len(got) < 3 {
				t.Errorf("%s: %d steps", name, len(got))
			}
			if !strings.Contains(res.Result(t).Text(), "done") {
				t.Errorf("%s: %+v", name, res.Result(t))
			}
		}
	})
}

func TestHTTP19(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		res := do(t, withProgress(harness.Tool(v, "events", nil), `1`))
		if !res.SSE || res.Header.Get("X-Accel-Buffering") != "no" || !strings.Contains(res.Header.Get("Cache-Control"), "no-") {
			t.Errorf("%v", res.Header)
		}
	})
}

func TestHTTP20(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		res := do(t, withProgress(harness.Tool(v, "events", nil), `1`))
		for _, m := range res.Messages {
			if m.Method != "" && m.ID != nil {
				t.Errorf("a request from the server: %s", m.Raw)
			}
		}
	})
}

func TestHTTP21(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		// Two calls at once, each with its own token.
		tokens := []string{`"a"`, `"b"`}
		answers := make([]*harness.Response, len(tokens))
		done := make(chan error, len(tokens))
		for i, token := range tokens {
			go func() {
				var err error
				answers[i], err = caddy.Try(t.Context(), withProgress(harness.Tool(v, "events", nil), token))
				done <- err
			}()
		}
		for range tokens {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		for i, res := range answers {
			for _, p := range steps(t, res) {
				if string(p.ProgressToken) != tokens[i] {
					t.Errorf("progress of %s on the stream of %s", p.ProgressToken, tokens[i])
				}
			}
		}
	})
}

func TestHTTP22(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		res := do(t, withProgress(harness.Tool(v, "events", nil), `1`))
		if last := res.Final(t); last.Result == nil {
			t.Errorf("the stream ends with %s", last.Raw)
		}
		if n := slices.IndexFunc(res.Messages, func(m harness.Message) bool { return m.Result != nil }); n != len(res.Messages)-1 {
			t.Errorf("message %d of %d is the response", n, len(res.Messages))
		}
	})
}

func TestHTTP23(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		key := fmt.Sprintf("http23-%t", stream)
		ctx, cancel := context.WithCancel(t.Context())
		r := harness.Tool(harness.Modern, "wait", object{"key": key})
		if stream {
			r = withProgress(harness.Tool(harness.Modern, "wait_events", object{"key": key}), `1`)
		}
		done := make(chan error, 1)
		go func() {
			_, err := caddy.Try(ctx, r)
			done <- err
		}()
		if err := up.Arrived(deadline(t), key); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := up.Cancelled(deadline(t), key); err != nil {
			t.Error(err)
		}
		if err := <-done; err == nil {
			t.Error("an answer for a client that is gone")
		}
	}
}

func TestHTTP24(t *testing.T) {
	t.Parallel()
	res := do(t, withProgress(harness.Tool(harness.Modern, "events", nil), `1`))
	for line := range strings.SplitSeq(string(res.Body), "\n") {
		if line != "" && !strings.HasPrefix(line, "data: ") && !strings.HasPrefix(line, ":") && line != "event: message" {
			t.Errorf("line %q", line)
		}
	}
}

// Progress arrives when it happens, not when the call is over.
func TestProgressIsPrompt(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		key := "prompt-" + v
		s := caddy.Open(t, withProgress(harness.Tool(v, "wait_events", object{"key": key}), `1`))
		lines := bufio.NewReader(s.Body)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(line, "step 1") {
				break
			}
		}
		up.Release(key)
		if rest, err := lines.ReadString(0); !strings.Contains(rest, "step 2") || !strings.Contains(rest, "done") {
			t.Errorf("%v: %s", err, rest)
		}
	})
}
