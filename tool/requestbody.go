// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// requestBody builds the bodies of a tool's requests.
type requestBody struct {
	kind        string
	contentType string
	// json is the template of a json body; nil means an object of args.
	json *jsonNode
	// args are the arguments that have no other place, in the schema's order.
	args []string
	// fields of a form or multipart body.
	fields []formField
	text   template
	raw    *property
}

var bodyTypes = []string{"json", "form", "multipart", "text", "raw"}

var defaultTypes = map[string]string{
	"json": "application/json", "form": "application/x-www-form-urlencoded",
	"text": "text/plain; charset=utf-8", "raw": "application/octet-stream",
}

// compileBody finds a place for each argument that has none yet.
func (q *request) compileBody(p *parser, cfg Config) {
	bc := cfg.Request.Body
	hasBody := q.method == "POST" || q.method == "PUT" || q.method == "PATCH"
	if bc == nil {
		q.restInBody = hasBody
		free := p.free()
		if !hasBody {
			for _, name := range free {
				q.query = append(q.query, queryArg(name))
			}
			return
		}
		// A POST whose arguments are all in its URL has no body.
		if len(free) > 0 || len(p.names) == 0 || open(cfg) {
			q.body = &requestBody{kind: "json", contentType: defaultTypes["json"], args: free}
		}
		return
	}
	if q.method == "GET" || q.method == "HEAD" {
		p.problem("request.body", "", "a %s request has no body; with one, use POST, PUT, PATCH or DELETE", q.method)
		return
	}
	if !slices.Contains(bodyTypes, bc.Type) {
		p.problem("request.body", "", "unknown body type %q; accepted: %s%s", bc.Type, strings.Join(bodyTypes, ", "), didYouMean(bc.Type, bodyTypes))
		return
	}
	q.body = &requestBody{kind: bc.Type, contentType: bc.ContentType}
	if bc.ContentType == "" {
		q.body.contentType = defaultTypes[bc.Type]
	}
	q.restInBody = bc.Type == "json" && bc.JSON == nil || (bc.Type == "form" || bc.Type == "multipart") && bc.Fields == nil
	p.strayBodyWords(bc)
	q.body.compile(p, bc)
	for _, name := range p.free() {
		p.problem("request.body", name, "argument %s goes nowhere: the body is written out and does not use it; add {%s} to the URL, a query, a header or the body", name, name)
	}
}

// open says that a schema allows arguments that it does not declare.
func open(cfg Config) bool {
	root := Args{Members: []Member{{Name: "s", Value: jsontext.Value(cfg.InputSchema)}}}
	v, ok := root.Lookup("s.additionalProperties")
	return len(cfg.InputSchema) > 0 && (!ok || v.Kind() != 'f')
}

// strayBodyWords finds settings of another type of body.
func (p *parser) strayBodyWords(bc *Body) {
	for _, w := range []struct {
		set  bool
		name string
		ok   bool
	}{
		{bc.JSON != nil, "json", bc.Type == "json"},
		{bc.Fields != nil, "fields", bc.Type == "form" || bc.Type == "multipart"},
		{bc.Text != "", "text", bc.Type == "text"},
		{bc.Argument != "", "argument", bc.Type == "raw"},
	} {
		if w.set && !w.ok {
			p.problem("request.body", "", "%s does not belong to a body of type %s", w.name, bc.Type)
		}
	}
}

// free gives the arguments that have no place yet, and takes them.
func (p *parser) free() []string {
	var out []string
	for _, n := range p.names {
		if !p.used[n] {
			p.used[n] = true
			out = append(out, n)
		}
	}
	return out
}

func (b *requestBody) compile(p *parser, bc *Body) {
	const field = "request.body"
	switch bc.Type {
	case "json":
		if bc.JSON == nil {
			b.args = p.free()
			return
		}
		b.json = p.parseJSON(field, jsontext.Value(bc.JSON))
	case "form", "multipart":
		if bc.Fields == nil {
			for _, name := range p.free() {
				f := formField{name: name, value: template{{arg: name, path: name}}}
				if prop := p.props[name]; bc.Type == "multipart" && prop.Base64 {
					f.file = &fileField{name: template{{literal: name}}}
				}
				b.fields = append(b.fields, f)
			}
			return
		}
		for _, f := range bc.Fields {
			b.fields = append(b.fields, p.formField(bc.Type, f))
		}
	case "text":
		b.text = p.parse(field, bc.Text)
		p.refuseRest(field, b.text)
	case "raw":
		name := strings.Trim(bc.Argument, "{}")
		name = strings.TrimPrefix(name, argsPrefix)
		if short, ok := shorthand(name); ok && p.props[name] == nil {
			name = short
		}
		prop, ok := p.props[name]
		if !ok {
			p.unknown(field, name)
			return
		}
		p.used[name] = true
		b.raw = prop
	}
}

// build makes the body; rest are arguments that the schema does not declare.
func (b *requestBody) build(c *Call, be Backend, rest []Member) (data []byte, contentType string, err error) {
	contentType = b.contentType
	switch b.kind {
	case "json":
		if b.json == nil {
			return b.object(c, rest), contentType, nil
		}
		out, ok, err := b.json.append(make([]byte, 0, 256), c, be)
		if err == nil && !ok {
			return nil, "", nil
		}
		return out, contentType, err
	case "form":
		data, err = b.form(c, be, rest)
	case "multipart":
		var own string
		data, own, err = b.multipart(c, be, rest)
		if contentType == "" {
			contentType = own
		}
	case "text":
		data, err = b.plain(c, be)
	case "raw":
		data, err = b.bytes(c)
	}
	return data, contentType, err
}

// object is the JSON object of the arguments without another place, each as the
// client wrote it.
func (b *requestBody) object(c *Call, rest []Member) []byte {
	n := 2
	for i := range c.args.Members {
		n += len(c.args.Members[i].Name) + len(c.args.Members[i].Value) + 4
	}
	out := append(make([]byte, 0, n), '{')
	add := func(name string, v jsontext.Value) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, name)
		out = append(append(out, ':'), v...)
	}
	for _, name := range b.args {
		if v, ok := c.args.Get(name); ok {
			add(name, v)
		}
	}
	for _, m := range rest {
		add(m.Name, m.Value)
	}
	return append(out, '}')
}

// plain is a text body; what is absent is empty in it.
func (b *requestBody) plain(c *Call, be Backend) ([]byte, error) {
	var out []byte
	for i := range b.text {
		s, _, err := b.text[i].text(c, be)
		if err != nil {
			return nil, err
		}
		out = append(out, s...)
	}
	return out, nil
}

// bytes is a raw body.
func (b *requestBody) bytes(c *Call) ([]byte, error) {
	v, ok := c.args.Get(b.raw.Name)
	if !ok || v.Kind() == 'n' {
		return nil, nil
	}
	if b.raw.Base64 {
		return decodeBase64(b.raw.Name, Text(v))
	}
	return []byte(Text(v)), nil
}
