// SPDX-License-Identifier: Apache-2.0

package cases_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/harness"
)

// validate says what Caddy thinks of a tool block.
func validate(t *testing.T, tools string) (string, error) {
	t.Helper()
	return harness.Validate(t, harness.Config{Caddyfile: true, Text: "{\n\tadmin {$ADMIN}\n\tpersist_config off\n}\n\nhttp:// {\n\tbind {$LISTEN} {\n\t\t\tprotocols h1\n\t\t}\n\n\tmcp {\n\t\tinstructions \"\"\n\t\tname x\n" + tools + "\n\t\treverse_proxy 127.0.0.1:1\n\t}\n}\n"})
}

func toolBlock(name, lines string) string {
	return "\t\ttool " + name + " {\n\t\t\tdescription \"A tool.\"\n\t\t\t" + lines + "\n\t\t}\n"
}

func TestB14(t *testing.T) {
	t.Parallel()
	// The word of OpenAPI 3.0 means nothing in JSON Schema: clients would send
	// null and be refused. It is found at load.
	for _, s := range []string{
		`{"type":"object","properties":{"a":{"type":"string","nullable":true}}}`,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","enum":["x"],"nullable":true}}}}`,
	} {
		out, err := validate(t, toolBlock("b14_nullable", "input `"+s+"`"))
		if !strings.Contains(out, "nullable") || !strings.Contains(out, "b14_nullable") {
			t.Errorf("%s: %v: %s", s, err, out)
		}
	}
	// An argument of that name is another thing.
	if out, err := validate(t, toolBlock("b14_name", "input `"+`{"type":"object","properties":{"nullable":{"type":"string"}}}`+"`")); err != nil || strings.Contains(out, "b14_name") && strings.Contains(out, "nullable") {
		t.Errorf("%v: %s", err, out)
	}
	for _, v := range harness.Eras {
		if body := caddy.Do(t, harness.Call(v, "tools/list", nil)).Body; strings.Contains(string(body), `"nullable"`) {
			t.Error("nullable in tools/list")
		}
	}
}

func TestB18(t *testing.T) {
	deep := func(levels int) string {
		return `{"root":` + strings.Repeat(`{"name":"x","folders":[`, levels) + `{"name":"y"}` + strings.Repeat(`]}`, levels) + `}`
	}
	both(t,
		row{name: "tree", tool: "b18", args: raw(deep(5)), check: wantBody(deep(5))},
		row{name: "wrong leaf", tool: "b18", args: raw(strings.Replace(deep(5), `"y"`, "7", 1)), check: wantError("name", "string")},
	)
	t.Run("too deep or too wide", func(t *testing.T) {
		t.Parallel()
		wide := `{"root":{"name":"x","folders":[` + strings.Repeat(`{"name":"y"},`, 11_000) + `{"name":"y"}]}}`
		for _, v := range harness.Eras {
			for _, args := range []string{deep(500), wide} {
				res := caddy.Do(t, harness.Tool(v, "b18", raw(args)))
				if m := res.Final(t); m.Error == nil && !res.Result(t).IsError {
					t.Errorf("%s: accepted", v)
				}
			}
		}
	})
	t.Run("blow-up", func(t *testing.T) {
		t.Parallel()
		// Each definition uses the next one twice: 2^40 if they were inlined.
		var b strings.Builder
		b.WriteString(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{`)
		for i := range 40 {
			fmt.Fprintf(&b, `"d%d":{"type":"object","properties":{"l":{"$ref":"#/$defs/d%d"},"r":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
		}
		b.WriteString(`"d40":{"type":"string"}}}`)
		if out, err := validate(t, toolBlock("b18_blow", "input `"+b.String()+"`")); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	t.Run("cycle", func(t *testing.T) {
		t.Parallel()
		// A schema that refers to nothing but itself must not hang or crash.
		for _, s := range []string{
			`{"type":"object","allOf":[{"$ref":"#"}]}`,
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"$ref":"#/$defs/y"},"y":{"$ref":"#/$defs/x"}}}`,
		} {
			out, err := validate(t, toolBlock("b18_cycle", "input `"+s+"`"))
			if strings.Contains(out, "goroutine ") || strings.Contains(out, "stack overflow") {
				t.Errorf("%s: %v: %s", s, err, out)
			}
			if err == nil {
				t.Errorf("%s is accepted: %s", s, out)
			}
		}
	})
}

func TestB19(t *testing.T) {
	t.Parallel()
	block := func(name string) string { return toolBlock(name, "request GET /x") }
	for _, name := range []string{"repos/get", "a.b", "ä", strings.Repeat("x", 65)} {
		if out, err := validate(t, block(name)); err == nil || !strings.Contains(out, name) {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
	long := strings.Repeat("x", 60)
	if out, err := validate(t, block(long)); err != nil || !strings.Contains(out, "prefix") {
		t.Errorf("no warning for 60 characters: %v: %s", err, out)
	}
	if out, err := validate(t, block("same")+block("same")); err == nil || !strings.Contains(out, "same") || !strings.Contains(out, "Caddyfile:") {
		t.Errorf("duplicate: %v: %s", err, out)
	}
	// Names that differ in case only are two tools.
	if out, err := validate(t, block("same")+block("Same")); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// The order of tools is the file's, and adapting twice gives the same bytes.
func TestB19Stable(t *testing.T) {
	t.Parallel()
	cfg := harness.Config{Caddyfile: true, Text: strings.ReplaceAll(caddyfile, "{$UPSTREAM}", "127.0.0.1:1")}
	first, err := harness.Adapt(t, cfg)
	if err != nil {
		t.Fatalf("%v: %s", err, first)
	}
	second, err := harness.Adapt(t, cfg)
	if err != nil || jsonLine(first) != jsonLine(second) {
		t.Errorf("%v: adapting twice differs", err)
	}
	last := -1
	for _, tool := range []string{"b01", "b02_many", "b03", "b06", "b28"} {
		i := strings.Index(first, `"name":"`+tool+`"`)
		if i <= last {
			t.Errorf("%s is at %d, after %d", tool, i, last)
		}
		last = i
	}
}

// jsonLine is what adapt wrote besides its log.
func jsonLine(out string) string {
	for line := range strings.SplitSeq(out, "\n") {
		if strings.HasPrefix(line, `{"admin"`) || strings.HasPrefix(line, `{"apps"`) {
			return line
		}
	}
	return out
}
