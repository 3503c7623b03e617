// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// process is a child that listens.
type process struct {
	cmd   *exec.Cmd
	addr  string
	admin string
}

func (p *process) pid() int { return p.cmd.Process.Pid }

func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
}

// startPeer runs this program in a role.
func startPeer(role string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(self, role)}
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("starting %s: %w", role, err)
	}
	p.addr = strings.TrimSpace(line)
	return p, nil
}

// buildCaddy builds the command of this repository.
func buildCaddy(ctx context.Context, dir string) (string, error) {
	bin := filepath.Join(dir, "caddy")
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", bin, "github.com/caddymcp/caddy-mcp/cmd/caddy")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building Caddy: %w\n%s", err, out)
	}
	return bin, nil
}

// startCaddy runs Caddy with a Caddyfile in which {$LISTEN} and {$ADMIN} are the
// listeners.
func startCaddy(ctx context.Context, bin, dir, caddyfile string) (*process, error) {
	p := &process{cmd: exec.CommandContext(ctx, bin, "run", "--config", "-", "--adapter", "caddyfile")}
	p.cmd.Stdin = strings.NewReader(strings.NewReplacer("{$LISTEN}", "fd/3", "{$ADMIN}", "fd/4").Replace(caddyfile))
	p.cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	for _, addr := range []*string{&p.addr, &p.admin} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		f, err := l.(*net.TCPListener).File()
		if err != nil {
			return nil, err
		}
		defer f.Close()
		*addr = l.Addr().String()
		p.cmd.ExtraFiles = append(p.cmd.ExtraFiles, f)
	}
	log, err := os.Create(filepath.Join(dir, "caddy.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if err := p.ready(ctx); err != nil {
		p.stop()
		text, _ := os.ReadFile(log.Name())
		return nil, fmt.Errorf("caddy did not start: %w\n%s", err, text)
	}
	return p, nil
}

// ready waits for the first answer; connections queue until then.
func (p *process) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.addr+"/ready", nil)
		if err != nil {
			ended <- err
			return
		}
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			res.Body.Close()
		}
		ended <- err
	}()
	return <-ended
}
