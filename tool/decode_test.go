// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

var compressors = map[string]func(io.Writer) io.WriteCloser{
	"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"x-gzip":  func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	"br":      func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) },
	"raw": func(w io.Writer) io.WriteCloser {
		fw, err := flate.NewWriter(w, 6)
		if err != nil {
			panic(err)
		}
		return fw
	},
	"zstd": func(w io.Writer) io.WriteCloser {
		zw, err := zstd.NewWriter(w)
		if err != nil {
			panic(err)
		}
		return zw
	},
}

func TestDecompress(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(`{"a":"é"}`, 100)
	for coding := range compressors {
		t.Run(coding, func(t *testing.T) {
			t.Parallel()
			name := coding
			if coding == "raw" {
				name = "deflate"
			}
			data := []byte(compress(t, coding, text))
			for _, limit := range []int64{int64(len(text)), int64(len(text)) - 1, 0} {
				got, more, err := decompress(name, data, limit)
				if err != nil || string(got) != text[:limit] || more != (limit < int64(len(text))) {
					t.Errorf("limit %d: %d bytes, more %v, %v", limit, len(got), more, err)
				}
			}
			// What is broken off is told, and what came before it is there.
			got, _, err := decompress(name, data[:len(data)-1], 1<<20)
			if err == nil || !strings.HasPrefix(text, string(got)) {
				t.Errorf("broken off: %q, %v", got, err)
			}
			twice := []byte(compress(t, "gzip", string(data)))
			if got, _, err := decompress(name+" , gzip", twice, 1<<20); err != nil || string(got) != text {
				t.Errorf("twice: %v", err)
			}
			m := newMapper(t, Config{}, Options{})
			res := m.exchange(t, answer{header: map[string]string{"Content-Type": "text/plain", "Content-Encoding": strings.ToUpper(name)}, body: string(data)}, nil)
			if diff := cmp.Diff([]string{text}, told(res)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Much in little must cost no more than the limit.
func TestDecompressBomb(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("\x00", 16<<20)
	for _, coding := range []string{"gzip", "br", "zstd", "deflate"} {
		t.Run(coding, func(t *testing.T) {
			t.Parallel()
			data := []byte(compress(t, coding, zeros))
			got, more, err := decompress(coding, data, 1<<16)
			if len(got) != 1<<16 || cap(got) > 1<<19 || !more || err != nil {
				t.Errorf("%d bytes of %d, more %v, %v", len(got), cap(got), more, err)
			}
		})
	}
}
