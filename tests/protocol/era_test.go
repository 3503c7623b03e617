// SPDX-License-Identifier: Apache-2.0

package protocol_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/harness"
)

func TestERA01(t *testing.T) {
	t.Parallel()
	if got := do(t, harness.Call(harness.Legacy, "initialize", nil)).Result(t); got.Version != harness.Legacy {
		t.Errorf("protocolVersion %q", got.Version)
	}
	if got := do(t, harness.Call(harness.Modern, "tools/list", nil)).Result(t); got.ResultType != "complete" {
		t.Errorf("resultType %q", got.ResultType)
	}
}

func TestERA02(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"} {
		r := harness.Call(harness.Modern, method, object{"protocolVersion": harness.Legacy, "level": "info", "uri": "a:b", "capabilities": object{}, "clientInfo": object{"name": "x", "version": "1"}})
		do(t, r).WantError(t, http.StatusNotFound, -32601)
	}
}

func TestERA03(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"tools/list", "server/discover", "initialize"} {
		r := harness.Call(harness.Modern, method, object{})
		r.Meta = nil
		if method == "initialize" {
			// A handshake that claims to need none is neither.
			if res := do(t, r); res.Status != http.StatusBadRequest {
				t.Errorf("initialize: HTTP %d %s", res.Status, res.Body)
			}
			continue
		}
		do(t, r).WantError(t, http.StatusBadRequest, -32602)
		r.Meta = object{}
		do(t, r).WantError(t, http.StatusBadRequest, -32602)
		r.Params, r.Meta = nil, nil
		do(t, r).WantError(t, http.StatusBadRequest, -32602)
	}
}

func TestERA04(t *testing.T) {
	t.Parallel()
	res := do(t, harness.Call(harness.Legacy, "tools/list", nil).Without("MCP-Protocol-Version")).Result(t)
	if len(res.Tools) == 0 {
		t.Error("no tools")
	}
}

func TestERA05(t *testing.T) {
	t.Parallel()
	one := *caddy
	transport := &http.Transport{MaxConnsPerHost: 1}
	one.Client = &http.Client{Transport: transport}
	defer transport.CloseIdleConnections()
	for range 3 {
		if got := one.Do(t, harness.Call(harness.Modern, "tools/list", nil)).Result(t).ResultType; got != "complete" {
			t.Errorf("modern resultType %q", got)
		}
		if got := one.Do(t, harness.Call(harness.Legacy, "tools/list", nil)).Result(t).ResultType; got != "" {
			t.Errorf("legacy resultType %q", got)
		}
		one.Do(t, harness.Call(harness.Legacy, "initialize", nil)).Result(t)
	}
}

func TestERA06(t *testing.T) {
	t.Parallel()
	for _, v := range []string{harness.Legacy, harness.Legacy6, harness.Legacy3} {
		for _, r := range []*harness.Request{
			harness.Call(v, "initialize", nil), harness.Call(v, "tools/list", nil), harness.Call(v, "ping", nil),
			harness.Tool(v, "echo", object{"text": "x"}), harness.Tool(v, "fails", nil), harness.Tool(v, "list", nil), harness.Tool(v, "big", nil),
		} {
			res := do(t, r)
			for _, word := range []string{`"resultType"`, `"ttlMs"`, `"cacheScope"`, harness.MetaServer} {
				if strings.Contains(string(res.Body), word) {
					t.Errorf("%s %s: %s in a legacy result", v, r.Method, word)
				}
			}
		}
	}
}

func TestERA07(t *testing.T) {
	t.Parallel()
	r := harness.Call(harness.Legacy, "initialize", nil)
	r.Params["protocolVersion"] = harness.Modern
	if got := do(t, r).Result(t).Version; got != harness.Legacy {
		t.Errorf("protocolVersion %q", got)
	}
}

func TestERA08(t *testing.T) {
	t.Parallel()
	legacy := harness.Tool(harness.Legacy3, "item", object{"id": 308})
	modern := harness.Tool(harness.Modern, "item", object{"id": 308})
	for _, v := range []string{"", harness.Legacy3, harness.Modern} {
		r := harness.Post("[" + string(message(t, legacy)) + "," + string(message(t, modern)) + "]")
		if v != "" {
			r.With("MCP-Protocol-Version", v)
		}
		do(t, r).WantError(t, http.StatusBadRequest, -32600)
	}
	if got := up.Seen("/echo/items/308"); len(got) > 0 {
		t.Errorf("%d elements were executed", len(got))
	}
}

