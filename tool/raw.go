// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// What is here walks JSON that is known to be valid without decoding it: on
// anything else it stops early, and it never panics.

// skipSpace gives the index of the first byte at or after i that is not white
// space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skipString gives the index behind the string that starts at i, -1 if it does
// not end.
func skipString(b []byte, i int) int {
	i++
	// Most strings are short; for those a call would take longer.
	for end := min(i+16, len(b)); i < end; i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	// The next quote is looked for only once, however many escapes stand before
	// it.
	for quote := -1; i <= len(b); {
		if quote < i {
			n := bytes.IndexByte(b[i:], '"')
			if n < 0 {
				return -1
			}
			quote = i + n
		}
		esc := bytes.IndexByte(b[i:quote], '\\')
		if esc < 0 {
			return quote + 1
		}
		i += esc + 2
	}
	return -1
}

// skipScalar gives the index behind the number or literal at i.
func skipScalar(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case ' ', '\n', '\r', '\t', ',', ']', '}', ':', '"', '[', '{':
			return i
		}
		i++
	}
	return i
}

// skipValue gives the index behind the value that starts at i, -1 if there is
// none.
func skipValue(b []byte, i int) int {
	if i < 0 || i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		for depth := 0; i < len(b); {
			switch b[i] {
			case '"':
				if i = skipString(b, i); i < 0 {
					return -1
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return -1
	}
	if end := skipScalar(b, i); end > i {
		return end
	}
	return -1
}

// cursor walks the members of an object or the elements of an array. After
// enter, each call of next stands before a value, which the caller skips by
// setting pos behind it.
type cursor struct {
	b      []byte
	pos    int
	closer byte
	first  bool
	// bad says that the JSON is broken.
	bad bool
}

// enter starts at the container that begins at i.
func enter(b []byte, i int) cursor {
	c := cursor{b: b, pos: i + 1, first: true}
	switch {
	case i < 0 || i >= len(b):
		c.bad = true
	case b[i] == '{':
		c.closer = '}'
	case b[i] == '[':
		c.closer = ']'
	default:
		c.bad = true
	}
	return c
}

// next moves to the next value and gives the raw name if it is a member's. At
// the end, or if the JSON is broken, ok is false; pos is then behind the
// container.
func (c *cursor) next() (name []byte, ok bool) {
	if c.bad || c.pos < 0 {
		c.bad = true
		return nil, false
	}
	i := skipSpace(c.b, c.pos)
	if i < len(c.b) && c.b[i] == c.closer {
		c.pos = i + 1
		return nil, false
	}
	if !c.first {
		if i >= len(c.b) || c.b[i] != ',' {
			c.bad = true
			return nil, false
		}
		i = skipSpace(c.b, i+1)
	}
	c.first = false
	if c.closer == '}' {
		if i >= len(c.b) || c.b[i] != '"' {
			c.bad = true
			return nil, false
		}
		end := skipString(c.b, i)
		if end < 0 {
			c.bad = true
			return nil, false
		}
		name = c.b[i:end]
		i = skipSpace(c.b, end)
		if i >= len(c.b) || c.b[i] != ':' {
			c.bad = true
			return nil, false
		}
		i = skipSpace(c.b, i+1)
	}
	if i >= len(c.b) {
		c.bad = true
		return nil, false
	}
	c.pos = i
	return name, true
}

// value gives the value that the cursor stands before and moves behind it.
func (c *cursor) value() []byte {
	end := skipValue(c.b, c.pos)
	if end < 0 {
		c.bad = true
		return nil
	}
	v := c.b[c.pos:end]
	c.pos = end
	return v
}

// unquote gives the content of a raw string: a part of it if nothing is
// escaped, else appended to buf.
func unquote(raw, buf []byte) []byte {
	if len(raw) < 2 {
		return nil
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	out, err := jsontext.AppendUnquote(buf, raw)
	if err != nil {
		return nil
	}
	return out
}

// size is how much there is in a JSON value.
type size struct {
	elements, depth int
	// number says that there is a number that is too long to compute with.
	number bool
}

// add measures one more value. It stops, with a result that is at least as
// large, where more than the limits is found.
func (s *size) add(b []byte, elements, depth int) {
	level := 0
	for i := 0; i < len(b); {
		switch ch := b[i]; ch {
		case '"':
			if i = skipString(b, i); i < 0 {
				return
			}
			continue
		case '{', '[':
			level++
			s.depth = max(s.depth, level)
			// Elements are counted by their commas; the first has none.
			if j := skipSpace(b, i+1); j < len(b) && b[j] != ch+2 {
				s.elements++
			}
			if s.depth > depth {
				return
			}
		case '}', ']':
			level--
		case ',':
			if s.elements++; s.elements > elements {
				return
			}
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			end := skipScalar(b, i)
			s.number = s.number || hugeNumber(b[i:end])
			i = max(end, i+1)
			continue
		}
		i++
	}
}

// maxDecodeDepth is what jsontext lets pass.
const maxDecodeDepth = 10_000

// decode gives a value as the schema library wants it: numbers as
// [json.Number], so that they keep their digits.
func decode(b []byte) (any, error) {
	v, end, err := decodeAt(b, skipSpace(b, 0), 0)
	if err != nil {
		return nil, err
	}
	if skipSpace(b, end) != len(b) {
		return nil, errBroken
	}
	return v, nil
}

var (
	errBroken = errors.New("not valid JSON")
	errHuge   = fmt.Errorf("a number has more than %d digits", maxDigits)
)

func decodeAt(b []byte, i, depth int) (any, int, error) {
	if i < 0 || i >= len(b) || depth > maxDecodeDepth {
		return nil, 0, errBroken
	}
	switch b[i] {
	case '{':
		obj := make(map[string]any)
		c := enter(b, i)
		for name, ok := c.next(); ok; name, ok = c.next() {
			v, end, err := decodeAt(b, c.pos, depth+1)
			if err != nil {
				return nil, 0, err
			}
			obj[string(unquote(name, nil))] = v
			c.pos = end
		}
		if c.bad {
			return nil, 0, errBroken
		}
		return obj, c.pos, nil
	case '[':
		arr := []any{}
		c := enter(b, i)
		for _, ok := c.next(); ok; _, ok = c.next() {
			v, end, err := decodeAt(b, c.pos, depth+1)
			if err != nil {
				return nil, 0, err
			}
			arr = append(arr, v)
			c.pos = end
		}
		if c.bad {
			return nil, 0, errBroken
		}
		return arr, c.pos, nil
	}
	end := skipValue(b, i)
	if end < 0 {
		return nil, 0, errBroken
	}
	raw := b[i:end]
	switch raw[0] {
	case '"':
		return string(unquote(raw, nil)), end, nil
	case 't':
		return true, end, nil
	case 'f':
		return false, end, nil
	case 'n':
		return nil, end, nil
	}
	if hugeNumber(raw) {
		return nil, 0, errHuge
	}
	if _, ok := parseDecimal(raw); !ok {
		return nil, 0, errBroken
	}
	return json.Number(raw), end, nil
}
