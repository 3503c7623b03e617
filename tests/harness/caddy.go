// SPDX-License-Identifier: Apache-2.0

// Package harness runs a real Caddy, one process per instance, and talks MCP to
// it as raw as a test needs.
package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Patience bounds every wait of the tests; nothing is measured with it.
const Patience = 30 * time.Second

// Config is a configuration for [Start]. Listeners are given to the process, so
// no port is ever guessed: fd/3 serves, fd/4 is the admin endpoint.
type Config struct {
	// Text of the configuration. {$LISTEN} and {$ADMIN} in it become the
	// listeners' Caddy addresses.
	Text string
	// Caddyfile says that Text is one; else it is JSON.
	Caddyfile bool
	// Env is added to the process's environment.
	Env []string
	// Dir is the working directory. Default: a new one.
	Dir string
}

// Caddy is a running process.
type Caddy struct {
	// URL of the site, without a path.
	URL string
	// Admin is the URL of the admin API.
	Admin string
	// Client talks to the site.
	Client *http.Client

	cmd  *exec.Cmd
	logs *logs
	done chan struct{}
	err  error
	dir  string
}

// Start runs Caddy until the test ends.
func Start(t testing.TB, cfg Config) *Caddy {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("log of Caddy:\n%s", c.logs.tail(60))
		}
	})
	return c
}

// New runs Caddy until Close.
func New(cfg Config) (*Caddy, error) {
	bin, err := Binary()
	if err != nil {
		return nil, err
	}
	site, siteFile, err := listen()
	if err != nil {
		return nil, err
	}
	defer siteFile.Close()
	admin, adminFile, err := listen()
	if err != nil {
		return nil, err
	}
	defer adminFile.Close()

	c := &Caddy{
		URL: "http://" + site, Admin: "http://" + admin, logs: newLogs(), done: make(chan struct{}),
		Client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}},
	}
	if c.dir, err = os.MkdirTemp("", "caddy-mcp-home-"); err != nil {
		return nil, err
	}
	args := []string{"run", "--config", "-"}
	if cfg.Caddyfile {
		args = append(args, "--adapter", "caddyfile")
	}
	c.cmd = exec.Command(bin, args...)
	c.cmd.Stdin = strings.NewReader(c.expand(cfg.Text))
	c.cmd.Stdout, c.cmd.Stderr = c.logs, c.logs
	c.cmd.ExtraFiles = []*os.File{siteFile, adminFile}
	c.cmd.Dir = cfg.Dir
	c.cmd.Env = append(c.environ(), cfg.Env...)
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		c.err = c.cmd.Wait()
		close(c.done)
		c.logs.close()
	}()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	if err := c.logs.wait(ctx, func(l Log) bool { return l.Msg == "serving initial configuration" }); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("caddy did not start: %w\n%s", err, c.logs.tail(40))
	}
	return c, nil
}

// Adapt gives the JSON of a Caddyfile.
func Adapt(t testing.TB, cfg Config) (string, error) {
	t.Helper()
	return command(t, cfg, "adapt")
}

func command(t testing.TB, cfg Config, name string) (string, error) {
	t.Helper()
	bin, err := Binary()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if cfg.Dir == "" {
		cfg.Dir = dir
	}
	file := filepath.Join(dir, "caddy.json")
	args := []string{name, "--config", file}
	if cfg.Caddyfile {
		args[2] = filepath.Join(dir, "Caddyfile")
		args = append(args, "--adapter", "caddyfile")
	}
	c := &Caddy{dir: dir}
	if err := os.WriteFile(args[2], []byte(c.expand(cfg.Text)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Dir = cfg.Dir
	cmd.Env = append(c.environ(), cfg.Env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// environ keeps Caddy out of the user's own directories.
func (c *Caddy) environ() []string {
	return append(os.Environ(), "HOME="+c.dir, "XDG_DATA_HOME="+c.dir, "XDG_CONFIG_HOME="+c.dir)
}

func (c *Caddy) expand(text string) string {
	return strings.NewReplacer("{$LISTEN}", "fd/3", "{$ADMIN}", "fd/4").Replace(text)
}

// listen opens a port and gives its address and a file for the child. The
// kernel queues connections from now on, so nobody has to wait for readiness.
func listen() (string, *os.File, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	defer l.Close()
	f, err := l.(*net.TCPListener).File()
	return l.Addr().String(), f, err
}

// Load replaces the configuration through the admin API. It asks again if the
// admin endpoint of the configuration before took the connection and closed it.
func (c *Caddy) Load(ctx context.Context, cfg Config) error {
	err := c.load(ctx, cfg)
	for range 5 {
		if !errors.Is(err, io.EOF) {
			break
		}
		err = c.load(ctx, cfg)
	}
	return err
}

func (c *Caddy) load(ctx context.Context, cfg Config) error {
	kind := "application/json"
	if cfg.Caddyfile {
		kind = "text/caddyfile"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Admin+"/load", strings.NewReader(c.expand(cfg.Text)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", kind)
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("load: %s: %s", res.Status, body)
	}
	return nil
}

// Close ends the process; it complains if it did not end by itself, or if the
// race detector found something.
func (c *Caddy) Close() error {
	defer os.RemoveAll(c.dir)
	c.Client.CloseIdleConnections()
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.NewTimer(Patience)
	defer timer.Stop()
	var err error
	select {
	case <-c.done:
	case <-timer.C:
		_ = c.cmd.Process.Kill()
		<-c.done
		err = errors.New("caddy did not end when told to")
	}
	if text := c.logs.text(); strings.Contains(text, "DATA RACE") {
		i := strings.Index(text, "WARNING: DATA RACE")
		err = errors.Join(err, errors.New(text[max(i, 0):]))
	}
	return err
}

// Running tells whether the process lives.
func (c *Caddy) Running() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}
