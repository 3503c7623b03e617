// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"slices"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// token is a word of the Caddyfile with its place.
type token = caddyfile.Token

// line is a line of a block: a word, its arguments, and the block that it opens.
type line struct {
	word   token
	args   []token
	block  []line
	braces bool    // it opens a block, though the block may be empty
	tokens []token // all of it, to hand it on
}

// lines reads the tokens of a directive, as a line. An error never comes from
// tokens that Caddy's own parser let pass, except for those it reads otherwise.
func lines(d *caddyfile.Dispenser) line {
	var tokens []token
	for d.Next() {
		tokens = append(tokens, d.Token())
	}
	if len(tokens) == 0 {
		return line{}
	}
	r := &lineReader{tokens: tokens}
	return r.line()
}

type lineReader struct {
	tokens []token
	next   int
}

func (r *lineReader) line() line {
	start := r.next
	l := line{word: r.tokens[start]}
	r.next++
	for r.next < len(r.tokens) && sameLine(r.tokens[r.next-1], r.tokens[r.next]) && !isBrace(r.tokens[r.next], "{") {
		// A closing brace after a block's last argument closes the block for
		// Caddy too.
		if isBrace(r.tokens[r.next], "}") {
			break
		}
		r.next++
	}
	l.args = r.tokens[start+1 : r.next : r.next]
	if r.next < len(r.tokens) && isBrace(r.tokens[r.next], "{") && sameLine(r.tokens[r.next-1], r.tokens[r.next]) {
		l.braces = true
		r.next++
		for r.next < len(r.tokens) && !isBrace(r.tokens[r.next], "}") {
			l.block = append(l.block, r.line())
		}
		r.next = min(r.next+1, len(r.tokens)) // the closing brace
	}
	l.tokens = r.tokens[start:r.next:r.next]
	return l
}

// end is the last token before the block, where a missing argument belongs.
func (l line) end() token {
	if len(l.args) > 0 {
		return l.args[len(l.args)-1]
	}
	return l.word
}

func isBrace(t token, brace string) bool { return t.Text == brace && !t.Quoted() }

// sameLine asks Caddy, which knows of imports and of quoted text that spans lines.
func sameLine(a, b token) bool {
	d := caddyfile.NewDispenser([]token{a, b})
	d.Next()
	return !d.NextLine()
}

// segment makes the tokens of a directive with a block of these lines.
func segment(at token, content []line) []token {
	brace := func(text string, n int) token { return token{File: at.File, Line: n, Text: text} }
	out := []token{brace(at.Text, at.Line), brace("{", at.Line)}
	last := at.Line
	for _, l := range content {
		out = append(out, l.tokens...)
		end := l.tokens[len(l.tokens)-1]
		last = max(last, end.Line+end.NumLineBreaks())
	}
	return append(out, brace("}", last+1))
}

// suggest gives the known word that was most likely meant, or nothing.
func suggest(word string, known []string) string {
	best, distance := "", max(1, len(word)/3)+1
	for _, k := range known {
		if d := editDistance(word, k, distance); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// editDistance counts the insertions, deletions, replacements and swaps of
// neighbours that lead from a to b; beyond limit it may stop counting.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, prev := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur := make([]int, len(b)+1)
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev = prev, cur
		if slices.Min(cur) >= limit {
			return limit
		}
	}
	return prev[len(b)]
}
