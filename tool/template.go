// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// template is text with placeholders. It is parsed once, at load; values are
// inserted once and never looked at again.
type template []part

// part is literal text, an argument, or another placeholder.
type part struct {
	// literal text; for a placeholder empty.
	literal string
	// arg is the argument's name, empty if it is none.
	arg string
	// path is the argument's name and the way into its value, where it has one.
	path string
	// key of a placeholder that is no argument.
	key string
	// rest says that the value may be several path segments.
	rest bool
}

func (p *part) isArg() bool { return p.arg != "" }

// placeholderRE matches what counts as a placeholder: a word in braces. Other
// braces are text.
var placeholderRE = regexp.MustCompile(`\{([%?]?[A-Za-z0-9_$][A-Za-z0-9_.$:/\\\-\[\]]*)(\*?)\}`)

// parser parses the templates of one request and notes what they use.
type parser struct {
	props map[string]*property
	names []string
	// used are the arguments that have a place.
	used     map[string]bool
	problems []Problem
}

func (p *parser) problem(field, arg, format string, a ...any) {
	p.problems = append(p.problems, Problem{Field: field, Arg: arg, Message: fmt.Sprintf(format, a...)})
}

func (p *parser) warn(field, arg, format string, a ...any) {
	p.problems = append(p.problems, Problem{Field: field, Arg: arg, Message: fmt.Sprintf(format, a...), Warning: true})
}

// parse parses a template. What is wrong with it is noted under field.
func (p *parser) parse(field, s string) template {
	var t template
	for s != "" {
		m := placeholderRE.FindStringSubmatchIndex(s)
		if m == nil {
			break
		}
		if m[0] > 0 && s[m[0]-1] == '\\' {
			// An escaped brace, as everywhere in Caddy.
			t = append(t, part{literal: s[:m[0]-1] + s[m[0]:m[1]]})
			s = s[m[1]:]
			continue
		}
		if m[0] > 0 {
			t = append(t, part{literal: s[:m[0]]})
		}
		if ph, ok := p.placeholder(field, s[m[2]:m[3]]); ok {
			ph.rest = m[5] > m[4]
			t = append(t, ph)
		}
		s = s[m[1]:]
	}
	if s != "" {
		t = append(t, part{literal: s})
	}
	return t
}

const argsPrefix = "http.mcp.args."

// placeholder tells what a placeholder stands for.
func (p *parser) placeholder(field, key string) (part, bool) {
	if path, ok := strings.CutPrefix(key, argsPrefix); ok {
		if ph, ok := p.argument(path); ok {
			return ph, true
		}
		p.unknown(field, path)
		return part{}, false
	}
	if ph, ok := p.argument(key); ok {
		return ph, true
	}
	// The Caddyfile's shorthands are expanded before a directive sees them.
	if short, ok := shorthand(key); ok {
		if ph, ok := p.argument(short); ok {
			return ph, true
		}
	}
	if strings.Contains(key, ".") {
		return part{key: key}, true
	}
	p.unknown(field, key)
	return part{}, false
}

// argument finds the argument of a name or dotted path. An argument whose own
// name is the whole path wins.
func (p *parser) argument(path string) (part, bool) {
	if _, ok := p.props[path]; ok {
		p.used[path] = true
		return part{arg: path, path: path}, true
	}
	for i := range len(path) {
		if path[i] != '.' {
			continue
		}
		if prop, ok := p.props[path[:i]]; ok && nestable(prop) {
			p.used[prop.Name] = true
			return part{arg: prop.Name, path: path}, true
		}
	}
	return part{}, false
}

// nestable says that an argument may have members or elements.
func nestable(p *property) bool {
	if p.Types == nil {
		return true
	}
	for _, t := range p.Types {
		if t == "object" || t == "array" {
			return true
		}
	}
	return false
}

func (p *parser) unknown(field, name string) {
	if len(p.names) == 0 {
		p.problem(field, name, "placeholder {%s} has no argument: the tool has none", name)
		return
	}
	p.problem(field, name, "placeholder {%s} has no argument; there are: %s%s", name, strings.Join(p.names, ", "), didYouMean(name, p.names))
}

// errPlaceholder is a placeholder that no module of Caddy knows.
var errPlaceholder = errors.New("unknown placeholder")

// errUnset is a placeholder without a value.
var errUnset = errors.New("placeholder without a value")

