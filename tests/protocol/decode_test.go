// SPDX-License-Identifier: Apache-2.0

package protocol_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/harness"
)

func TestHTTP25(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		for _, r := range []*harness.Request{
			harness.Call(v, "tools/call", nil), harness.Call(v, "tools/call", object{"name": 7}), harness.Call(v, "tools/call", object{"name": nil}),
			harness.Call(v, "tools/call", object{"name": "echo", "arguments": "x"}), harness.Call(v, "tools/call", object{"name": "echo", "arguments": []int{1}}),
			harness.Call(v, "tools/list", object{"cursor": 7}), harness.Call(v, "", nil), harness.Call(v, "tools/", nil), harness.Tool(v, "", nil), harness.Tool(v, "\u0000", nil),
		} {
			if r.Method == "" {
				r.Body = []byte(`{"jsonrpc":"2.0","id":1,"method":""}`)
			}
			res := do(t, r)
			m := res.Final(t)
			if m.Error == nil {
				t.Errorf("%s: %s", r.Params, m.Raw)
			}
			if res.Status >= 500 {
				t.Errorf("%s: HTTP %d", r.Params, res.Status)
			}
		}
	})
}

func TestHTTP26(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body   string
		status int
		code   int
	}{
		{`{"jsonrpc":"2.0","id":1,"Method":"tools/list"}`, 400, -32600},
		{`{"jsonrpc":"2.0","ID":1,"method":"tools/list"}`, 202, 0},
		{`{"JSONRPC":"2.0","id":1,"method":"tools/list"}`, 400, -32600},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, 400, -32700},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, 400, -32700},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","m\u0065thod":"tools/list"}`, 400, -32700},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"item"}}`, 400, -32700},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a","text":"b"}}}`, 400, -32700},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"echo"}}`, 200, -32602},
	} {
		res := do(t, harness.Post(c.body))
		if c.status == http.StatusAccepted {
			// Without an id it is a notification, and nobody listens to it.
			res.WantStatus(t, c.status)
			continue
		}
		if res.Status != c.status || len(res.Messages) != 1 || res.Messages[0].Error == nil || !slices.Contains([]int{c.code, -32600}, res.Messages[0].Error.Code) {
			t.Errorf("%s: HTTP %d %s", c.body, res.Status, res.Body)
		}
	}
	// A member of another case is a stranger, and strangers are ignored.
	do(t, harness.Post(`{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"ping"}`)).Result(t)
}
