// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestERA01And05(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	for range 3 {
		r := do(t, h, request{method: "initialize", params: `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}`}).result(t)
		if string(r["protocolVersion"]) != `"2025-11-25"` {
			t.Errorf("%s", r)
		}
		r = do(t, h, request{version: versionModern, method: "tools/list"}).result(t)
		if string(r["resultType"]) != `"complete"` {
			t.Errorf("%s", r)
		}
		r = do(t, h, request{version: "2025-06-18", method: "tools/list"}).result(t)
		if r["resultType"] != nil {
			t.Errorf("%s", r)
		}
	}
}

func TestERA02(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	for _, method := range []string{"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"} {
		q := request{version: versionModern, method: method, params: `"protocolVersion":"2025-11-25","uri":"x://y","level":"info"`}
		do(t, h, q).wantError(t, 404, codeMethod)
	}
}

func TestERA03(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	for _, method := range []string{"tools/list", "tools/call", "initialize", "server/discover", "ping"} {
		for _, params := range []string{"", `,"params":{}`, `,"params":null`, `,"params":{"_meta":{}}`, `,"params":{"_meta":null}`, `,"params":{"name":"echo"}`} {
			q := request{version: versionModern, method: method, body: `{"jsonrpc":"2.0","id":1,"method":"` + method + `"` + params + `}`}
			do(t, h, q).wantError(t, 400, codeInvalidParams)
		}
	}
	q := request{version: versionModern, method: "tools/list", body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":7}}`}
	do(t, h, q).wantError(t, 400, codeInvalidParams)
}

// What has no handshake cannot be legacy.
func TestERA03WithoutHeader(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	for _, v := range []string{"", versionLegacy} {
		for _, method := range []string{"server/discover", "subscriptions/listen"} {
			do(t, h, request{version: v, method: method}).wantError(t, 400, codeInvalidParams)
		}
	}
}

// ERA-04 and LEG-06.
func TestERA04(t *testing.T) {
	t.Parallel()
	o := &recorder{}
	h := newHandler(t, Options{Observer: o})
	r := do(t, h, request{method: "tools/list"}).result(t)
	if r["tools"] == nil || r["resultType"] != nil {
		t.Errorf("%s", r)
	}
	do(t, h, request{body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`}).result(t)
	do(t, h, request{body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`}).result(t)
	do(t, h, call("", "echo", "{}")).result(t)
	if got := o.calls[0].Protocol; got != versionBatch {
		t.Errorf("protocol %q", got)
	}
}

func TestERA06(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	for _, v := range append([]string{""}, supportedVersions[1:]...) {
		for _, q := range []request{
			{version: v, method: "initialize", params: `"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}`},
			{version: v, method: "tools/list"},
			{version: v, method: "ping"},
			call(v, "echo", "{}"),
		} {
			a := do(t, h, q)
			a.result(t)
			for _, word := range []string{"resultType", "ttlMs", "cacheScope", metaServerInfo} {
				if strings.Contains(string(a.body), word) {
					t.Errorf("%s: %s", word, a.body)
				}
			}
		}
	}
}

// ERA-07 and LEG-01.
func TestERA07(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	for asked, want := range map[string]string{
		versionModern: versionLegacy, "2025-11-25": "2025-11-25", "2025-06-18": "2025-06-18", "2025-03-26": "2025-03-26",
		"2024-11-05": versionLegacy, "1999-01-01": versionLegacy, "": versionLegacy,
	} {
		for _, header := range []string{"", "2025-11-25", "1999-01-01"} {
			q := request{version: header, method: "initialize", params: `"protocolVersion":"` + asked + `","capabilities":{},"clientInfo":{"name":"x","version":"1"}`}
			r := do(t, h, q).result(t)
			if string(r["protocolVersion"]) != `"`+want+`"` {
				t.Errorf("%q: %s", asked, r["protocolVersion"])
			}
		}
	}
	do(t, h, request{method: "initialize"}).wantError(t, 200, codeInvalidParams)
	do(t, h, request{method: "initialize", params: `"protocolVersion":7`}).wantError(t, 200, codeInvalidParams)
}

func TestERA08(t *testing.T) {
	t.Parallel()
	e := echo()
	h := newHandler(t, Options{}, e)
	legacy := callBody(versionLegacy, "echo", "{}")
	for _, body := range []string{
		"[" + legacy + "," + callBody(versionModern, "echo", "{}") + "]",
		"[" + legacy + `,{"jsonrpc":"2.0","id":null,"method":"ping"}]`,
		"[" + legacy + `,{"jsonrpc":"2.0","id":1,"result":{}}]`,
		"[" + legacy + `,{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}]`,
		"[" + legacy + `,[]]`,
		"[" + legacy + `,1]`,
	} {
		m := do(t, h, request{body: body}).wantError(t, 400, codeInvalidRequest)
		if m.ID != nil {
			t.Errorf("%s: id %s", body, m.ID)
		}
	}
	if n := e.calls.Load(); n != 0 {
		t.Errorf("%d calls", n)
	}
}

func TestERA09(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	for _, v := range supportedVersions[1:] {
		q := request{version: v, method: "tools/list", meta: strings.ReplaceAll(goodMeta, versionModern, v)}
		do(t, h, q).wantError(t, 400, codeVersion)
	}
}

func TestMETA01And02(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	const version, capabilities = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`, `"io.modelcontextprotocol/clientCapabilities":{}`
	for _, meta := range []string{
		``, capabilities, version,
		`"io.modelcontextprotocol/protocolVersion":20260728,` + capabilities,
		`"io.modelcontextprotocol/protocolVersion":null,` + capabilities,
		version + `,"io.modelcontextprotocol/clientCapabilities":null`,
		version + `,"io.modelcontextprotocol/clientCapabilities":[]`,
		version + `,"io.modelcontextprotocol/clientCapabilities":"{}"`,
		version + `,` + capabilities + `,"io.modelcontextprotocol/clientInfo":"me"`,
	} {
		for _, method := range []string{"tools/list", "server/discover", "tools/call"} {
			body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"name":"echo","_meta":{` + meta + `}}}`
			q := request{version: versionModern, method: method, body: body}.with("Mcp-Name", "echo")
			do(t, h, q).wantError(t, 400, codeInvalidParams)
		}
	}
}

