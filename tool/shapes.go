// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"errors"
	"strings"
)

// checkKeyword checks the value of a keyword, and walks the schemas in it.
func (d *schemaDoc) checkKeyword(n *node, name string, s shape, v *node, base string) {
	switch s {
	case shapeSchema:
		d.walk(v, base)
	case shapeSchemas:
		if !v.isArray() || len(v.values) == 0 {
			d.fail(v, "%s: expected a list of schemas, got %s", name, describeValue(v))
			return
		}
		d.walkAll(v, base)
	case shapeItems:
		if v.isArray() && d.draft >= 2020 {
			d.fail(v, "items: expected a schema, got a list; in 2020-12 a list of schemas is prefixItems")
			return
		}
		if v.isArray() {
			d.walkAll(v, base)
			return
		}
		d.walk(v, base)
	case shapeSchemaMap:
		if d.expect(name, v, '{', "schemas by name") {
			if name == "patternProperties" {
				d.checkPatternNames(v)
			}
			d.walkAll(v, base)
		}
	case shapeDependencies:
		if !d.expect(name, v, '{', "schemas or lists of names, by name") {
			return
		}
		for _, m := range v.values {
			if m.isArray() {
				d.checkNames(name, m)
				continue
			}
			d.walk(m, base)
		}
	case shapeNames:
		d.checkNames(name, v)
	case shapeNameMap:
		if d.expect(name, v, '{', "lists of names, by name") {
			for _, m := range v.values {
				d.checkNames(name, m)
			}
		}
	case shapeType:
		d.checkType(v)
	case shapeString:
		if d.expect(name, v, '"', "a string") {
			d.checkString(n, name, v)
		}
	case shapeBoolean:
		if v.kind != 't' && v.kind != 'f' {
			d.fail(v, "%s: expected true or false, got %s", name, describeValue(v))
		}
	case shapeNumber, shapeCount:
		d.checkNumber(name, s, v)
	case shapeList:
		if d.expect(name, v, '[', "a list") && name == "enum" && len(v.values) == 0 {
			d.fail(v, "enum: the list is empty, so that no value is allowed")
		}
	case shapeObject:
		d.expect(name, v, '{', "an object")
	case shapeAny:
	}
}

func (d *schemaDoc) walkAll(v *node, base string) {
	for _, s := range v.values {
		d.walk(s, base)
	}
}

func (d *schemaDoc) expect(name string, v *node, kind byte, what string) bool {
	if byte(v.kind) == kind {
		return true
	}
	d.fail(v, "%s: expected %s, got %s", name, what, describeValue(v))
	return false
}

func (d *schemaDoc) checkNames(name string, v *node) {
	if !v.isArray() {
		hint := ""
		if name == "required" && (v.kind == 't' || v.kind == 'f') {
			hint = `; required stands beside properties and lists their names`
		}
		d.fail(v, "%s: expected a list of names, got %s%s", name, describeValue(v), hint)
		return
	}
	seen := make(map[string]bool, len(v.values))
	for _, e := range v.values {
		switch {
		case !e.isString():
			d.fail(e, "%s: expected a name, got %s", name, describeValue(e))
		case seen[e.text]:
			d.fail(e, "%s: %s is there twice", name, quoteText(e.text))
		}
		seen[e.text] = true
	}
}

// otherTypes are what types are called elsewhere.
var otherTypes = map[string]string{
	"int": "integer", "int32": "integer", "int64": "integer", "long": "integer", "uint": "integer",
	"float": "number", "double": "number", "decimal": "number", "numeric": "number",
	"bool": "boolean", "str": "string", "text": "string", "varchar": "string", "date": "string", "datetime": "string", "uuid": "string",
	"list": "array", "tuple": "array", "set": "array", "dict": "object", "map": "object", "hash": "object", "struct": "object", "json": "object",
	"nil": "null", "none": "null", "nullable": "null",
}

