// SPDX-License-Identifier: Apache-2.0

package protocol_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/harness"
)

func TestTOOL01(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		res := do(t, harness.Call(v, "tools/list", nil).At("/empty"))
		if !bytes.Contains(res.Body, []byte(`"tools":[]`)) {
			t.Errorf("an empty list is %s", res.Body)
		}
	})
}

func listed(t *testing.T, version string) map[string]harness.ToolInfo {
	t.Helper()
	out := map[string]harness.ToolInfo{}
	for _, tool := range do(t, harness.Call(version, "tools/list", nil)).Result(t).Tools {
		if _, ok := out[tool.Name]; ok {
			t.Errorf("%s is there twice", tool.Name)
		}
		out[tool.Name] = tool
	}
	return out
}

func TestTOOL02(t *testing.T) {
	t.Parallel()
	valid := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	for name := range listed(t, harness.Modern) {
		if !valid.MatchString(name) {
			t.Errorf("name %q", name)
		}
	}
	for _, name := range []string{"a b", "grüße", "a.b", "", strings.Repeat("x", 65), "a/b"} {
		out, err := validate(t, endpoint("tool02", nil, newTool(name, "GET", "/echo/x", nil)))
		if err == nil {
			t.Errorf("name %q is accepted: %s", name, out)
		}
	}
	out, err := validate(t, endpoint("tool02", nil, newTool("same", "GET", "/echo/x", nil), newTool("same", "GET", "/echo/y", nil)))
	if err == nil || !strings.Contains(out, "same") {
		t.Errorf("a duplicate name is accepted: %s", out)
	}
}

func TestTOOL03(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		for name, tool := range listed(t, v) {
			var schema struct{ Type any }
			if err := json.Unmarshal(tool.InputSchema, &schema); err != nil || schema.Type != "object" {
				t.Errorf("%s: inputSchema %s", name, tool.InputSchema)
			}
		}
	})
	for _, schema := range []string{`{"type":"string"}`, `true`, `{}`, `[]`, `{"type":["object","null"]}`} {
		if out, err := validate(t, endpoint("tool03", nil, newTool("bad", "GET", "/echo/x", object{"input_schema": schema}))); err == nil {
			t.Errorf("%s is accepted: %s", schema, out)
		}
	}
}

func TestTOOL04(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		if got := listed(t, v)["rich"].InputSchema; string(got) != richSchema {
			t.Errorf("inputSchema\n%s\nwant\n%s", got, richSchema)
		}
	})
}

func TestTOOL05(t *testing.T) {
	t.Parallel()
	const schema = `{"$schema":"https://example.com/my-dialect","type":"object"}`
	out, err := validate(t, endpoint("tool05", nil, newTool("odd_dialect", "GET", "/echo/x", object{"input_schema": schema})))
	if err == nil || !strings.Contains(out, "odd_dialect") || !strings.Contains(out, "https://example.com/my-dialect") {
		t.Errorf("%v: %s", err, out)
	}
	// 2020-12 is the default: prefixItems and a false items mean something.
	res := call(t, harness.Modern, "rich", object{"z": "b", "a": "c", "t": []any{"x", 1, 2}})
	if !res.IsError {
		t.Error("a third element was accepted")
	}
	if res := call(t, harness.Modern, "rich", object{"z": "b", "a": "c", "t": []any{"x", 1}}); res.IsError {
		t.Error(res.Text())
	}
}

func TestTOOL06(t *testing.T) {
	t.Parallel()
	ref := up.URL + "/echo/tool06.json"
	for _, schema := range []string{
		`{"type":"object","properties":{"a":{"$ref":"` + ref + `"}}}`,
		`{"type":"object","properties":{"a":{"$dynamicRef":"` + ref + `"}}}`,
		`{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`,
		`{"type":"object","properties":{"a":{"$ref":"other.json"}}}`,
	} {
		out, err := validate(t, endpoint("tool06", nil, newTool("remote", "POST", "/echo/x", object{"input_schema": schema})))
		if err == nil || !strings.Contains(out, "remote") {
			t.Errorf("%s: %v: %s", schema, err, out)
		}
	}
	if n := len(up.Seen("/echo/tool06")); n > 0 {
		t.Errorf("the schema was fetched %d times", n)
	}
}

func TestTOOL07(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		for _, id := range []any{"x", 1.5, true, nil, []int{707}, "707707"} {
			if res := call(t, v, "item", object{"id": id}); !res.IsError {
				t.Errorf("%v was accepted", id)
			}
		}
		if !call(t, v, "item", nil).IsError || !call(t, v, "item", object{"id": 1, "extra": 707707}).IsError {
			t.Error("a missing or an extra argument was accepted")
		}
		if n := len(up.Seen("/echo/items/707")); n > 0 {
			t.Errorf("%d requests for arguments that do not fit", n)
		}
	})
}

func TestTOOL08(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		for _, name := range []string{"no_such_tool", "Echo", "echo "} {
			do(t, harness.Tool(v, name, nil)).WantError(t, http.StatusOK, -32602)
		}
	})
}

func TestTOOL09(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		for name, c := range map[string]struct {
			arguments object
			words     []string
		}{
			"type":     {object{"text": "x", "n": "many"}, []string{"n", "integer"}},
			"range":    {object{"n": 0}, []string{"n", "1"}},
			"stranger": {object{"txet": "x"}, []string{"txet"}},
			"several":  {object{"text": 1, "n": "x"}, []string{"text", "string", "n", "integer"}},
		} {
			res := call(t, v, "echo", c.arguments)
			if !res.IsError {
				t.Errorf("%s: accepted", name)
			}
			for _, w := range c.words {
				if !strings.Contains(res.Text(), w) {
					t.Errorf("%s: %q does not say %q", name, res.Text(), w)
				}
			}
		}
	})
}

