// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// argKeyKind is a key=value of an arg line.
type argKeyKind struct {
	schema string   // keyword of JSON Schema
	types  []string // base types that have it; nil means all
	array  bool     // it is about the array, not about its items
	read   func(a *argument, value string) (jsontext.Value, []jsontext.Value, error)
}

var (
	ofText    = []string{"string"}
	ofNumbers = []string{"integer", "number"}
	ofArrays  = []string{"array"}
	ofObjects = []string{"object"}
)

// argKeys are the keys by name; argKeyOrder is their order in schemas and texts.
var (
	argKeys = map[string]argKeyKind{
		"title":              {schema: "title", array: true, read: readText},
		"enum":               {schema: "enum", read: readEnum},
		"const":              {schema: "const", array: true, read: readValue},
		"default":            {schema: "default", array: true, read: readValue},
		"example":            {schema: "examples", array: true, read: readExample},
		"examples":           {schema: "examples", array: true, read: readExamples},
		"format":             {schema: "format", types: ofText, read: readText},
		"pattern":            {schema: "pattern", types: ofText, read: readText},
		"min_length":         {schema: "minLength", types: ofText, read: readCount},
		"max_length":         {schema: "maxLength", types: ofText, read: readCount},
		"content_encoding":   {schema: "contentEncoding", types: ofText, read: readText},
		"content_media_type": {schema: "contentMediaType", types: ofText, read: readText},
		"min":                {schema: "minimum", types: ofNumbers, read: readBound},
		"max":                {schema: "maximum", types: ofNumbers, read: readBound},
		"exclusive_min":      {schema: "exclusiveMinimum", types: ofNumbers, read: readBound},
		"exclusive_max":      {schema: "exclusiveMaximum", types: ofNumbers, read: readBound},
		"multiple_of":        {schema: "multipleOf", types: ofNumbers, read: readMultiple},
		"min_items":          {schema: "minItems", types: ofArrays, array: true, read: readCount},
		"max_items":          {schema: "maxItems", types: ofArrays, array: true, read: readCount},
		"unique_items":       {schema: "uniqueItems", types: ofArrays, array: true, read: readBool},
		"min_properties":     {schema: "minProperties", types: ofObjects, read: readCount},
		"max_properties":     {schema: "maxProperties", types: ofObjects, read: readCount},
		"deprecated":         {schema: "deprecated", array: true, read: readBool},
		"header":             {schema: "x-mcp-header", array: true, read: readText},
	}
	argKeyOrder = strings.Fields(`title enum const default example examples format pattern min_length max_length
		content_encoding content_media_type min max exclusive_min exclusive_max multiple_of min_items max_items
		unique_items min_properties max_properties deprecated header`)
	// longKeys are JSON Schema's own spellings, to suggest ours.
	longKeys = map[string]string{
		"minimum": "min", "maximum": "max", "exclusiveminimum": "exclusive_min", "exclusivemaximum": "exclusive_max",
		"minlen": "min_length", "maxlen": "max_length", "regex": "pattern", "xmcpheader": "header", "mediatype": "content_media_type",
		"minlength": "min_length", "maxlength": "max_length", "minitems": "min_items", "maxitems": "max_items",
		"uniqueitems": "unique_items", "multipleof": "multiple_of", "minproperties": "min_properties",
		"maxproperties": "max_properties", "contentencoding": "content_encoding", "values": "enum", "step": "multiple_of",
	}
)

// accepted are the keys that the argument's type has.
func (a *argument) accepted() []string {
	var out []string
	for _, key := range argKeyOrder {
		k := argKeys[key]
		array := a.arrays > 0 || a.base == "array"
		if key == "header" && (array || a.base == "object" || a.base == "number") {
			continue
		}
		if k.types == nil || slices.Contains(k.types, a.base) || k.array && array && slices.Contains(k.types, "array") {
			out = append(out, key)
		}
	}
	return out
}

// schema makes the argument's schema.
func (a *argument) schema() jsontext.Value {
	return a.level(a.arrays)
}