func (d *schemaDoc) checkType(v *node) {
	one := func(t *node) {
		if typeNamed(t.text) != 0 {
			return
		}
		hint := didYouMean(t.text, typeNames[:])
		if o, ok := otherTypes[strings.ToLower(t.text)]; ok {
			hint = ` (did you mean "` + o + `"?)`
		}
		d.fail(t, "unknown type %s; accepted: %s%s", quoteText(t.text), strings.Join(typeNames[:], ", "), hint)
	}
	switch {
	case v.isString():
		one(v)
	case v.isArray() && len(v.values) > 0:
		seen := make(map[string]bool, len(v.values))
		for _, t := range v.values {
			switch {
			case !t.isString():
				d.fail(t, "type: expected the name of a type, got %s", describeValue(t))
			case seen[t.text]:
				d.fail(t, "type: %s is there twice", quoteText(t.text))
			default:
				one(t)
			}
			seen[t.text] = true
		}
	default:
		d.fail(v, "type: expected the name of a type or a list of them, got %s; accepted: %s", describeValue(v), strings.Join(typeNames[:], ", "))
	}
}

func (d *schemaDoc) checkString(n *node, name string, v *node) {
	switch name {
	case "pattern":
		d.checkPattern(v, v.text, true)
	case "$schema":
		if n == d.root {
			return
		}
		if draft, ok := dialectNamed(v.text); !ok {
			d.fail(v, "unsupported dialect %s; accepted: %s", quoteText(v.text), dialectNames)
		} else if draft != d.draft {
			d.fail(v, "the dialect of this part, %s, is not the document's, %s", dialectName(draft), dialectName(d.draft))
		}
	}
}

func (d *schemaDoc) checkPattern(v *node, source string, ignorable bool) {
	_, err := compileRegex(source)
	switch {
	case err == nil:
	case errors.Is(err, errRegexUnsupported) && ignorable:
		d.warn(v, "the pattern %s is shown to clients, but arguments are not checked against it: %v", quoteText(source), err)
	default:
		d.fail(v, "invalid regular expression %s: %v", quoteText(source), err)
	}
}

func (d *schemaDoc) checkPatternNames(v *node) {
	for i, name := range v.names {
		d.checkPattern(v.values[i], name, false)
	}
}

func (d *schemaDoc) checkNumber(name string, s shape, v *node) {
	if v.kind != '0' {
		hint := ""
		if strings.HasPrefix(name, "exclusive") && (v.kind == 't' || v.kind == 'f') {
			hint = "; since draft-06 it is the limit itself"
		}
		what := "a number"
		if s == shapeCount {
			what = "an integer of 0 or more"
		}
		d.fail(v, "%s: expected %s, got %s%s", name, what, describeValue(v), hint)
		return
	}
	num, ok := parseDecimal(v.raw)
	if !ok {
		return // Told by checkNumbers.
	}
	if s == shapeCount {
		if n, ok := num.int64(); !ok || n < 0 {
			d.fail(v, "%s: expected an integer of 0 or more, got %s", name, v.raw)
		}
	}
	if name == "multipleOf" && (num.neg || num.zero()) {
		d.fail(v, "multipleOf: expected a number above 0, got %s", v.raw)
	}
}

// checkNumbers looks for numbers that are too long to compute with.
func (d *schemaDoc) checkNumbers(v *node) {
	if v.kind == '0' && hugeNumber(v.raw) {
		d.fail(v, "%v", errHuge)
	}
	for _, c := range v.values {
		d.checkNumbers(c)
	}
}

// describeValue shows a wrong value.
func describeValue(v *node) string {
	switch v.kind {
	case '{', '[':
		if len(v.values) == 0 {
			return "an empty " + kindName(v.kind)
		}
		return "an " + kindName(v.kind)
	case '"':
		return "the string " + quoteText(v.text)
	}
	return shorten(string(v.raw), maxQuoted)
}
