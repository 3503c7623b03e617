// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func init() {
	httpcaddyfile.RegisterDirective("mcp", parseCaddyfile)
	// Before the directives that take every request of a site, or a catch-all
	// handle would swallow the endpoint.
	httpcaddyfile.RegisterDirectiveOrder("mcp", httpcaddyfile.Before, "invoke")
}

// parseCaddyfile parses the mcp directive. Without a matcher the endpoint is at
// the path /mcp. Syntax:
//
//	mcp [<matcher>] {
//	    name         <name>
//	    title        <text>
//	    version      <text>
//	    website      <url>
//	    icon         <url> [mime_type=<type>] [sizes=<size>,…] [theme=light|dark]
//	    instructions <text> | file <path>
//	    origins      any | <origin>...
//	    page         on|off
//	    limits {
//	        body     <size>
//	        elements <count>
//	        depth    <levels>
//	        result   <size> [error]
//	        answer   <size>
//	        timeout  <duration>
//	        calls    <count>
//	        batch    <count>
//	    }
//
//	    tool <name> {
//	        title          <text>
//	        description    <text> | file <path>
//	        arg            <name> <type> <description> [required|optional] [<key>=<value>...]
//	        open
//	        input          <json> | file <path>
//	        output         <json> | file <path> [strict]
//	        request        [<method>] [<url>] {
//	            query  <name> <template>
//	            header <name> <template>
//	            body   json [<json> | file <path>] | form | multipart | text <template> | raw {<arg>} [content_type=<type>] {
//	                <name> <value>...
//	            }
//	        }
//	        select         <jq>
//	        annotate       [read_only|destructive|idempotent|open_world][=true|false]... [title=<text>]
//	        forward_header <name>...
//	        timeout        <duration>
//	        coerce
//	        fix            <arg> <value>
//	        hide           <arg>...
//	        icon           <url> [mime_type=<type>] [sizes=<size>,…] [theme=light|dark]
//	        meta           <json> | file <path> | <name> <value> | { <name> <value>... }
//
//	        <directives...>
//	    }
//
//	    <directives...>
//	}
//
// The types of arguments are string, integer, number, boolean, object and array,
// and any of them followed by [] for an array of that type; an object may have a
// block of arg lines of its own. Arguments are required unless they have a
// default or are optional. The keys are those of JSON Schema, in snake_case and
// with min and max for minimum and maximum.
//
// The directives are Caddy's own, and may define named matchers. Those of a tool
// run its requests; those of the block run the requests of tools that have none.
func parseCaddyfile(h httpcaddyfile.Helper) ([]httpcaddyfile.ConfigValue, error) {
	if !h.Next() {
		return nil, h.ArgErr()
	}
	matcher, hasMatcher, err := h.MatcherToken()
	at := h.Token()
	h.Reset()
	l := lines(h.Dispenser)
	a := &endpointAdapter{h: h, handler: new(Handler), at: l.word}
	if err != nil {
		a.add(at, "%v", err)
		return nil, a.err()
	}
	if hasMatcher {
		l.args = l.args[1:]
	} else {
		matcher = caddy.ModuleMap{"path": h.JSON(caddyhttp.MatchPath{"/mcp"})}
	}

	for _, t := range l.args {
		a.add(t, "unexpected %q after mcp; accepted there: a matcher, which is a path such as /mcp, a @name or *", t.Text)
	}
	a.block(l.block)
	a.tell(adapterWarnings(h))
	if err := a.err(); err != nil {
		return nil, err
	}

	raw, err := moduleJSON(a.handler, "mcp")
	if err != nil {
		return nil, h.WrapErr(err)
	}
	if err := a.claim(raw); err != nil {
		return nil, err
	}
	route := caddyhttp.Route{HandlersRaw: []json.RawMessage{raw}}
	if matcher != nil {
		route.MatcherSetsRaw = caddyhttp.RawMatcherSets{matcher}
	}
	return []httpcaddyfile.ConfigValue{{Class: "route", Value: route}}, nil
}

