// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

func itoa(i int) string { return strconv.Itoa(i) }

func list(words []string) string { return strings.Join(words, ", ") }

// unquoted gives the text in quotes that Caddy's lexer left, since they did not
// begin the word: default="a".
func unquoted(s string) string {
	if len(s) < 2 || s[0] != s[len(s)-1] || s[0] != '"' && s[0] != '`' {
		return s
	}
	if s[0] == '"' {
		if b, err := jsontext.AppendUnquote(nil, s); err == nil {
			return string(b)
		}
	}
	return s[1 : len(s)-1]
}

// quote encodes a string as JSON.
func quote(s string) jsontext.Value {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		b, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\ufffd"))
	}
	return b
}

// keep gives a document in the form in which Caddy's configuration keeps it: as
// it is, or in a string if Caddy would change it (see tool.Config).
func keep(v jsontext.Value) json.RawMessage {
	v = v.Clone()
	if err := v.Compact(); err != nil {
		return json.RawMessage(v)
	}
	if k := v.Kind(); (k == '{' || k == '[') && !keeps(v) {
		return json.RawMessage(quote(string(v)))
	}
	return json.RawMessage(v)
}

// keeps tells whether Caddy's configuration keeps a document: the digits of its
// numbers, the order of a schema's properties, and members called @id.
func keeps(v jsontext.Value) bool {
	d := jsontext.NewDecoder(bytes.NewReader(v))
	return keepsValue(d, false)
}

func keepsValue(d *jsontext.Decoder, sorted bool) bool {
	switch d.PeekKind() { //nolint:exhaustive // the others stay as they are
	case '{':
		if _, err := d.ReadToken(); err != nil {
			return false
		}
		last := ""
		for first := true; d.PeekKind() != '}'; first = false {
			t, err := d.ReadToken()
			if err != nil {
				return false
			}
			name := t.String()
			if name == "@id" || sorted && !first && name < last {
				return false
			}
			last = name
			if !keepsValue(d, name == "properties") {
				return false
			}
		}
		_, err := d.ReadToken()
		return err == nil
	case '[':
		if _, err := d.ReadToken(); err != nil {
			return false
		}
		for d.PeekKind() != ']' {
			if !keepsValue(d, false) {
				return false
			}
		}
		_, err := d.ReadToken()
		return err == nil
	case '0':
		v, err := d.ReadValue()
		return err == nil && keepsNumber(string(v))
	}
	return d.SkipValue() == nil
}

func keepsNumber(s string) bool {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return false
	}
	b, err := json.Marshal(f)
	return err == nil && string(b) == s
}

// propertyTypes gives the type of each property of a schema; "" if it has none or
// several.
func propertyTypes(schema jsontext.Value) map[string]string {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if len(schema) == 0 || json.Unmarshal(schema, &s) != nil {
		return nil
	}
	types := make(map[string]string, len(s.Properties))
	for name, raw := range s.Properties {
		var p struct {
			Type any `json:"type"`
		}
		_ = json.Unmarshal(raw, &p)
		types[name], _ = p.Type.(string)
	}
	return types
}

// schemaWriter writes a JSON object member by member.
type schemaWriter struct{ b []byte }

func (w *schemaWriter) member(name string, v jsontext.Value) {
	sep := byte(',')
	if len(w.b) == 0 {
		sep = '{'
	}
	w.b = append(w.b, sep)
	w.b = append(w.b, quote(name)...)
	w.b = append(w.b, ':')
	w.b = append(w.b, v...)
}

func (w *schemaWriter) value() jsontext.Value {
	if len(w.b) == 0 {
		return jsontext.Value("{}")
	}
	return append(w.b, '}')
}

func array(vs []jsontext.Value) jsontext.Value {
	b := []byte{'['}
	for i, v := range vs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}
