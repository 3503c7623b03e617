// SPDX-License-Identifier: Apache-2.0

package clients_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/harness"
)

// gosdkReleases are the releases of the Go SDK that the client in gosdk/ is
// built with. The first is that of gosdk/go.mod, the others have module files of
// their own beside it.
var gosdkReleases = []struct{ version, protocol string }{
	{"v1.8.0", "2026-07-28"},
	{"v1.6.1", "2025-11-25"},
	{"v1.3.1", "2025-06-18"},
	{"v1.1.0", "2025-06-18"},
}

func TestGoSDK(t *testing.T) {
	t.Parallel()
	caddy := start(t)
	for i, release := range gosdkReleases {
		t.Run(release.version, func(t *testing.T) {
			t.Parallel()
			bin := filepath.Join(t.TempDir(), "client")
			args := []string{"build", "-buildvcs=false", "-o", bin}
			if i > 0 {
				args = append(args, "-modfile="+release.version+".mod")
			}
			build := exec.CommandContext(t.Context(), "go", append(args, ".")...)
			build.Dir = "gosdk"
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("building the client: %v\n%s", err, out)
			}
			check(t, run(t, nil, bin, "-steps", strconv.Itoa(steps), urlFor(t, caddy)), release.protocol)
		})
	}
}

// run gives what a command prints; its complaints go to the test's log.
func run(t *testing.T, env []string, name string, args ...string) []byte {
	t.Helper()
	out, err := try(t, env, name, args...)
	if err != nil {
		t.Fatalf("%s: %v", filepath.Base(name), err)
	}
	return out
}

func try(t *testing.T, env []string, name string, args ...string) ([]byte, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*harness.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(cmd.Environ(), env...)
	out, err := cmd.Output()
	if ee, ok := errors.AsType[*exec.ExitError](err); ok && len(ee.Stderr) > 0 {
		t.Logf("%s says:\n%s", filepath.Base(name), ee.Stderr)
	}
	return out, err
}
