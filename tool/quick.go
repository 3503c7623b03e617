// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"math"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// quick checks raw JSON against a simple schema without decoding it. It only
// ever says that a value is valid; where it does not, the value may be valid
// all the same, and the schema library decides.
type quick struct {
	types types
	// choices are alternatives that differ in their types: the value's own type
	// says which one applies.
	choices []quickChoice

	// enum of strings, numbers and literals; nil means no enum.
	enum *quickEnum

	minLength, maxLength int
	pattern              *regexp.Regexp

	min, max       *decimal
	above, below   *decimal
	multiple       int64
	minItems       int
	maxItems       int
	items          *quick
	members        map[string]int
	properties     []quickProperty
	required       int
	minProperties  int
	maxProperties  int
	closed         bool
	additional     *quick
	checksObject   bool
	checksElements bool
}

type quickChoice struct {
	types types
	check *quick
}

type quickProperty struct {
	check    *quick
	required bool
}

type quickEnum struct {
	strings  map[string]struct{}
	numbers  []decimal
	literals []string
}

// match says whether the value there is surely valid, and gives the index behind
// it.
func (q *quick) match(b []byte, at int) (end int, ok bool) {
	if at < 0 || at >= len(b) {
		return 0, false
	}
	kind := jsontext.Value(b[at : at+1]).Kind()
	is := typesOfKind(kind)
	if q.types&is == 0 {
		return 0, false
	}
	for i := range q.choices {
		if q.choices[i].types&is != 0 {
			return q.choices[i].check.match(b, at)
		}
	}
	if q.choices != nil {
		return 0, false
	}
	switch kind {
	case '{':
		if q.enum != nil {
			return 0, false
		}
		return q.matchObject(b, at)
	case '[':
		if q.enum != nil {
			return 0, false
		}
		return q.matchArray(b, at)
	}
	if end = skipValue(b, at); end < 0 {
		return 0, false
	}
	raw := b[at:end]
	switch kind {
	case '"':
		return end, q.matchString(raw)
	case '0':
		return end, q.matchNumber(raw)
	}
	return end, q.enum == nil || q.enum.hasLiteral(raw)
}

func (e *quickEnum) hasLiteral(raw []byte) bool {
	return slices.Contains(e.literals, string(raw))
}

func (q *quick) matchString(raw []byte) bool {
	if q.enum == nil && q.pattern == nil && q.minLength == 0 && q.maxLength == math.MaxInt {
		return true
	}
	s := unquote(raw, nil)
	if s == nil {
		return false
	}
	if q.enum != nil {
		if _, ok := q.enum.strings[string(s)]; !ok {
			return false
		}
	}
	if q.minLength > 0 || q.maxLength < len(s) {
		if n := utf8.RuneCount(s); n < q.minLength || n > q.maxLength {
			return false
		}
	}
	return q.pattern == nil || q.pattern.Match(s)
}

func (q *quick) matchNumber(raw []byte) bool {
	d, ok := parseDecimal(raw)
	if !ok || q.types&typeNumber == 0 && !d.integer() {
		return false
	}
	if q.enum != nil {
		found := false
		for i := range q.enum.numbers {
			found = found || q.enum.numbers[i].compare(&d) == 0
		}
		if !found {
			return false
		}
	}
	if q.min != nil && d.compare(q.min) < 0 || q.max != nil && d.compare(q.max) > 0 ||
		q.above != nil && d.compare(q.above) <= 0 || q.below != nil && d.compare(q.below) >= 0 {
		return false
	}
	if q.multiple != 0 {
		n, ok := d.int64()
		return ok && n%q.multiple == 0
	}
	return true
}

func (q *quick) matchArray(b []byte, i int) (end int, ok bool) {
	if !q.checksElements {
		end = skipValue(b, i)
		return end, end > 0
	}
	n := 0
	c := enter(b, i)
	for _, more := c.next(); more; _, more = c.next() {
		n++
		if q.items == nil {
			c.pos = skipValue(b, c.pos)
			continue
		}
		if c.pos, ok = q.items.match(b, c.pos); !ok {
			return 0, false
		}
	}
	return c.pos, !c.bad && n >= q.minItems && n <= q.maxItems
}

func (q *quick) matchObject(b []byte, i int) (end int, ok bool) {
	if !q.checksObject {
		end = skipValue(b, i)
		return end, end > 0
	}
	n, required := 0, 0
	c := enter(b, i)
	for name, more := c.next(); more; name, more = c.next() {
		n++
		p := q.member(name)
		if p != nil && p.required {
			required++
		}
		check := q.additional
		if p != nil {
			check = p.check
		} else if q.closed {
			return 0, false
		}
		if check == nil {
			c.pos = skipValue(b, c.pos)
			continue
		}
		if c.pos, ok = check.match(b, c.pos); !ok {
			return 0, false
		}
	}
	// Names are different, so that counting the required ones is enough.
	return c.pos, !c.bad && required == q.required && n >= q.minProperties && n <= q.maxProperties
}

// member gives the property of a raw name, nil if the schema has none.
func (q *quick) member(raw []byte) *quickProperty {
	i, ok := q.members[string(unquote(raw, nil))]
	if !ok {
		return nil
	}
	return &q.properties[i]
}