// level makes the schema of the argument with that many [], or of its items.
func (a *argument) level(arrays int) jsontext.Value {
	outer := arrays == a.arrays
	var w schemaWriter
	if arrays > 0 {
		w.member("type", quote("array"))
	} else {
		w.member("type", quote(a.base))
	}
	if outer && a.description != "" {
		w.member("description", quote(a.description))
	}
	for _, key := range argKeyOrder {
		k, ok := a.keys[key]
		if !ok {
			continue
		}
		kind := argKeys[key]
		if kind.array && !outer || !kind.array && arrays > 0 {
			continue
		}
		w.member(kind.schema, k.value)
	}
	if arrays > 0 {
		w.member("items", a.level(arrays-1))
		return w.value()
	}
	if a.fields != nil {
		// The members of an object, which begin with its type.
		members := bytes.TrimPrefix(a.fields, []byte(`{"type":"object",`))
		return append(append(w.b, ','), members...)
	}
	return w.value()
}

func readText(_ *argument, value string) (jsontext.Value, []jsontext.Value, error) {
	s := unquoted(value)
	if s == "" {
		return nil, nil, errors.New("expected a text, got nothing")
	}
	return quote(s), nil, nil
}

func readBool(_ *argument, value string) (jsontext.Value, []jsontext.Value, error) {
	v, err := typed("boolean", value)
	return v, nil, err
}

func readCount(_ *argument, value string) (jsontext.Value, []jsontext.Value, error) {
	n, err := strconv.ParseUint(value, 10, 31)
	if err != nil {
		return nil, nil, fmt.Errorf("%q is not a whole number of zero or more", value)
	}
	return jsontext.Value(strconv.FormatUint(n, 10)), nil, nil
}

func readBound(a *argument, value string) (jsontext.Value, []jsontext.Value, error) {
	v, err := typed(a.base, value)
	return v, nil, err
}

func readMultiple(a *argument, value string) (jsontext.Value, []jsontext.Value, error) {
	v, err := typed(a.base, value)
	if err == nil && float(v) <= 0 {
		err = fmt.Errorf("%q is not above zero", value)
	}
	return v, nil, err
}

// readEnum reads the values of an argument, or of the items of an array.
func readEnum(a *argument, value string) (jsontext.Value, []jsontext.Value, error) {
	vs, err := several(a.base, value)
	if err != nil {
		return nil, nil, err
	}
	for i, v := range vs {
		for _, w := range vs[:i] {
			if bytes.Equal(v, w) {
				return nil, nil, fmt.Errorf("%s is given twice", v)
			}
		}
	}
	return array(vs), vs, nil
}

// readValue reads a value of the argument's own type.
func readValue(a *argument, value string) (jsontext.Value, []jsontext.Value, error) {
	if a.arrays == 0 {
		v, err := typed(a.base, value)
		return v, nil, err
	}
	if a.arrays > 1 {
		v, err := typed("array", value)
		return v, nil, err
	}
	if value == "" {
		return jsontext.Value("[]"), nil, nil
	}
	vs, err := several(a.base, value)
	return array(vs), vs, err
}

func readExample(a *argument, value string) (jsontext.Value, []jsontext.Value, error) {
	v, _, err := readValue(a, value)
	return array([]jsontext.Value{v}), nil, err
}

func readExamples(a *argument, value string) (jsontext.Value, []jsontext.Value, error) {
	if a.arrays > 0 || a.base == "array" || a.base == "object" {
		v, err := typed("array", value)
		return v, nil, err
	}
	vs, err := several(a.base, value)
	return array(vs), nil, err
}

// several reads values that commas part, or a JSON array of them.
func several(typ, value string) ([]jsontext.Value, error) {
	var out []jsontext.Value
	if v := jsontext.Value(value); v.IsValid() && v.Kind() == '[' {
		d := jsontext.NewDecoder(strings.NewReader(value))
		_, _ = d.ReadToken()
		for d.PeekKind() != ']' {
			e, err := d.ReadValue()
			if err != nil {
				return nil, err
			}
			if typ == "string" && e.Kind() != '"' {
				return nil, fmt.Errorf("%s is not a string", e)
			}
			t, err := typed(typ, string(e))
			if err != nil {
				return nil, err
			}
			out = append(out, t)
		}
		return out, nil
	}
	if typ == "object" || typ == "array" {
		return nil, fmt.Errorf("expected a JSON array of values of type %s", typ)
	}
	for s := range strings.SplitSeq(unquoted(value), ",") {
		if s == "" {
			return nil, errors.New("a value between commas is empty; values that hold commas need a JSON array")
		}
		v, err := typed(typ, s)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}
