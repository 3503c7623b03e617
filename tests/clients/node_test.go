// SPDX-License-Identifier: Apache-2.0

package clients_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// node is where the npm packages of node/package.json are installed.
type node struct {
	modules, bin string
	// env keeps the clients out of the user's own directories.
	env []string
}

func needNode(t *testing.T) node {
	t.Helper()
	n := node{modules: os.Getenv("MCP_NODE_MODULES")}
	if n.modules == "" {
		t.Skip("MCP_NODE_MODULES is not set: install by `npm install` in a copy of tests/clients/node, and set it to the node_modules there")
	}
	n.bin = filepath.Join(n.modules, ".bin", "node")
	if _, err := os.Stat(n.bin); err != nil {
		t.Fatalf("MCP_NODE_MODULES is set, but there is no node in it: %v", err)
	}
	home := t.TempDir()
	n.env = []string{"MCP_NODE_MODULES=" + n.modules, "HOME=" + home, "XDG_CONFIG_HOME=" + home, "MCP_REMOTE_CONFIG_DIR=" + home, "NO_COLOR=1"}
	return n
}

// command is an installed command and its arguments.
func (n node) command(name string, args ...string) []string {
	return append([]string{filepath.Join(n.modules, ".bin", name)}, args...)
}

func (n node) run(t *testing.T, args ...string) []byte {
	t.Helper()
	return run(t, n.env, n.bin, args...)
}

func TestTypeScriptSDK(t *testing.T) {
	t.Parallel()
	needNode(t)
	caddy := start(t)
	for _, tc := range []struct{ name, kind, mode, protocol string }{
		{"sdk@1", "sdk1", "legacy", "2025-11-25"},
		{"client@2 auto", "client2", "auto", "2026-07-28"},
		{"client@2 pinned to modern", "client2", "2026-07-28", "2026-07-28"},
		{"client@2 pinned to legacy", "client2", "legacy", "2025-11-25"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			n := needNode(t)
			out := n.run(t, "node/client.mjs", tc.kind, tc.mode, urlFor(t, caddy))
			check(t, out, tc.protocol)
		})
	}
}

// mcp-remote is a bridge for clients that know stdio only.
func TestMCPRemote(t *testing.T) {
	t.Parallel()
	n := needNode(t)
	caddy := start(t)
	args := []string{"node/client.mjs", "sdk1", "legacy", "--", n.bin}
	args = append(args, n.command("mcp-remote", urlFor(t, caddy), "--allow-http", "--transport", "http-only")...)
	// Stdio tells nothing about the version that the bridge agreed on. Over it
	// the SDK drops progress that comes in one piece with the result.
	if r := read(t, n.run(t, args...), ""); r.Progress > steps {
		t.Errorf("%d progress notifications, want at most %d", r.Progress, steps)
	}
}

// result is a tools/call result as the protocol has it.
type result struct {
	IsError           bool           `json:"isError"`
	StructuredContent map[string]any `json:"structuredContent"`
	Content           []struct {
		Type, Text, Data, MIMEType string
	} `json:"content"`
}

func (r result) call() call {
	c := call{IsError: r.IsError, Structured: r.StructuredContent}
	for _, b := range r.Content {
		switch b.Type {
		case "text":
			c.Text += b.Text
		case "image":
			c.Image, c.MIMEType = b.Data, b.MIMEType
		}
	}
	return c
}

func TestInspector(t *testing.T) {
	t.Parallel()
	needNode(t)
	caddy := start(t)
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			n := needNode(t)
			inspect := func(wantExit int, args ...string) []byte {
				t.Helper()
				args = append(n.command("mcp-inspector", "--cli", urlFor(t, caddy), "--transport", "http",
					"--protocol-era", era, "--format", "json", "--quiet"), args...)
				out, err := try(t, n.env, n.bin, args...)
				if got := exitCode(t, err); got != wantExit {
					t.Errorf("inspector %v: exit code %d, want %d\n%s", args[1:], got, wantExit, out)
				}
				return out
			}
			var list struct {
				Result struct {
					Tools []struct{ Name string }
				}
			}
			// --strict fails for schemas that some client or model refuses.
			decode(t, inspect(0, "--method", "tools/list", "--strict"), &list)
			if len(list.Result.Tools) != 4 {
				t.Errorf("tools: %+v, want 4", list.Result.Tools)
			}
			invoke := func(wantExit int, name, args string) call {
				t.Helper()
				var r struct{ Result result }
				decode(t, inspect(wantExit, "--method", "tools/call", "--tool-name", name, "--tool-args-json", args), &r)
				return r.Result.call()
			}
			checkEcho(t, invoke(0, "echo", `{"id":"a b/c","n":7}`))
			checkFail(t, invoke(5, "fail", `{}`))
			checkImage(t, invoke(0, "image", `{}`))
			if got := eras(t, caddy); !slices.Equal(got, []string{era}) {
				t.Errorf("Caddy saw the eras %v, want %s", got, era)
			}
		})
	}
}

func TestMCPorter(t *testing.T) {
	t.Parallel()
	n := needNode(t)
	caddy := start(t)
	var list struct {
		Status string
		Tools  []struct{ Name string }
	}
	porter := func(wantExit int, args ...string) []byte {
		t.Helper()
		args = n.command("mcporter", append(args, "--http-url", urlFor(t, caddy), "--allow-http")...)
		out, err := try(t, n.env, n.bin, args...)
		if got := exitCode(t, err); got != wantExit {
			t.Errorf("mcporter %v: exit code %d, want %d\n%s", args[1:], got, wantExit, out)
		}
		return out
	}
	decode(t, porter(0, "list", "--json", "--schema"), &list)
	if list.Status != "ok" || len(list.Tools) != 4 {
		t.Errorf("list: %+v, want 4 tools", list)
	}
	// Of structured results mcporter prints only that.
	var echo map[string]any
	decode(t, porter(0, "call", "--tool", "echo", "--args", `{"id":"a b/c","n":7}`, "--output", "json"), &echo)
	if echo["path"] != "/echo/a%20b%2Fc" || echo["query"] != "n=7" {
		t.Errorf("echo: %v", echo)
	}
	var r result
	decode(t, porter(1, "call", "--tool", "fail", "--output", "json"), &r)
	checkFail(t, r.call())
	r = result{}
	decode(t, porter(0, "call", "--tool", "image", "--output", "json"), &r)
	checkImage(t, r.call())
}

func decode(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%v in %q", err, data)
	}
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	ee, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		t.Fatal(err)
	}
	return ee.ExitCode()
}
