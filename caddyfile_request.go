// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/caddymcp/caddy-mcp/tool"
)

var (
	requestMethods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}
	requestWords   = []string{"query", "header", "body"}
)

// request reads the request line of a tool and its block.
func (t *toolAdapter) request(l line) {
	r := &t.tool.Request
	for _, f := range []string{"request", "request.url", "request.method"} {
		t.places.fields[f] = l.word
	}
	args := l.args
	if len(args) > 0 {
		if m := strings.ToUpper(args[0].Text); slices.Contains(requestMethods, m) {
			r.Method = m
			t.places.fields["request.method"] = args[0]
			args = args[1:]
		} else if len(args) > 1 {
			t.add(args[0], "unknown method %q in request of %s; %saccepted: %s", args[0].Text, t.where,
				didYouMean(m, requestMethods), list(requestMethods))
			args = args[1:]
		} else {
			r.Method = "GET"
		}
	}
	switch len(args) {
	case 0:
	case 1:
		r.URL = args[0].Text
		t.places.fields["request.url"] = args[0]
	default:
		t.add(args[1], "unexpected %q: request takes a method and a URL; a URL with spaces needs quotes", args[1].Text)
	}
	first := make(map[string]token)
	for _, l := range l.block {
		switch l.word.Text {
		case "query":
			if f, ok := t.field(l, "request.query."); ok {
				r.Query = append(r.Query, f)
			}
		case "header":
			f, ok := t.field(l, "request.headers.")
			if ok && !isToken(f.Name) {
				t.add(l.args[0], "header %q: expected the name of a header", f.Name)
				continue
			}
			if ok {
				r.Headers = append(r.Headers, f)
			}
		case "body":
			if t.once(l, "request of "+t.where, first, requestWords) {
				t.body(l)
			}
		default:
			t.add(l.word, "%s", unknown(l.word.Text, "request of "+t.where, requestWords))
		}
	}
}

// field reads the name and the template of a query parameter or a header.
func (t *toolAdapter) field(l line, path string) (tool.Field, bool) {
	if !t.takes(l, 2, 2, "a name and a value, in quotes if it has spaces") {
		return tool.Field{}, false
	}
	t.places.fields[path+l.args[0].Text] = l.word
	return tool.Field{Name: l.args[0].Text, Value: l.args[1].Text}, true
}

var bodyTypes = []string{"json", "form", "multipart", "text", "raw"}

// body reads the body line of a request.
func (t *toolAdapter) body(l line) {
	t.places.fields["request.body"] = l.word
	if len(l.args) == 0 {
		t.add(l.end(), "body takes its type: %s", list(bodyTypes))
		return
	}
	b := &tool.Body{Type: l.args[0].Text}
	args := l.args[1:]
	if n := len(args); n > 0 && !args[n-1].Quoted() && strings.HasPrefix(args[n-1].Text, "content_type=") {
		_, b.ContentType, _ = keyValue(args[n-1])
		args = args[:n-1]
	}
	t.tool.Request.Body = b
	switch b.Type {
	case "json":
		t.bodyJSON(b, l, args)
		return
	case "form", "multipart":
		if len(args) > 0 {
			t.add(args[0], "body %s takes a block with a line for each field: <name> <value>", b.Type)
		}
		for _, l := range l.block {
			t.bodyField(b, l)
		}
		return
	case "text", "raw":
	default:
		t.add(l.args[0], "%s", unknown(b.Type, "body of "+t.where, bodyTypes))
		return
	}
	what := "body text takes one template, in quotes if it has spaces"
	if b.Type == "raw" {
		what = "body raw takes one argument: body raw {data}"
	}
	if len(args) != 1 || l.braces {
		t.add(l.end(), "%s", what)
		return
	}
	if b.Type == "text" {
		b.Text = args[0].Text
		return
	}
	name := shorten(args[0].Text, nil)
	name = strings.TrimSuffix(strings.TrimPrefix(name, "{"), "}")
	b.Argument = strings.TrimPrefix(name, "http.mcp.args.")
}

func (t *toolAdapter) bodyJSON(b *tool.Body, l line, args []token) {
	var v jsontext.Value
	switch {
	case l.braces && len(args) > 0:
		t.add(args[0], "body json takes a JSON text or a block, not both")
		return
	case l.braces:
		var ok bool
		if v, ok = t.members(l.block, "body json", false); !ok {
			return
		}
	case len(args) > 0:
		var ok bool
		if v, ok = t.json(l, args, "the template of body json", false); !ok {
			return
		}
	default:
		return
	}
	b.JSON = keep(v)
}

// bodyField reads a field of a form, or of a multipart body, where it may be a
// file.
func (t *toolAdapter) bodyField(b *tool.Body, l line) {
	what := "a value, in quotes if it has spaces"
	hi := 1
	if b.Type == "multipart" {
		what += "; for a file then file, filename=<name> or content_type=<type>"
		hi = -1
	}
	if !t.takes(l, 1, hi, what) {
		return
	}
	f := tool.Field{Name: l.word.Text, Value: l.args[0].Text}
	for _, arg := range l.args[1:] {
		if f.File == nil {
			f.File = new(tool.File)
		}
		switch key, value, _ := keyValue(arg); {
		case isWord(arg, "file"):
		case key == "filename":
			f.File.Filename = value
		case key == "content_type":
			f.File.ContentType = value
		default:
			t.add(arg, "%s", unknown(arg.Text, "multipart field "+f.Name, []string{"file", "filename=", "content_type="}))
		}
	}
	t.places.fields["request.body."+f.Name] = l.word
	b.Fields = append(b.Fields, f)
}
