// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"fmt"
	"strings"
)

const (
	unreserved = iota + 1
	// inPath and inQuery are characters that stand for themselves in the literal
	// text of a path, or of a query, but not in a value.
	inPath
	inQuery
)

// urlChars classifies the characters of URLs (RFC 3986, sections 2.3 and 3.3).
// Brackets are none of a query strictly, but commonly left as they are.
var urlChars = func() (t [256]byte) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~", byte(c)) >= 0:
			t[c] = unreserved
		case strings.IndexByte("!$&'()*+,;=:@", byte(c)) >= 0:
			t[c] = inPath
		case strings.IndexByte("/?[]", byte(c)) >= 0:
			t[c] = inQuery
		}
	}
	return t
}()

const upperHex = "0123456789ABCDEF"

// appendEscaped appends a value for a URL or a form, where only unreserved
// characters stand for themselves. A space becomes %20, or + if plus is set;
// slashes stay if slash is set.
func appendEscaped[T string | []byte](dst []byte, src T, plus, slash bool) []byte {
	for i := 0; i < len(src); {
		run := i
		for run < len(src) && urlChars[src[run]] == unreserved {
			run++
		}
		dst = append(dst, src[i:run]...)
		if i = run; i == len(src) {
			break
		}
		switch c := src[i]; {
		case c == ' ' && plus:
			dst = append(dst, '+')
		case c == '/' && slash:
			dst = append(dst, '/')
		default:
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		}
		i++
	}
	return dst
}

// escapeLiteral makes the literal text of a URL valid: what is encoded stays so.
func escapeLiteral(src string, query bool) (string, error) {
	var b []byte
	for i := 0; i < len(src); i++ {
		c := src[i]
		class := urlChars[c]
		switch {
		case c == '%':
			if i+2 >= len(src) || !isHex(src[i+1:i+3]) {
				return "", fmt.Errorf("%q is not valid percent-encoding; a %% itself is written %%25", src[i:min(i+3, len(src))])
			}
			b = append(b, c)
		case c < ' ' || c == 0x7f:
			return "", fmt.Errorf("a control character (%#02x)", c)
		case class == unreserved || class == inPath || class == inQuery && (query || c == '/'):
			b = append(b, c)
		default:
			b = append(b, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return string(b), nil
}

// isDots says that a segment of a path is . or .. in some encoding, and so
// would move the path.
func isDots(segment []byte) bool {
	n := 0
	for len(segment) > 0 {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case len(segment) >= 3 && segment[0] == '%' && segment[1] == '2' && segment[2]|0x20 == 'e':
			segment = segment[3:]
		default:
			return false
		}
		n++
	}
	return n == 1 || n == 2
}

// hasControl says that there are control characters, among them NUL and line
// breaks.
func hasControl[T string | []byte](s T) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == 0x7f {
			return true
		}
	}
	return false
}

// validHeaderValue says that a value cannot end its header field (RFC 9110,
// section 5.5).
func validHeaderValue[T string | []byte](s T) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' && s[i] != '\t' || s[i] == 0x7f {
			return false
		}
	}
	return true
}
