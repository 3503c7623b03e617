// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"mime"
	"net/http"
	"slices"
	"strings"
)

const bodyField = "request.body"

// bodyTemplate makes bodies. ok is false if there is none, because the argument
// that it consists of is absent.
type bodyTemplate interface {
	build(b *builder, q *request) (data []byte, contentType string, ok bool, err error)
}

var bodyTypes = []string{"json", "form", "multipart", "text", "raw"}

// compileBody makes the body, and finds out where the arguments go that are
// named nowhere.
func (rc *requestCompiler) compileBody(q *request) {
	body := rc.cfg.Request.Body
	bodyless := q.method == http.MethodGet || q.method == http.MethodHead
	switch {
	case body == nil && (bodyless || q.method == http.MethodDelete):
		q.rest = restInQuery
		return
	case body == nil:
		q.rest = restInBody
		// A POST whose arguments are all in its URL has no body.
		some := slices.ContainsFunc(rc.props, func(p property) bool { return !rc.placed[p.Name] })
		q.body = &jsonBody{optional: !some && len(rc.props) > 0}
		return
	case bodyless:
		rc.fail(bodyField, "", "a %s request has no body; with one, use POST, PUT, PATCH or DELETE", q.method)
	}
	rc.strayWords(body)
	switch body.Type {
	case "json":
		q.body = rc.jsonBody(q, body)
	case "form":
		q.body = rc.formBody(q, body)
	case "multipart":
		q.body = rc.multipartBody(q, body)
	case "text":
		q.body = rc.textBody(body)
	case "raw":
		q.body = rc.rawBody(body)
	case "":
		rc.fail(bodyField, "", "a body needs a type: %s", strings.Join(bodyTypes, ", "))
	default:
		rc.fail(bodyField, "", "unknown body type %q; accepted: %s%s", body.Type, strings.Join(bodyTypes, ", "), didYouMean(body.Type, bodyTypes))
	}
	if q.body == nil {
		q.rest = restInBody // What goes where cannot be told.
		return
	}
	if body.ContentType != "" && body.Type != "multipart" {
		q.contentType = rc.contentType(body.ContentType)
	}
}

// strayWords finds settings of another type of body.
func (rc *requestCompiler) strayWords(b *Body) {
	for _, w := range []struct {
		set   bool
		word  string
		types []string
	}{
		{len(b.JSON) > 0, "json", []string{"json"}},
		{b.Fields != nil, "fields", []string{"form", "multipart"}},
		{b.Text != "", "text", []string{"text"}},
		{b.Argument != "", "argument", []string{"raw"}},
	} {
		if w.set && slices.Contains(bodyTypes, b.Type) && !slices.Contains(w.types, b.Type) {
			rc.fail(bodyField, "", "%s is for a body of type %s, this one is of type %s", w.word, strings.Join(w.types, " or "), b.Type)
		}
	}
}

func (rc *requestCompiler) contentType(src string) *headerField {
	h, ok := rc.headerField(bodyField, Field{Name: "Content-Type", Value: src})
	if !ok {
		return nil
	}
	if h.value == nil {
		rc.checkMediaType(bodyField, h.static)
	}
	return &h
}

func (rc *requestCompiler) checkMediaType(at, s string) {
	if !isMediaType(s) {
		rc.fail(at, "", "content type %q: expected type/subtype, such as application/xml", s)
	}
}

func isMediaType(s string) bool {
	mt, _, err := mime.ParseMediaType(s)
	return err == nil && strings.Contains(mt, "/") && validHeaderValue(s)
}

// textBody is a body of text. What is absent is empty in it; if it is nothing
// but an absent argument, there is no body.
type textBody struct{ text template }

func (rc *requestCompiler) textBody(b *Body) bodyTemplate {
	if b.Text == "" {
		rc.fail(bodyField, "", "a text body needs its text")
	}
	t := rc.parse(bodyField, b.Text, false)
	rc.refuseStar(bodyField, t)
	return &textBody{t}
}

func (t *textBody) build(b *builder, _ *request) (data []byte, contentType string, ok bool, err error) {
	data, ok, err = b.expand(make([]byte, 0, t.text.size()+64*len(t.text)), t.text, asText)
	return data, "text/plain; charset=utf-8", ok || t.text.only() == nil, err
}

// rawBody is the text or the bytes of one argument.
type rawBody struct{ ph *placeholder }

func (rc *requestCompiler) rawBody(b *Body) bodyTemplate {
	name := b.Argument
	if strings.HasPrefix(name, "{") && strings.HasSuffix(name, "}") {
		name = name[1 : len(name)-1]
	}
	if name == "" {
		rc.fail(bodyField, "", "a raw body needs the name of an argument")
		return nil
	}
	ph := rc.argument(name)
	if ph == nil || ph.star {
		rc.fail(bodyField, name, "%s", rc.noArgument(name, name))
		return nil
	}
	return &rawBody{ph}
}

func (r *rawBody) build(b *builder, _ *request) (data []byte, contentType string, ok bool, err error) {
	v, ok := b.lookup(r.ph)
	if !ok {
		return nil, "", false, nil
	}
	text := b.text(v)
	if r.ph.prop.Base64 {
		data, err = decodeBase64(nil, text)
		if err != nil {
			err = r.ph.refuse("%v", err)
		}
	} else {
		data = slices.Clone(text)
	}
	return data, "application/octet-stream", true, err
}
