// SPDX-License-Identifier: Apache-2.0

package tool

import "bytes"

// formBody is an urlencoded body.
type formBody struct {
	fields []param
	// names are the names of the arguments that are named nowhere else.
	names map[string]string
}

func (rc *requestCompiler) formBody(q *request, b *Body) bodyTemplate {
	body := &formBody{}
	if b.Fields == nil {
		q.rest = restInBody
		body.names = make(map[string]string)
		for i := range rc.props {
			body.names[rc.props[i].Name] = paramName(rc.props[i].Name, asForm)
		}
		return body
	}
	for _, f := range b.Fields {
		at := bodyField + "." + f.Name
		if f.Name == "" {
			rc.fail(bodyField, "", "a field of the form needs a name")
			continue
		}
		if f.File != nil {
			rc.fail(at, "", "a file has its place in a multipart body only")
			continue
		}
		body.fields = append(body.fields, rc.field(at, f, asForm))
	}
	return body
}

func (f *formBody) build(b *builder, q *request) (data []byte, contentType string, ok bool, err error) {
	size := 0
	for i := range b.call.args.Members {
		size += len(b.call.args.Members[i].Name) + len(b.call.args.Members[i].Value) + 16
	}
	w := pairs{buf: make([]byte, 0, size), none: true, enc: asForm}
	for i := range f.fields {
		if err := b.add(&w, &f.fields[i]); err != nil {
			return nil, "", false, err
		}
	}
	if q.rest == restInBody {
		for i := range b.call.args.Members {
			m := &b.call.args.Members[i]
			if !q.unplaced(m.Name) {
				continue
			}
			name, ok := f.names[m.Name]
			if !ok {
				name = paramName(m.Name, asForm)
			}
			b.addValue(&w, name, bytes.TrimSpace(m.Value))
		}
	}
	return w.buf, "application/x-www-form-urlencoded", true, nil
}
