// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/caddymcp/caddy-mcp/tool"
)

// Header names in Go's canonical form, so that map access needs no conversion.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

// single gives the one value of a header. Lines that repeat it must agree:
// intermediaries may have looked at another one than we do.
func single(h http.Header, name string) (value string, present bool, err *rpcError) {
	lines := h[name]
	if len(lines) == 0 {
		return "", false, nil
	}
	value = strings.Trim(lines[0], " \t")
	for _, l := range lines[1:] {
		if strings.Trim(l, " \t") != value {
			return "", true, headerMismatch("header " + name + " is given twice, with different values")
		}
	}
	for i := range len(value) {
		if c := value[i]; (c < ' ' && c != '\t') || c >= 0x7f {
			return "", true, invalidHeader(name)
		}
	}
	return value, true, nil
}

// invalidHeader tells how to mend a value, where it may be encoded.
func invalidHeader(name string) *rpcError {
	switch name {
	case headerVersion:
		return headerMismatch("header MCP-Protocol-Version has invalid characters")
	case headerMethod:
		return headerMismatch("header Mcp-Method has invalid characters")
	}
	return headerMismatch("header " + name + " has invalid characters; encode them as =?base64?…?=")
}

const (
	sentinelPrefix = "=?base64?"
	sentinelSuffix = "?="
)

// decodeSentinel gives what a mirrored value stands for: values that begin and
// end as the sentinel are Base64 of UTF-8, others are literal
// (MCP 2026-07-28, transports, "Value Encoding").
func decodeSentinel(v string) (string, bool) {
	if len(v) < len(sentinelPrefix)+len(sentinelSuffix) ||
		!strings.HasPrefix(v, sentinelPrefix) || !strings.HasSuffix(v, sentinelSuffix) {
		return v, true
	}
	b, err := base64.StdEncoding.Strict().DecodeString(v[len(sentinelPrefix) : len(v)-len(sentinelSuffix)])
	if err != nil || !utf8.Valid(b) {
		return "", false
	}
	return string(b), true
}

// mirrored gives a header that may be encoded.
func mirrored(h http.Header, name string) (value string, present bool, err *rpcError) {
	value, present, err = single(h, name)
	if err != nil || !present {
		return value, present, err
	}
	value, ok := decodeSentinel(value)
	if !ok {
		return "", true, headerMismatch("header " + name + ": its Base64 does not decode to UTF-8")
	}
	return value, true, nil
}

// checkMethod compares Mcp-Method with the message.
func checkMethod(h http.Header, method string) *rpcError {
	v, present, err := single(h, headerMethod)
	switch {
	case err != nil:
		return err
	case !present:
		return headerMismatch("header Mcp-Method is missing")
	case v != method:
		return headerMismatch("header Mcp-Method differs from method")
	}
	return nil
}

// checkName compares Mcp-Name with the name in params, if that is a string.
func checkName(h http.Header, name []byte, ok bool) *rpcError {
	v, present, err := mirrored(h, headerName)
	switch {
	case err != nil:
		return err
	case !present:
		return headerMismatch("header Mcp-Name is missing")
	case ok && v != string(name):
		return headerMismatch("header Mcp-Name differs from params.name")
	}
	return nil
}

// headerParam is an argument that is mirrored in a header.
type headerParam struct {
	tool.HeaderParam
	key string // the header in Go's canonical form
	arg string // the argument, for messages
}

func headerParams(list []tool.HeaderParam) []headerParam {
	out := make([]headerParam, 0, len(list))
	for _, p := range list {
		out = append(out, headerParam{p, http.CanonicalHeaderKey(p.Header), strings.Join(p.Path, ".")})
	}
	return out
}

// checkParams compares the Mcp-Param headers of a tool with its arguments.
// Others are no concern of ours.
func checkParams(h http.Header, list []headerParam, arguments jsontext.Value) *rpcError {
	for i := range list {
		p := &list[i]
		v, present, err := mirrored(h, p.key)
		if err != nil {
			return err
		}
		arg := at(arguments, p.Path)
		if arg == nil || arg.Kind() == 'n' {
			if present {
				return headerMismatch("header " + p.Header + " is given, but argument " + p.arg + " is not")
			}
			continue
		}
		if !present {
			return headerMismatch("header " + p.Header + " is missing: argument " + p.arg + " is mirrored in it")
		}
		if !sameValue(p.Type, v, arg) {
			return headerMismatch("header " + p.Header + " differs from argument " + p.arg)
		}
	}
	return nil
}

// at gives the value at a path of member names; nil if there is none. v is
// valid JSON.
func at(v jsontext.Value, path []string) jsontext.Value {
	if v.Kind() != '{' {
		return nil
	}
	d := newDecoder(v)
	defer d.release()
	for {
		if d.json.PeekKind() != '{' {
			return nil
		}
		if _, err := d.json.ReadToken(); err != nil {
			return nil
		}
		for {
			name, err := d.name()
			if err != nil || name == nil {
				return nil
			}
			if string(name) == path[0] {
				break
			}
			if err := d.json.SkipValue(); err != nil {
				return nil
			}
		}
		if path = path[1:]; len(path) == 0 {
			found, err := d.json.ReadValue()
			if err != nil {
				return nil
			}
			return found
		}
	}
}

// maxExact is the largest integer that a mirrored argument may have.
const maxExact = 1<<53 - 1

func sameValue(typ, header string, arg jsontext.Value) bool {
	t := tool.Text(arg)
	if header == t {
		return true
	}
	if typ != "integer" || arg.Kind() != '0' {
		return false
	}
	// 42.0 and 42 are the same integer.
	a, err1 := strconv.ParseFloat(header, 64)
	b, err2 := strconv.ParseFloat(t, 64)
	return err1 == nil && err2 == nil && a == b && a >= -maxExact && a <= maxExact && validNumber(header)
}

// validNumber keeps out what ParseFloat takes and JSON does not, such as 0x1p3.
func validNumber(s string) bool {
	return jsontext.Value(s).Kind() == '0' && jsontext.Value(s).IsValid()
}
