// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"math/big"
	"strings"
	"testing"
)

func TestDecimal(t *testing.T) {
	t.Parallel()
	numbers := []string{
		"0", "-0", "0.0", "0e5", "1", "-1", "1.0", "10e-1", "0.1e1", "1e2", "100", "99.99", "100.00", "1E+2", "0.5", "5e-1", "0.05", "-0.05",
		"9007199254740992", "9007199254740993", "123456789012345678901234567890", "1e400", "1e-400", "-1e400", "0.30", "0.3", "3e-1", "1.10",
	}
	for _, a := range numbers {
		x, ok := parseDecimal([]byte(a))
		if !ok {
			t.Errorf("%s is refused", a)
			continue
		}
		ra, _ := new(big.Rat).SetString(a)
		if x.integer() != ra.IsInt() {
			t.Errorf("%s: integer %v", a, x.integer())
		}
		if n, ok := x.int64(); ok != (ra.IsInt() && len(ra.Num().String()) <= 18) || ok && n != ra.Num().Int64() {
			t.Errorf("%s: int64 %d, %v", a, n, ok)
		}
		for _, b := range numbers {
			y, _ := parseDecimal([]byte(b))
			rb, _ := new(big.Rat).SetString(b)
			if got, want := x.compare(&y), ra.Cmp(rb); got != want {
				t.Errorf("%s and %s: got %d, want %d", a, b, got, want)
			}
		}
	}
	for _, s := range []string{"", "-", "+1", "01", "1.", ".5", "1e", "1e+", "0x1", "1 ", "NaN", "Infinity", "1e401", "1e-401", "1e99999999999999999999", strings.Repeat("1", 401), "1_0"} {
		if _, ok := parseDecimal([]byte(s)); ok {
			t.Errorf("%q is taken", s)
		}
	}
}

func TestHugeNumber(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"1": false, "1e400": false, "-1.5e-400": false, "1e401": true, "1e-401": true, "1E99999999999999999999": true,
		strings.Repeat("1", 400): false, strings.Repeat("1", 401): true, "0." + strings.Repeat("1", 400): true, "0e99999": true,
	} {
		if got := hugeNumber([]byte(s)); got != want {
			t.Errorf("%.20s: got %v", s, got)
		}
	}
}

func TestCompileRegex(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pattern, text string
		want          bool
	}{
		{`^\d{4}-\d{2}$`, "2020-01", true},
		{`^\u00e9$`, "é", true},
		{`^\u{1F600}$`, "😀", true},
		{`^\cJ$`, "\n", true},
		{`^\cZ$`, "\x1a", true},
		{`^a[^]b$`, "a\nb", true},
		{`^[]$`, "x", false},
		{`^[[]$`, "[", true},
		{`^[^\]]$`, "]", false},
		{`^[\]]$`, "]", true},
		{`^[a\u00e9]$`, "é", true},
		{`^\0$`, "\x00", true},
		{`^\/\-$`, "/-", true},
		{`^(?<year>\d+)$`, "2020", true},
		{`^\p{L}+$`, "é", true},
		{`\\u00e9`, `\u00e9`, true},
		{`b`, "abc", true},
		{`^b$`, "a\nb", false},
	} {
		re, err := compileRegex(tc.pattern)
		if err != nil {
			t.Errorf("%s: %v", tc.pattern, err)
			continue
		}
		if got := re.MatchString(tc.text); got != tc.want {
			t.Errorf("%s on %q: got %v", tc.pattern, tc.text, got)
		}
	}
	for _, p := range []string{`(?=a)`, `(?!a)`, `(?<=a)`, `(?<!a)`, `(a)\1`, `(?<n>a)\k<n>`, `a{1,2000}`, `a{2000}`} {
		if _, err := compileRegex(p); err != errRegexUnsupported {
			t.Errorf("%s: %v", p, err)
		}
	}
	for _, p := range []string{`(`, `[a`, `a{2,1}`, `*`, `a**`, `\`, `(?P<a`} {
		if _, err := compileRegex(p); err == nil || err == errRegexUnsupported {
			t.Errorf("%s: %v", p, err)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	words := []string{"customer_id", "name", "id", "limit", "color"}
	for word, want := range map[string]string{
		"customerId": "customer_id", "Name": "name", "nmae": "name", "colour": "color", "limits": "limit", "ID": "id", "ix": "", "offset": "", "": "",
	} {
		if got := nearest(word, words); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}
