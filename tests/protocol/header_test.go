// SPDX-License-Identifier: Apache-2.0

package protocol_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/harness"
)

const mismatch = -32020

func wantMismatch(t *testing.T, r *harness.Request) {
	t.Helper()
	res := do(t, r)
	m := res.Final(t)
	if res.Status != http.StatusBadRequest || m.Error == nil || m.Error.Code != mismatch {
		t.Errorf("%v: HTTP %d %s", r.Header, res.Status, m.Raw)
		return
	}
	if string(m.ID) != r.ID {
		t.Errorf("%v: id %s, want %s", r.Header, m.ID, r.ID)
	}
}

func find(arguments object, headers ...string) *harness.Request {
	r := harness.Tool(harness.Modern, "find", arguments)
	for i := 0; i < len(headers); i += 2 {
		r.With("Mcp-Param-"+headers[i], headers[i+1])
	}
	return r
}

func wantFound(t *testing.T, r *harness.Request) {
	t.Helper()
	if res := do(t, r); res.Status != http.StatusOK || res.Result(t).IsError {
		t.Errorf("%v: HTTP %d %s", r.Header, res.Status, res.Body)
	}
}

func sentinel(s string) string {
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

func TestHDR01(t *testing.T) {
	t.Parallel()
	wantMismatch(t, harness.Call(harness.Modern, "tools/list", nil).Without("Mcp-Method"))
	wantMismatch(t, harness.Call(harness.Modern, "server/discover", nil).Without("Mcp-Method"))
	wantMismatch(t, harness.Call(harness.Modern, "tools/list", nil).With("Mcp-Method", ""))
}

func TestHDR02(t *testing.T) {
	t.Parallel()
	for _, v := range []string{"tools/call", "TOOLS/LIST", "tools/list/", "tools", sentinel("tools/list")} {
		wantMismatch(t, harness.Call(harness.Modern, "tools/list", nil).With("Mcp-Method", v))
	}
}

func TestHDR03(t *testing.T) {
	t.Parallel()
	for _, change := range []func(string) string{strings.ToLower, strings.ToUpper} {
		r := find(object{"region": "eu"}, "Region", "eu")
		h := http.Header{}
		for k, v := range r.Header {
			h[change(k)] = v
		}
		r.Header = h
		wantFound(t, r)
	}
}

func TestHDR04(t *testing.T) {
	t.Parallel()
	wantMismatch(t, harness.Tool(harness.Modern, "echo", nil).Without("Mcp-Name"))
	wantMismatch(t, harness.Tool(harness.Modern, "no_such_tool", nil).Without("Mcp-Name"))
}

func TestHDR05(t *testing.T) {
	t.Parallel()
	for _, v := range []string{"item", "Echo", "echo2", "ech", "", "echo,item"} {
		wantMismatch(t, harness.Tool(harness.Modern, "echo", nil).With("Mcp-Name", v))
	}
}

func TestHDR06(t *testing.T) {
	t.Parallel()
	wantFound(t, harness.Tool(harness.Modern, "echo", nil).With("Mcp-Name", "  echo\t "))
	wantFound(t, harness.Tool(harness.Modern, "echo", nil).With("Mcp-Method", " tools/call "))
}

func TestHDR07(t *testing.T) {
	t.Parallel()
	wantFound(t, harness.Tool(harness.Modern, "echo", nil).With("Mcp-Name", sentinel("echo")))
	wantMismatch(t, harness.Tool(harness.Modern, "echo", nil).With("Mcp-Name", sentinel("item")))
	wantMismatch(t, harness.Tool(harness.Modern, "echo", nil).With("Mcp-Name", sentinel("")))
	// A name that only the sentinel can carry: the headers agree, so what is
	// wrong is that there is no such tool.
	do(t, harness.Tool(harness.Modern, "grüße", nil).With("Mcp-Name", sentinel("grüße"))).WantError(t, http.StatusOK, -32602)
	wantFound(t, find(object{"region": "Zürich"}, "Region", sentinel("Zürich")))
	wantFound(t, find(object{"region": " eu "}, "Region", sentinel(" eu ")))
	wantFound(t, find(object{"region": ""}, "Region", sentinel("")))
	wantFound(t, find(object{"region": sentinel("x")}, "Region", sentinel(sentinel("x"))))
}

func TestHDR08(t *testing.T) {
	t.Parallel()
	for _, v := range []string{"=?base64?ZWNobw=?=", "=?base64?ZWNobw?=", "=?base64?ZWN_bw==?=", "=?base64?****?=", "=?base64?ZW Nobw==?=", "=?base64?/w==?="} {
		wantMismatch(t, harness.Tool(harness.Modern, "echo", nil).With("Mcp-Name", v))
		wantMismatch(t, find(object{"region": "echo"}, "Region", v))
		// Not even if it is what the argument says: that would be sent encoded.
		wantMismatch(t, find(object{"region": v}, "Region", v))
	}
	wantMismatch(t, harness.Tool(harness.Modern, "echo", nil).With("Mcp-Name", "ech\xc3\xb6"))
}

func TestHDR09(t *testing.T) {
	t.Parallel()
	wantFound(t, find(object{"region": "eu", "limit": 42, "dry": true}, "Region", "eu", "Limit", "42", "Dry", "true"))
	wantMismatch(t, find(object{"region": "eu"}, "Region", "us"))
	wantMismatch(t, find(object{"region": "eu"}, "Region", "EU"))
	wantMismatch(t, find(object{"limit": 42}, "Limit", "43"))
	wantMismatch(t, find(object{"limit": 42}, "Limit", "x"))
	wantMismatch(t, find(object{"dry": true}, "Dry", "false"))
	wantMismatch(t, find(object{"dry": true}, "Dry", "True"))
	wantMismatch(t, find(object{"dry": true}, "Dry", "1"))
}

func TestHDR10(t *testing.T) {
	t.Parallel()
	wantMismatch(t, find(object{"region": "eu"}))
	wantMismatch(t, find(object{"region": "eu", "limit": 1}, "Region", "eu"))
	wantMismatch(t, find(object{"dry": false}))
	wantMismatch(t, find(object{"region": ""}))
}

func TestHDR11(t *testing.T) {
	t.Parallel()
	wantFound(t, find(object{}))
	wantFound(t, find(nil))
	wantFound(t, find(object{"q": "x"}))
	// The header is not wanted for null; that the schema does not allow it is
	// said in the result.
	res := do(t, find(object{"region": nil}))
	if res.Status != http.StatusOK || res.Final(t).Error != nil {
		t.Errorf("null: HTTP %d %s", res.Status, res.Body)
	}
	wantMismatch(t, find(object{}, "Region", "eu"))
	wantMismatch(t, find(object{"region": nil}, "Region", "eu"))
}

func TestHDR12(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"42", "42.0"}, {"42", "42"}, {"42.0", "42"}, {"-7", "-7"}, {"0", "-0"}, {"1000", "1e3"}, {"9007199254740991", "9007199254740991"}} {
		wantFound(t, find(object{"limit": json.RawMessage(c[0])}, "Limit", c[1]))
	}
	for _, c := range [][2]string{{"42", "42.5"}, {"9007199254740993", "9007199254740992"}, {"42", "0x2a"}, {"42", "4_2"}, {"42", "NaN"}} {
		wantMismatch(t, find(object{"limit": json.RawMessage(c[0])}, "Limit", c[1]))
	}
}

