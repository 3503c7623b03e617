// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

const (
	// maxQuoted is how much of a value a message repeats.
	maxQuoted = 60
	// maxListed is how many names or values a message lists, and maxListedText
	// how long the list may be.
	maxListed, maxListedText = 30, 600
)

// pointerTo is the JSON pointer of a path.
func pointerTo(path []string) string {
	var b strings.Builder
	for _, token := range path {
		b.WriteByte('/')
		b.WriteString(escapePointer(token))
	}
	return b.String()
}

// dotted is a path as a model writes it: filter.tags[0].
func dotted(path []string) string {
	var b strings.Builder
	for i, token := range path {
		if _, err := strconv.Atoi(token); err == nil && i > 0 {
			b.WriteString("[" + token + "]")
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(plainName(token))
	}
	return b.String()
}

// plainName is a name as it is if it is of the usual kind, else quoted: it may
// be the client's, and must not look like more than a name.
func plainName(name string) string {
	usual := func(c rune) bool {
		return unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("_-$@:/", c)
	}
	if name == "" || strings.ContainsFunc(name, func(c rune) bool { return !usual(c) }) {
		return quoteText(name)
	}
	return shorten(name, maxQuoted)
}

// quoteText quotes text and shortens it.
func quoteText(s string) string {
	short := shorten(s, maxQuoted)
	b, err := json.Marshal(short)
	if err != nil || strings.ContainsAny(short, "<>&\u2028\u2029") {
		return strconv.Quote(short)
	}
	return string(b)
}

// shorten cuts text between characters.
func shorten(s string, limit int) string {
	n := 0
	for i := range s {
		if n == limit {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// joinLimited lists names, as many as are of use.
func joinLimited(names []string) string {
	length := 0
	for i, n := range names {
		if length += len(n) + 2; i == maxListed || i > 0 && length > maxListedText {
			return strings.Join(names[:i], ", ") + fmt.Sprintf(", … (%d more)", len(names)-i)
		}
	}
	return strings.Join(names, ", ")
}
