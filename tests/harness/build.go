// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
)

// Binary is the path of a Caddy with this repository's module. The first caller
// of all test processes builds it; the go command leaves it alone as long as it
// is up to date. With -race it has the race detector too.
var Binary = sync.OnceValues(func() (string, error) {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		return "", fmt.Errorf("no source file to build from")
	}
	root := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("caddy-mcp-tests-%d-%x", os.Getuid(), sha256.Sum256([]byte(root)))[:48])
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "caddy")
	args := []string{"build", "-buildvcs=false"}
	if race {
		bin += "-race"
		args = append(args, "-race")
	}
	args = append(args, "-o", bin, "./tests/harness/testcaddy")
	cmd := exec.CommandContext(context.Background(), "go", args...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building Caddy: %w\n%s", err, out)
	}
	return bin, nil
})
