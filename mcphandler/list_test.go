// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddy-mcp/tool"
)

// DISC-01, DISC-02 and CACHE-01.
func TestDISC01And02(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{
		Name: "shop", Version: "2.0", Title: "Shop", WebsiteURL: "https://shop.example", Instructions: "Search \"first\".",
		Icons: []mcp.Icon{{Source: "https://shop.example/icon.png", MIMEType: "image/png", Sizes: []string{"48x48"}}},
	})
	r := do(t, h, request{version: versionModern, method: "server/discover"}).result(t)
	var versions []string
	if err := json.Unmarshal(r["supportedVersions"], &versions); err != nil || !slices.Equal(versions, supportedVersions) {
		t.Errorf("%v: %s", err, r["supportedVersions"])
	}
	for name, want := range map[string]string{
		"capabilities": `{"tools":{}}`, "resultType": `"complete"`, "ttlMs": `60000`, "cacheScope": `"public"`,
		"instructions": `"Search \"first\"."`, "serverInfo": "",
		"_meta": `{"io.modelcontextprotocol/serverInfo":{"name":"shop","title":"Shop","version":"2.0","websiteUrl":"https://shop.example",` +
			`"icons":[{"src":"https://shop.example/icon.png","mimeType":"image/png","sizes":["48x48"]}]}}`,
	} {
		if string(r[name]) != want {
			t.Errorf("%s: %s, want %s", name, r[name], want)
		}
	}
}

// DISC-03 and TOOL-01: what is declared works, even without tools.
func TestDISC03(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		h, err := New(Options{Name: "x", Version: "1"})
		if err != nil {
			t.Fatal(err)
		}
		a := do(t, h, request{version: v, method: "tools/list"})
		if r := a.result(t); string(r["tools"]) != "[]" || r["nextCursor"] != nil {
			t.Errorf("%s", a.body)
		}
	})
}

func manyTools(n int) []Tool {
	tools := make([]Tool, n)
	for i := range tools {
		// Not in the order of the alphabet.
		tools[i] = &fakeTool{name: fmt.Sprintf("t%d", (i*7)%n), result: textResult("")}
	}
	return tools
}

// names follows the cursors.
func names(t *testing.T, h *Handler, v, cursor string) (all []string, pages int) {
	t.Helper()
	for {
		q := request{version: v, method: "tools/list"}
		if cursor != "" {
			q.params = `"cursor":"` + cursor + `"`
		}
		a := do(t, h, q)
		a.result(t)
		var list struct {
			Tools      []struct{ Name string }
			NextCursor *string
			CacheScope string
		}
		if err := json.Unmarshal(a.last(t).Result, &list); err != nil {
			t.Fatal(err)
		}
		if v == versionModern && list.CacheScope != "public" {
			t.Errorf("CACHE-02: %q", list.CacheScope)
		}
		for _, tool := range list.Tools {
			all = append(all, tool.Name)
		}
		pages++
		if list.NextCursor == nil {
			return all, pages
		}
		if cursor = *list.NextCursor; cursor == "" || pages > 1000 {
			t.Fatalf("cursor %q on page %d", cursor, pages)
		}
	}
}

// PAGE-02, CACHE-02 and LIST-02.
func TestPAGE02(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		tools := manyTools(30)
		var want []string
		for _, tool := range tools {
			want = append(want, tool.Descriptor().Name)
		}
		for size, pages := range map[int]int{1: 30, 7: 5, 10: 3, 29: 2, 30: 1, 1000: 1} {
			h := newHandler(t, Options{PageSize: size}, tools...)
			got, n := names(t, h, v, "")
			if !slices.Equal(got, want) || n != pages {
				t.Errorf("pages of %d: %d pages, %v", size, n, got)
			}
		}
	})
}

// A cursor of another node or an earlier configuration goes on behind its tool.
func TestPAGE02OtherCatalog(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		tools := manyTools(30)
		h := newHandler(t, Options{PageSize: 7}, tools...)
		cursor := cursorFor(tools[9].Descriptor())
		got, _ := names(t, h, v, cursor)
		if len(got) != 20 || got[0] != tools[10].Descriptor().Name {
			t.Errorf("%v", got)
		}
		if got, _ := names(t, h, v, cursorFor(tools[29].Descriptor())); len(got) != 0 {
			t.Errorf("behind the last: %v", got)
		}
	})
}

