// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/caddymcp/caddy-mcp/tool"
)

// regional mirrors arguments in headers.
func regional() *fakeTool {
	return &fakeTool{
		desc: &tool.Descriptor{
			Name: "regional", InputSchema: jsontext.Value(`{"type":"object"}`),
			HeaderParams: []tool.HeaderParam{
				{Header: "Mcp-Param-Region", Path: []string{"region"}, Type: "string"},
				{Header: "Mcp-Param-Count", Path: []string{"count"}, Type: "integer"},
				{Header: "Mcp-Param-Dry", Path: []string{"dry"}, Type: "boolean"},
				{Header: "Mcp-Param-DeepOne", Path: []string{"deep", "x.y", "one"}, Type: "string"},
				{Header: "Mcp-Param-Method", Path: []string{"method"}, Type: "string"},
			},
		},
		result: textResult("fine"),
	}
}

// HDR-07 to HDR-15.
func TestHDR09To15(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{}, regional())
	for _, tt := range []struct {
		name, args, header, value string
		ok                        bool
	}{
		{"equal", `{"region":"eu"}`, "Mcp-Param-Region", "eu", true},
		{"trimmed", `{"region":"eu"}`, "Mcp-Param-Region", " eu ", true},
		{"differs", `{"region":"eu"}`, "Mcp-Param-Region", "us", false},
		{"case differs", `{"region":"eu"}`, "Mcp-Param-Region", "EU", false},
		{"absent header", `{"region":"eu"}`, "", "", false},
		{"empty", `{"region":""}`, "Mcp-Param-Region", "=?base64??=", true},
		{"null, no header", `{"region":null}`, "", "", true},
		{"absent, no header", `{}`, "", "", true},
		{"no arguments", ``, "", "", true},
		{"null arguments", `null`, "", "", true},
		{"null, but a header", `{"region":null}`, "Mcp-Param-Region", "eu", false},
		{"absent, but a header", `{}`, "Mcp-Param-Region", "eu", false},
		{"escaped", `{"r\u0065gion":"\u0065u"}`, "Mcp-Param-Region", "eu", true},
		{"Base64", `{"region":"größe"}`, "Mcp-Param-Region", "=?base64?Z3LDtsOfZQ==?=", true},
		{"Base64 differs", `{"region":"grösse"}`, "Mcp-Param-Region", "=?base64?Z3LDtsOfZQ==?=", false},
		{"bad padding", `{"region":"Hello"}`, "Mcp-Param-Region", "=?base64?SGVsbG8?=", false},
		{"bad alphabet", `{"region":"Hello"}`, "Mcp-Param-Region", "=?base64?SGVs_G8=?=", false},
		{"no wrapper is literal", `{"region":"SGVsbG8="}`, "Mcp-Param-Region", "SGVsbG8=", true},
		{"no wrapper is not decoded", `{"region":"Hello"}`, "Mcp-Param-Region", "SGVsbG8=", false},
		{"no suffix is literal", `{"region":"=?base64?SGVsbG8="}`, "Mcp-Param-Region", "=?base64?SGVsbG8=", true},
		{"no suffix is not decoded", `{"region":"Hello"}`, "Mcp-Param-Region", "=?base64?SGVsbG8=", false},
		{"other case is literal", `{"region":"=?BASE64?SGVsbG8=?="}`, "Mcp-Param-Region", "=?BASE64?SGVsbG8=?=", true},
		{"integer", `{"count":42}`, "Mcp-Param-Count", "42", true},
		{"integer 42.0 in the header", `{"count":42}`, "Mcp-Param-Count", "42.0", true},
		{"integer 42.0 in the body", `{"count":42.0}`, "Mcp-Param-Count", "42", true},
		{"integer 4.2e1", `{"count":4.2e1}`, "Mcp-Param-Count", "42", true},
		{"integer differs", `{"count":42}`, "Mcp-Param-Count", "43", false},
		{"integer in hexadecimal", `{"count":42}`, "Mcp-Param-Count", "0x2a", false},
		{"integer with plus", `{"count":42}`, "Mcp-Param-Count", "+42", false},
		{"integer with an underscore", `{"count":42}`, "Mcp-Param-Count", "4_2", false},
		{"negative", `{"count":-7}`, "Mcp-Param-Count", "-7", true},
		{"large", `{"count":9007199254740991}`, "Mcp-Param-Count", "9007199254740991", true},
		{"large, rounded", `{"count":9007199254740993}`, "Mcp-Param-Count", "9007199254740992", false},
		{"huge exponent", `{"count":1e999999}`, "Mcp-Param-Count", "1e999998", false},
		{"infinite", `{"count":42}`, "Mcp-Param-Count", "Inf", false},
		{"boolean", `{"dry":true}`, "Mcp-Param-Dry", "true", true},
		{"boolean differs", `{"dry":true}`, "Mcp-Param-Dry", "True", false},
		{"false", `{"dry":false}`, "Mcp-Param-Dry", "false", true},
		{"nested", `{"x":1,"deep":{"x.y":{"zero":0,"one":"1"}}}`, "Mcp-Param-DeepOne", "1", true},
		{"nested differs", `{"deep":{"x.y":{"one":"1"}}}`, "Mcp-Param-DeepOne", "2", false},
		{"nested, other path", `{"deep":{"one":"1"},"one":"1"}`, "Mcp-Param-DeepOne", "1", false},
		{"nested, no header", `{"deep":{"x.y":{"one":"1"}}}`, "", "", false},
		{"nested, no object", `{"deep":[{"x.y":7}]}`, "", "", true},
		{"called Method", `{"method":"GET"}`, "Mcp-Param-Method", "GET", true},
		{"unknown parameter", `{}`, "Mcp-Param-Other", "=?base64?%?=", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q := call(versionModern, "regional", tt.args)
			if tt.header != "" {
				q = q.with(tt.header, tt.value)
			}
			a := do(t, h, q)
			if !tt.ok {
				a.wantError(t, 400, codeHeaderMismatch)
				return
			}
			if got := a.text(t); got != "fine" {
				t.Error(got)
			}
		})
	}
}

// sentinel encodes a value as clients do.
func sentinel(s string) string {
	plain := s == strings.Trim(s, " \t") && !(strings.HasPrefix(s, sentinelPrefix) && strings.HasSuffix(s, sentinelSuffix))
	for i := range len(s) {
		plain = plain && (s[i] >= ' ' && s[i] < 0x7f || s[i] == '\t')
	}
	if plain {
		return s
	}
	return sentinelPrefix + base64.StdEncoding.EncodeToString([]byte(s)) + sentinelSuffix
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

// What may be encoded is told how; version and method never are.
func TestInvalidHeaderCharacters(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{}, regional())
	for name, encoded := range map[string]bool{
		"MCP-Protocol-Version": false, "Mcp-Method": false, "Mcp-Name": true, "Mcp-Param-Region": true,
	} {
		q := call(versionModern, "regional", `{"region":"eu"}`).with("Mcp-Param-Region", "eu").with(name, "\xfc")
		text := do(t, h, q).wantError(t, 400, codeHeaderMismatch).Error.Message
		if !strings.Contains(text, "header "+name+" has invalid characters") || strings.Contains(text, "base64") != encoded {
			t.Errorf("%s: %s", name, text)
		}
	}
}