// moduleJSON encodes a handler with its name. Caddy's own function for that goes
// through a map, which sorts what it encodes.
func moduleJSON(h caddyhttp.MiddlewareHandler, name string) (json.RawMessage, error) {
	raw, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("encoding the configuration: %w", err)
	}
	head := []byte(`{"handler":"` + name + `"`)
	if !bytes.Equal(raw, []byte("{}")) {
		head = append(head, ',')
	}
	return append(head, raw[1:]...), nil
}

// endpointAdapter turns the block of an mcp directive into a Handler.
type endpointAdapter struct {
	mistakes
	h        httpcaddyfile.Helper
	handler  *Handler
	at       token
	matchers []line // named matchers that the block defines, for its tools too
	tools    []*toolAdapter
}

// endpointWords are the words of the block, in the order of the documentation.
var endpointWords = []string{
	"name", "title", "version", "website", "icon", "instructions", "origins", "page", "limits", "tool",
}

func (a *endpointAdapter) block(content []line) {
	var rest []line
	first := make(map[string]token)
	for _, l := range content {
		if strings.HasPrefix(l.word.Text, "@") {
			a.matchers = append(a.matchers, l)
		}
	}
	for _, l := range content {
		word := l.word.Text
		switch word {
		case "tool", "origins", "icon":
		default:
			if !a.once(l, "mcp", first, endpointWords) {
				continue
			}
		}
		switch word {
		case "name":
			a.name(l)
		case "title":
			a.handler.Title, _ = a.text(l, oneText)
		case "version":
			a.handler.Version, _ = a.text(l, oneText)
		case "website":
			a.website(l)
		case "icon":
			if i, ok := a.icon(l); ok {
				a.handler.Icons = append(a.handler.Icons, i)
			}
		case "instructions":
			if s, ok := a.textOrFile(l); ok {
				a.handler.Instructions = &s
			}
		case "origins":
			a.origins(l)
		case "page":
			a.page(l)
		case "limits":
			a.limits(l)
		case "tool":
			a.tool(l)
		default:
			rest = append(rest, l)
		}
	}
	if a.handler.Name == "" {
		a.handler.Name = siteName(a.h)
	}
	a.handler.Routes = a.routes(a.at, "mcp", rest, nil, endpointWords)
	for _, t := range a.tools {
		t.finish()
	}
	a.lint()
}

// once notes a word that may be given only once, and tells if it is the first.
func (m *mistakes) once(l line, where string, first map[string]token, words []string) bool {
	word := l.word.Text
	known := false
	for _, w := range words {
		known = known || w == word
	}
	if !known {
		return true
	}
	if before, ok := first[word]; ok {
		m.add(l.word, "%q is given twice in %s, first at %s", word, where, place(before))
		return false
	}
	first[word] = l.word
	return true
}

// routes parses the lines that are not ours as Caddy directives. extra are named
// matchers from around them.
func (a *endpointAdapter) routes(at token, where string, content, extra []line, words []string) caddyhttp.RouteList {
	for {
		if !hasDirective(content) {
			return nil
		}
		tokens := segment(at, around(at, content, extra))
		handler, err := httpcaddyfile.ParseSegmentAsSubroute(a.h.WithDispenser(newDispenser(tokens)))
		if err == nil {
			if s, ok := handler.(*caddyhttp.Subroute); ok {
				return s.Routes
			}
			a.add(at, "the handlers of %s are not routes but %T", where, handler)
			return nil
		}
		// Leave out what is wrong and see what else is: Caddy stops at the first.
		n := len(content)
		content = a.directiveError(err, at, where, content, words)
		if len(content) == n {
			return nil
		}
	}
}

// around puts the matchers from around a tool before or after its content, where
// they stand in the file: Caddy takes a token on an earlier line than the one
// before it for a part of that line.
func around(at token, content, extra []line) []line {
	var before, after []line
	for _, l := range extra {
		if l.word.File == at.File && l.word.Line > at.Line {
			after = append(after, l)
		} else {
			before = append(before, l)
		}
	}
	return slices.Concat(before, content, after)
}

func hasDirective(content []line) bool {
	for _, l := range content {
		if !strings.HasPrefix(l.word.Text, "@") {
			return true
		}
	}
	return false
}
