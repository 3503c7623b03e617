// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/net/html/charset"
)

const (
	// codings is how many content codings may lie over each other.
	codings = 2
	// zstdWindow is the largest window that RFC 9659 lets an encoder use.
	zstdWindow = 8 << 20
)

// decompress undoes a Content-Encoding. It gives at most limit bytes; more says
// that there would be more. On an error, the data is what came before it.
func decompress(encoding string, data []byte, limit int64) (_ []byte, more bool, err error) {
	names := strings.Split(encoding, ",")
	if len(names) > codings {
		return nil, false, fmt.Errorf("it has %d content codings over each other", len(names))
	}
	var r io.Reader = bytes.NewReader(data)
	for _, name := range slices.Backward(names) {
		rc, err := decoder(strings.TrimSpace(name), r)
		if err != nil {
			return nil, false, err
		}
		defer func() { _ = rc.Close() }()
		r = rc
	}
	var out bytes.Buffer
	out.Grow(int(min(int64(len(data))*3, limit) + bytes.MinRead))
	_, err = out.ReadFrom(io.LimitReader(r, limit+1))
	b := out.Bytes()
	if int64(len(b)) > limit {
		return b[:limit], true, nil
	}
	if err != nil {
		return b, false, fmt.Errorf("it is not valid %s", printable(encoding))
	}
	return b, false, nil
}

func decoder(name string, r io.Reader) (io.ReadCloser, error) {
	var rc io.ReadCloser
	var err error
	switch name {
	case "", "identity":
		return io.NopCloser(r), nil
	case "gzip", "x-gzip":
		rc, err = gzip.NewReader(r)
	case "deflate":
		rc, err = inflate(r)
	case "br":
		return io.NopCloser(brotli.NewReader(r)), nil
	case "zstd":
		var d *zstd.Decoder
		d, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow), zstd.WithDecoderLowmem(true))
		if err == nil {
			rc = d.IOReadCloser()
		}
	default:
		return nil, fmt.Errorf("its content coding %s is not supported", printable(name))
	}
	if err != nil {
		return nil, fmt.Errorf("it is not valid %s", printable(name))
	}
	return rc, nil
}

// inflate reads deflate, which is zlib by the standard and raw by custom.
func inflate(r io.Reader) (io.ReadCloser, error) {
	br := bufio.NewReader(r)
	h, err := br.Peek(2)
	if err == nil && h[0]&0x0f == 8 && (uint(h[0])<<8|uint(h[1]))%31 == 0 {
		return zlib.NewReader(br)
	}
	return flate.NewReader(br), nil
}

// printable makes a token from a header fit for a message.
func printable(s string) string {
	if len(s) > 32 {
		s = s[:32]
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' {
			return -1
		}
		return r
	}, s)
}

var (
	utf8BOM    = []byte("\xEF\xBB\xBF")
	xmlCharset = regexp.MustCompile(`^<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']`)
)

// toUTF8 gives text in valid UTF-8 without a byte order mark. It goes by the
// byte order mark, then by the charset, then by what an HTML or XML document
// says of itself; what is still not UTF-8 is replaced. JSON is UTF-8 whatever
// its charset says, if it can be (RFC 8259, section 8.1).
func toUTF8(b []byte, kind bodyKind, mt, label string, cut bool) ([]byte, error) {
	if bytes.HasPrefix(b, utf8BOM) {
		b, label = b[len(utf8BOM):], "utf-8"
	} else if bytes.HasPrefix(b, []byte("\xFE\xFF")) {
		b, label = b[2:], "utf-16be"
	} else if bytes.HasPrefix(b, []byte("\xFF\xFE")) {
		b, label = b[2:], "utf-16le"
	}
	if label == "" {
		label = inherentCharset(b, mt)
	}
	if cut && (label == "" || isUTF8(label)) {
		b = trimRune(b)
	}
	if label == "" || isUTF8(label) || kind == kindJSON && !strings.HasPrefix(label, "utf-16") && utf8.Valid(b) {
		return validUTF8(b), nil
	}
	e, _ := charset.Lookup(label)
	if e == nil {
		if utf8.Valid(b) {
			return b, nil
		}
		return nil, fmt.Errorf("its charset %s is not supported", printable(label))
	}
	// The windows-1252 and GB18030 families differ in how they treat errors:
	// decoders replace, only a cut end may be left over.
	out, err := e.NewDecoder().Bytes(b)
	if err != nil && len(out) == 0 {
		return nil, errors.New("it is not in its charset " + printable(label))
	}
	return validUTF8(bytes.TrimPrefix(out, utf8BOM)), nil
}

// inherentCharset gives the charset that a document names itself.
func inherentCharset(b []byte, mt string) string {
	switch {
	case utf8.Valid(b[:min(len(b), 1024)]):
		// Names of other charsets are often wrong, and ASCII is in all of them.
		if utf8.Valid(b) {
			return ""
		}
	case mt == "":
		return ""
	}
	if m := xmlCharset.FindSubmatch(b[:min(len(b), 256)]); m != nil {
		return strings.ToLower(string(m[1]))
	}
	if mt == "text/html" {
		if _, name, certain := charset.DetermineEncoding(b, ""); certain || name != "windows-1252" {
			return name
		}
		if bytes.Contains(bytes.ToLower(b[:min(len(b), 1024)]), []byte("charset")) {
			return "windows-1252"
		}
	}
	return ""
}

func isUTF8(label string) bool {
	return label == "utf-8" || label == "utf8" || label == "us-ascii" || label == "ascii"
}
