// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// target is a request that is sent over and over.
type target struct {
	Addr string `json:"addr"`
	// Request as it goes over the wire.
	Request []byte `json:"request"`
	// Want is a part of every good answer's body.
	Want string `json:"want"`
}

// newTarget gives a POST request.
func newTarget(addr, path, want string, body []byte, header http.Header) target {
	req, err := http.NewRequest(http.MethodPost, "http://"+addr+path, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header = header.Clone()
	req.Header.Set("Content-Type", "application/json")
	var b bytes.Buffer
	if err := req.Write(&b); err != nil {
		panic(err)
	}
	return target{Addr: addr, Request: b.Bytes(), Want: want}
}

// order tells the loader to send a target's request for some time.
type order struct {
	Target target        `json:"target"`
	For    time.Duration `json:"for"`
}

// tally is what came of an order.
type tally struct {
	Requests int64         `json:"requests"`
	Bytes    int64         `json:"bytes"`
	Took     time.Duration `json:"took"`
	Error    string        `json:"error"`
}

// loader is the process that makes the load, so that its CPU time is not
// counted. It keeps its connections from order to order.
type loader struct {
	cmd *exec.Cmd
	in  *json.Encoder
	out *json.Decoder
}

func startLoader(connections int) (*loader, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	l := &loader{cmd: exec.Command(self, roleLoad, fmt.Sprint(connections))}
	l.cmd.Stderr = os.Stderr
	in, err := l.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	l.in, l.out = json.NewEncoder(in), json.NewDecoder(out)
	return l, l.cmd.Start()
}

func (l *loader) run(t target, d time.Duration) (tally, error) {
	if err := l.in.Encode(order{t, d}); err != nil {
		return tally{}, err
	}
	var r tally
	if err := l.out.Decode(&r); err != nil {
		return tally{}, fmt.Errorf("the load generator ended: %w", err)
	}
	if r.Error != "" {
		return r, errors.New(r.Error)
	}
	return r, nil
}

// serveLoad is the loader's side.
func serveLoad(connections int) error {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	pools := make(map[string][]*conn)
	for {
		var o order
		if err := in.Decode(&o); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		pool := pools[o.Target.Addr]
		for len(pool) < connections {
			pool = append(pool, &conn{addr: o.Target.Addr})
		}
		pools[o.Target.Addr] = pool
		if err := out.Encode(load(pool, o)); err != nil {
			return err
		}
	}
}

func load(pool []*conn, o order) tally {
	var r tally
	var mu sync.Mutex
	var requests, read atomic.Int64
	var wg sync.WaitGroup
	start := time.Now()
	for _, c := range pool {
		wg.Go(func() {
			for time.Since(start) < o.For {
				n, err := c.exchange(o.Target)
				if err != nil {
					mu.Lock()
					r.Error = err.Error()
					mu.Unlock()
					return
				}
				requests.Add(1)
				read.Add(n)
			}
		})
	}
	wg.Wait()
	r.Requests, r.Bytes, r.Took = requests.Load(), read.Load(), time.Since(start)
	return r
}

// conn is a kept-alive connection.
type conn struct {
	addr string
	c    net.Conn
	r    *bufio.Reader
	body bytes.Buffer
}

func (c *conn) exchange(t target) (int64, error) {
	if c.c == nil {
		nc, err := net.Dial("tcp", c.addr)
		if err != nil {
			return 0, err
		}
		c.c, c.r = nc, bufio.NewReaderSize(nc, 64<<10)
	}
	if _, err := c.c.Write(t.Request); err != nil {
		return 0, err
	}
	res, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return 0, err
	}
	c.body.Reset()
	n, err := c.body.ReadFrom(res.Body)
	_ = res.Body.Close()
	if err != nil {
		return n, err
	}
	if res.StatusCode != http.StatusOK || res.Close {
		return n, fmt.Errorf("answer %s: %.300s", res.Status, c.body.Bytes())
	}
	// What is looked for stands near the beginning or the end of an answer.
	body := c.body.Bytes()
	head, tail := body[:min(len(body), 4096)], body[max(0, len(body)-4096):]
	if !bytes.Contains(head, []byte(t.Want)) && !bytes.Contains(tail, []byte(t.Want)) || bytes.Contains(tail, []byte(`"isError":true`)) {
		return n, fmt.Errorf("unexpected answer: %.300s", body)
	}
	return n, nil
}