func TestHDR13(t *testing.T) {
	t.Parallel()
	for _, v := range []string{"SGVsbG8=", "=?base64?SGVsbG8=", "SGVsbG8=?=", "=?BASE64?SGVsbG8=?=", "=?Base64?SGVsbG8=?="} {
		wantFound(t, find(object{"region": v}, "Region", v))
		wantMismatch(t, find(object{"region": "Hello"}, "Region", v))
	}
}

func TestHDR14(t *testing.T) {
	t.Parallel()
	wantFound(t, find(object{"filter": object{"tenant": "a"}}, "Tenant", "a"))
	wantFound(t, find(object{"filter": object{}}))
	wantMismatch(t, find(object{"filter": object{"tenant": "a"}}, "Tenant", "b"))
	wantMismatch(t, find(object{"filter": object{"tenant": "a"}}))
	// tenant at another place is not what the header mirrors.
	wantMismatch(t, find(object{"tenant": "a"}, "Tenant", "a"))
}

func TestHDR15(t *testing.T) {
	t.Parallel()
	wantFound(t, find(object{"q": "x"}, "Unknown", "y", "Q", "z"))
	wantFound(t, harness.Tool(harness.Modern, "echo", object{"text": "x"}).With("Mcp-Param-Text", "y"))
}

func TestHDR16(t *testing.T) {
	t.Parallel()
	r := harness.Call(harness.Modern, "tools/list", nil)
	r.Header["Mcp-Method"] = []string{"tools/list", "tools/call"}
	wantMismatch(t, r)
	r = harness.Tool(harness.Modern, "echo", nil)
	r.Header["Mcp-Name"] = []string{"echo", "item"}
	wantMismatch(t, r)
	r = find(object{"region": "eu"})
	r.Header["Mcp-Param-Region"] = []string{"eu", "us"}
	wantMismatch(t, r)
	r = harness.Call(harness.Modern, "tools/list", nil)
	r.Header["Mcp-Protocol-Version"] = []string{harness.Modern, harness.Legacy}
	if res := do(t, r); res.Status != http.StatusBadRequest {
		t.Errorf("two versions: HTTP %d %s", res.Status, res.Body)
	}
}

