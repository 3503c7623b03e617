// SPDX-License-Identifier: Apache-2.0

// Package conformance_test runs the official conformance suite of MCP against a
// Caddy whose tools are the suite's fixtures.
package conformance_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/caddymcp/caddy-mcp/tests/harness"
)

// beyond are scenarios that no requirement set has, and that must pass all the
// same.
var beyond = map[string][]string{
	"2025-11-25": {"json-schema-2020-12"},
	"2026-07-28": {"json-schema-2020-12", "http-header-validation", "http-custom-header-server-validation"},
}

func TestConformance(t *testing.T) {
	t.Parallel()
	modules := os.Getenv("MCP_NODE_MODULES")
	if modules == "" {
		t.Skip("MCP_NODE_MODULES is not set: install by `npm install` in a copy of tests/clients/node, and set it to the node_modules there")
	}
	expected := readExpected(t)
	config, err := os.ReadFile("Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	caddy := harness.Start(t, harness.Config{Caddyfile: true, Text: string(config), Dir: dir})
	url := caddy.URL + "/mcp"

	for _, revision := range slices.Sorted(maps.Keys(beyond)) {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			results := t.TempDir()
			suite(t, modules, "--url", url, "--requirements", revision, "-o", results)
			required := requirements(t, modules, revision)
			got := readResults(t, results)
			scores := score(required, got)
			compareWithScript(t, results, revision, modules, scores)

			extra := t.TempDir()
			for _, s := range beyond[revision] {
				suite(t, modules, "--url", url, "--scenario", s, "--spec-version", revision, "-o", extra)
			}
			maps.Copy(scores, score(beyond[revision], readResults(t, extra)))

			t.Logf("%s", summary(required, scores))
			compareWithExpected(t, scores, expected[revision])
		})
	}
}

// suite runs the suite. Its exit code says whether scenarios failed by its own
// count, which is laxer than ours; only its results are looked at.
func suite(t *testing.T, modules string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	bin := filepath.Join(modules, ".bin")
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "node"), append([]string{filepath.Join(bin, "conformance"), "server"}, args...)...)
	cmd.Dir = t.TempDir()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("conformance server %s: %v\n%s", strings.Join(args, " "), err, failedChecks(out.String()))
		}
	})
}

// failedChecks leaves the lines of the suite's report that name a failure.
func failedChecks(report string) string {
	var b strings.Builder
	for line := range strings.Lines(report) {
		if strings.Contains(line, "FAILURE") || strings.Contains(line, "WARNING") || strings.Contains(line, "✗") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// compareWithExpected holds the list of expected failures to the truth both
// ways, so that it can only shrink.
func compareWithExpected(t *testing.T, scores map[string]verdict, expected map[string]bool) {
	t.Helper()
	for _, s := range slices.Sorted(maps.Keys(scores)) {
		switch v := scores[s]; {
		case v != clean && !expected[s]:
			t.Errorf("%s: %s", s, v)
		case v == clean && expected[s]:
			t.Errorf("%s passes: take it out of expected-failures.txt", s)
		}
	}
	for s := range expected {
		if _, ok := scores[s]; !ok {
			t.Errorf("expected-failures.txt has %q, which the suite does not require", s)
		}
	}
}

// compareWithScript has a second scorer look at the same results, where there is
// one. It prints the numbers of each verdict first.
func compareWithScript(t *testing.T, results, revision, modules string, scores map[string]verdict) {
	t.Helper()
	script := os.Getenv("MCP_CONFORMANCE_SCORE")
	if script == "" {
		t.Log("MCP_CONFORMANCE_SCORE is not set: no second scorer")
		return
	}
	out, err := exec.CommandContext(t.Context(), "python3", script, results, revision, packageDir(modules), "-v").Output()
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	t.Logf("the second scorer says:\n%s", out)
	if want := summary(requirements(t, modules, revision), scores); !strings.HasPrefix(string(out), want+"\n") {
		t.Errorf("the second scorer does not say %q", want)
	}
}