func TestERA09(t *testing.T) {
	t.Parallel()
	for _, v := range []string{harness.Legacy, harness.Legacy3} {
		r := harness.Call(harness.Modern, "tools/list", nil).With("MCP-Protocol-Version", v).WithMeta(harness.MetaVersion, v)
		do(t, r).WantError(t, http.StatusBadRequest, -32022)
	}
}

func TestMETA01(t *testing.T) {
	t.Parallel()
	do(t, harness.Call(harness.Modern, "tools/list", nil).WithoutMeta(harness.MetaVersion)).WantError(t, http.StatusBadRequest, -32602)
	for _, v := range []any{nil, 7, object{}} {
		if res := do(t, harness.Call(harness.Modern, "tools/list", nil).WithMeta(harness.MetaVersion, v)); res.Status != http.StatusBadRequest {
			t.Errorf("%v: HTTP %d %s", v, res.Status, res.Body)
		}
	}
}

func TestMETA02(t *testing.T) {
	t.Parallel()
	do(t, harness.Call(harness.Modern, "tools/list", nil).WithoutMeta(harness.MetaCapabilities)).WantError(t, http.StatusBadRequest, -32602)
	for _, v := range []any{nil, 7, []int{}, "x"} {
		do(t, harness.Call(harness.Modern, "tools/list", nil).WithMeta(harness.MetaCapabilities, v)).WantError(t, http.StatusBadRequest, -32602)
	}
}

func TestMETA03(t *testing.T) {
	t.Parallel()
	for _, r := range []*harness.Request{
		harness.Call(harness.Modern, "tools/list", nil), harness.Call(harness.Modern, "server/discover", nil), harness.Tool(harness.Modern, "echo", nil),
	} {
		do(t, r.WithoutMeta(harness.MetaClient)).Result(t)
	}
}

func TestMETA04(t *testing.T) {
	t.Parallel()
	one := *caddy
	transport := &http.Transport{MaxConnsPerHost: 1}
	one.Client = &http.Client{Transport: transport}
	defer transport.CloseIdleConnections()
	one.Do(t, harness.Call(harness.Modern, "tools/list", nil)).Result(t)
	one.Do(t, harness.Call(harness.Modern, "tools/list", nil).WithoutMeta(harness.MetaCapabilities)).WantError(t, http.StatusBadRequest, -32602)
	one.Do(t, harness.Call(harness.Legacy6, "initialize", nil)).Result(t)
	one.Do(t, harness.Call(harness.Modern, "tools/list", nil).WithoutMeta(harness.MetaVersion)).WantError(t, http.StatusBadRequest, -32602)
}

func TestMETA06(t *testing.T) {
	t.Parallel()
	for _, r := range modernRequests() {
		meta := do(t, r).Result(t).Meta
		info, _ := meta[harness.MetaServer].(map[string]any)
		if info["name"] != "proto" || info["version"] != "1.2.3" || info["title"] != "Title of proto" {
			t.Errorf("%s: serverInfo %v", r.Method, info)
		}
	}
}

func TestMETA07(t *testing.T) {
	t.Parallel()
	for _, r := range modernRequests() {
		if got := do(t, r).Result(t).ResultType; got == "" {
			t.Errorf("%s: no resultType", r.Method)
		}
	}
}

func TestMETA08(t *testing.T) {
	t.Parallel()
	for _, r := range modernRequests() {
		r.WithMeta(harness.MetaCapabilities, object{"extensions": object{"io.modelcontextprotocol/tasks": object{}}, "elicitation": object{}})
		if got := do(t, r).Result(t).ResultType; got != "complete" {
			t.Errorf("%s: resultType %q", r.Method, got)
		}
	}
}

func modernRequests() []*harness.Request {
	var out []*harness.Request
	for _, method := range []string{"server/discover", "tools/list"} {
		out = append(out, harness.Call(harness.Modern, method, nil))
	}
	for _, name := range []string{"echo", "fails", "missing", "nothing", "list", "person", "big"} {
		out = append(out, harness.Tool(harness.Modern, name, nil))
	}
	// Arguments that do not fit.
	return append(out, harness.Tool(harness.Modern, "item", object{"id": "x"}))
}

