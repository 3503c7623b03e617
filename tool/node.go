// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// node is a value in a schema document. The tree keeps the order of members
// and the digits of numbers, which maps would lose.
type node struct {
	kind jsontext.Kind // one of { [ " 0 t f n
	raw  jsontext.Value
	// text is the content of a string.
	text string
	// names of an object's members.
	names []string
	// values of an object's members or an array's elements.
	values []*node
	// pointer leads to the node from the root.
	pointer string
}

const (
	// maxSchemaSize bounds a schema's text.
	maxSchemaSize = 1 << 20
	// maxSchemaDepth bounds how deep a schema's text nests.
	maxSchemaDepth = 200
)

// parseSchema reads a schema document strictly.
func parseSchema(raw []byte, field string) (*node, []Problem) {
	fail := func(pointer, format string, a ...any) (*node, []Problem) {
		return nil, []Problem{{Field: field, Pointer: pointer, Message: fmt.Sprintf(format, a...)}}
	}
	if len(raw) > maxSchemaSize {
		return fail("", "the schema has %d bytes; at most %d", len(raw), maxSchemaSize)
	}
	v, err := strictJSON(raw)
	if err != nil {
		pointer := ""
		if se := (*jsontext.SyntacticError)(nil); errors.As(err, &se) {
			pointer = string(se.JSONPointer)
		}
		return fail(pointer, "not valid JSON: %s", describeSyntax(err))
	}
	var m size
	if m.add(v, maxSchemaSize, maxSchemaDepth); m.depth > maxSchemaDepth {
		return fail("", "the schema nests deeper than %d levels", maxSchemaDepth)
	}
	n, _ := parseNode(v, 0, "")
	if n == nil {
		return fail("", "not valid JSON")
	}
	return n, nil
}

// strictJSON gives one JSON value without white space; unlike Compact alone, it
// refuses names that are there twice.
func strictJSON(raw []byte) (jsontext.Value, error) {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	v, err := d.ReadValue()
	if err != nil {
		return nil, err
	}
	v = v.Clone()
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more behind the value")
	}
	return v, v.Compact()
}

// describeSyntax says what is wrong with JSON.
func describeSyntax(err error) string {
	var se *jsontext.SyntacticError
	if !errors.As(err, &se) {
		return err.Error()
	}
	if errors.Is(se.Err, jsontext.ErrDuplicateName) {
		name := string(se.JSONPointer)
		name = unescapePointer(name[strings.LastIndexByte(name, '/')+1:])
		return fmt.Sprintf("the member %q is there twice", name)
	}
	return fmt.Sprintf("%v at byte %d", se.Err, se.ByteOffset)
}

// parseNode reads the valid JSON value at i and gives the index behind it.
func parseNode(b []byte, i int, pointer string) (*node, int) {
	if i >= len(b) {
		return nil, i
	}
	n := &node{kind: jsontext.Value(b[i : i+1]).Kind(), pointer: pointer}
	switch n.kind {
	case '{', '[':
		c := enter(b, i)
		for name, ok := c.next(); ok; name, ok = c.next() {
			token := strconv.Itoa(len(n.values))
			if n.kind == '{' {
				token = string(unquote(name, nil))
				n.names = append(n.names, token)
			}
			var child *node
			child, c.pos = parseNode(b, c.pos, pointer+"/"+escapePointer(token))
			if child == nil {
				return nil, i
			}
			n.values = append(n.values, child)
		}
		n.raw = b[i:c.pos:c.pos]
		return n, c.pos
	}
	end := skipValue(b, i)
	if end < 0 {
		return nil, i
	}
	n.raw = b[i:end:end]
	if n.kind == '"' {
		n.text = string(unquote(n.raw, nil))
	}
	return n, end
}

// get gives the member of that name, or nil.
func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	for i := range n.names {
		if n.names[i] == name {
			return n.values[i]
		}
	}
	return nil
}

func (n *node) isObject() bool { return n != nil && n.kind == '{' }
func (n *node) isArray() bool  { return n != nil && n.kind == '[' }
func (n *node) isString() bool { return n != nil && n.kind == '"' }

// isSchema says that the value can be a schema: an object, true or false.
func (n *node) isSchema() bool {
	return n != nil && (n.kind == '{' || n.kind == 't' || n.kind == 'f')
}

// strings gives the strings of an array.
func (n *node) strings() []string {
	if !n.isArray() {
		return nil
	}
	var s []string
	for _, v := range n.values {
		if v.kind == '"' {
			s = append(s, v.text)
		}
	}
	return s
}

// find follows a JSON pointer; nil if it leads nowhere.
func (n *node) find(pointer string) *node {
	for pointer != "" && n != nil {
		if pointer[0] != '/' {
			return nil
		}
		token, rest, more := strings.Cut(pointer[1:], "/")
		pointer = ""
		if more {
			pointer = "/" + rest
		}
		token = unescapePointer(token)
		switch n.kind {
		case '{':
			n = n.get(token)
		case '[':
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(n.values) || strconv.Itoa(i) != token {
				return nil
			}
			n = n.values[i]
		default:
			return nil
		}
	}
	return n
}

// kindName is what JSON Schema calls the type of a value.
func kindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		return "number"
	case 't', 'f':
		return "boolean"
	default:
		return "null"
	}
}

var (
	pointerEscaper   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

func escapePointer(token string) string   { return pointerEscaper.Replace(token) }
func unescapePointer(token string) string { return pointerUnescaper.Replace(token) }
