// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// dial opens a connection on which nothing waits for ever.
func dial(t *testing.T, srv *httptest.Server) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn, bufio.NewReader(conn)
}

func postHead(length int) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", length)
}

// A client that does not send its body is not waited for.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{"", `{"jsonrpc":`} {
		h := newHandler(t, Options{})
		h.bodyTimeout = time.Millisecond
		conn, in := dial(t, serve(t, h))
		if _, err := io.WriteString(conn, postHead(100)+sent); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatalf("after %q: %v", sent, err)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusRequestTimeout || !strings.Contains(string(body), "too slowly") {
			t.Errorf("after %q: HTTP %d, %q, %v", sent, res.StatusCode, body, err)
		}
		// Nor is the connection kept.
		if _, err := in.ReadByte(); err != io.EOF {
			t.Errorf("after %q: %v", sent, err)
		}
	}
}

// Who has set a time for all of a request has it.
func TestSlowBodyServerDecides(t *testing.T) {
	t.Parallel()
	srv := &http.Server{ReadTimeout: time.Hour}
	r := httptest.NewRequest("POST", "/", nil)
	for _, own := range []bool{false, true} {
		w := &readDeadlines{discard: discard{header: http.Header{}}}
		r := r
		if own {
			r = r.WithContext(context.WithValue(r.Context(), http.ServerContextKey, srv))
		}
		bt := startBodyTimer(w, r, time.Hour)
		bt.timer.Stop()
		bt.fire()
		if err := bt.stop(); (err == nil) != own || (w.set == 0) != own {
			t.Errorf("%v: %d deadlines, %v", own, w.set, err)
		}
		// Too late for it.
		bt.fire()
		if w.set > 1 {
			t.Errorf("%v: %d deadlines", own, w.set)
		}
	}
	// Nothing to be done where deadlines are not supported.
	bt := startBodyTimer(&discard{header: http.Header{}}, r, time.Hour)
	bt.timer.Stop()
	bt.fire()
	if err := bt.stop(); err != nil {
		t.Error(err)
	}
}

// A connection is of use after a body that came in parts.
func TestKeepAliveAfterBody(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Options{})
	conn, in := dial(t, serve(t, h))
	for i := range 3 {
		body := callBody(versionLegacy, "echo", fmt.Sprintf(`{"i":%d}`, i))
		for _, part := range []string{postHead(len(body)), body[:20], body[20:]} {
			if _, err := io.WriteString(conn, part); err != nil {
				t.Fatal(err)
			}
		}
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(res.Body); err != nil || res.StatusCode != 200 || !strings.Contains(string(b), fmt.Sprintf(`{\"i\":%d}`, i)) {
			t.Errorf("%d: HTTP %d, %s, %v", i, res.StatusCode, b, err)
		}
	}
}

// readDeadlines counts the read deadlines that are set.
type readDeadlines struct {
	discard
	set int
}

func (d *readDeadlines) SetReadDeadline(time.Time) error { d.set++; return nil }
