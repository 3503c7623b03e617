// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Member is a member of a JSON object.
type Member struct {
	// Name of the member, unquoted.
	Name string
	// Value as raw JSON.
	Value jsontext.Value
}

// Args are the arguments of a call, each as raw JSON, so that numbers keep
// their digits.
type Args struct {
	// Members in the order of the request; converted, fixed and default values
	// follow or replace them.
	Members []Member
}

// Get gives the argument of that name.
func (a *Args) Get(name string) (jsontext.Value, bool) {
	for i := range a.Members {
		if a.Members[i].Name == name {
			return a.Members[i].Value, true
		}
	}
	return nil, false
}

// Lookup gives the value at a dotted path: members by name, elements by index.
// An argument whose own name is the whole path wins.
func (a *Args) Lookup(path string) (jsontext.Value, bool) {
	if v, ok := a.Get(path); ok {
		return v, true
	}
	name, rest, dotted := strings.Cut(path, ".")
	v, ok := a.Get(name)
	for ok && dotted {
		name, rest, dotted = strings.Cut(rest, ".")
		v, ok = child(v, name)
	}
	return v, ok
}

func child(v jsontext.Value, name string) (jsontext.Value, bool) {
	kind := v.Kind()
	if kind != '{' && kind != '[' {
		return nil, false
	}
	index := -1
	if kind == '[' {
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 {
			return nil, false
		}
		index = i
	}
	d := jsontext.NewDecoder(strings.NewReader(string(v)))
	if _, err := d.ReadToken(); err != nil {
		return nil, false
	}
	for i := 0; d.PeekKind() != '}' && d.PeekKind() != ']'; i++ {
		match := i == index
		if kind == '{' {
			t, err := d.ReadToken()
			if err != nil {
				return nil, false
			}
			match = t.String() == name
		}
		v, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		if match {
			return v.Clone(), true
		}
	}
	return nil, false
}

// Object gives all arguments as one JSON object.
func (a *Args) Object() jsontext.Value {
	b := []byte{'{'}
	for i := range a.Members {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, a.Members[i].Name)
		b = append(b, ':')
		b = append(b, a.Members[i].Value...)
	}
	return append(b, '}')
}

// Text gives a JSON value as the text that stands for it in a URL, header or
// form: a string's content, a number's plain digits, true, false, compact JSON
// for objects and arrays, and nothing for null.
func Text(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		b, err := jsontext.AppendUnquote(nil, v)
		if err != nil {
			return ""
		}
		return string(b)
	case 'n':
		return ""
	case '{', '[':
		c := v.Clone()
		if c.Compact() != nil {
			return ""
		}
		return string(c)
	default:
		return strings.TrimSpace(string(v))
	}
}
