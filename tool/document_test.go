// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"encoding/json"
	"testing"
)

func TestDocument(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"nothing", ``, ``},
		{"an object", `{"b":1,"a":2}`, `{"b":1,"a":2}`},
		{"an object in a string", `"{\"b\":18446744073709551615,\"a\":2}"`, `{"b":18446744073709551615,"a":2}`},
		{"with spaces around", " \"{}\"\n", `{}`},
		{"an array in a string", `"[1]"`, `[1]`},
		{"a template that is one placeholder", `"{lines}"`, `"{lines}"`},
		{"a number in a string", `"5"`, `"5"`},
		{"duplicate names in a string", `"{\"a\":1,\"a\":2}"`, `"{\"a\":1,\"a\":2}"`},
		{"broken", `"{`, `"{`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := string(embedded(json.RawMessage(tc.in))); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestWithDocumentsLeavesTheConfiguration(t *testing.T) {
	t.Parallel()
	c := Config{Request: Request{Body: &Body{Type: "json", JSON: json.RawMessage(`"{\"b\":1}"`)}}}
	d := c.withDocuments()
	if got := string(d.Request.Body.JSON); got != `{"b":1}` {
		t.Errorf("got %s", got)
	}
	if got := string(c.Request.Body.JSON); got != `"{\"b\":1}"` {
		t.Errorf("the configuration changed: %s", got)
	}
}