func TestMETA09(t *testing.T) {
	t.Parallel()
	// The harness knows the codes; here is one request for each way to fail.
	for _, r := range []*harness.Request{
		harness.Call(harness.Modern, "resources/read", object{"uri": "a:b"}).With("Mcp-Name", "a:b"),
		harness.Call(harness.Modern, "prompts/get", object{"name": "x"}).With("Mcp-Name", "x"),
		harness.Call(harness.Modern, "tools/list", object{"cursor": "x"}),
		harness.Tool(harness.Modern, "no_such_tool", nil),
		harness.Call(harness.Modern, "tools/list", nil).With("MCP-Protocol-Version", "2099-01-01"),
		harness.Call(harness.Modern, "tasks/get", object{"taskId": "x"}).With("Mcp-Name", "x"),
	} {
		if m := do(t, r).Final(t); m.Error == nil {
			t.Errorf("%s: %s", r.Method, m.Raw)
		}
	}
}

func TestMETA10(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		requests := []*harness.Request{harness.Call(v, "tools/list", nil), harness.Tool(v, "big", nil), harness.Tool(v, "echo", nil), harness.Tool(v, "fails", nil)}
		for _, r := range requests {
			res := do(t, r)
			for key := range res.Result(t).Meta {
				checkMetaKey(t, key)
			}
			for _, tool := range res.Result(t).Tools {
				for key := range tool.Meta {
					checkMetaKey(t, key)
				}
			}
		}
		if len(call(t, v, "big", nil).Meta) == 0 {
			t.Error("a result that was cut has no mark")
		}
	})
}

func checkMetaKey(t *testing.T, key string) {
	t.Helper()
	if key == harness.MetaServer {
		return
	}
	prefix, name, ok := strings.Cut(key, "/")
	labels := strings.Split(prefix, ".")
	if !ok || name == "" || len(labels) < 2 {
		t.Errorf("_meta key %q has no reverse-DNS prefix", key)
		return
	}
	if labels[1] == "modelcontextprotocol" || labels[1] == "mcp" {
		t.Errorf("_meta key %q has a reserved prefix", key)
	}
}

func TestVER01(t *testing.T) {
	t.Parallel()
	const unknown = "2099-01-01"
	e := do(t, harness.Call(harness.Modern, "tools/list", nil).With("MCP-Protocol-Version", unknown).WithMeta(harness.MetaVersion, unknown)).WantError(t, http.StatusBadRequest, -32022)
	var data struct {
		Supported []string
		Requested string
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		t.Fatal(err)
	}
	if data.Requested != unknown || len(data.Supported) == 0 {
		t.Errorf("data %s", e.Data)
	}
	known := map[string]bool{}
	for _, v := range do(t, harness.Call(harness.Modern, "server/discover", nil)).Result(t).Versions {
		known[v] = true
	}
	for _, v := range data.Supported {
		if !known[v] {
			t.Errorf("%s is supported, but server/discover does not say so", v)
		}
	}
}

func TestVER02(t *testing.T) {
	t.Parallel()
	for _, r := range []*harness.Request{
		harness.Call(harness.Modern, "tools/list", nil).WithMeta(harness.MetaVersion, "v999.0.0"),
		harness.Call(harness.Modern, "tools/list", nil).With("MCP-Protocol-Version", harness.Legacy),
		harness.Call(harness.Modern, "tools/list", nil).With("MCP-Protocol-Version", "2099-01-01"),
		harness.Tool(harness.Modern, "echo", nil).WithMeta(harness.MetaVersion, harness.Legacy),
	} {
		do(t, r).WantError(t, http.StatusBadRequest, -32020)
	}
}

func TestVER03(t *testing.T) {
	t.Parallel()
	do(t, harness.Call(harness.Modern, "tools/list", nil).Without("MCP-Protocol-Version")).WantError(t, http.StatusBadRequest, -32020)
	do(t, harness.Call(harness.Modern, "tools/list", nil).With("MCP-Protocol-Version", "")).WantError(t, http.StatusBadRequest, -32020)
}

func TestVER04(t *testing.T) {
	t.Parallel()
	const unknown = "2099-01-01"
	r := harness.Call(harness.Modern, "tools/list", nil).With("MCP-Protocol-Version", unknown).Without("Mcp-Method")
	r.Meta = object{harness.MetaVersion: unknown}
	do(t, r).WantError(t, http.StatusBadRequest, -32022)
}
