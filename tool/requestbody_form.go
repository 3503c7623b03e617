// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"mime"
	"mime/multipart"
	"net/textproto"
	"path"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// formField is a field of a form or multipart body.
type formField struct {
	name  string
	value template
	file  *fileField
}

type fileField struct {
	name, contentType template
}

func (p *parser) formField(kind string, f Field) formField {
	field := "request.body"
	if f.Name == "" {
		p.problem(field, "", "a field of the body has no name")
	}
	out := formField{name: f.Name, value: p.parse(field, f.Value)}
	p.refuseRest(field, out.value)
	if f.File == nil {
		return out
	}
	if kind != "multipart" {
		p.problem(field, "", "field %s is a file: only a multipart body has files", f.Name)
		return out
	}
	out.file = &fileField{name: p.parse(field, f.File.Filename), contentType: p.parse(field, f.File.ContentType)}
	if len(out.file.name) == 0 {
		out.file.name = template{{literal: f.Name}}
	}
	return out
}

// form is an urlencoded body; arrays repeat their field.
func (b *requestBody) form(c *Call, be Backend, rest []Member) ([]byte, error) {
	var out []byte
	for i := range b.fields {
		f := &b.fields[i]
		q := queryParam{name: string(appendEscaped(nil, f.name)), value: f.value}
		var err error
		if out, err = q.append(out, c, be); err != nil {
			return nil, err
		}
	}
	for _, m := range rest {
		if m.Value.Kind() != 'n' {
			out = appendParam(out, string(appendEscaped(nil, m.Name)), m.Value)
		}
	}
	return out, nil
}

func (b *requestBody) multipart(c *Call, be Backend, rest []Member) ([]byte, string, error) {
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	for i := range b.fields {
		if err := b.fields[i].write(w, c, be); err != nil {
			return nil, "", err
		}
	}
	for _, m := range rest {
		if err := writeValues(w, m.Name, m.Value); err != nil {
			return nil, "", err
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	return buf.Bytes(), w.FormDataContentType(), nil
}

func (f *formField) write(w *multipart.Writer, c *Call, be Backend) error {
	if f.file == nil {
		if arg := f.value.whole(); arg != nil {
			v, ok := arg.raw(c)
			if !ok {
				return nil
			}
			return writeValues(w, f.name, v)
		}
		s, ok, err := f.value.expand(c, be)
		if err != nil || !ok {
			return err
		}
		return writeField(w, f.name, s)
	}
	encoded, ok, err := f.value.expand(c, be)
	if err != nil || !ok {
		return err
	}
	data, err := decodeBase64(f.argument(), encoded)
	if err != nil {
		return err
	}
	filename, ok, err := f.file.name.expand(c, be)
	if err != nil {
		return err
	}
	filename = safeFilename(filename)
	if !ok || filename == "" {
		filename = safeFilename(f.name)
	}
	contentType, ok, err := f.file.contentType.expand(c, be)
	if err != nil {
		return err
	}
	if _, _, bad := mime.ParseMediaType(contentType); !ok || bad != nil {
		contentType = "application/octet-stream"
	}
	h := make(textproto.MIMEHeader)
	h.Set("Content-Disposition", multipart.FileContentDisposition(f.name, filename))
	h.Set("Content-Type", contentType)
	pw, err := w.CreatePart(h)
	if err != nil {
		return err
	}
	_, err = pw.Write(data)
	return err
}

func (f *formField) argument() string {
	for i := range f.value {
		if f.value[i].isArg() {
			return f.value[i].path
		}
	}
	return f.name
}

// writeValues writes a field for a JSON value, one for each element of an
// array.
func writeValues(w *multipart.Writer, name string, v jsontext.Value) error {
	switch v.Kind() {
	case 'n':
		return nil
	case '[':
		cur := enter(v, skipSpace(v, 0))
		for _, ok := cur.next(); ok; _, ok = cur.next() {
			if err := writeField(w, name, Text(cur.value())); err != nil {
				return err
			}
		}
		return nil
	}
	return writeField(w, name, Text(v))
}

func writeField(w *multipart.Writer, name, value string) error {
	if err := w.WriteField(name, value); err != nil {
		return fmt.Errorf("writing field %s: %w", name, err)
	}
	return nil
}

// safeFilename keeps the last element of what a client calls a file.
func safeFilename(s string) string {
	s = path.Base(strings.ReplaceAll(s, `\`, "/"))
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
	if s == "." || s == ".." || s == "/" {
		return ""
	}
	return s
}

// decodeBase64 takes the standard and the URL-safe alphabet, with padding or
// without, and a data URL's prefix: models write all of them.
func decodeBase64(name, s string) ([]byte, error) {
	if strings.HasPrefix(s, "data:") {
		if i := strings.Index(s, ";base64,"); i >= 0 {
			s = s[i+len(";base64,"):]
		}
	}
	s = strings.Map(func(r rune) rune {
		switch r {
		case '-':
			return '+'
		case '_':
			return '/'
		case '\r', '\n', ' ', '\t':
			return -1
		}
		return r
	}, s)
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	if err != nil {
		return nil, argumentErrorf("%s: expected Base64", name)
	}
	return b, nil
}
