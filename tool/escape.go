// SPDX-License-Identifier: Apache-2.0

package tool

import "strings"

const upperHex = "0123456789ABCDEF"

// unreserved says that a character never needs encoding in a URL (RFC 3986,
// section 2.3).
func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '-' || c == '.' || c == '_' || c == '~'
}

// appendEscaped percent-encodes all but unreserved characters, so that a value
// can be nothing but a value, in a path as in a query.
func appendEscaped(b []byte, s string) []byte {
	for i := range len(s) {
		c := s[i]
		if unreserved(c) {
			b = append(b, c)
			continue
		}
		b = append(b, '%', upperHex[c>>4], upperHex[c&15])
	}
	return b
}

// literalURL keeps the text of a configured path or query as it is written, and
// encodes what may not stand in a URL. It fails at a broken percent-encoding.
func literalURL(s string, query bool) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '%':
			if i+2 >= len(s) || !isHex(s[i+1:i+3]) {
				return "", false
			}
			b.WriteString(s[i : i+3])
			i += 2
		case unreserved(c), strings.IndexByte("!$&'()*+,;=:@/", c) >= 0, query && c == '?':
			b.WriteByte(c)
		default:
			b.WriteString("%" + upperHex[c>>4:c>>4+1] + upperHex[c&15:c&15+1])
		}
	}
	return b.String(), true
}
