// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// era of a request: what a client of the stateless revision sends, or one of the
// revisions with a handshake, of which a stateless server needs no session.
type era string

const (
	modern era = "2026-07-28"
	legacy era = "2025-11-25"
)

// request is a JSON-RPC request of the era. params is a JSON object.
func (e era) request(addr, path, method, name, params, want string) target {
	h := http.Header{"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {string(e)}}
	if e == modern {
		h.Set("Mcp-Method", method)
		if name != "" {
			h.Set("Mcp-Name", name)
		}
		meta := `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
		if params != "{}" {
			meta += ","
		}
		params = meta + params[1:]
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	return newTarget(addr, path, want, []byte(body), h)
}

func (e era) call(addr, path, tool, args, want string) target {
	return e.request(addr, path, "tools/call", tool, fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args), want)
}

// arguments are a JSON object of about n bytes, as a tool's arguments.
func arguments(n int) string {
	const item = `{"sku":"A-1001","copies":3,"note":"a note of some length, so that text and numbers are mixed as they are in life, and so that there are not too many elements"},`
	var b strings.Builder
	b.WriteString(`{"customer":"Ada Lovelace","lines":[`)
	for b.Len()+len(item) < n-2 {
		b.WriteString(item)
	}
	return strings.TrimSuffix(b.String(), ",") + `]}`
}

// smallArguments are 100 bytes.
const smallArguments = `{"customer":"Ada Lovelace","note":"ring twice, and leave it at the door if nobody is in","copies":7}`

func toolSchema() map[string]any {
	return map[string]any{
		"type": "object",
		"properties": map[string]any{
			"customer": map[string]any{"type": "string", "description": "The customer's name."},
			"note":     map[string]any{"type": "string", "description": "A wish for the packing."},
			"copies":   map[string]any{"type": "integer", "minimum": 1, "maximum": 10},
		},
		"required":             []string{"customer"},
		"additionalProperties": false,
	}
}

// caddyfile serves everything that is measured: each thing with and without MCP
// in one process, so that both have the same heap around them.
func caddyfile(upstream, dir string, lists map[era][]byte) string {
	var b strings.Builder
	b.WriteString("{\n\tadmin {$ADMIN}\n\tpersist_config off\n\tauto_https off\n}\nhttp:// {\n\tbind {$LISTEN}\n")
	b.WriteString("\thandle /raw/* {\n\t\treverse_proxy " + upstream + "\n\t}\n\thandle /respond {\n\t\trespond \"" + greeting + "\"\n\t}\n")
	for e, list := range lists {
		fmt.Fprintf(&b, "\thandle /list/%s {\n\t\theader Content-Type application/json\n\t\trespond `%s`\n\t}\n", e, list)
	}
	fmt.Fprintf(&b, "\thandle_path /file/* {\n\t\tmethod GET\n\t\troot %q\n\t\tfile_server\n\t}\n", dir)
	b.WriteString("\tmcp /mcp/proxy {\n\t\tname proxy\n\t\tinstructions \"\"\n")
	for _, n := range []string{"1024", "10000", "100000", "1000000"} {
		fmt.Fprintf(&b, "\t\ttool post_%s {\n\t\t\tdescription \"A tool.\"\n\t\t\targ customer string \"The name.\"\n"+
			"\t\t\targ note string \"A wish.\" optional\n\t\t\targ copies integer \"How many.\" min=1 max=10 optional\n"+
			"\t\t\topen\n\t\t\trequest POST /raw/%s\n\t\t}\n", n, n)
	}
	fmt.Fprintf(&b, "\t\treverse_proxy %s\n\t}\n", upstream)
	tools := func(name string, n int) {
		fmt.Fprintf(&b, "\tmcp /mcp/%s {\n\t\tname %s\n\t\tinstructions \"\"\n", name, name)
		for i := range n {
			fmt.Fprintf(&b, "\t\ttool t%d {\n\t\t\tdescription \"A tool.\"\n\t\t\targ customer string \"The customer's name.\"\n"+
				"\t\t\targ note string \"A wish for the packing.\" optional\n\t\t\targ copies integer \"How many.\" min=1 max=10 optional\n"+
				"\t\t\trequest POST /respond\n\t\t}\n", i)
		}
		fmt.Fprintf(&b, "\t\trespond %q\n\t}\n", greeting)
	}
	tools("one", 1)
	tools("list", 1000)
	tools("many", 5000)
	b.WriteString("}\n")
	return b.String()
}

// listFile is the file that has the bytes of an era's list.
func listFile(e era) string { return "list-" + string(e) + ".json" }

// fetch gives the body of a target's answer.
func fetch(t target) ([]byte, error) {
	c, err := net.Dial("tcp", t.Addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if _, err := c.Write(t.Request); err != nil {
		return nil, err
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && (res.StatusCode != http.StatusOK || !bytes.Contains(body, []byte(t.Want))) {
		err = fmt.Errorf("answer %s: %.300s", res.Status, body)
	}
	return body, err
}

// figure is two targets whose CPU time per request is compared.
type figure struct {
	name, against string
	// candidate is served by Caddy, baseline by the process base.
	candidate, baseline target
	base                *process
	// atMost is the target of the ratio, 0 if there is none.
	atMost float64
	// payload is the bytes of one request that matter, for MB/s.
	payload int
}

func (w *world) figures() []figure {
	var out []figure
	addr := w.caddy.addr
	plain := http.Header{"Accept": {"*/*"}}
	const item = `9007199254740993`
	for _, e := range []era{modern, legacy} {
		suffix := fmt.Sprintf(" (%s)", e)
		out = append(out,
			figure{
				name: "call through reverse_proxy" + suffix, against: "the same reverse_proxy",
				candidate: e.call(addr, "/mcp/proxy", "post_1024", smallArguments, item),
				baseline:  newTarget(addr, "/raw/1024", item, []byte(smallArguments), plain),
				base:      w.caddy, atMost: 1.20,
			},
			figure{
				name: "call answered by respond" + suffix, against: "go-sdk v1.8.0, stateless",
				candidate: e.call(addr, "/mcp/one", "t0", smallArguments, greeting[:16]),
				baseline:  e.call(w.sdk.addr, "/", "t0", smallArguments, greeting[:16]),
				base:      w.sdk, atMost: 0.35,
			},
			figure{
				name: "call answered by respond" + suffix, against: "respond itself",
				candidate: e.call(addr, "/mcp/one", "t0", smallArguments, greeting[:16]),
				baseline:  newTarget(addr, "/respond", greeting[:16], []byte(smallArguments), plain),
				base:      w.caddy,
			},
			figure{
				name: "list of 1,000 tools" + suffix, against: "respond with the same bytes",
				candidate: e.request(addr, "/mcp/list", "tools/list", "", "{}", `"tools"`),
				baseline:  newTarget(addr, "/list/"+string(e), `"tools"`, []byte(`{}`), plain),
				base:      w.caddy, atMost: 1.3,
			},
			figure{
				name: "list of 1,000 tools" + suffix, against: "file_server with the same bytes",
				candidate: e.request(addr, "/mcp/list", "tools/list", "", "{}", `"tools"`),
				baseline:  newTarget(addr, "/file/"+listFile(e), `"tools"`, []byte(`{}`), plain),
				base:      w.caddy,
			},
			figure{
				name: "call with 5,000 tools" + suffix, against: "with 1 tool",
				candidate: e.call(addr, "/mcp/many", "t4321", smallArguments, greeting[:16]),
				baseline:  e.call(addr, "/mcp/one", "t0", smallArguments, greeting[:16]),
				base:      w.caddy, atMost: 1.05,
			},
		)
	}
	for _, n := range []int{10_000, 100_000} {
		args := arguments(n)
		out = append(out, figure{
			name: fmt.Sprintf("arguments of %d KB", n/1000), against: "the same reverse_proxy", payload: len(args),
			candidate: modern.call(addr, "/mcp/proxy", "post_1024", args, item),
			baseline:  newTarget(addr, "/raw/1024", item, []byte(args), plain),
			base:      w.caddy,
		})
	}
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		out = append(out, figure{
			name: fmt.Sprintf("answer of %d KB", n/1000), against: "the same reverse_proxy", payload: n,
			candidate: modern.call(addr, "/mcp/proxy", fmt.Sprintf("post_%d", n), smallArguments, item),
			baseline:  newTarget(addr, fmt.Sprintf("/raw/%d", n), item, []byte(smallArguments), plain),
			base:      w.caddy,
		})
	}
	return out
}

// side is what one target cost in one round.
type side struct {
	perRequest time.Duration
	rate       float64
}

func (f figure) measure(ctx context.Context, w *world, o options, r *report) error {
	for _, t := range []target{f.candidate, f.baseline} {
		if _, err := w.loader.run(t, o.round/2); err != nil {
			return err
		}
	}
	var candidates, baselines []time.Duration
	var rates, ratios []float64
	for i := range o.rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		var c, b side
		var err, err2 error
		// The first of a round warms what the second uses: take turns.
		if i%2 == 0 {
			c, err = w.side(f.candidate, w.caddy, o.round)
			b, err2 = w.side(f.baseline, f.base, o.round)
		} else {
			b, err2 = w.side(f.baseline, f.base, o.round)
			c, err = w.side(f.candidate, w.caddy, o.round)
		}
		if err != nil {
			return err
		}
		if err2 != nil {
			return err2
		}
		candidates, baselines = append(candidates, c.perRequest), append(baselines, b.perRequest)
		rates = append(rates, c.rate)
		ratios = append(ratios, float64(c.perRequest)/float64(b.perRequest))
	}
	r.add(f, ratios, median(candidates), median(baselines), median(rates))
	if o.profiles == "" {
		return nil
	}
	file := strings.NewReplacer(" ", "_", ",", "", "(", "", ")", "").Replace(f.name + " against " + f.against)
	return w.profile(ctx, f.candidate, filepath.Join(o.profiles, file))
}

func (w *world) side(t target, p *process, d time.Duration) (side, error) {
	before, err := cpuTime(p.pid())
	if err != nil {
		return side{}, err
	}
	tally, err := w.loader.run(t, d)
	if err != nil {
		return side{}, err
	}
	after, err := cpuTime(p.pid())
	if err != nil {
		return side{}, err
	}
	return side{
		perRequest: (after - before) / time.Duration(max(1, tally.Requests)),
		rate:       float64(tally.Requests) / tally.Took.Seconds(),
	}, nil
}

func median[T ~int64 | ~float64](v []T) T {
	s := slices.Sorted(slices.Values(v))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

// quartiles are the bounds of the middle half.
func quartiles(v []float64) (low, high float64) {
	s := slices.Sorted(slices.Values(v))
	return s[len(s)/4], s[len(s)-1-len(s)/4]
}

// report writes a Markdown table.
type report struct {
	out    io.Writer
	missed int
}

func (r *report) head() {
	fmt.Fprintln(r.out, "| what | against | CPU ratio | at most | CPU per request | baseline | requests/s | MB per CPU second |")
	fmt.Fprintln(r.out, "|---|---|---|---|---|---|---|---|")
}

func (r *report) add(f figure, ratios []float64, candidate, baseline time.Duration, rate float64) {
	atMost, throughput := "", ""
	ratio := median(ratios)
	low, high := quartiles(ratios)
	if f.atMost > 0 {
		atMost = fmt.Sprintf("%.2f", f.atMost)
		if ratio > f.atMost {
			atMost += " (missed)"
			r.missed++
		}
	}
	if f.payload > 0 {
		throughput = fmt.Sprintf("%.0f", float64(f.payload)/1e6/candidate.Seconds())
	}
	fmt.Fprintf(r.out, "| %s | %s | **%.2f** (%.2f–%.2f) | %s | %.1f µs | %.1f µs | %.0f | %s |\n",
		f.name, f.against, ratio, low, high, atMost, micros(candidate), micros(baseline), rate, throughput)
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// raw is a Go value as JSON.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
