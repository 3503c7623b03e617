// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// embedded gives the JSON that a configured value stands for. Caddy keeps its
// configuration as decoded JSON: members of objects are sorted, long numbers are
// rounded, and `@id` is its own. What must survive that is configured as a string
// that holds the object or array.
func embedded(raw json.RawMessage) json.RawMessage {
	v := jsontext.Value(raw)
	if v.Kind() != '"' {
		return raw
	}
	text, err := jsontext.AppendUnquote(nil, bytes.TrimSpace(v))
	if err != nil {
		return raw
	}
	inner := jsontext.Value(text)
	if k := inner.Kind(); (k != '{' && k != '[') || !inner.IsValid() {
		return raw
	}
	return json.RawMessage(text)
}

// withDocuments gives the configuration with its documents taken out of their
// strings.
func (c Config) withDocuments() Config {
	c.InputSchema = embedded(c.InputSchema)
	c.OutputSchema = embedded(c.OutputSchema)
	c.Meta = embedded(c.Meta)
	if b := c.Request.Body; b != nil {
		body := *b
		body.JSON = embedded(b.JSON)
		c.Request.Body = &body
	}
	return c
}
