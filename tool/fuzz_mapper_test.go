// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func FuzzMapper(f *testing.F) {
	f.Add(200, "application/json", "", `{"a":1,"a":"\ud800"}`, uint16(100))
	f.Add(200, "application/json; charset=utf-16le", "", "{\x00}\x00", uint16(3))
	f.Add(200, "text/event-stream", "", "data: {\"progress\":1}\r\rdata: x\ndata: y\n\n", uint16(9))
	f.Add(200, "application/x-ndjson", "gzip", compress(f, "gzip", "{\"a\":1}\n[\n"), uint16(50))
	f.Add(404, "application/problem+json", "", `{"title":"a","detail":"b","x":[{}]}`, uint16(50))
	f.Add(500, "text/html", "", "<p>\xff", uint16(5))
	f.Add(200, "text/html", "br", "<meta charset=gb18030>\xff\x81", uint16(600))
	f.Add(200, "", "", "\xfe\xff\xd8", uint16(600))
	f.Add(200, "application/octet-stream", "identity", "\x00", uint16(0))
	schema := json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}}}`)
	configs := []Config{{}, {Select: ".a, ."}, {OutputSchema: schema}, {OutputSchema: schema, OutputStrict: true}}
	f.Fuzz(func(t *testing.T, status int, contentType, encoding, body string, size uint16) {
		if status < 100 || status > 999 {
			t.Skip()
		}
		for _, cfg := range configs {
			m := newMapper(t, cfg, Options{ResultSize: int64(size) + 1, AnswerSize: 1 << 16})
			a := answer{status: status, header: map[string]string{"Content-Type": contentType, "Content-Encoding": encoding}, body: body}
			res := m.exchange(t, a, &Call{ID: "c1", Tool: "t", Progress: func(p Progress) {
				if !utf8.ValidString(p.Message) || len(p.Message) > messageSize+8 ||
					p.Progress != nil && !p.Progress.IsValid() || p.Total != nil && !p.Total.IsValid() {
					t.Errorf("progress %q", p)
				}
			}})
			if err := check(m, res); err != nil {
				t.Errorf("%+v: %v", cfg, err)
			}
		}
	})
}

func FuzzCleanJSON(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":{"x":1,"x":2},"a":{"y":[1,{"z":1,"z":3}],"y":4}}`))
	f.Add([]byte("{\"\xff\":1,\"\\ud800\":[2]}"))
	f.Add([]byte(` [1e400, "\u0000"] `))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, ok := cleanJSON(b)
		if !ok {
			return
		}
		if !v.IsValid() {
			t.Fatalf("%q gives %q", b, v)
		}
		// The standard library also lets the last one win.
		if got, want := stdDecode(t, v), stdDecode(t, b); !cmp.Equal(got, want) {
			t.Errorf("%q gives %q: %s", b, v, cmp.Diff(want, got))
		}
	})
}

func stdDecode(t *testing.T, b []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}