func TestHDR17(t *testing.T) {
	t.Parallel()
	schema := func(property string) string {
		return `{"type":"object","properties":{"a":` + property + `,"b":{"type":"string"}}}`
	}
	for name, s := range map[string]string{
		"empty":       schema(`{"type":"string","x-mcp-header":""}`),
		"no token":    schema(`{"type":"string","x-mcp-header":"a b"}`),
		"control":     schema(`{"type":"string","x-mcp-header":"a\nb"}`),
		"not string":  schema(`{"type":"string","x-mcp-header":7}`),
		"number":      schema(`{"type":"number","x-mcp-header":"A"}`),
		"array":       schema(`{"type":"array","x-mcp-header":"A"}`),
		"object":      schema(`{"type":"object","x-mcp-header":"A"}`),
		"no type":     schema(`{"x-mcp-header":"A"}`),
		"below items": schema(`{"type":"array","items":{"type":"string","x-mcp-header":"A"}}`),
		"below anyOf": schema(`{"anyOf":[{"type":"string","x-mcp-header":"A"}]}`),
		"below $defs": `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string","x-mcp-header":"A"}}}`,
		"twice":       `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`,
	} {
		out, err := validate(t, endpoint("hdr17", nil, newTool("bad_tool", "GET", "/echo/x", object{"input_schema": s})))
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		if !strings.Contains(out, "bad_tool") || !strings.Contains(out, "x-mcp-header") {
			t.Errorf("%s: the message names neither tool nor keyword: %s", name, out)
		}
	}
	if out, err := validate(t, endpoint("hdr17", nil, newTool("good", "GET", "/echo/x", object{"input_schema": findSchema}))); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func validate(t *testing.T, e object) (string, error) {
	t.Helper()
	b, err := json.Marshal(site(map[string]object{"/mcp": e}))
	if err != nil {
		t.Fatal(err)
	}
	return harness.Validate(t, harness.Config{Text: string(b)})
}

func TestHDR18(t *testing.T) {
	t.Parallel()
	for _, v := range []string{harness.Legacy, harness.Legacy6, harness.Legacy3} {
		res := call(t, v, "find", object{"region": "eu", "limit": 1, "dry": true, "filter": object{"tenant": "a"}})
		if res.IsError {
			t.Errorf("%s: %s", v, res.Text())
		}
		// Nor do they matter if they are there.
		r := harness.Tool(v, "echo", nil).With("Mcp-Method", "x").With("Mcp-Name", "y").With("Mcp-Param-Region", "z")
		if do(t, r).Result(t).IsError {
			t.Errorf("%s: headers of the other era were looked at", v)
		}
	}
}
