// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"go.uber.org/zap"
)

// mistakes are what is wrong in one block. They are collected, so that whoever
// wrote it sees all of them at once.
type mistakes struct {
	errors   []mistake
	warnings []mistake
}

type mistake struct {
	at      token
	message string
}

// add notes an error at a token.
func (m *mistakes) add(at token, format string, a ...any) {
	m.errors = append(m.errors, mistake{at, fmt.Sprintf(format, a...)})
}

// warn notes a warning at a token.
func (m *mistakes) warn(at token, format string, a ...any) {
	m.warnings = append(m.warnings, mistake{at, fmt.Sprintf(format, a...)})
}

// count tells whether there is something new since an earlier count.
func (m *mistakes) count() int { return len(m.errors) }

// err gives all errors, each with its place, in the order of the file.
func (m *mistakes) err() error {
	slices.SortStableFunc(m.errors, func(a, b mistake) int {
		return cmp.Or(cmp.Compare(a.at.File, b.at.File), cmp.Compare(a.at.Line, b.at.Line))
	})
	var errs []error
	for i, e := range m.errors {
		if i > 0 && m.errors[i-1].message == e.message && place(m.errors[i-1].at) == place(e.at) {
			continue
		}
		errs = append(errs, fmt.Errorf("%s: %s%s", place(e.at), e.message, importChain(e.at)))
	}
	return errors.Join(errs...)
}

// tell gives the warnings to whoever adapts the Caddyfile.
func (m *mistakes) tell(list *[]caddyconfig.Warning) {
	for _, w := range m.warnings {
		if list == nil {
			caddy.Log().Named("config.adapter.caddyfile").Warn(w.message,
				zap.String("directive", "mcp"), zap.String("file", w.at.File), zap.Int("line", w.at.Line))
			continue
		}
		*list = append(*list, caddyconfig.Warning{
			File: w.at.File, Line: w.at.Line, Directive: "mcp", Message: w.message + importChain(w.at),
		})
	}
}

func place(t token) string { return fmt.Sprintf("%s:%d", t.File, t.Line) }

// importChain tells by which imports a token came, in Caddy's own words.
func importChain(t token) string {
	d := caddyfile.NewDispenser([]token{t})
	d.Next()
	_, chain, ok := strings.Cut(d.Err("").Error(), "import chain ")
	if !ok {
		return ""
	}
	return ", import chain " + chain
}

// unknown describes a word that is not among the accepted ones.
func unknown(word, where string, accepted []string, more ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "unknown word %q in %s", word, where)
	if s := suggest(word, slices.Concat(accepted, more)); s != "" {
		fmt.Fprintf(&b, "; did you mean %q?", s)
	} else {
		b.WriteByte(';')
	}
	b.WriteString(" accepted: ")
	b.WriteString(strings.Join(accepted, ", "))
	return b.String()
}
