// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// jsonOf gives a JSON object of about n bytes.
func jsonOf(n int) string {
	item := `{"id":9007199254740993,"name":"Bücher","price":12.50,"tags":["a","b"]},`
	items := strings.Repeat(item, n/len(item)+1)
	return `{"items":[` + items[:len(items)-1] + `]}`
}

func BenchmarkMapper(b *testing.B) {
	for _, size := range []int{1 << 10, 100 << 10, 1 << 20} {
		body := jsonOf(size - size/10)
		for _, tc := range []struct {
			name, contentType, coding, sel string
		}{
			{"json", "application/json", "", ""},
			{"text", "text/plain; charset=utf-8", "", ""},
			{"image", "image/png", "", ""},
			{"select", "application/json", "", ".items | length"},
			{"gzip", "application/json", "gzip", ""},
			{"zstd", "application/json", "zstd", ""},
			{"br", "application/json", "br", ""},
		} {
			b.Run(fmt.Sprintf("%s/%dKiB", tc.name, size>>10), func(b *testing.B) {
				m := newMapper(b, Config{Select: tc.sel}, Options{ResultSize: 2 << 20})
				data := body
				if tc.coding != "" {
					data = compress(b, tc.coding, body)
				}
				r := answer{}.request(b)
				c := &Call{ID: "c1", Tool: "t"}
				chunks := split([]byte(data), 32<<10)
				length := []string{fmt.Sprint(len(data))}
				contentType, coding := []string{tc.contentType}, []string{tc.coding}
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					cw := m.capture(r, c)
					h := cw.Header()
					h["Content-Type"], h["Content-Length"] = contentType, length
					if tc.coding != "" {
						h["Content-Encoding"] = coding
					}
					cw.WriteHeader(http.StatusOK)
					for _, p := range chunks {
						if _, err := cw.Write(p); err != nil {
							b.Fatal(err)
						}
					}
					if res := cw.result(b.Context()); res.IsError {
						b.Fatal(res.Err)
					}
				}
			})
		}
	}
}

func split(b []byte, n int) [][]byte {
	var out [][]byte
	for len(b) > n {
		out, b = append(out, b[:n]), b[n:]
	}
	return append(out, b)
}
