// SPDX-License-Identifier: Apache-2.0

package protocol_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/harness"
)

// undeclared are methods of capabilities that this server does not have.
var undeclared = []struct {
	method string
	params object
	name   string
}{
	{"resources/list", nil, ""},
	{"resources/templates/list", nil, ""},
	{"resources/read", object{"uri": "file:///x"}, "file:///x"},
	{"prompts/list", nil, ""},
	{"prompts/get", object{"name": "x"}, "x"},
	{"completion/complete", object{"ref": object{"type": "ref/prompt", "name": "x"}, "argument": object{"name": "a", "value": "b"}}, ""},
	{"subscriptions/listen", object{"notifications": object{"toolsListChanged": true}}, ""},
}

func TestMETHOD01(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"no/such", "Tools/list", "tools/List", "notifications/initialized", "rpc.discover", "méthode"} {
		r := harness.Call(harness.Modern, method, nil)
		if method == "méthode" {
			// Mcp-Method has no sentinel: such a method cannot be named.
			if res := do(t, r.With("Mcp-Method", sentinel(method))); res.Status < 400 {
				t.Errorf("HTTP %d", res.Status)
			}
			continue
		}
		res := do(t, r)
		res.WantError(t, http.StatusNotFound, -32601)
		if string(res.Final(t).ID) != r.ID {
			t.Errorf("%s: id %s", method, res.Final(t).ID)
		}
	}
}

func TestMETHOD02(t *testing.T) {
	t.Parallel()
	for _, u := range undeclared {
		r := harness.Call(harness.Modern, u.method, u.params)
		if u.name != "" {
			r.With("Mcp-Name", u.name)
		}
		do(t, r).WantError(t, http.StatusNotFound, -32601)
	}
}

func TestMETHOD03(t *testing.T) {
	t.Parallel()
	for _, v := range []string{harness.Legacy, harness.Legacy6, harness.Legacy3} {
		for _, method := range []string{"no/such", "resources/list", "prompts/list", "logging/setLevel", "resources/subscribe", "tasks/list"} {
			do(t, harness.Call(v, method, object{"uri": "a:b", "level": "info"})).WantError(t, http.StatusOK, -32601)
		}
	}
}

func TestDISC01(t *testing.T) {
	t.Parallel()
	res := do(t, harness.Call(harness.Modern, "server/discover", nil)).Result(t)
	want := []string{harness.Modern, harness.Legacy, harness.Legacy6, harness.Legacy3}
	if !slices.Equal(res.Versions, want) {
		t.Errorf("supportedVersions %v, want %v", res.Versions, want)
	}
	if res.Instructions != "Instructions of proto." {
		t.Errorf("instructions %q", res.Instructions)
	}
	if _, ok := res.Capabilities["tools"]; !ok {
		t.Errorf("capabilities %v", res.Capabilities)
	}
}

func TestDISC02(t *testing.T) {
	t.Parallel()
	res := do(t, harness.Call(harness.Modern, "server/discover", nil)).Result(t)
	if res.Server != nil || res.Version != "" {
		t.Errorf("members of initialize: %v %q", res.Server, res.Version)
	}
	if res.Meta[harness.MetaServer] == nil {
		t.Error("no identity in _meta")
	}
}

func TestDISC03(t *testing.T) {
	t.Parallel()
	res := do(t, harness.Call(harness.Modern, "server/discover", nil)).Result(t)
	if len(res.Capabilities) != 1 {
		t.Errorf("capabilities %v, but only tools work", res.Capabilities)
	}
	do(t, harness.Call(harness.Modern, "tools/list", nil)).Result(t)
	init := do(t, harness.Call(harness.Legacy, "initialize", nil)).Result(t)
	if _, ok := init.Capabilities["tools"]; !ok || len(init.Capabilities) != 1 {
		t.Errorf("legacy capabilities %v", init.Capabilities)
	}
}

