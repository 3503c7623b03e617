// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"regexp"
	"slices"
	"strings"
)

// template is text with placeholders in it. It is taken apart when the tool is
// made, so that a value that looks like a placeholder is never taken for one.
type template []piece

// piece is literal text, or a placeholder.
type piece struct {
	text string
	ph   *placeholder
}

// placeholder stands for a value: an argument, or something in it, or a value
// that the backend knows.
type placeholder struct {
	// key as it is written, without braces and star.
	key string
	// arg is the argument's name; empty if it is none.
	arg string
	// path leads to a value in the argument; empty for the argument itself.
	path string
	// star says that the value may have several segments of a path.
	star bool
	// prop is the argument's.
	prop property
}

// argsPrefix begins the long form of an argument's placeholder.
const argsPrefix = "http.mcp.args."

// callPlaceholders are those of a call that are not arguments.
var callPlaceholders = []string{
	"http.mcp.tool", "http.mcp.call.id", "http.mcp.client.name", "http.mcp.client.version", "http.mcp.protocol",
	"http.mcp.args.*", "http.mcp.request.header.*", "http.mcp.auth.*",
}

var (
	plainKeyRE  = regexp.MustCompile(`^[A-Za-z_$%?@][\w$-]*(\[\])?$`)
	dottedKeyRE = regexp.MustCompile(`^[A-Za-z_][\w-]*\.[^{}"\s]+$`)
)

// namespaces of Caddy's own placeholders: an argument that is called like one
// does not take them over.
var namespaces = []string{"env", "file", "http", "system", "time", "tls", "l4"}

// isPlain says that there is no placeholder in the template.
func (t template) isPlain() bool {
	return !slices.ContainsFunc(t, func(p piece) bool { return p.ph != nil })
}

// literal is the text of a plain template.
func (t template) literal() string {
	var b strings.Builder
	for _, p := range t {
		b.WriteString(p.text)
	}
	return b.String()
}

// only gives the placeholder of a template that is nothing else.
func (t template) only() *placeholder {
	if len(t) == 1 {
		return t[0].ph
	}
	return nil
}

// size is about how long the literal text is.
func (t template) size() (n int) {
	for _, p := range t {
		n += len(p.text)
	}
	return n
}

// parse takes a template apart. \{ and \} are braces. In strict text, an opening
// brace of anything else is a mistake; elsewhere it stands for itself if what
// follows does not look like a placeholder.
func (rc *requestCompiler) parse(field, src string, strict bool) template {
	var t template
	var lit strings.Builder
	flush := func() {
		if lit.Len() > 0 {
			t = append(t, piece{text: lit.String()})
			lit.Reset()
		}
	}
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case c == '\\' && i+1 < len(src) && (src[i+1] == '{' || src[i+1] == '}'):
			i++
			lit.WriteByte(src[i])
		case c == '{':
			n := strings.IndexAny(src[i+1:], "{}")
			if n < 0 || src[i+1+n] == '{' {
				if strict {
					rc.fail(field, "", "a { without its }: placeholders are written {name}, a brace itself \\{")
				}
				lit.WriteByte(c)
				continue
			}
			key := src[i+1 : i+1+n]
			ph, ok := rc.resolve(field, key, strict)
			if !ok {
				lit.WriteByte(c)
				continue
			}
			i += n + 1
			if ph != nil {
				flush()
				t = append(t, piece{ph: ph})
			}
		default:
			lit.WriteByte(c)
		}
	}
	flush()
	return t
}

// resolve finds out what a placeholder stands for. ok is false if it is none;
// it is nil if it is a mistake, which is noted.
func (rc *requestCompiler) resolve(field, key string, strict bool) (ph *placeholder, ok bool) {
	if ph := rc.argument(key); ph != nil {
		return ph, true
	}
	if path, long := strings.CutPrefix(strings.TrimSuffix(key, "*"), argsPrefix); long && path != "" {
		name, _, _ := strings.Cut(path, ".")
		rc.fail(field, name, "%s", rc.noArgument(key, name))
		return nil, true
	}
	plain := strings.TrimSuffix(key, "*")
	if name, _, dotted := strings.Cut(plain, "."); dotted && !slices.Contains(namespaces, name) {
		if p := rc.property(name); p != nil {
			rc.fail(field, name, "placeholder {%s}: argument %s is no object or array, so there is nothing in it", key, name)
			return nil, true
		}
	}
	switch {
	case dottedKeyRE.MatchString(plain):
		if !rc.knownToCall(plain) {
			rc.fail(field, "", "unknown placeholder {%s}; those of a call are %s%s", key, strings.Join(callPlaceholders, ", "), didYouMean(plain, callPlaceholders))
			return nil, true
		}
		return &placeholder{key: plain, star: plain != key}, true
	case strict || plainKeyRE.MatchString(plain):
		hint := ""
		if strings.HasPrefix(field, bodyField) {
			hint = "; for a brace itself write \\{"
		}
		rc.fail(field, plain, "%s%s", rc.noArgument(key, plain), hint)
		return nil, true
	}
	return nil, false
}

// knownToCall says whether a placeholder can have a value, as far as that is
// certain: what Caddy and its modules know shows in the call.
func (rc *requestCompiler) knownToCall(key string) bool {
	if !strings.HasPrefix(key, "http.mcp.") {
		return true
	}
	return slices.ContainsFunc(callPlaceholders, func(known string) bool {
		prefix, open := strings.CutSuffix(known, "*")
		return key == known || open && len(key) > len(prefix) && strings.HasPrefix(key, prefix)
	})
}

// argument gives the placeholder that is an argument, in its short or long form,
// or leads into one.
func (rc *requestCompiler) argument(key string) *placeholder {
	for _, k := range []string{key, strings.TrimSuffix(key, "*")} {
		path, long := strings.CutPrefix(k, argsPrefix)
		ph := &placeholder{key: k, star: k != key}
		if p := rc.property(path); p != nil {
			ph.arg, ph.prop = p.Name, *p
			rc.placed[p.Name] = true
			return ph
		}
		name, _, dotted := strings.Cut(path, ".")
		if !dotted || strings.HasSuffix(k, "*") || !long && slices.Contains(namespaces, name) {
			continue
		}
		if p := rc.property(name); p != nil && p.nests() {
			ph.arg, ph.path, ph.prop = p.Name, path, property{Name: p.Name}
			rc.placed[p.Name] = true
			return ph
		}
	}
	return nil
}

func (rc *requestCompiler) property(name string) *property {
	for i := range rc.props {
		if rc.props[i].Name == name {
			return &rc.props[i]
		}
	}
	return nil
}

// nests says that there can be values in the argument.
func (p *property) nests() bool {
	return p.Types == nil || slices.Contains(p.Types, "object") || slices.Contains(p.Types, "array")
}

// noArgument says that there is no argument for a placeholder, and which there
// are.
func (rc *requestCompiler) noArgument(key, name string) string {
	var names []string
	for i := range rc.props {
		names = append(names, rc.props[i].Name)
	}
	if len(names) == 0 {
		return "placeholder {" + key + "} has no argument: the tool has none"
	}
	return "placeholder {" + key + "} has no argument; there are: " + joinLimited(names) + didYouMean(name, names)
}