// raw gives an argument's JSON; an argument that is null counts as absent.
func (p *part) raw(c *Call) (jsontext.Value, bool) {
	v, ok := c.args.Lookup(p.path)
	if !ok || v.Kind() == 'n' {
		return nil, false
	}
	return v, true
}

// text gives what a part stands for; ok is false for an absent argument.
func (p *part) text(c *Call, b Backend) (s string, ok bool, err error) {
	switch {
	case p.isArg():
		v, ok := p.raw(c)
		if !ok {
			return "", false, nil
		}
		return Text(v), true, nil
	case p.key != "":
		s, err := external(c, b, p.key)
		return s, true, err
	}
	return p.literal, true, nil
}

func external(c *Call, b Backend, key string) (string, error) {
	if b == nil {
		return "", fmt.Errorf("%w {%s}", errPlaceholder, key)
	}
	s, ok := b.Placeholder(c, key)
	if !ok {
		return "", fmt.Errorf("%w {%s}", errPlaceholder, key)
	}
	return s, nil
}

// expand gives the text of a template; ok is false if an argument is absent.
func (t template) expand(c *Call, b Backend) (s string, ok bool, err error) {
	if len(t) == 1 {
		return t[0].text(c, b)
	}
	var sb strings.Builder
	for i := range t {
		s, ok, err := t[i].text(c, b)
		if err != nil || !ok {
			return "", ok, err
		}
		sb.WriteString(s)
	}
	return sb.String(), true, nil
}

// whole gives the argument that the template consists of, nil if there is more
// or less to it.
func (t template) whole() *part {
	if len(t) == 1 && t[0].isArg() {
		return &t[0]
	}
	return nil
}

// shorthands maps what Caddy makes of the Caddyfile's shorthand placeholders
// back to them.
var shorthands = map[string]string{
	"http.request.host":                              "host",
	"http.request.hostport":                          "hostport",
	"http.request.port":                              "port",
	"http.request.orig_method":                       "orig_method",
	"http.request.orig_uri":                          "orig_uri",
	"http.request.orig_uri.path":                     "orig_path",
	"http.request.orig_uri.path.dir":                 "orig_dir",
	"http.request.orig_uri.path.file":                "orig_file",
	"http.request.orig_uri.query":                    "orig_query",
	"http.request.method":                            "method",
	"http.request.uri":                               "uri",
	"http.request.uri.path":                          "path",
	"http.request.uri.path.dir":                      "dir",
	"http.request.uri.path.file":                     "file",
	"http.request.uri.query":                         "query",
	"http.request.remote":                            "remote",
	"http.request.remote.host":                       "remote_host",
	"http.request.remote.port":                       "remote_port",
	"http.request.scheme":                            "scheme",
	"http.request.uuid":                              "uuid",
	"http.request.tls.cipher_suite":                  "tls_cipher",
	"http.request.tls.version":                       "tls_version",
	"http.request.tls.client.fingerprint":            "tls_client_fingerprint",
	"http.request.tls.client.issuer":                 "tls_client_issuer",
	"http.request.tls.client.serial":                 "tls_client_serial",
	"http.request.tls.client.subject":                "tls_client_subject",
	"http.request.tls.client.certificate_pem":        "tls_client_certificate_pem",
	"http.request.tls.client.certificate_der_base64": "tls_client_certificate_der_base64",
	"http.reverse_proxy.upstream.hostport":           "upstream_hostport",
	"http.vars.client_ip":                            "client_ip",
}

// shorthandPrefixes are the shorthands that have a name behind a dot; longer
// ones come first.
var shorthandPrefixes = [][2]string{
	{"http.request.uri.path.file.", "file."},
	{"http.request.uri.path.", "path."},
	{"http.request.uri.query.", "query."},
	{"http.request.header.", "header."},
	{"http.request.cookie.", "cookie."},
	{"http.request.host.labels.", "labels."},
	{"http.regexp.", "re."},
	{"http.vars.", "vars."},
	{"http.reverse_proxy.", "rp."},
	{"http.intercept.", "resp."},
	{"http.error.", "err."},
	{"http.matchers.file.", "file_match."},
}

func shorthand(key string) (string, bool) {
	if s, ok := shorthands[key]; ok {
		return s, true
	}
	for _, p := range shorthandPrefixes {
		if rest, ok := strings.CutPrefix(key, p[0]); ok {
			return p[1] + rest, true
		}
	}
	return "", false
}