func TestCACHE01(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"server/discover", "tools/list"} {
		res := do(t, harness.Call(harness.Modern, method, nil)).Result(t)
		if res.TTL == nil || res.Scope != "public" {
			t.Errorf("%s: ttlMs %v, cacheScope %q", method, res.TTL, res.Scope)
			continue
		}
		if n, err := res.TTL.Int64(); err != nil || n < 0 {
			t.Errorf("%s: ttlMs %s", method, res.TTL)
		}
	}
}

func TestCACHE02(t *testing.T) {
	t.Parallel()
	scopes := map[string]bool{}
	for _, page := range pages(t, harness.Modern, "/many") {
		scopes[page.Scope] = true
	}
	if len(scopes) != 1 {
		t.Errorf("cacheScope %v", scopes)
	}
}

// pages follows the cursors of a list.
func pages(t *testing.T, version, path string) []harness.Result {
	t.Helper()
	var out []harness.Result
	var params object
	for {
		if len(out) > 100 {
			t.Fatal("the list does not end")
		}
		res := do(t, harness.Call(version, "tools/list", params).At(path)).Result(t)
		out = append(out, res)
		if res.NextCursor == nil {
			return out
		}
		if *res.NextCursor == "" {
			t.Fatal("an empty cursor")
		}
		params = object{"cursor": *res.NextCursor}
	}
}

func TestPAGE01(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		for _, cursor := range []any{"nope", "", "MTAwMA==", "%%%", "AAAA", 7, object{}} {
			for _, path := range []string{"/mcp", "/many"} {
				res := do(t, harness.Call(v, "tools/list", object{"cursor": cursor}).At(path))
				m := res.Final(t)
				if m.Error == nil || m.Error.Code != -32602 || res.Status != http.StatusOK {
					t.Errorf("cursor %v of %s: HTTP %d %s", cursor, path, res.Status, m.Raw)
				}
			}
		}
		// A cursor of another endpoint is not ours.
		first := do(t, harness.Call(v, "tools/list", nil).At("/many")).Result(t)
		do(t, harness.Call(v, "tools/list", object{"cursor": *first.NextCursor})).WantError(t, http.StatusOK, -32602)
	})
}

func TestPAGE02(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		var names []string
		all := pages(t, v, "/many")
		for _, page := range all {
			for _, tool := range page.Tools {
				names = append(names, tool.Name)
			}
		}
		if len(all) < 2 || len(names) != 2500 {
			t.Fatalf("%d tools on %d pages", len(names), len(all))
		}
		for i, name := range names {
			if want := fmt.Sprintf("tool_%d", (i*7919)%2500); name != want {
				t.Fatalf("tool %d is %s, want %s", i, name, want)
			}
		}
	})
}

func TestLIST01(t *testing.T) {
	each(t, func(t *testing.T, v string) {
		first := listBytes(t, caddy, v)
		call(t, v, "echo", object{"text": "x"})
		do(t, harness.Call(harness.Legacy, "initialize", nil))
		caddy.Client.CloseIdleConnections()
		other := *caddy
		other.Client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		if second := listBytes(t, &other, v); !bytes.Equal(first, second) {
			t.Errorf("the list changed:\n%s\n%s", first, second)
		}
	})
}

func listBytes(t *testing.T, c *harness.Caddy, version string) []byte {
	t.Helper()
	return c.Do(t, harness.Call(version, "tools/list", nil).WithID("1")).Body
}

func TestLIST02(t *testing.T) {
	t.Parallel()
	// Another process with the same configuration.
	b, err := json.Marshal(site(map[string]object{"/mcp": mainEndpoint()}))
	if err != nil {
		t.Fatal(err)
	}
	again := harness.Start(t, harness.Config{Text: string(b)})
	for _, v := range harness.Eras {
		if a, b := listBytes(t, caddy, v), listBytes(t, again, v); !bytes.Equal(a, b) {
			t.Errorf("%s: the list differs after a restart:\n%s\n%s", v, a, b)
		}
	}
}
