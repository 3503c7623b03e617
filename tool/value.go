// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// builder makes one request.
type builder struct {
	call    *Call
	backend Backend
	// decodedPath is Options.DecodedPath.
	decodedPath bool
	// buf holds the text of one value at a time.
	buf []byte
}

// encoding is how a value is written.
type encoding uint8

const (
	asText encoding = iota
	// asJSON is the inside of a JSON string.
	asJSON
	// asQuery is percent-encoded, with all but unreserved characters.
	asQuery
	// asForm has + for a space besides.
	asForm
)

// errUnset is a placeholder of the configuration without a value.
var errUnset = errors.New("placeholder without a value")

// refuse is the error that a model is told about an argument.
func (ph *placeholder) refuse(format string, a ...any) error {
	name := ph.arg
	if ph.path != "" {
		name = ph.path
	}
	e := argumentErrorf("invalid arguments: "+name+": "+format, a...)
	e.places = []string{ph.arg}
	return e
}

// lookup gives an argument's JSON. Outside of JSON, null is as good as absent.
func (b *builder) lookup(ph *placeholder) (v jsontext.Value, ok bool) {
	if ph.path == "" {
		v, ok = b.call.args.Get(ph.arg)
	} else {
		v, ok = b.call.args.Lookup(ph.path)
	}
	v = bytes.TrimSpace(v)
	return v, ok && len(v) > 0 && v[0] != 'n'
}

// text gives the text that a JSON value stands for, as [Text] does, until the
// next call.
func (b *builder) text(v jsontext.Value) []byte {
	switch {
	case len(v) == 0 || v[0] == 'n':
		return nil
	case v[0] == '"':
		out := unquote(v, b.buf[:0])
		if bytes.IndexByte(v, '\\') >= 0 {
			b.buf = out
		}
		return out
	case v[0] == '{' || v[0] == '[':
		c := append(jsontext.Value(b.buf[:0]), v...)
		if c.Compact() != nil {
			return nil
		}
		b.buf = c
		return c
	}
	return v
}

// external gives the value of a placeholder that is no argument. One that is
// empty fails the call unless it belongs to the client's request: it is most
// likely a credential, and nothing may be sent without it.
func (b *builder) external(ph *placeholder) (string, error) {
	s, ok := "", false
	if b.backend != nil {
		s, ok = b.backend.Placeholder(b.call, ph.key)
	}
	if (!ok || s == "") && !mayBeEmpty(ph.key) {
		return "", fmt.Errorf("%w: placeholder {%s} is unknown or empty", ErrNoCredential, ph.key)
	}
	return s, nil
}

// mayBeEmpty says that a placeholder is about the request, and not a value of
// the configuration or of the caller's identity.
func mayBeEmpty(key string) bool {
	if strings.HasPrefix(key, "http.mcp.auth.") {
		return false
	}
	for _, p := range []string{"http.mcp.", "http.request.", "http.regexp.", "time.", "system."} {
		if strings.HasPrefix(key, p) {
			return true
		}
	}
	return false
}

// expand appends the text of a template; its literal text is encoded already. ok
// is false if an argument in it is absent.
func (b *builder) expand(dst []byte, t template, enc encoding) (_ []byte, ok bool, err error) {
	ok = true
	for i := range t {
		ph := t[i].ph
		if ph == nil {
			dst = append(dst, t[i].text...)
			continue
		}
		if ph.arg == "" {
			s, err := b.external(ph)
			if err != nil {
				return nil, false, err
			}
			dst = appendAs(dst, s, enc)
			continue
		}
		v, there := b.lookup(ph)
		if !there {
			ok = false
			continue
		}
		if enc == asJSON && v[0] == '"' {
			dst = append(dst, v[1:len(v)-1]...) // It is escaped as it stands.
			continue
		}
		dst = appendAs(dst, b.text(v), enc)
	}
	return dst, ok, nil
}

func appendAs[T string | []byte](dst []byte, s T, enc encoding) []byte {
	switch enc {
	case asQuery, asForm:
		return appendEscaped(dst, s, enc == asForm, false)
	case asJSON:
		return appendQuoted(dst, s)
	}
	return append(dst, s...)
}

// appendQuoted appends the inside of a JSON string.
func appendQuoted[T string | []byte](dst []byte, s T) []byte {
	n := len(dst)
	// What is not UTF-8 is replaced; that is reported as an error, too.
	dst, _ = jsontext.AppendQuote(dst, s)
	copy(dst[n:], dst[n+1:])
	return dst[:len(dst)-2]
}

// elements calls f with each element of an array, or with the value itself if
// it is none. Null is no value.
func elements(v jsontext.Value, f func(jsontext.Value) error) error {
	if len(v) == 0 || v[0] == 'n' {
		return nil
	}
	if v[0] != '[' {
		return f(v)
	}
	cur := enter(v, 0)
	for _, ok := cur.next(); ok; _, ok = cur.next() {
		e := jsontext.Value(cur.value())
		if len(e) == 0 || e[0] == 'n' {
			continue
		}
		if err := f(e); err != nil {
			return err
		}
	}
	return nil
}
