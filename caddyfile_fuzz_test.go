// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig"
)

// FuzzCaddyfile adapts any text: it never panics, gives the same bytes twice, and
// what it gives is a configuration that the handler reads strictly.
func FuzzCaddyfile(f *testing.F) {
	files, err := filepath.Glob("testdata/adapt/*.caddyfiletest")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		input, _, _ := strings.Cut(string(b), goldenLine)
		f.Add(input)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, input string) {
		// What Caddy imports, and what it puts in for its environment, is not ours.
		if strings.Contains(input, "import") || strings.Contains(input, "{$") {
			t.Skip()
		}
		adapt := func() ([]byte, error) {
			raw, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(input), map[string]any{"filename": filepath.Join(dir, "Caddyfile")})
			return raw, err
		}
		raw, err := adapt()
		again, errAgain := adapt()
		if (err == nil) != (errAgain == nil) {
			t.Fatalf("adapting twice gives different errors: %v, %v", err, errAgain)
		}
		if err != nil {
			return
		}
		if !bytes.Equal(raw, again) && strings.Contains(string(raw), `"handler":"mcp"`) {
			t.Errorf("adapting twice gives different results:\n%s\n%s", raw, again)
		}
		var config any
		if err := json.Unmarshal(raw, &config); err != nil {
			t.Fatal(err)
		}
		for _, h := range mcpHandlers(config) {
			d := json.NewDecoder(bytes.NewReader(h))
			d.DisallowUnknownFields()
			if err := d.Decode(new(Handler)); err != nil {
				t.Errorf("decoding %s: %v", h, err)
			}
		}
	})
}

// mcpHandlers finds the mcp handlers of a configuration, without their names.
func mcpHandlers(v any) (out []json.RawMessage) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			out = append(out, mcpHandlers(e)...)
		}
	case map[string]any:
		if v["handler"] == "mcp" {
			delete(v, "handler")
			raw, _ := json.Marshal(v)
			return []json.RawMessage{raw}
		}
		for _, e := range v {
			out = append(out, mcpHandlers(e)...)
		}
	}
	return out
}

func TestMCPHandlers(t *testing.T) {
	t.Parallel()
	got := mcpHandlers(map[string]any{"a": []any{map[string]any{"handler": "mcp", "name": "x"}, map[string]any{"handler": "other"}}})
	if len(got) != 1 || string(got[0]) != `{"name":"x"}` {
		t.Errorf("got %s", got)
	}
}
