// SPDX-License-Identifier: Apache-2.0

// Package hostile_test attacks endpoints in ways that cross the borders between
// packages, over a real Caddy.
package hostile_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/fixture"
	"github.com/caddymcp/caddy-mcp/tests/harness"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := harness.Done(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

const handlersCaddyfile = `{
	admin {$ADMIN}
	auto_https off
}
http:// {
	bind {$LISTEN}
	mcp {
		instructions ""
		tool file {
			description "A file."
			arg name string "Its name."
			request GET /public/{name}.md
			root %[1]s
			file_server
		}
		tool match {
			description "A matcher."
			arg name string "A name."
			request GET /public/{name}
			@private path /private/*
			respond @private "PRIVATE"
			respond "public"
		}
		tool strip {
			description "A prefix that is taken off."
			arg name string "A name."
			request GET /api/echo/{name}/end
			uri strip_prefix /api
			reverse_proxy %[2]s
		}
		tool rewrite {
			description "A path that is put together anew."
			arg name string "A name."
			request GET /in/{name}
			rewrite * /echo{http.request.uri.path}
			reverse_proxy %[2]s
		}
	}
}
`

// The decoded path is what Caddy's own handlers and matchers go by: in there, a
// slash of an argument is a slash.
func TestSegmentStaysInPlaceForEveryHandler(t *testing.T) {
	t.Parallel()
	up := fixture.New()
	t.Cleanup(up.Close)
	root := t.TempDir()
	for name, text := range map[string]string{"public/a.md": "public", "private/a.md": "PRIVATE"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	caddy := harness.Start(t, harness.Config{
		Text: fmt.Sprintf(handlersCaddyfile, root, up.Addr()), Caddyfile: true,
	})

	for _, tool := range []string{"file", "match", "strip", "rewrite"} {
		if res := caddy.Do(t, harness.Tool(harness.Modern, tool, map[string]any{"name": "a"})).Result(t); res.IsError {
			t.Fatalf("%s: a harmless name is refused: %s", tool, res.Text())
		}
	}
	seen := len(up.Seen(""))
	for _, name := range []string{"../private/a", "x/../../private/a", "./../private/a", "a/..", "a/.", "/../private/a"} {
		for _, tool := range []string{"file", "match", "strip", "rewrite"} {
			res := caddy.Do(t, harness.Tool(harness.Modern, tool, map[string]any{"name": name})).Result(t)
			if !res.IsError {
				t.Errorf("%s: name %q is taken: %s", tool, name, res.Text())
			}
			if strings.Contains(res.Text(), "PRIVATE") {
				t.Errorf("%s: name %q leads to what is private", tool, name)
			}
		}
	}
	if got := len(up.Seen("")); got != seen {
		t.Errorf("the upstream was asked %d times", got-seen)
	}
}

// Nothing that a page of another site can send without being asked first may
// reach a tool, and no JSON that two parsers read differently.
func TestAmbiguousMessagesAreRefused(t *testing.T) {
	t.Parallel()
	caddy := harness.Start(t, harness.Config{Text: fmt.Sprintf(handlersCaddyfile, t.TempDir(), "127.0.0.1:9"), Caddyfile: true})
	call := `"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"match","arguments":{"name":"a"}}`
	for name, body := range map[string]string{
		"method twice":           `{` + call + `,"method":"ping"}`,
		"method twice, escaped":  `{` + call + `,"m\u0065thod":"ping"}`,
		"argument twice":         strings.Replace("{"+call+"}", `{"name":"a"}`, `{"name":"a","name":"b"}`, 1),
		"tool twice":             strings.Replace("{"+call+"}", `"name":"match"`, `"name":"match","name":"file"`, 1),
		"two messages":           `{` + call + `}{` + call + `}`,
		"something behind":       `{` + call + `}x`,
		"byte order mark":        "\ufeff{" + call + "}",
		"invalid UTF-8":          strings.Replace("{"+call+"}", `"a"`, "\"\xff\"", 1),
		"lone surrogate":         strings.Replace("{"+call+"}", `"a"`, `"\ud800"`, 1),
		"NUL":                    strings.Replace("{"+call+"}", `"a"`, "\"\x00\"", 1),
		"deep":                   strings.Repeat("[", 100_000),
		"fraction as id":         strings.Replace("{"+call+"}", `"id":1`, `"id":1.0`, 1),
		"number beyond all ends": strings.Replace("{"+call+"}", `"id":1`, `"id":1e400000`, 1),
	} {
		q := harness.Post(body)
		q.Invalid = true
		res := caddy.Do(t, q)
		if res.Status != http.StatusBadRequest {
			t.Errorf("%s: status %d: %.200s", name, res.Status, res.Body)
		}
	}
	for _, ct := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json, text/plain"} {
		q := harness.Post("{"+call+"}").With("Content-Type", ct)
		q.Invalid = true
		if res := caddy.Do(t, q); res.Status != http.StatusUnsupportedMediaType {
			t.Errorf("Content-Type %q: status %d", ct, res.Status)
		}
	}
}