func TestMETA03(t *testing.T) {
	t.Parallel()
	o := &recorder{}
	h := newHandler(t, Options{Observer: o})
	do(t, h, call(versionModern, "echo", "{}")).result(t)
	q := call(versionModern, "echo", "{}")
	q.meta = `"io.modelcontextprotocol/clientInfo":{"name":"caf\u00e9","version":"` + strings.Repeat("ü", 400) + `","x":{}}`
	do(t, h, q).result(t)
	if c := o.calls[0]; c.ClientName != "" || c.ClientVersion != "" {
		t.Errorf("%q %q", c.ClientName, c.ClientVersion)
	}
	if c := o.calls[1]; c.ClientName != "café" || len(c.ClientVersion) > 260 || !strings.HasPrefix(c.ClientVersion, "üü") {
		t.Errorf("%q %q", c.ClientName, c.ClientVersion)
	}
}

func TestMETA04(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	do(t, h, request{version: versionModern, method: "tools/list"}).result(t)
	// What the request before said counts for nothing.
	do(t, h, request{version: versionModern, method: "tools/list", body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`}).wantError(t, 400, codeInvalidParams)
	r := do(t, h, request{method: "tools/list"}).result(t)
	if r["resultType"] != nil {
		t.Errorf("%s", r)
	}
}

// META-06 and META-07.
func TestMETA06And07(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{Name: "shop", Version: "2.0", Title: "The <Shop>"})
	for _, q := range []request{
		{version: versionModern, method: "server/discover"},
		{version: versionModern, method: "tools/list"},
		call(versionModern, "echo", "{}"),
	} {
		r := do(t, h, q).result(t)
		var meta map[string]struct{ Name, Version, Title string }
		if err := json.Unmarshal(r["_meta"], &meta); err != nil {
			t.Fatal(err)
		}
		if got := meta[metaServerInfo]; got.Name != "shop" || got.Version != "2.0" || got.Title != "The <Shop>" {
			t.Errorf("%s: %+v", q.method, got)
		}
		if string(r["resultType"]) != `"complete"` {
			t.Errorf("%s: resultType %s", q.method, r["resultType"])
		}
	}
}

func TestVER01And04(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	for _, meta := range []string{
		`"io.modelcontextprotocol/protocolVersion":"2030-01-01"`,
		`"io.modelcontextprotocol/protocolVersion":"2030-01-01","io.modelcontextprotocol/clientCapabilities":7`,
	} {
		q := request{version: "2030-01-01", method: "new/method", meta: meta}
		m := do(t, h, q).wantError(t, 400, codeVersion)
		checkSupported(t, m, "2030-01-01")
	}
}

func checkSupported(t *testing.T, m *rpc, requested string) {
	t.Helper()
	var data struct {
		Supported []string
		Requested string
	}
	if err := json.Unmarshal(m.Error.Data, &data); err != nil {
		t.Fatal(err)
	}
	if data.Requested != requested || !slices.Equal(data.Supported, supportedVersions) {
		t.Errorf("%+v", data)
	}
}

func TestVER02And03(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	q := request{version: versionModern, method: "tools/list"}
	for _, header := range []string{"", versionLegacy, "v999", "2026-07-28x", "2026"} {
		do(t, h, q.with("MCP-Protocol-Version", header)).wantError(t, 400, codeHeaderMismatch)
	}
	q = request{version: versionModern, method: "tools/list", body: strings.ReplaceAll(
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{`+goodMeta+`}}}`, versionModern, "v999")}
	do(t, h, q).wantError(t, 400, codeHeaderMismatch)
}

func TestMETHOD01And02(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	for _, method := range []string{
		"nosuch/method", "tools/Call", "", "prompts/list", "prompts/get", "resources/list", "resources/read", "resources/templates/list",
		"completion/complete", "subscriptions/listen", "tasks/get", "skills/list", "notifications/initialized",
	} {
		if method == "" {
			continue
		}
		m := do(t, h, request{version: versionModern, method: method}.with("Mcp-Name", "x")).wantError(t, 404, codeMethod)
		if string(m.ID) != "1" {
			t.Errorf("%s: id %s", method, m.ID)
		}
	}
}

func TestMETHOD03(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	for _, v := range append([]string{""}, supportedVersions[1:]...) {
		for _, method := range []string{"nosuch/method", "prompts/list", "resources/read", "logging/setLevel", "completion/complete", "notifications/initialized"} {
			m := do(t, h, request{version: v, method: method}).wantError(t, 200, codeMethod)
			if string(m.ID) != "1" {
				t.Errorf("%s: id %s", method, m.ID)
			}
		}
	}
}
