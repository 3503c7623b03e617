// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
)

// firstRead caps what is allocated on the word of a Content-Length.
const firstRead = 64 << 10

// readBody reads the whole body: only then does net/http notice that a client
// is gone. It is not pooled, since parts of it go on in the requests of tools,
// which a transport may still read when the call is over.
func (h *Handler) readBody(r *http.Request) ([]byte, error) {
	limit := h.opt.Limits.Body
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	if r.Body == nil {
		return nil, nil
	}
	// Room for one byte more, so that the end is seen without growing.
	size := min(r.ContentLength, firstRead) + 1
	if size <= 0 {
		size = 1024
	}
	body := make([]byte, 0, size)
	for {
		if len(body) == cap(body) {
			grown := min(int64(cap(body))*4, limit+1)
			if r.ContentLength > 0 {
				grown = min(grown, r.ContentLength+1)
			}
			grown = max(grown, int64(cap(body))+1)
			body = append(make([]byte, 0, grown), body...)
		}
		n, err := r.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if int64(len(body)) > limit {
			return nil, tooLarge(limit)
		}
		if err == io.EOF {
			return body, nil
		}
		if err != nil {
			return nil, bodyError(err, limit)
		}
	}
}

func tooLarge(limit int64) error {
	return &StatusError{
		Status: http.StatusRequestEntityTooLarge,
		Err:    fmt.Errorf("the request body is larger than %d bytes", limit),
	}
}

func bodyError(err error, limit int64) error {
	if mbe, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge(min(limit, mbe.Limit))
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &StatusError{Status: http.StatusRequestTimeout, Err: errors.New("the request body came too slowly")}
	}
	return &StatusError{Status: http.StatusBadRequest, Err: errors.New("the request body could not be read")}
}

// measure bounds what decoding will cost, before any of it is done. It counts
// members and elements, and how deep they nest; what is not JSON is left to
// the decoder.
func measure(b []byte, depth, elements int) error {
	level, count := 0, 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = stringEnd(b, i)
		case '{', '[':
			if level++; level > depth {
				return fmt.Errorf("the message nests deeper than %d levels", depth)
			}
			if !closes(b[i+1:]) {
				count++
			}
		case '}', ']':
			level--
		case ',':
			count++
		default:
			continue
		}
		if count > elements {
			return fmt.Errorf("the message has more than %d members and elements", elements)
		}
	}
	return nil
}

// stringEnd gives the index of the quote that ends the string that starts at i,
// or that of the last byte.
func stringEnd(b []byte, i int) int {
	for start := i; ; {
		n := bytes.IndexByte(b[i+1:], '"')
		if n < 0 {
			return len(b) - 1
		}
		i += n + 1
		escapes := 0
		for i-escapes-1 > start && b[i-escapes-1] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
}

// closes says that the object or array whose rest is b is empty.
func closes(b []byte) bool {
	for _, c := range b {
		switch c {
		case ' ', '\t', '\n', '\r':
		default:
			return c == '}' || c == ']'
		}
	}
	return false
}
