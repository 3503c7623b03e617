// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"encoding/base64"
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
