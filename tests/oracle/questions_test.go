// SPDX-License-Identifier: Apache-2.0

package oracle_test

import (
	"net/http"

	"github.com/caddymcp/caddy-mcp/tests/harness"
)

type question struct {
	name string
	ask  func(version string) *harness.Request
	// differs says why the answers are not the same, by version; "" holds for all.
	differs map[string]string
}

func call(name string, arguments any) func(string) *harness.Request {
	return func(v string) *harness.Request { return harness.Tool(v, name, arguments) }
}

func method(name string, params object) func(string) *harness.Request {
	return func(v string) *harness.Request { return harness.Call(v, name, params) }
}

func body(s string) func(string) *harness.Request {
	return func(v string) *harness.Request {
		r := harness.Call(v, "ping", nil)
		r.Body = []byte(s)
		return r
	}
}

func always(why string) map[string]string { return map[string]string{"": why} }

func modernOnly(why string) map[string]string { return map[string]string{harness.Modern: why} }

func legacyOnly(why string) map[string]string {
	return map[string]string{harness.Legacy: why, harness.Legacy6: why, harness.Legacy3: why}
}

const status200 = "an error in a well-formed request is told with 200; the SDK sends 400, after which dual-era clients may fall back to initialize"

var questions = []question{
	{name: "tools/list", ask: method("tools/list", nil)},
	{name: "text", ask: call("a_text", nil)},
	{name: "text, empty arguments", ask: call("a_text", object{})},
	{name: "object", ask: call("b_object", nil)},
	{name: "echo", ask: call("c_echo", object{"s": "grüße \u2028 \"q\" </b>"})},
	{name: "echo, numbers", ask: call("c_echo", harness.Raw(`{"s":"","n":9007199254740993}`))},
	{name: "echo, list", ask: call("c_echo", object{"s": "x", "list": []string{"a", "b"}})},
	{name: "failure", ask: call("d_fails", nil)},
	{name: "array", ask: call("e_list", nil)},
	{name: "unicode", ask: call("f_title", nil)},
	{name: "unknown tool", ask: call("nope", nil), differs: modernOnly(status200)},
	{name: "bad cursor", ask: method("tools/list", object{"cursor": "nope"}), differs: modernOnly(status200)},
	{
		name: "arguments of a wrong type", ask: call("c_echo", object{"s": 1}),
		differs: always("arguments are checked; a low-level tool of the SDK takes anything"),
	},
	{name: "missing argument", ask: call("c_echo", nil), differs: always("as above")},
	{name: "unknown method", ask: method("no/such", nil), differs: legacyOnly("JSON-RPC's own error; the SDK answers 400 in plain text")},
	{name: "undeclared method", ask: method("prompts/list", nil), differs: always("what is not declared is -32601; the SDK has an empty list for it")},
	{name: "ping", ask: method("ping", nil)},
	{name: "large id", ask: func(v string) *harness.Request { return harness.Call(v, "tools/list", nil).WithID("9007199254740993") }, differs: always("ids keep their digits; the SDK rounds them")},
	{name: "string id", ask: func(v string) *harness.Request { return harness.Call(v, "tools/list", nil).WithID(`"x"`) }},
	{name: "null id", ask: body(`{"jsonrpc":"2.0","id":null,"method":"ping"}`), differs: always("a JSON-RPC error; the SDK answers 400 in plain text")},
	{name: "broken JSON", ask: body(`{"jsonrpc":`), differs: always("a JSON-RPC parse error; the SDK answers 400 in plain text")},
	{name: "trailing data", ask: body(`{"jsonrpc":"2.0","id":1,"method":"ping"} x`), differs: always("refused; the SDK ignores what follows")},
	{name: "initialized", ask: func(v string) *harness.Request { return harness.Notification(v, "notifications/initialized", nil) }},
	{
		name: "no accept", ask: func(v string) *harness.Request { return harness.Call(v, "tools/list", nil).Without("Accept") },
		differs: always("JSON is fine for whoever says nothing; the SDK wants both types named"),
	},
	{name: "content type", ask: func(v string) *harness.Request {
		return harness.Call(v, "tools/list", nil).With("Content-Type", "text/plain")
	}},
	{name: "GET", ask: func(string) *harness.Request {
		return &harness.Request{HTTPMethod: "GET", Header: http.Header{"Accept": {"text/event-stream"}}}
	}},
	{name: "DELETE", ask: func(string) *harness.Request { return &harness.Request{HTTPMethod: "DELETE"} }},
}

var legacyQuestions = []question{
	{name: "initialize", ask: method("initialize", nil)},
	{name: "initialize, unknown version", ask: func(v string) *harness.Request {
		r := harness.Call(v, "initialize", nil)
		r.Params["protocolVersion"] = "1999-01-01"
		return r
	}},
	{name: "initialize, modern version", ask: func(v string) *harness.Request {
		r := harness.Call(v, "initialize", nil)
		r.Params["protocolVersion"] = harness.Modern
		return r
	}},
	{
		name: "bad version", ask: func(v string) *harness.Request {
			return harness.Call(v, "tools/list", nil).With("MCP-Protocol-Version", "1999-01-01")
		},
		differs: always("-32022 helps clients of both eras; the SDK answers 400 in plain text"),
	},
}

var modernQuestions = []question{
	{name: "discover", ask: method("server/discover", nil), differs: always("2024-11-05 is another transport; the SDK lists it")},
	{name: "no method header", ask: func(v string) *harness.Request { return harness.Call(v, "tools/list", nil).Without("Mcp-Method") }},
	{name: "other method header", ask: func(v string) *harness.Request { return harness.Call(v, "tools/list", nil).With("Mcp-Method", "x") }},
	{name: "no name header", ask: func(v string) *harness.Request { return harness.Tool(v, "a_text", nil).Without("Mcp-Name") }},
	{
		name: "Base64 name header", ask: func(v string) *harness.Request {
			return harness.Tool(v, "a_text", nil).With("Mcp-Name", "=?base64?YV90ZXh0?=")
		},
		differs: always("it is decoded, as the specification wants; the SDK compares it as it is"),
	},
	{name: "no version header", ask: func(v string) *harness.Request {
		return harness.Call(v, "tools/list", nil).Without("MCP-Protocol-Version")
	}},
	{name: "other version header", ask: func(v string) *harness.Request {
		return harness.Call(v, "tools/list", nil).WithMeta(harness.MetaVersion, "x")
	}},
	{name: "unknown version", ask: func(v string) *harness.Request {
		return harness.Call(v, "tools/list", nil).WithMeta(harness.MetaVersion, "2099-01-01").With("MCP-Protocol-Version", "2099-01-01")
	}},
	{name: "no capabilities", ask: func(v string) *harness.Request {
		return harness.Call(v, "tools/list", nil).WithoutMeta(harness.MetaCapabilities)
	}},
	{name: "no client info", ask: func(v string) *harness.Request {
		return harness.Call(v, "tools/list", nil).WithoutMeta(harness.MetaClient)
	}},
	{name: "no meta", ask: func(v string) *harness.Request { r := harness.Call(v, "tools/list", object{}); r.Meta = nil; return r }},
	{name: "initialize", ask: method("initialize", nil)},
}
