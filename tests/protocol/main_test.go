// SPDX-License-Identifier: Apache-2.0

// Package protocol_test holds the endpoint to the protocol, rule by rule. Tests
// are named by the rules' ids; what holds for every answer (media types, ids,
// JSON Schemas of the revision, error codes, no members of the other era) is
// checked by the harness on each request.
package protocol_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/fixture"
	"github.com/caddymcp/caddy-mcp/tests/harness"
)

var (
	up    *fixture.Upstream
	caddy *harness.Caddy
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	up = fixture.New()
	defer up.Close()
	var err error
	if caddy, err = harness.New(harness.Config{Text: config()}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := errors.Join(caddy.Close(), harness.Done()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// each runs a test in both eras.
func each(t *testing.T, test func(t *testing.T, version string)) {
	t.Parallel()
	for _, version := range harness.Eras {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			test(t, version)
		})
	}
}

type object = map[string]any

// richSchema uses what a lossy server would lose; clients get these very bytes.
const richSchema = `{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{"id":{"$anchor":"id","type":"string","pattern":"^[a-z]+$"}},` +
	`"properties":{"z":{"$ref":"#/$defs/id"},"a":{"$ref":"#id"},"n":{"type":"number","maximum":1.50,"multipleOf":0.10},"t":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false},` +
	`"o":{"anyOf":[{"type":"string"},{"allOf":[{"type":"object"},{"required":["k"]}]}]}},"if":{"required":["a"]},"then":{"required":["z"]},"else":{"properties":{"n":{"minimum":0}}},"additionalProperties":false}`

const findSchema = `{"type":"object","properties":{
	"region":{"type":"string","x-mcp-header":"Region"},
	"limit":{"type":"integer","x-mcp-header":"Limit"},
	"dry":{"type":"boolean","x-mcp-header":"Dry"},
	"filter":{"type":"object","properties":{"tenant":{"type":"string","x-mcp-header":"Tenant"}}},
	"q":{"type":"string"}},"additionalProperties":false}`

const textSchema = `{"type":"object","properties":{"text":{"type":"string","description":"Any text."},"n":{"type":"integer","minimum":1}},"additionalProperties":false}`

const keySchema = `{"type":"object","properties":{"key":{"type":"string"}},"required":["key"],"additionalProperties":false}`

func newTool(name, method, url string, more object) object {
	t := object{
		"name": name, "description": "The tool " + name + ".",
		"request": object{"method": method, "url": url},
	}
	maps.Copy(t, more)
	return t
}

func endpoint(name string, more object, tools ...object) object {
	e := object{
		"handler": "mcp", "name": name, "version": "1.2.3", "title": "Title of " + name,
		"instructions": "Instructions of " + name + ".", "tools": tools,
		"routes": []object{{"handle": []object{{"handler": "reverse_proxy", "upstreams": []object{{"dial": up.Addr()}}}}}},
	}
	maps.Copy(e, more)
	return e
}

func site(endpoints map[string]object) object {
	var routes []object
	for _, path := range []string{"/mcp", "/empty", "/many", "/busy-modern", "/busy-legacy", "/origins", "/dead", "/strict"} {
		if e, ok := endpoints[path]; ok {
			routes = append(routes, object{"match": []object{{"path": []string{path}}}, "handle": []object{e}})
		}
	}
	return object{
		"admin":   object{"listen": "{$ADMIN}", "config": object{"persist": false}},
		"logging": object{"logs": object{"default": object{"level": "DEBUG"}}},
		"apps": object{"http": object{"servers": object{"main": object{
			"listen": []string{"{$LISTEN}"}, "routes": routes, "logs": object{},
			"automatic_https": object{"disable": true}, "protocols": []string{"h1"},
		}}}},
	}
}

func mainEndpoint() object {
	return endpoint("proto", object{"limits": object{"result": 32 << 10}},
		newTool("echo", "POST", "/echo/echo", object{"input_schema": textSchema, "title": "Echo"}),
		newTool("item", "GET", "/echo/items/{id}", object{"input_schema": `{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"],"additionalProperties":false}`}),
		newTool("find", "GET", "/echo/find", object{"input_schema": findSchema}),
		newTool("rich", "POST", "/echo/rich", object{"input_schema": richSchema}),
		newTool("person", "GET", "/json/object", object{"output_schema": `{"type":"object","properties":{"name":{"type":"string"},"n":{"type":"integer"}},"required":["name","n"]}`}),
		newTool("list", "GET", "/json/array", object{"output_schema": `{"type":"array"}`}),
		newTool("nothing", "GET", "/204", nil),
		newTool("fails", "GET", "/status/503", nil),
		newTool("missing", "GET", "/status/404", nil),
		newTool("events", "GET", "/events/3", nil),
		newTool("lines", "GET", "/ndjson/3", nil),
		newTool("wait", "GET", "/gate/{key}", object{"input_schema": keySchema}),
		newTool("wait_events", "GET", "/gated-events/{key}", object{"input_schema": keySchema}),
		newTool("big", "GET", "/bigtext/100000", nil),
		newTool("marked", "GET", "/echo/marked", object{
			"meta": object{"com.example/kind": "x"}, "icons": []object{{"src": "https://example.com/i.png", "mime_type": "image/png", "sizes": []string{"48x48"}}},
			"annotations": object{"title": "Marked", "read_only": false},
		}),
	)
}

func busy(name string) object {
	return endpoint(name, object{"limits": object{"calls": 1}}, newTool("wait", "GET", "/gate/{key}", object{"input_schema": keySchema}))
}

func config() string {
	many := make([]object, 0, 2500)
	for i := range cap(many) {
		// Not in alphabetical order: the configuration's order is what counts.
		many = append(many, newTool(fmt.Sprintf("tool_%d", (i*7919)%2500), "GET", "/echo/many", nil))
	}
	b, err := json.Marshal(site(map[string]object{
		"/mcp":   mainEndpoint(),
		"/empty": endpoint("empty", nil),
		"/many":  endpoint("many", nil, many...),
		// One for each era, since the only slot is shared by all callers.
		"/busy-modern": busy("busy-modern"),
		"/busy-legacy": busy("busy-legacy"),
		"/strict": endpoint("strict", nil,
			newTool("strict", "GET", "/json/object", object{"output_schema": `{"type":"object","required":["other"]}`, "output_strict": true})),
		"/origins": endpoint("origins", object{"origins": []string{"https://app.example.com"}},
			newTool("echo", "POST", "/echo/origins", object{"input_schema": textSchema})),
		"/dead": endpoint("dead", object{"routes": []object{{"handle": []object{{"handler": "reverse_proxy", "upstreams": []object{{"dial": "127.0.0.1:1"}}}}}}},
			newTool("call", "GET", "/dead", nil)),
	}))
	if err != nil {
		panic(err)
	}
	return string(b)
}

func do(t *testing.T, r *harness.Request) *harness.Response {
	t.Helper()
	return caddy.Do(t, r)
}

func call(t *testing.T, version, name string, arguments any) harness.Result {
	t.Helper()
	return do(t, harness.Tool(version, name, arguments)).Result(t)
}
