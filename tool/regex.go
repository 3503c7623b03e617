// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// errRegexUnsupported is a pattern that is valid in ECMA-262 but that Go's
// regular expressions, which match in linear time, do not have.
var errRegexUnsupported = errors.New("look-around, back-references and more than 1000 repetitions are not checked here")

// compileRegex compiles a pattern of a schema, which is an ECMA-262 one.
func compileRegex(pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(translateRegex(pattern))
	if err == nil {
		return re, nil
	}
	var se *syntax.Error
	if !errors.As(err, &se) {
		return nil, err
	}
	switch {
	case (se.Code == syntax.ErrInvalidPerlOp || se.Code == syntax.ErrInvalidNamedCapture) && lookAround(se.Expr),
		se.Code == syntax.ErrInvalidEscape && backReference(se.Expr),
		se.Code == syntax.ErrInvalidRepeatSize && largeRepeat(se.Expr),
		se.Code == syntax.ErrLarge:
		return nil, errRegexUnsupported
	}
	return nil, errors.New(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
}

func lookAround(op string) bool {
	for _, p := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.HasPrefix(op, p) {
			return true
		}
	}
	return false
}

func backReference(escape string) bool {
	return len(escape) > 1 && (escape[1] >= '1' && escape[1] <= '9' || escape[1] == 'k')
}

// largeRepeat tells {1,2000}, which is only too much for us, from {2,1}.
func largeRepeat(op string) bool {
	low, high, between := strings.Cut(strings.Trim(op, "{}"), ",")
	if !between || high == "" {
		return true
	}
	low, high = strings.TrimLeft(low, "0"), strings.TrimLeft(high, "0")
	return len(low) < len(high) || len(low) == len(high) && low <= high
}

// translateRegex rewrites what ECMA-262 and Go spell differently: \uXXXX,
// \cX, [^] and [].
func translateRegex(p string) string {
	if !strings.ContainsAny(p, `\[`) {
		return p
	}
	var b strings.Builder
	class := false
	for i := 0; i < len(p); i++ {
		switch {
		case p[i] == '\\' && i+1 < len(p):
			i++
			i += translateEscape(&b, p[i:])
		case class:
			class = p[i] != ']'
			if p[i] == '[' {
				b.WriteByte('\\')
			}
			b.WriteByte(p[i])
		case strings.HasPrefix(p[i:], "[^]"):
			b.WriteString(`[\s\S]`)
			i += 2
		case strings.HasPrefix(p[i:], "[]"):
			b.WriteString(`[^\s\S]`)
			i++
		default:
			class = p[i] == '['
			b.WriteByte(p[i])
		}
	}
	return b.String()
}

// translateEscape writes the escape whose text behind the backslash is p, and
// gives how many bytes behind its letter it took.
func translateEscape(b *strings.Builder, p string) int {
	switch {
	case p[0] == 'u' && len(p) > 4 && isHex(p[1:5]):
		b.WriteString(`\x{` + p[1:5] + `}`)
		return 4
	case p[0] == 'u' && strings.HasPrefix(p, "u{"):
		b.WriteString(`\x`)
	case p[0] == 'c' && len(p) > 1 && (p[1]|0x20) >= 'a' && (p[1]|0x20) <= 'z':
		fmt.Fprintf(b, `\x%02x`, p[1]&0x1f)
		return 1
	case p[0] == '0' && (len(p) < 2 || p[1] < '0' || p[1] > '9'):
		b.WriteString(`\x00`)
	default:
		b.WriteByte('\\')
		b.WriteByte(p[0])
	}
	return 0
}

func isHex(s string) bool {
	for _, c := range []byte(s) {
		if c-'0' > 9 && (c|0x20)-'a' > 5 {
			return false
		}
	}
	return true
}

// anything is what stands for a pattern that cannot be checked here.
type anything string

var _ jsonschema.Regexp = anything("")

func (a anything) String() string        { return string(a) }
func (anything) MatchString(string) bool { return true }

// pattern shows the pattern as it is written, not as it was translated.
type pattern struct {
	*regexp.Regexp
	source string
}

func (p pattern) String() string { return p.source }

// regexEngine gives the schema library the same expressions that the fast path
// uses.
func regexEngine(source string) (jsonschema.Regexp, error) {
	re, err := compileRegex(source)
	if errors.Is(err, errRegexUnsupported) {
		return anything(source), nil
	}
	if err != nil {
		return nil, err
	}
	return pattern{re, source}, nil
}
