// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
)

// commonDirectives are Caddy's own, to suggest one for a misspelt word.
var commonDirectives = []string{
	"abort", "basic_auth", "copy_response", "encode", "error", "file_server", "forward_auth", "fs", "handle",
	"handle_errors", "handle_path", "header", "intercept", "invoke", "log_append", "log_name", "log_skip", "map",
	"method", "metrics", "php_fastcgi", "push", "redir", "request_body", "request_header", "respond", "reverse_proxy",
	"rewrite", "root", "route", "templates", "tracing", "try_files", "uri", "vars",
}

func newDispenser(tokens []token) *caddyfile.Dispenser { return caddyfile.NewDispenser(tokens) }

var (
	unrecognizedRE = regexp.MustCompile(`^unrecognized directive: (.*) - are you sure`)
	namedRE        = regexp.MustCompile(`^(?:parsing caddyfile tokens for|directive) '([^']*)'`)
	matcherRE      = regexp.MustCompile(`^matcher is defined more than once: (@\S+)$`)
)

// directiveError notes an error of Caddy's parser, and gives the lines without
// those that it is about.
func (a *endpointAdapter) directiveError(err error, at token, where string, content []line, words []string) []line {
	// The outermost place is where Caddy stopped reading; the inner ones are
	// where the mistakes are.
	message := err.Error()
	if inner := errors.Unwrap(err); inner != nil {
		message = inner.Error()
	}
	about := func(word string) (hits []line) {
		for _, l := range content {
			if l.word.Text == word {
				hits = append(hits, l)
			}
		}
		return hits
	}
	without := func(word string) []line {
		return slices.DeleteFunc(slices.Clone(content), func(l line) bool { return l.word.Text == word })
	}
	if m := unrecognizedRE.FindStringSubmatch(message); m != nil {
		for _, l := range about(m[1]) {
			a.add(l.word, "%s", a.unknownWord(m[1], where, words))
		}
		return without(m[1])
	}
	if m := namedRE.FindStringSubmatch(message); m != nil {
		if hits := about(m[1]); len(hits) > 0 {
			place := at
			if len(hits) == 1 {
				place = hits[0].word
			}
			a.add(place, "%s: %s", where, message)
			return without(m[1])
		}
	}
	if m := matcherRE.FindStringSubmatch(message); m != nil {
		if hits := about(m[1]); len(hits) > 0 {
			a.add(hits[len(hits)-1].word, "%s: %s", where, message)
			return content
		}
	}
	if !a.matcherError(at, content) {
		a.add(at, "%s: %s", where, message)
	}
	return content
}

// matcherError finds the matcher definition that Caddy refuses without saying
// where it is.
func (a *endpointAdapter) matcherError(at token, content []line) (found bool) {
	for _, l := range slices.Concat(a.matchers, content) {
		if !strings.HasPrefix(l.word.Text, "@") {
			continue
		}
		_, err := httpcaddyfile.ParseSegmentAsSubroute(a.h.WithDispenser(newDispenser(segment(at, []line{l}))))
		if err != nil {
			a.add(l.word, "matcher %s: %v", l.word.Text, err)
			found = true
		}
	}
	return found
}

// unknownWord says what is accepted instead of a word that is neither ours nor a
// directive.
func (a *endpointAdapter) unknownWord(word, where string, words []string) string {
	switch {
	case where == "mcp" && slices.Contains(toolWords, word):
		return "unknown word \"" + word + "\" in mcp; it belongs in a tool: tool <name> { " + word + " … }"
	case where != "mcp" && slices.Contains(endpointWords, word):
		return "unknown word \"" + word + "\" in " + where + "; it belongs in the mcp block around the tool"
	case slices.Contains([]string{"query", "body"}, word):
		return "unknown word \"" + word + "\" in " + where + "; it belongs in a request: request <method> <url> { " + word + " … }"
	}
	return unknown(word, where, append(slices.Clone(words), "any directive that this Caddy has"), commonDirectives...)
}

// isWord tells a word of ours from free text that happens to be unquoted.
func isWord(t token, word string) bool { return !t.Quoted() && t.Text == word }

// keyValue splits key=value; a quoted token may be one too, for values with
// spaces: "default=a b".
func keyValue(t token) (key, value string, ok bool) {
	key, value, ok = strings.Cut(t.Text, "=")
	return key, value, ok && key != ""
}
