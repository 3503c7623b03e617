// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"encoding/json"
	"net/http"
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

func TestHDR01And02(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	q := request{version: versionModern, method: "tools/list"}
	for _, header := range []string{"", "TOOLS/LIST", "tools/call", "tools/lis", "=?base64?dG9vbHMvbGlzdA==?="} {
		m := do(t, h, q.with("Mcp-Method", header)).wantError(t, 400, codeHeaderMismatch)
		if string(m.ID) != "1" {
			t.Errorf("id %s", m.ID)
		}
	}
}

func TestHDR03(t *testing.T) {
	t.Parallel()
	srv := serve(t, newHandler(t, Options{}))
	r := call(versionModern, "echo", "{}").http()
	out, err := http.NewRequestWithContext(t.Context(), "POST", srv.URL, r.Body)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range r.Header {
		out.Header[strings.ToLower(k)] = v // sent as it is
	}
	res, err := srv.Client().Do(out)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("HTTP %d", res.StatusCode)
	}
}

func TestHDR04And05(t *testing.T) {
	t.Parallel()
	e := echo()
	h := newHandler(t, Options{}, e)
	q := call(versionModern, "echo", "{}")
	for _, header := range []string{"", "Echo", "echo2", "ech", "=?base64?ZWNob28=?="} {
		do(t, h, q.with("Mcp-Name", header)).wantError(t, 400, codeHeaderMismatch)
	}
	// An unknown tool is no way around.
	do(t, h, call(versionModern, "nosuch", "{}").with("Mcp-Name", "echo")).wantError(t, 400, codeHeaderMismatch)
	if n := e.calls.Load(); n != 0 {
		t.Errorf("%d calls", n)
	}
	q = request{version: versionModern, method: "tools/call", params: `"name":7`}.with("Mcp-Name", "7")
	do(t, h, q).wantError(t, 200, codeInvalidParams)
}

func TestHDR06To08(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{}, echo(), &fakeTool{name: "größe", result: textResult("ü")}, &fakeTool{name: "=?base64?x", result: textResult("x")})
	q := call(versionModern, "echo", "{}")
	for _, header := range []string{"  echo  ", "\techo\t", "=?base64?ZWNobw==?=", " =?base64?ZWNobw==?= "} {
		q.lines = http.Header{"Mcp-Name": {header}}
		do(t, h, q).result(t)
	}
	for _, header := range []string{
		"=?base64?ZWNobw=?=", "=?base64?ZWNobw?=", "=?base64?ZWNob?w==?=", "=?base64?ZW Nobw==?=", "=?base64?/w==?=", "=?base64?ZWNobx==?=",
		"=?BASE64?ZWNobw==?=", "ZWNobw==", "=?base64?ZWNobw==", "=?base64??=", "ech\x80o", "echo\x00", "ech\no",
	} {
		q.lines = http.Header{"Mcp-Name": {header}}
		do(t, h, q).wantError(t, 400, codeHeaderMismatch)
	}
	if got := do(t, h, call(versionModern, "größe", "{}").with("Mcp-Name", "=?base64?Z3LDtsOfZQ==?=")).text(t); got != "ü" {
		t.Error(got)
	}
	// Raw UTF-8 is no header value.
	do(t, h, call(versionModern, "größe", "{}")).wantError(t, 400, codeHeaderMismatch)
	// What has no end of a sentinel is literal (HDR-13).
	if got := do(t, h, call(versionModern, "=?base64?x", "{}")).text(t); got != "x" {
		t.Error(got)
	}
}

func TestHDR16(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{}, regional())
	for _, name := range []string{"Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Param-Region"} {
		q := call(versionModern, "regional", `{"region":"eu"}`).with("Mcp-Param-Region", "eu")
		good := q.http().Header.Get(name)
		q.lines = http.Header{name: {good, good}}
		do(t, h, q).result(t)
		for _, lines := range [][]string{{good, "other"}, {"other", good}, {good, ""}} {
			q.lines = http.Header{name: lines}
			do(t, h, q).wantError(t, 400, codeHeaderMismatch)
		}
	}
}

func TestHDR18(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{}, regional())
	for _, v := range append([]string{""}, supportedVersions[1:]...) {
		q := call(v, "regional", `{"region":"eu"}`)
		do(t, h, q).result(t)
		// Nor looked at.
		q = q.with("Mcp-Name", "other").with("Mcp-Method", "other").with("Mcp-Param-Region", "us")
		do(t, h, q).result(t)
	}
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