func TestPAGE01(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		h := newHandler(t, Options{PageSize: 2}, manyTools(5)...)
		good := cursorFor(&tool.Descriptor{Name: "t1"})
		raw, err := base64.RawURLEncoding.DecodeString(good)
		if err != nil {
			t.Fatal(err)
		}
		forged := base64.RawURLEncoding.EncodeToString(bytes.Replace(raw, []byte("t1"), []byte("t2"), 1))
		for _, cursor := range []string{
			`""`, `"x"`, `"0"`, `7`, `{}`, `"` + good + `="`, `"` + good[:len(good)-1] + `"`, `"` + good + `A"`,
			`"` + cursorFor(&tool.Descriptor{Name: "gone"}) + `"`, `"` + strings.Repeat("A", 5000) + `"`, `"` + forged + `"`, `"MTIzNDU2"`,
		} {
			do(t, h, request{version: v, method: "tools/list", params: `"cursor":` + cursor}).wantError(t, 200, codeInvalidParams)
		}
		do(t, h, request{version: v, method: "tools/list", params: `"cursor":null`}).result(t)
	})
}

// LIST-01 and LIST-02.
func TestLIST01And02(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		tools := manyTools(20)
		h := newHandler(t, Options{}, tools...)
		first := do(t, h, request{version: v, method: "tools/list"}).body
		do(t, h, call(v, "t3", "{}")).result(t)
		if again := do(t, h, request{version: v, method: "tools/list"}).body; !bytes.Equal(again, first) {
			t.Errorf("%s\n%s", first, again)
		}
		other := newHandler(t, Options{}, tools...)
		if got := do(t, other, request{version: v, method: "tools/list"}).body; !bytes.Equal(got, first) {
			t.Errorf("%s\n%s", first, got)
		}
	})
}

const richSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"a":{"$anchor":"x","type":"string"}},` +
	`"properties":{"z":{"$ref":"#/$defs/a"},"a":{"anyOf":[{"const":9007199254740993},{"const":1.0}]}},"allOf":[{"if":{},"then":{},"else":{}}],"additionalProperties":false}`

// TOOL-03, TOOL-04, TOOL-14 and TOOL-16.
func TestTOOL04And14(t *testing.T) {
	both(t, func(t *testing.T, v string) {
		yes := true
		desc := func(name string, out string, object bool) *fakeTool {
			return &fakeTool{desc: &tool.Descriptor{
				Name: name, Title: "Title", Description: "Describes <it>.",
				InputSchema: jsontext.Value(richSchema), OutputSchema: jsontext.Value(out), OutputObject: object,
				Annotations: mcp.ToolAnnotations{Title: "Hint", ReadOnlyHint: true, OpenWorldHint: &yes},
				Icons:       []mcp.Icon{{Source: "data:image/png;base64,AA=="}},
				Meta:        jsontext.Value(`{"com.example/x":[1, 2]}`),
			}}
		}
		h := newHandler(t, Options{}, desc("object", `{"type":"object"}`, true), desc("array", `{"type":"array","items":{"type":"object"}}`, false))
		r := do(t, h, request{version: v, method: "tools/list"}).result(t)
		var tools []map[string]json.RawMessage
		if err := json.Unmarshal(r["tools"], &tools); err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"object", "array"} {
			want := map[string]string{
				"name": `"` + name + `"`, "title": `"Title"`, "description": `"Describes <it>."`, "inputSchema": richSchema,
				"annotations": `{"title":"Hint","readOnlyHint":true,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}`,
				"icons":       `[{"src":"data:image/png;base64,AA=="}]`, "_meta": `{"com.example/x":[1,2]}`,
			}
			switch {
			case name == "object":
				want["outputSchema"] = `{"type":"object"}`
			case v == versionModern:
				want["outputSchema"] = `{"type":"array","items":{"type":"object"}}`
			}
			for k, w := range want {
				if string(tools[i][k]) != w {
					t.Errorf("%s: %s, want %s", k, tools[i][k], w)
				}
			}
			if len(tools[i]) != len(want) {
				t.Errorf("%v", tools[i])
			}
		}
	})
}

func TestNew(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		o    Options
		want string
	}{
		{"no name", Options{Version: "1"}, "name"},
		{"no version", Options{Name: "x"}, "version"},
		{"twice", Options{Name: "x", Version: "1", Tools: []Tool{echo(), echo()}}, `"echo"`},
		{"bad schema", Options{Name: "x", Version: "1", Tools: []Tool{&fakeTool{desc: &tool.Descriptor{Name: "bad", InputSchema: jsontext.Value(`{`)}}}}, "bad"},
		{"no schema", Options{Name: "x", Version: "1", Tools: []Tool{&fakeTool{desc: &tool.Descriptor{Name: "none"}}}}, "none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := New(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v", err)
			}
		})
	}
}