func TestTOOL10(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		for _, r := range []*harness.Request{harness.Tool(v, "fails", nil), harness.Tool(v, "call", nil).At("/dead")} {
			res := do(t, r)
			if !res.Result(t).IsError {
				t.Errorf("an upstream's failure is no error: %s", res.Body)
			}
			for _, secret := range []string{"127.0.0.1", "detail of 503", "dial", "goroutine", up.Addr()} {
				if strings.Contains(string(res.Body), secret) {
					t.Errorf("%q leaked: %s", secret, res.Body)
				}
			}
		}
		if res := call(t, v, "missing", nil); !res.IsError || !strings.Contains(res.Text(), "404") || !strings.Contains(res.Text(), "detail of 404") {
			t.Errorf("a 404 is %+v", res)
		}
	})
}

func TestTOOL11(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		for _, name := range []string{"nothing", "person", "fails", "events", "item"} {
			var members map[string]json.RawMessage
			if err := json.Unmarshal(do(t, harness.Tool(v, name, nil)).Final(t).Result, &members); err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(members["content"], []byte("[")) {
				t.Errorf("%s: content %s", name, members["content"])
			}
		}
	})
}

func TestTOOL12(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		res := call(t, v, "person", nil)
		if res.IsError || string(res.Structured) != `{"name":"Ada","n":1}` {
			t.Errorf("%+v", res)
		}
	})
	// A result that breaks a strict schema is an error, not a lie.
	res := do(t, harness.Tool(harness.Modern, "strict", nil).At("/strict")).Result(t)
	if !res.IsError || res.Structured != nil {
		t.Errorf("%+v", res)
	}
}

func TestTOOL13(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"person", "list"} {
		res := call(t, harness.Modern, name, nil)
		if res.Structured == nil || res.Text() != string(res.Structured) {
			t.Errorf("%s: text %q, structuredContent %s", name, res.Text(), res.Structured)
		}
	}
	if res := call(t, harness.Legacy, "person", nil); res.Text() != string(res.Structured) {
		t.Errorf("text %q, structuredContent %s", res.Text(), res.Structured)
	}
}

func TestTOOL14(t *testing.T) {
	t.Parallel()
	if listed(t, harness.Modern)["list"].OutputSchema == nil || listed(t, harness.Modern)["person"].OutputSchema == nil {
		t.Error("a modern client does not get the output schemas")
	}
	for _, v := range []string{harness.Legacy, harness.Legacy6} {
		tools := listed(t, v)
		if s := tools["list"].OutputSchema; s != nil {
			t.Errorf("%s: outputSchema %s", v, s)
		}
		if tools["person"].OutputSchema == nil {
			t.Errorf("%s: no outputSchema, though it is an object's", v)
		}
		res := call(t, v, "list", nil)
		if res.Structured != nil || res.Text() != `[1,"two",{"three":3}]` {
			t.Errorf("%s: %+v", v, res)
		}
	}
}

func TestTOOL15(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		path := "/busy-modern"
		if v != harness.Modern {
			path = "/busy-legacy"
		}
		key := "tool15-" + v
		first := make(chan error, 1)
		go func() {
			_, err := caddy.Try(t.Context(), harness.Tool(v, "wait", object{"key": key}).At(path))
			first <- err
		}()
		if err := up.Arrived(deadline(t), key); err != nil {
			t.Fatal(err)
		}
		res := do(t, harness.Tool(v, "wait", object{"key": key}).At(path))
		res.WantError(t, http.StatusServiceUnavailable, -32603)
		if res.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		// What costs nothing is not limited.
		do(t, harness.Call(v, "tools/list", nil).At(path)).Result(t)
		up.Release(key)
		if err := <-first; err != nil {
			t.Fatal(err)
		}
		do(t, harness.Tool(v, "wait", object{"key": key}).At(path)).Result(t)
	})
}

func TestTOOL16(t *testing.T) {
	t.Parallel()
	for name, tool := range listed(t, harness.Modern) {
		if bytes.Contains(tool.Raw, []byte(`"execution"`)) {
			t.Errorf("%s has execution: %s", name, tool.Raw)
		}
	}
}

func TestTOOL17(t *testing.T) {
	t.Parallel()
	for _, r := range []*harness.Request{harness.Call(harness.Modern, "server/discover", nil), harness.Call(harness.Legacy, "initialize", nil)} {
		if c := do(t, r).Result(t).Capabilities["tools"]; c["listChanged"] == true {
			t.Errorf("%s: listChanged, but nobody is ever told", r.Method)
		}
	}
}

// What a tool tells of itself besides its schemas.
func TestToolDescription(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		tools := listed(t, v)
		marked := tools["marked"]
		if marked.Meta["com.example/kind"] != "x" || len(marked.Icons) != 1 || marked.Icons[0]["src"] != "https://example.com/i.png" {
			t.Errorf("%s", marked.Raw)
		}
		want := map[string]map[string]any{
			"item":   {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": true},
			"echo":   {"readOnlyHint": false, "destructiveHint": false, "idempotentHint": false, "openWorldHint": true},
			"marked": {"title": "Marked", "readOnlyHint": false, "destructiveHint": false, "idempotentHint": true, "openWorldHint": true},
		}
		for name, hints := range want {
			for hint, value := range hints {
				if got := tools[name].Annotations[hint]; got != value {
					t.Errorf("%s: %s is %v, want %v", name, hint, got, value)
				}
			}
		}
		if tools["echo"].Title != "Echo" || tools["echo"].Description != "The tool echo." {
			t.Errorf("%s", tools["echo"].Raw)
		}
	})
}
