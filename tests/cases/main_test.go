// SPDX-License-Identifier: Apache-2.0

// Package cases_test repeats what people reported about gateways like this one:
// each row is a kind of fault, run in both eras over one upstream.
package cases_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/fixture"
	"github.com/caddymcp/caddy-mcp/tests/harness"
)

//go:embed Caddyfile
var caddyfile string

var (
	up    *fixture.Upstream
	caddy *harness.Caddy
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	up = fixture.New()
	defer up.Close()
	var err error
	caddy, err = harness.New(harness.Config{
		Text: strings.ReplaceAll(caddyfile, "{$UPSTREAM}", up.Addr()), Caddyfile: true,
		Env: []string{"CASES_TOKEN=sesame"},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := errors.Join(caddy.Close(), harness.Done()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

type object = map[string]any

type raw = json.RawMessage

// row is a call and what has to become of it.
type row struct {
	name string
	tool string
	args any
	// path of the endpoint, if it is not /mcp.
	path  string
	check func(t *testing.T, version string, res harness.Result)
}

func run1(t *testing.T, version string, r row) {
	t.Helper()
	q := harness.Tool(version, r.tool, r.args)
	if r.path != "" {
		q.At(r.path)
	}
	r.check(t, version, caddy.Do(t, q).Result(t))
}

// both runs rows in both eras.
func both(t *testing.T, rows ...row) {
	t.Parallel()
	for _, version := range harness.Eras {
		for _, r := range rows {
			t.Run(version+"/"+r.name, func(t *testing.T) {
				t.Parallel()
				run1(t, version, r)
			})
		}
	}
}

// echoed is what the upstream was asked.
func echoed(t *testing.T, res harness.Result) fixture.Request {
	t.Helper()
	if res.IsError {
		t.Fatalf("error: %s", res.Text())
	}
	var got fixture.Request
	if err := json.Unmarshal([]byte(res.Text()), &got); err != nil {
		t.Fatalf("%v: %s", err, res.Text())
	}
	return got
}

func echo(check func(t *testing.T, got fixture.Request)) func(*testing.T, string, harness.Result) {
	return func(t *testing.T, _ string, res harness.Result) {
		t.Helper()
		check(t, echoed(t, res))
	}
}

func wantPath(path string) func(*testing.T, string, harness.Result) {
	return echo(func(t *testing.T, got fixture.Request) {
		t.Helper()
		if got.Path != path {
			t.Errorf("path %s, want %s", got.Path, path)
		}
	})
}

func wantQuery(query string) func(*testing.T, string, harness.Result) {
	return echo(func(t *testing.T, got fixture.Request) {
		t.Helper()
		if got.Query != query {
			t.Errorf("query %s, want %s", got.Query, query)
		}
	})
}

func wantBody(body string) func(*testing.T, string, harness.Result) {
	return echo(func(t *testing.T, got fixture.Request) {
		t.Helper()
		if sorted(got.Text) != sorted(body) {
			t.Errorf("body %s, want %s", got.Text, body)
		}
	})
}

// sorted brings the members of JSON into an order, which means nothing, and
// keeps all digits. Other text stays as it is.
func sorted(text string) string {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return text
	}
	b, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return string(b)
}

// wantError wants an error that says these words and hides the upstream.
func wantError(words ...string) func(*testing.T, string, harness.Result) {
	return func(t *testing.T, _ string, res harness.Result) {
		t.Helper()
		if !res.IsError {
			t.Errorf("no error: %s", res.Text())
		}
		for _, w := range words {
			if !strings.Contains(res.Text(), w) {
				t.Errorf("%q does not say %q", res.Text(), w)
			}
		}
		if strings.Contains(res.Text(), "127.0.0.1") {
			t.Errorf("an address in %q", res.Text())
		}
	}
}

func wantText(text string) func(*testing.T, string, harness.Result) {
	return func(t *testing.T, _ string, res harness.Result) {
		t.Helper()
		if res.IsError || res.Text() != text {
			t.Errorf("%t %q, want %q", res.IsError, res.Text(), text)
		}
	}
}

func all(checks ...func(*testing.T, string, harness.Result)) func(*testing.T, string, harness.Result) {
	return func(t *testing.T, version string, res harness.Result) {
		t.Helper()
		for _, check := range checks {
			check(t, version, res)
		}
	}
}

func wantStructured(modern, legacy string) func(*testing.T, string, harness.Result) {
	return func(t *testing.T, version string, res harness.Result) {
		t.Helper()
		want := modern
		if version != harness.Modern {
			want = legacy
		}
		if string(res.Structured) != want {
			t.Errorf("structuredContent %s, want %s", res.Structured, want)
		}
	}
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), harness.Patience)
	t.Cleanup(cancel)
	return ctx
}
