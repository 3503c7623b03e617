// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"mime"
	"mime/multipart"
	"net/textproto"
	"path"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// multipartBody is a multipart body.
type multipartBody struct {
	// mediaType and params of the Content-Type; the boundary is each body's own.
	mediaType string
	params    map[string]string
	fields    []part
	// files are the arguments that become files where they are named nowhere.
	files map[string]bool
}

// part is a field of a multipart body, or a file.
type part struct {
	name  string
	value template
	file  bool
	// filename and contentType are nil for their defaults.
	filename, contentType template
}

func (rc *requestCompiler) multipartBody(q *request, b *Body) bodyTemplate {
	body := &multipartBody{mediaType: "multipart/form-data"}
	if b.ContentType != "" {
		mt, params, err := mime.ParseMediaType(b.ContentType)
		if err != nil || !strings.HasPrefix(mt, "multipart/") || params["boundary"] != "" || strings.ContainsAny(b.ContentType, "{}") {
			rc.fail(bodyField, "", "content type %q of a multipart body: expected multipart/… without placeholders and boundary", b.ContentType)
		}
		delete(params, "boundary")
		body.mediaType, body.params = mt, params
	}
	for _, h := range q.headers {
		if h.name == "Content-Type" {
			rc.fail("request.headers.Content-Type", "", "the boundary of a multipart body belongs to its Content-Type: give the body a content_type instead")
		}
	}
	if b.Fields == nil {
		q.rest = restInBody
		body.files = make(map[string]bool)
		for i := range rc.props {
			body.files[rc.props[i].Name] = rc.props[i].Base64
		}
		return body
	}
	for _, f := range b.Fields {
		if f.Name == "" {
			rc.fail(bodyField, "", "a field of the body needs a name")
			continue
		}
		body.fields = append(body.fields, rc.part(f))
	}
	return body
}

func (rc *requestCompiler) part(f Field) part {
	at := bodyField + "." + f.Name
	p := part{name: f.Name, value: rc.parse(at, f.Value, false)}
	rc.refuseStar(at, p.value)
	if f.File == nil {
		return p
	}
	p.file = true
	p.filename = rc.parse(at, f.File.Filename, false)
	p.contentType = rc.parse(at, f.File.ContentType, false)
	rc.refuseStar(at, p.filename)
	rc.refuseStar(at, p.contentType)
	if len(p.contentType) > 0 && p.contentType.isPlain() {
		rc.checkMediaType(at, p.contentType.literal())
	}
	if p.value.isPlain() {
		rc.fail(at, "", "a file takes its bytes from an argument in Base64: {name}")
	}
	return p
}

func (m *multipartBody) build(b *builder, q *request) (data []byte, contentType string, ok bool, err error) {
	var buf bytes.Buffer
	size := 0
	for i := range b.call.args.Members {
		size += len(b.call.args.Members[i].Value) + 200
	}
	buf.Grow(size)
	w := multipart.NewWriter(&buf)
	for i := range m.fields {
		if err := b.part(w, &m.fields[i]); err != nil {
			return nil, "", false, err
		}
	}
	if q.rest == restInBody {
		for i := range b.call.args.Members {
			a := &b.call.args.Members[i]
			if !q.unplaced(a.Name) {
				continue
			}
			ph := &placeholder{arg: a.Name}
			p := &part{name: a.Name, file: m.files[a.Name], value: template{{ph: ph}}}
			if err := b.part(w, p); err != nil {
				return nil, "", false, err
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", false, err
	}
	params := map[string]string{"boundary": w.Boundary()}
	maps.Copy(params, m.params)
	return buf.Bytes(), mime.FormatMediaType(m.mediaType, params), true, nil
}

// part writes a field or file: none if its argument is absent, one for each
// element if it is an array.
func (b *builder) part(w *multipart.Writer, p *part) error {
	if ph := p.value.only(); ph != nil && ph.arg != "" {
		v, ok := b.lookup(ph)
		if !ok {
			return nil
		}
		return elements(v, func(e jsontext.Value) error { return b.writePart(w, p, ph, b.text(e)) })
	}
	text, ok, err := b.expand(nil, p.value, asText)
	if err != nil || !ok {
		return err
	}
	var arg *placeholder
	for _, pc := range p.value {
		if pc.ph != nil && pc.ph.arg != "" {
			arg = pc.ph
		}
	}
	return b.writePart(w, p, arg, text)
}

// writePart writes one part. text is in the builder's buffer, or outlives it.
func (b *builder) writePart(w *multipart.Writer, p *part, ph *placeholder, text []byte) error {
	if !p.file {
		pw, err := w.CreateFormField(p.name)
		if err != nil {
			return fmt.Errorf("field %s: %w", p.name, err)
		}
		_, err = pw.Write(text)
		return err
	}
	data, err := decodeBase64(nil, text)
	if err != nil {
		if ph == nil {
			return fmt.Errorf("file %s: %w", p.name, err)
		}
		return ph.refuse("%v", err)
	}
	filename, err := b.partText(p.filename)
	if err != nil {
		return err
	}
	if filename = safeFilename(filename); filename == "" {
		filename = safeFilename(p.name)
	}
	contentType, err := b.partText(p.contentType)
	if err != nil {
		return err
	}
	if !isMediaType(contentType) {
		contentType = "application/octet-stream"
	}
	pw, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition(p.name, filename)},
		"Content-Type":        {contentType},
	})
	if err != nil {
		return fmt.Errorf("file %s: %w", p.name, err)
	}
	_, err = pw.Write(data)
	return err
}

// partText gives the text of a template, empty if an argument in it is absent.
func (b *builder) partText(t template) (string, error) {
	text, ok, err := b.expand(nil, t, asText)
	if err != nil || !ok {
		return "", err
	}
	return string(text), nil
}

// safeFilename keeps the last element of what a client calls a file, without
// control characters.
func safeFilename(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
	s = path.Base(strings.ReplaceAll(s, `\`, "/"))
	if s == "." || s == ".." || s == "/" {
		return ""
	}
	return s
}

var errBase64 = errors.New("expected Base64")

// decodeBase64 appends what Base64 stands for: the standard or the URL-safe
// alphabet, with padding or without, and perhaps a data URL around it, for
// models write all of them.
func decodeBase64(dst, src []byte) ([]byte, error) {
	if bytes.HasPrefix(src, []byte("data:")) {
		if i := bytes.Index(src, []byte(";base64,")); i >= 0 {
			src = src[i+len(";base64,"):]
		}
	}
	if out, err := base64.StdEncoding.AppendDecode(dst, src); err == nil {
		return out, nil
	}
	plain := bytes.Map(func(r rune) rune {
		switch r {
		case '-':
			return '+'
		case '_':
			return '/'
		case ' ', '\t', '\r', '\n':
			return -1
		}
		return r
	}, src)
	out, err := base64.RawStdEncoding.AppendDecode(dst, bytes.TrimRight(plain, "="))
	if err != nil {
		return nil, errBase64
	}
	return out, nil
}
