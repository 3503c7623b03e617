// SPDX-License-Identifier: Apache-2.0

package conformance_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// verdict is the score of a scenario. A scenario is clean only without a failure
// and without a warning, and if something was looked at that is more than the
// shape of messages: the suite counts a server that does not answer as passing
// most of it.
type verdict string

const (
	clean   verdict = "clean"
	warn    verdict = "warn"
	vacuous verdict = "vacuous"
	fail    verdict = "fail"
)

// check is an entry of a scenario's checks.json.
type check struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

func judge(checks []check) verdict {
	v := vacuous
	if len(checks) == 0 {
		return fail
	}
	for _, c := range checks {
		switch {
		case c.Status == "FAILURE":
			return fail
		case c.Status == "WARNING":
			v = warn
		case c.Status == "SUCCESS" && v == vacuous && !strings.HasPrefix(c.ID, "wire-schema"):
			v = clean
		}
	}
	return v
}

func score(scenarios []string, results map[string][]check) map[string]verdict {
	m := make(map[string]verdict, len(scenarios))
	for _, s := range scenarios {
		m[s] = judge(results[s])
	}
	return m
}

func summary(scenarios []string, scores map[string]verdict) string {
	n := make(map[verdict]int)
	for _, s := range scenarios {
		n[scores[s]]++
	}
	return fmt.Sprintf("%d/%d clean, %d warn, %d vacuous, %d fail", n[clean], len(scenarios), n[warn], n[vacuous], n[fail])
}

var timestamp = regexp.MustCompile(`-\d{4}-\d\d-\d\dT.*$`)

// readResults gives the checks of each scenario that the suite has run.
func readResults(t *testing.T, dir string) map[string][]check {
	t.Helper()
	m := make(map[string][]check)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "checks.json" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := timestamp.ReplaceAllString(filepath.Base(filepath.Dir(path)), "")
		var checks []check
		if err := json.Unmarshal(data, &checks); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		m[strings.TrimPrefix(name, "server-")] = checks
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func packageDir(modules string) string {
	return filepath.Join(modules, "@modelcontextprotocol", "conformance")
}

var scenarioLine = regexp.MustCompile(`(?m)^  - (\S+)$`)

// requirements are the scenarios that a revision requires of a server.
func requirements(t *testing.T, modules, revision string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(packageDir(modules), "requirements", revision+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(data), "\nserver:")
	text, _, ok2 := strings.Cut(text, "\nclient:")
	if !ok || !ok2 {
		t.Fatalf("the requirements of %s have another form than they had", revision)
	}
	var out []string
	for _, m := range scenarioLine.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	if len(out) == 0 {
		t.Fatalf("the requirements of %s are empty", revision)
	}
	return out
}

// readExpected reads the scenarios that fail for lack of a feature: a line is a
// revision, a scenario and the feature.
func readExpected(t *testing.T) map[string]map[string]bool {
	t.Helper()
	data, err := os.ReadFile("expected-failures.txt")
	if err != nil {
		t.Fatal(err)
	}
	m := make(map[string]map[string]bool)
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if len(f) < 3 {
			t.Fatalf("expected-failures.txt: %q: expected a revision, a scenario and the feature that is missing", line)
		}
		if m[f[0]] == nil {
			m[f[0]] = make(map[string]bool)
		}
		if m[f[0]][f[1]] {
			t.Fatalf("expected-failures.txt: %s %s twice", f[0], f[1])
		}
		m[f[0]][f[1]] = true
	}
	return m
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		checks []check
		want   verdict
	}{
		{"nothing was checked", nil, fail},
		{"success", []check{{"a", "SUCCESS"}, {"b", "INFO"}}, clean},
		{"only the shape of messages", []check{{"wire-schema-valid", "SUCCESS"}, {"b", "SKIPPED"}}, vacuous},
		{"warning after success", []check{{"a", "SUCCESS"}, {"b", "WARNING"}}, warn},
		{"warning before success", []check{{"b", "WARNING"}, {"a", "SUCCESS"}}, warn},
		{"failure after warning", []check{{"b", "WARNING"}, {"a", "SUCCESS"}, {"c", "FAILURE"}}, fail},
	} {
		if got := judge(tc.checks); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}
