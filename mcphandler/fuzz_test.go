// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"
)

var envelopes = []string{
	callBody(versionModern, "echo", callArguments),
	callBody(versionLegacy, "echo", `{"a":[{},[],{"b":null}]}`),
	`[` + callBody(versionBatch, "echo", "{}") + `,{"jsonrpc":"2.0","method":"notifications/initialized"}]`,
	`{"jsonrpc":"2.0","id":"\u00e9\"","method":"ping"}`,
	`{"jsonrpc":"2.0","id":9007199254740993,"\u006dethod":"p\u0069ng","params":{}}`,
	` { "jsonrpc" : "2.0" , "id" : -1 , "method" : "tools/list" , "params" : { "cursor" : null } } `,
	`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `{"id":1.5}`, `{"a":{"b":1,"\u0062":2}}`, `{"x":"\ud800"}`, "{\"x\":\"\xff\"}",
	`{"jsonrpc":"2.0","id":1,"result":{}}`, `[`, `[]`, `[[]]`, `{}`, `null`, `"\\"`, `{"":""}`, `{"a":"\\\"","b":[",{["]}`, `{"a":"\\","b":[1,2]}`, `1 2`, ``,
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","_meta":{"progressToken":1}}}`,
}

// shape walks JSON with the standard library: how deep it nests, how many
// members and elements it has, and whether one of its names is there twice.
func shape(b []byte) (depth, count int, twice bool) {
	type level struct {
		object, value bool
		names         map[string]bool
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var stack []level
	for {
		tok, err := d.Token()
		if err != nil {
			return depth, count, twice
		}
		if delim, ok := tok.(json.Delim); ok && (delim == '}' || delim == ']') {
			stack = stack[:len(stack)-1]
			continue
		}
		if n := len(stack); n > 0 {
			top := &stack[n-1]
			if name, ok := tok.(string); ok && top.object && !top.value {
				twice = twice || top.names[name]
				top.names[name], top.value = true, true
				continue
			}
			top.value = false
			count++
		}
		if delim, ok := tok.(json.Delim); ok {
			stack = append(stack, level{object: delim == '{', names: map[string]bool{}})
			depth = max(depth, len(stack))
		}
	}
}

// lenient says that only strictness can refuse b: text that is not Unicode, or
// a name that is there twice.
func lenient(b []byte, twice bool) bool {
	if twice || !utf8.Valid(b) {
		return true
	}
	// A lone surrogate becomes U+FFFD, as one may be written.
	return bytes.Contains(bytes.ToLower(b), []byte(`\ud`)) || bytes.Contains(b, []byte("\ufffd"))
}

func FuzzEnvelope(f *testing.F) {
	for _, s := range envelopes {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var m message
		d := newDecoder(b)
		err := d.message(&m)
		if err == nil && !d.end() {
			err = errors.New("trailing data")
		}
		d.release()
		valid := json.Valid(b)
		if err == nil && !valid {
			t.Fatalf("accepted %q", b)
		}
		if !valid {
			return
		}
		depth, count, twice := shape(b)
		if twice && err == nil {
			t.Fatalf("accepted a name twice: %q", b)
		}
		if err != nil && !lenient(b, twice) && depth < 10_000 {
			t.Fatalf("refused %q: %v", b, err)
		}
		if err := measure(b, depth, count); err != nil {
			t.Fatalf("depth %d, %d elements: %v: %q", depth, count, err, b)
		}
		if depth > 0 && measure(b, depth-1, count) == nil || count > 0 && measure(b, depth, count-1) == nil {
			t.Fatalf("more than depth %d, %d elements: %q", depth, count, b)
		}
		if err == nil {
			checkMembers(t, b, &m)
		}
	})
}

// checkMembers compares what was read with what the standard library reads.
func checkMembers(t *testing.T, b []byte, m *message) {
	t.Helper()
	var all map[string]json.RawMessage
	if json.Unmarshal(b, &all) != nil {
		if m.bad == nil {
			t.Fatalf("no object, but a message: %q", b)
		}
		return
	}
	if m.id != nil && !bytes.Equal(m.id, all["id"]) {
		t.Fatalf("id %q, want %q", m.id, all["id"])
	}
	if m.bad != nil {
		return
	}
	if m.id == nil && all["id"] != nil {
		t.Fatalf("no id of %q", b)
	}
	var method string
	if err := json.Unmarshal(all["method"], &method); err != nil || method != m.method {
		t.Fatalf("method %q, want %s", m.method, all["method"])
	}
	var params map[string]json.RawMessage
	_ = json.Unmarshal(all["params"], &params)
	var meta map[string]json.RawMessage
	_ = json.Unmarshal(params["_meta"], &meta)
	for _, p := range []struct {
		got  []byte
		want json.RawMessage
	}{
		{m.params.name, params["name"]},
		{m.params.arguments, params["arguments"]},
		{m.params.cursor, params["cursor"]},
		{m.params.protocolVersion, params["protocolVersion"]},
		{m.meta.version, meta[metaVersion]},
		{m.meta.capabilities, meta[metaCapabilities]},
		{m.meta.progressToken, meta["progressToken"]},
	} {
		if !bytes.Equal(p.got, p.want) {
			t.Fatalf("got %q, want %q", p.got, p.want)
		}
	}
}

// FuzzServe posts anything, with headers that suit a modern or legacy client:
// whatever it is, the answer is JSON-RPC and carries the id.
func FuzzServe(f *testing.F) {
	for _, s := range envelopes {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	h := newHandler(f, Options{})
	f.Fuzz(func(t *testing.T, b []byte, modern bool) {
		q := request{version: versionBatch, body: string(b)}
		if modern {
			q.version, q.method = versionModern, "tools/call"
			q = q.with("Mcp-Name", "echo")
		}
		if len(b) == 0 {
			q.body = " "
		}
		w := httptest.NewRecorder()
		if err := h.ServeHTTP(w, q.http()); err != nil {
			var se *StatusError
			if !errors.As(err, &se) || se.Status != http.StatusRequestEntityTooLarge {
				t.Fatal(err)
			}
			return
		}
		if w.Code == http.StatusAccepted {
			if w.Body.Len() > 0 {
				t.Fatalf("%q", w.Body)
			}
			return
		}
		a := &answer{status: w.Code, header: w.Header(), body: w.Body.Bytes()}
		a.parse(t)
		for _, m := range a.messages {
			m.check(t, versionLegacy, "")
			if m.ID != nil && !strings.Contains(string(b), string(m.ID)) {
				t.Fatalf("id %s", m.ID)
			}
		}
	})
}

func FuzzSentinel(f *testing.F) {
	for _, s := range []string{"", "plain", " edge ", "größe", "=?base64?ZWNobw==?=", "=?base64?", "=?base64?=", "\x00", "\xff", "=?BASE64?x?=", "a\tb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if utf8.ValidString(s) {
			e := sentinel(s)
			v, present, err := mirrored(http.Header{headerName: {e}}, headerName)
			if err != nil || !present || v != s {
				t.Fatalf("%q encoded as %q gives %q, %v", s, e, v, err)
			}
		}
		v, _, err := mirrored(http.Header{headerName: {s}}, headerName)
		if err != nil {
			return
		}
		if !utf8.ValidString(v) {
			t.Fatalf("%q gives %q", s, v)
		}
		literal := strings.Trim(s, " \t")
		if v != literal && sentinelPrefix+strings.TrimPrefix(literal, sentinelPrefix) != literal {
			t.Fatalf("%q gives %q, but is no sentinel", s, v)
		}
	})
}
