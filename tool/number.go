// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"cmp"
)

// maxDigits bounds numbers: their digits, and how far their exponent moves
// them. Exact arithmetic on longer ones takes memory and time out of all
// proportion to their length.
const maxDigits = 400

// decimal is a JSON number, exactly: 0.digits × 10^exp.
type decimal struct {
	neg bool
	// whole and frac are the digits before and after the point; together they
	// start and end with a digit that is not 0.
	whole, frac []byte
	exp         int
}

// parseDecimal reads a JSON number without allocating; it refuses what is
// longer than maxDigits.
func parseDecimal(b []byte) (d decimal, ok bool) {
	if len(b) > 0 && b[0] == '-' {
		d.neg, b = true, b[1:]
	}
	n := digits(b)
	if n == 0 || n > 1 && b[0] == '0' {
		return decimal{}, false
	}
	d.whole, b = b[:n], b[n:]
	if len(b) > 0 && b[0] == '.' {
		n = digits(b[1:])
		if n == 0 {
			return decimal{}, false
		}
		d.frac, b = b[1:n+1], b[n+1:]
	}
	exp := 0
	if len(b) > 0 && (b[0] == 'e' || b[0] == 'E') {
		if exp, ok = parseExponent(b[1:]); !ok {
			return decimal{}, false
		}
		b = nil
	}
	if len(b) > 0 || len(d.whole)+len(d.frac) > maxDigits {
		return decimal{}, false
	}
	d.exp = exp + len(d.whole)
	d.trim()
	return d, true
}

// parseExponent reads the part of a number behind its e.
func parseExponent(b []byte) (exp int, ok bool) {
	neg := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg, b = b[0] == '-', b[1:]
	}
	if len(b) == 0 || digits(b) != len(b) {
		return 0, false
	}
	for _, c := range b {
		if exp = exp*10 + int(c-'0'); exp > maxDigits {
			return 0, false
		}
	}
	if neg {
		exp = -exp
	}
	return exp, true
}

func (d *decimal) trim() {
	w := bytes.TrimLeft(d.whole, "0")
	d.exp -= len(d.whole) - len(w)
	d.whole = w
	if len(w) == 0 {
		f := bytes.TrimLeft(d.frac, "0")
		d.exp -= len(d.frac) - len(f)
		d.frac = f
	}
	d.frac = bytes.TrimRight(d.frac, "0")
	if len(d.frac) == 0 {
		d.whole = bytes.TrimRight(d.whole, "0")
	}
	if d.zero() {
		d.neg, d.exp = false, 0
	}
}

func (d *decimal) zero() bool { return len(d.whole)+len(d.frac) == 0 }

// integer says that there is nothing behind the point: so 1.0 and 1e2 are
// integers too, as JSON Schema has it.
func (d *decimal) integer() bool { return d.exp >= len(d.whole)+len(d.frac) }

func (d *decimal) digit(i int) byte {
	if i < len(d.whole) {
		return d.whole[i]
	}
	if i -= len(d.whole); i < len(d.frac) {
		return d.frac[i]
	}
	return '0'
}

// compare orders two numbers by value.
func (d *decimal) compare(e *decimal) int {
	if d.neg != e.neg {
		if d.neg {
			return -1
		}
		return 1
	}
	c := d.compareAbs(e)
	if d.neg {
		return -c
	}
	return c
}

func (d *decimal) compareAbs(e *decimal) int {
	switch {
	case d.zero() && e.zero():
		return 0
	case d.zero():
		return -1
	case e.zero():
		return 1
	case d.exp != e.exp:
		return cmp.Compare(d.exp, e.exp)
	}
	for i := range max(len(d.whole)+len(d.frac), len(e.whole)+len(e.frac)) {
		if c := cmp.Compare(d.digit(i), e.digit(i)); c != 0 {
			return c
		}
	}
	return 0
}

// int64 gives the value of an integer of at most 18 digits.
func (d *decimal) int64() (n int64, ok bool) {
	if !d.integer() || d.exp > 18 {
		return 0, false
	}
	for i := range d.exp {
		n = n*10 + int64(d.digit(i)-'0')
	}
	if d.neg {
		n = -n
	}
	return n, true
}

// hugeNumber says that a number is too long to compute with.
func hugeNumber(b []byte) bool {
	if len(b) <= 3 {
		return false
	}
	mantissa := len(b)
	if i := bytes.IndexAny(b, "eE"); i >= 0 {
		mantissa = i
		if _, ok := parseExponent(b[i+1:]); !ok {
			return true
		}
	}
	return mantissa > maxDigits
}

func digits(b []byte) int {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	return n
}
