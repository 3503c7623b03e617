// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonDepth is how deep an answer may nest to count as JSON: clients' parsers
// give up somewhere above.
const jsonDepth = 1000

var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// cleanJSON gives an upstream's JSON without surrounding space, otherwise as it
// is, if it is valid and without duplicate names. If it is valid but for
// duplicate names and lone surrogates, it is mended: of duplicates the last
// one stays, as most parsers have it, and surrogates are replaced. ok is false
// if it is not JSON.
func cleanJSON(b []byte) (_ jsontext.Value, ok bool) {
	v := jsontext.Value(trimSpace(b))
	// What is shorter than its brackets would be need not be looked at.
	if len(v) == 0 || len(v) > 2*jsonDepth && !shallow(v) {
		return nil, false
	}
	if v.IsValid() {
		return v, true
	}
	v = v.Clone()
	// Canonical strings come first: names that differ only in bytes that are
	// replaced become duplicates by it.
	if v.Format(lenient...) != nil {
		return nil, false
	}
	v, err := dropDuplicates(v)
	if err != nil || !v.IsValid() {
		return nil, false
	}
	return v, true
}

// shallow says that brackets nest no deeper than jsonDepth; those in strings do
// not count.
func shallow(b []byte) bool {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '{', '[':
			if depth++; depth > jsonDepth {
				return false
			}
		case '}', ']':
			depth--
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		}
	}
	return true
}

// span is a part of a text.
type span struct{ from, to int64 }

// dropDuplicates drops all but the last of members with the same name from
// compact JSON.
func dropDuplicates(v jsontext.Value) (jsontext.Value, error) {
	// A member that is dropped has another after it. So it goes from its name
	// up to the next one's, and no comma is left over.
	type container struct {
		seen   map[string]int // index of a name's last member; nil for arrays
		starts []int64        // where each member begins
		drop   []int
		named  bool // the next string is a value
	}
	var stack []*container
	var drops []span
	d := jsontext.NewDecoder(bytes.NewReader(v), lenient...)
	for {
		start := d.InputOffset()
		t, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			return cutSpans(v, drops), nil
		}
		if err != nil {
			return nil, err
		}
		kind := t.Kind()
		if kind == '}' || kind == ']' {
			top := stack[len(stack)-1]
			for _, i := range top.drop {
				drops = append(drops, span{top.starts[i], top.starts[i+1]})
			}
			stack = stack[:len(stack)-1]
			continue
		}
		if len(stack) > 0 && stack[len(stack)-1].seen != nil {
			top := stack[len(stack)-1]
			if !top.named {
				if v[start] == ',' {
					start++
				}
				if i, dup := top.seen[t.String()]; dup {
					top.drop = append(top.drop, i)
				}
				top.seen[t.String()] = len(top.starts)
				top.starts = append(top.starts, start)
				top.named = true
				continue
			}
			top.named = false
		}
		switch kind {
		case '{':
			stack = append(stack, &container{seen: map[string]int{}})
		case '[':
			stack = append(stack, &container{})
		}
	}
}

// cutSpans drops spans, which may lie in each other but do not overlap
// otherwise.
func cutSpans(v jsontext.Value, drops []span) jsontext.Value {
	slices.SortFunc(drops, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	out := make(jsontext.Value, 0, len(v))
	var at int64
	for _, s := range drops {
		if s.from >= at {
			out = append(out, v[at:s.from]...)
		}
		at = max(at, s.to)
	}
	return append(out, v[at:]...)
}
