// SPDX-License-Identifier: Apache-2.0

package page

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Arg is an argument on the page.
type Arg struct {
	// Name of the argument.
	Name string
	// Type in words, such as "string", "integer[]" or "string or null".
	Type string
	// Description as its schema gives it.
	Description string
	// Required says that a call needs it.
	Required bool
	// Values that it may have, if they are listed, as JSON.
	Values []string
	// Default as JSON; empty if there is none.
	Default string
	// Limits in words, such as "1 to 100"; may be empty.
	Limits string
}

// maxValues and maxRefs keep the page readable and finite.
const (
	maxValues = 24
	maxRefs   = 8
)

type object = map[string]json.RawMessage

// ArgsOf tells the arguments that a JSON Schema describes, in its order. What it
// cannot read it leaves out: the page is for orientation, clients get the schema
// itself.
func ArgsOf(schema []byte) []Arg {
	var root object
	if json.Unmarshal(schema, &root) != nil {
		return nil
	}
	root = resolve(root, root)
	var required []string
	_ = json.Unmarshal(root["required"], &required)

	props := root["properties"]
	if !jsontext.Value(props).IsValid() || jsontext.Value(props).Kind() != '{' {
		return nil
	}
	var args []Arg
	d := jsontext.NewDecoder(bytes.NewReader(props))
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	for d.PeekKind() == '"' {
		t, err := d.ReadToken()
		if err != nil {
			return args
		}
		name := t.String()
		v, err := d.ReadValue()
		if err != nil {
			return args
		}
		arg := argOf(v, root)
		arg.Name, arg.Required = name, slices.Contains(required, name)
		args = append(args, arg)
	}
	return args
}

func argOf(schema []byte, root object) Arg {
	var s object
	if json.Unmarshal(schema, &s) != nil {
		return Arg{Type: "any"} // true, or nonsense
	}
	s = resolve(s, root)
	arg := Arg{Type: typeOf(s, root, 0), Description: text(s["description"]), Limits: limitsOf(s)}
	if arg.Description == "" {
		arg.Description = text(s["title"])
	}
	arg.Default = oneLine(s["default"])
	values := s["enum"]
	if values == nil && s["items"] != nil {
		var items object
		if json.Unmarshal(s["items"], &items) == nil {
			values = resolve(items, root)["enum"]
		}
	}
	if c := s["const"]; c != nil {
		arg.Values = []string{oneLine(c)}
	}
	var enum []json.RawMessage
	_ = json.Unmarshal(values, &enum)
	for i, v := range enum {
		if i == maxValues {
			arg.Values = append(arg.Values, "…")
			break
		}
		arg.Values = append(arg.Values, oneLine(v))
	}
	return arg
}

// resolve follows local references. Members beside a $ref win.
func resolve(s, root object) object {
	for range maxRefs {
		ref, ok := strings.CutPrefix(text(s["$ref"]), "#")
		if !ok || ref != "" && ref[0] != '/' {
			return s
		}
		target := root
		for _, part := range strings.Split(ref, "/")[1:] {
			part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
			var next object
			if json.Unmarshal(target[part], &next) != nil || next == nil {
				return s
			}
			target = next
		}
		merged := object{}
		maps.Copy(merged, target)
		for k, v := range s {
			if k != "$ref" {
				merged[k] = v
			}
		}
		s = merged
	}
	return s
}

// typeOf tells the type in words.
func typeOf(s, root object, depth int) string {
	var names []string
	if name := text(s["type"]); name != "" {
		names = []string{name}
	} else if json.Unmarshal(s["type"], &names) != nil {
		names = nil
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	if depth < 4 {
		names = append(names, alternatives(s, root, depth)...)
	}
	if len(names) == 0 {
		names = impliedTypes(s)
	}
	for i, name := range names {
		switch {
		case name == "array":
			names[i] = elementType(s, root, depth) + "[]"
		case name == "string" && text(s["format"]) != "":
			names[i] = "string (" + text(s["format"]) + ")"
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return btoi(a == "null") - btoi(b == "null")
	})
	return strings.Join(slices.Compact(names), " or ")
}

func alternatives(s, root object, depth int) []string {
	var names []string
	for _, word := range []string{"anyOf", "oneOf"} {
		var subs []object
		_ = json.Unmarshal(s[word], &subs)
		for _, sub := range subs {
			if sub == nil {
				continue
			}
			if name := typeOf(resolve(sub, root), root, depth+1); name != "any" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func impliedTypes(s object) []string {
	switch {
	case s["properties"] != nil:
		return []string{"object"}
	case s["items"] != nil:
		return []string{"array"}
	}
	return []string{"any"}
}

func elementType(s, root object, depth int) string {
	var items object
	if depth >= 4 || json.Unmarshal(s["items"], &items) != nil || items == nil {
		return "any"
	}
	name := typeOf(resolve(items, root), root, depth+1)
	if strings.Contains(name, " ") {
		return "(" + name + ")"
	}
	return name
}

// limitsOf tells the bounds in words.
func limitsOf(s object) string {
	var parts []string
	add := func(low, high, unit string) {
		lo, hi := oneLine(s[low]), oneLine(s[high])
		counted := func(n string) string {
			switch {
			case unit == "":
				return n
			case n == "1":
				return n + " " + unit
			}
			return n + " " + unit + "s"
		}
		switch {
		case lo != "" && hi != "" && lo == hi:
			parts = append(parts, counted(lo))
		case lo != "" && hi != "":
			parts = append(parts, lo+" to "+counted(hi))
		case lo != "":
			parts = append(parts, "at least "+counted(lo))
		case hi != "":
			parts = append(parts, "at most "+counted(hi))
		}
	}
	add("minimum", "maximum", "")
	if v := oneLine(s["exclusiveMinimum"]); v != "" {
		parts = append(parts, "more than "+v)
	}
	if v := oneLine(s["exclusiveMaximum"]); v != "" {
		parts = append(parts, "less than "+v)
	}
	add("minLength", "maxLength", "character")
	add("minItems", "maxItems", "element")
	if p := text(s["pattern"]); p != "" {
		parts = append(parts, "matches "+p)
	}
	return strings.Join(parts, ", ")
}

func text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}

func oneLine(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) == 0 || json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
