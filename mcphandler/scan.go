// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	errDepth    = errors.New("the message nests too deep")
	errElements = errors.New("the message has too many members and elements")
)

// measure bounds what decoding will cost, before any of it is done.
func measure(b []byte, depth, elements int) error {
	level, count, inString := 0, 0, false
	for i := 0; i < len(b); i++ {
		c := b[i]
		if inString {
			switch c {
			case '\\':
				i++
			case '"':
				inString = false
			}
			continue
		}
		switch c {
		case '"':
			inString = true
		case '{', '[':
			level++
			count++
			if level > depth {
				return errDepth
			}
		case '}', ']':
			level--
		case ',':
			count++
		default:
			continue
		}
		if count > elements {
			return errElements
		}
	}
	return nil
}

// The functions below walk JSON that is known to be valid.

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString gives the index behind the string that starts at i.
func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return i
}

// skipValue gives the index behind the value that starts at i.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return i
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		for level := 0; i < len(b); {
			switch b[i] {
			case '"':
				i = skipString(b, i)
				continue
			case '{', '[':
				level++
			case '}', ']':
				level--
			}
			i++
			if level == 0 {
				return i
			}
		}
		return i
	}
	for i < len(b) {
		switch b[i] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return i
		}
		i++
	}
	return i
}

// members calls f with each member of an object: the name as it is written,
// with its quotes, and the value. It stops when f says so.
func members(obj jsontext.Value, f func(name, value jsontext.Value) bool) {
	i := skipSpace(obj, 0) + 1
	for {
		i = skipSpace(obj, i)
		if i >= len(obj) || obj[i] != '"' {
			return
		}
		start := i
		i = skipString(obj, i)
		name := obj[start:i]
		i = skipSpace(obj, i) + 1 // the colon
		i = skipSpace(obj, i)
		start = i
		i = skipValue(obj, i)
		if !f(name, obj[start:i]) {
			return
		}
		i = skipSpace(obj, i)
		if i >= len(obj) || obj[i] != ',' {
			return
		}
		i++
	}
}

// elements calls f with each element of an array.
func elements(arr jsontext.Value, f func(jsontext.Value)) {
	i := skipSpace(arr, 0) + 1
	for {
		i = skipSpace(arr, i)
		if i >= len(arr) || arr[i] == ']' {
			return
		}
		start := i
		i = skipValue(arr, i)
		f(arr[start:i])
		i = skipSpace(arr, i)
		if i >= len(arr) || arr[i] != ',' {
			return
		}
		i++
	}
}

// text gives the content of a JSON string; ok is false if v is none.
func text(v jsontext.Value) (string, bool) {
	if len(v) < 2 || v[0] != '"' {
		return "", false
	}
	b, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return "", false
	}
	return string(b), true
}

// is says that the JSON string name, as it is written, stands for s.
func is(name jsontext.Value, s string) bool {
	if len(name) == len(s)+2 && string(name[1:len(name)-1]) == s {
		return true
	}
	// Escaped names are rare and never shorter than what they stand for.
	if len(name) <= len(s)+2 {
		return false
	}
	t, ok := text(name)
	return ok && t == s
}
