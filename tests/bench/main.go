// SPDX-License-Identifier: Apache-2.0

// Command bench measures what MCP costs, as ratios within one run: CPU time per
// request of the Caddy process, for a tool call against the same thing without
// MCP, or against a server made with the Go SDK.
//
//	go run ./tests/bench
//
// docs/performance.md explains the method.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

func main() {
	if len(os.Args) > 1 {
		if serve, ok := role(os.Args[1:]); ok {
			fail(serve())
			return
		}
	}
	var o options
	flag.IntVar(&o.rounds, "rounds", 25, "rounds per figure, each with both sides")
	flag.DurationVar(&o.round, "round", 300*time.Millisecond, "time of one side of a round")
	flag.IntVar(&o.connections, "connections", 32, "kept-alive connections")
	flag.StringVar(&o.profiles, "profiles", "", "directory for profiles of each figure")
	flag.StringVar(&o.document, "write", "", "Markdown file to put the table into, between its <!-- figures --> marks")
	flag.BoolVar(&o.check, "check", false, "fail if a figure misses its target")
	only := flag.String("only", "", "regular expression of the figures to measure")
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		fail(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fail(run(ctx, o))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func role(args []string) (func() error, bool) {
	switch args[0] {
	case roleUpstream:
		return serveUpstream, true
	case roleSDK:
		return serveSDK, true
	case roleLoad:
		n, err := strconv.Atoi(args[len(args)-1])
		return func() error {
			if err != nil {
				return err
			}
			return serveLoad(n)
		}, true
	}
	return nil, false
}

type options struct {
	rounds, connections int
	round               time.Duration
	profiles, document  string
	check               bool
	only                *regexp.Regexp
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "caddy-mcp-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w, err := startWorld(ctx, dir, o.connections)
	if err != nil {
		return err
	}
	defer w.stop()

	var table bytes.Buffer
	r := report{out: io.MultiWriter(os.Stdout, &table)}
	r.head()
	for _, f := range w.figures() {
		if !o.only.MatchString(f.name) {
			continue
		}
		if err := f.measure(ctx, w, o, &r); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if o.only.MatchString(allocationsName) {
		if err := reportAllocations(&r); err != nil {
			return err
		}
	}
	if o.document != "" {
		if err := insertTable(o.document, table.Bytes()); err != nil {
			return err
		}
	}
	if o.check && r.missed > 0 {
		return fmt.Errorf("%d figures miss their target", r.missed)
	}
	return nil
}

// figuresMark is the beginning and the end of the table in a document.
const figuresMark = "<!-- figures -->"

func insertTable(file string, table []byte) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	parts := bytes.Split(old, []byte(figuresMark))
	if len(parts) != 3 {
		return fmt.Errorf("%s: expected %s twice, before and after the table", file, figuresMark)
	}
	parts[1] = append([]byte("\n"), table...)
	return os.WriteFile(file, bytes.Join(parts, []byte(figuresMark)), 0o644)
}

// world is all the processes.
type world struct {
	loader               *loader
	upstream, sdk, caddy *process
	// list is the answer to tools/list that the list endpoint gives in each era.
	list map[era][]byte
}

func startWorld(ctx context.Context, dir string, connections int) (w *world, err error) {
	w = &world{list: make(map[era][]byte)}
	defer func() {
		if err != nil {
			w.stop()
		}
	}()
	if w.loader, err = startLoader(connections); err != nil {
		return w, err
	}
	if w.upstream, err = startPeer(roleUpstream); err != nil {
		return w, err
	}
	if w.sdk, err = startPeer(roleSDK); err != nil {
		return w, err
	}
	bin, err := buildCaddy(ctx, dir)
	if err != nil {
		return w, err
	}
	// The bytes of the lists are known only when the lists have been served.
	if w.caddy, err = startCaddy(ctx, bin, dir, caddyfile(w.upstream.addr, dir, nil)); err != nil {
		return w, err
	}
	for _, e := range []era{modern, legacy} {
		t := e.request(w.caddy.addr, "/mcp/list", "tools/list", "", "{}", `"tools"`)
		if w.list[e], err = fetch(t); err != nil {
			return w, err
		}
		if err := os.WriteFile(filepath.Join(dir, listFile(e)), w.list[e], 0o600); err != nil {
			return w, err
		}
	}
	w.caddy.stop()
	w.caddy, err = startCaddy(ctx, bin, dir, caddyfile(w.upstream.addr, dir, w.list))
	return w, err
}

func (w *world) stop() {
	for _, p := range []*process{w.caddy, w.sdk, w.upstream} {
		if p != nil {
			p.stop()
		}
	}
	if w.loader != nil {
		_ = w.loader.cmd.Process.Kill()
		_ = w.loader.cmd.Wait()
	}
}

// profile takes profiles of Caddy's CPU time and of what it allocates, while it
// serves a target.
func (w *world) profile(ctx context.Context, t target, file string) error {
	const seconds = 5
	for _, kind := range []string{"profile", "allocs"} {
		done := make(chan error, 1)
		go func() {
			_, err := w.loader.run(t, (seconds+1)*time.Second)
			done <- err
		}()
		url := fmt.Sprintf("http://%s/debug/pprof/%s?seconds=%d", w.caddy.admin, kind, seconds)
		err := download(ctx, url, file+"."+kind)
		if loadErr := <-done; err == nil {
			err = loadErr
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func download(ctx context.Context, url, file string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, res.Body); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
