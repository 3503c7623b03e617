// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
)

var update = flag.Bool("update", false, "write the golden files of adapt tests")

const goldenLine = "----------\n"

// TestAdapt adapts each Caddyfile of testdata/adapt and compares the JSON, the
// warnings or the error with what stands below the line in the same file.
func TestAdapt(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/adapt/*.caddyfiletest")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".caddyfiletest"), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			input, want, ok := strings.Cut(string(b), goldenLine)
			if !ok && !*update {
				t.Fatalf("no %s line", strings.TrimSpace(goldenLine))
			}
			got := adapted(t, file, input)
			if again := adapted(t, file, input); again != got {
				t.Errorf("adapting twice gives different results:\n%s\n%s", got, again)
			}
			if *update {
				if err := os.WriteFile(file, []byte(input+goldenLine+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// adapted gives what an adaptation tells: its warnings, then JSON or an error.
func adapted(t *testing.T, file, input string) string {
	t.Helper()
	raw, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(input), map[string]any{"filename": file})
	var b strings.Builder
	for _, w := range warnings {
		fmt.Fprintf(&b, "warning: %s:%d: %s\n", w.File, w.Line, w.Message)
	}
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	} else {
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, raw, "", "\t"); err != nil {
			t.Fatal(err)
		}
		b.Write(pretty.Bytes())
		b.WriteByte('\n')
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), wd+string(filepath.Separator), "")
}
