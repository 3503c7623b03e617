// SPDX-License-Identifier: Apache-2.0

package protocol_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// groups of the checklist that apply to this server.
var groups = []string{"HTTP", "ERA", "META", "VER", "HDR", "METHOD", "DISC", "CACHE", "PAGE", "LIST", "PROG", "TOOL", "LEG"}

// without says why a rule of these groups has no test.
var without = map[string]string{
	"META-05":  "no operation here needs a capability of the client",
	"CACHE-03": "input_required is never answered",
	"CACHE-04": "an open endpoint shows the same to everybody",
	"CACHE-05": "an open endpoint has no access control",
	"LEG-08":   "there are no sessions",
	"LEG-09":   "there are no sessions",
	"LEG-11":   "there are no sessions",
	"LEG-12":   "there is one stream per request and none beside",
	"LEG-13":   "there is no GET stream",
	"LEG-14":   "nothing is replayed",
}

// Every rule of the checklist has a test that is named by its id.
func TestIDs(t *testing.T) {
	t.Parallel()
	checklist, err := os.ReadFile(spec())
	switch {
	case errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") == "":
		t.Skip("the checklist is not here; MCP_CHECKLIST names it")
	case err != nil:
		t.Fatal(err)
	}
	tests := map[string]bool{}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func Test([A-Z]+)(\d\d)\(`).FindAllSubmatch(source, -1) {
			tests[string(m[1])+"-"+string(m[2])] = true
		}
	}
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| ([A-Z]+)-(\d\d) \|`).FindAllSubmatch(checklist, -1) {
		id := string(m[1]) + "-" + string(m[2])
		known[id] = true
		if !slices.Contains(groups, string(m[1])) {
			continue
		}
		_, excused := without[id]
		switch {
		case excused && tests[id]:
			t.Errorf("%s has a test and an excuse", id)
		case !excused && !tests[id]:
			t.Errorf("%s has no test", id)
		}
	}
	if len(known) < 100 {
		t.Errorf("only %d rules in the checklist", len(known))
	}
	for id := range tests {
		if !known[id] {
			t.Errorf("%s is no rule", id)
		}
	}
	for id := range without {
		if !known[id] {
			t.Errorf("%s is no rule", id)
		}
	}
}

func spec() string {
	if file := os.Getenv("MCP_CHECKLIST"); file != "" {
		return file
	}
	return filepath.Join("..", "..", "..", "shared", "spec", "mcp.md")
}
