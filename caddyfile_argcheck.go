// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// argCheck finds keys that contradict each other.
func (t *toolAdapter) argCheck(a *argument) {
	bad := func(key, format string, v ...any) {
		t.add(a.keys[key].at, "argument %q: "+format, append([]any{a.name}, v...)...)
	}
	def, hasDefault := a.keys["default"]
	switch {
	case a.required && a.optional:
		t.add(a.line.args[0], "argument %q is both required and optional; keep one of them", a.name)
	case a.required && hasDefault:
		bad("default", "a required argument never uses its default; keep one of them")
	}
	for _, pair := range [][2]string{
		{"min", "max"},
		{"exclusive_min", "max"},
		{"min", "exclusive_max"},
		{"exclusive_min", "exclusive_max"},
		{"min_length", "max_length"},
		{"min_items", "max_items"},
		{"min_properties", "max_properties"},
	} {
		lo, okLo := a.keys[pair[0]]
		hi, okHi := a.keys[pair[1]]
		if okLo && okHi && float(lo.value) > float(hi.value) {
			bad(pair[1], "%s %s is above %s %s", pair[0], lo.value, pair[1], hi.value)
		}
	}
	if _, ok := a.keys["example"]; ok {
		if _, ok := a.keys["examples"]; ok {
			bad("examples", "give example or examples, not both")
		}
	}
	for _, key := range []string{"default", "const"} {
		k, ok := a.keys[key]
		if !ok {
			continue
		}
		values := k.list
		if a.arrays == 0 {
			values = []jsontext.Value{k.value}
		} else if problem := a.itemCount(len(values)); problem != "" && a.arrays == 1 {
			bad(key, "%s %s %s", key, k.value, problem)
		}
		for _, v := range values {
			if problem := a.valueProblem(v); problem != "" {
				bad(key, "%s %s %s", key, v, problem)
			}
		}
	}
	if c, ok := a.keys["const"]; ok && hasDefault && !bytes.Equal(c.value, def.value) {
		bad("default", "default %s is not const %s", def.value, c.value)
	}
}

func (a *argument) itemCount(n int) string {
	if k, ok := a.keys["min_items"]; ok && float64(n) < float(k.value) {
		return "has fewer than min_items " + string(k.value)
	}
	if k, ok := a.keys["max_items"]; ok && float64(n) > float(k.value) {
		return "has more than max_items " + string(k.value)
	}
	return ""
}

// valueProblem tells what of the argument's keys a value breaks.
func (a *argument) valueProblem(v jsontext.Value) string {
	if k, ok := a.keys["enum"]; ok && !slices.ContainsFunc(k.list, func(e jsontext.Value) bool { return bytes.Equal(e, v) }) {
		return "is not among enum " + string(k.value)
	}
	switch v.Kind() { //nolint:exhaustive // the others have no such keys
	case '0':
		f := float(v)
		for _, c := range []struct {
			key    string
			broken func(bound float64) bool
			text   string
		}{
			{"min", func(b float64) bool { return f < b }, "is below min "},
			{"max", func(b float64) bool { return f > b }, "is above max "},
			{"exclusive_min", func(b float64) bool { return f <= b }, "is not above exclusive_min "},
			{"exclusive_max", func(b float64) bool { return f >= b }, "is not below exclusive_max "},
		} {
			if k, ok := a.keys[c.key]; ok && c.broken(float(k.value)) {
				return c.text + string(k.value)
			}
		}
	case '"':
		s := text(v)
		n := float64(utf8.RuneCountInString(s))
		if k, ok := a.keys["min_length"]; ok && n < float(k.value) {
			return "is shorter than min_length " + string(k.value)
		}
		if k, ok := a.keys["max_length"]; ok && n > float(k.value) {
			return "is longer than max_length " + string(k.value)
		}
		if k, ok := a.keys["pattern"]; ok {
			// Patterns are of another dialect than Go's: what does not compile
			// here is left to the schema's own check.
			if re, err := regexp.Compile(text(k.value)); err == nil && !re.MatchString(s) {
				return "does not match pattern " + text(k.value)
			}
		}
	}
	return ""
}

// text gives the content of a JSON string.
func text(v jsontext.Value) string {
	b, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(b)
}

func float(v jsontext.Value) float64 {
	f, _ := strconv.ParseFloat(string(v), 64)
	return f
}
