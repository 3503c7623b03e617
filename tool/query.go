// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// param is a parameter of a query, or a field of a form.
type param struct {
	// name is encoded, with its =.
	name  string
	value template
}

// compileQuery takes the query of a URL apart. It stays as it is written but
// for its placeholders.
func (rc *requestCompiler) compileQuery(src string) (params []param) {
	blotted := outside(src)
	for start := 0; start <= len(src); {
		end := len(src)
		if n := strings.IndexByte(blotted[start:], '&'); n >= 0 {
			end = start + n
		}
		if end > start {
			params = append(params, rc.urlParam(src[start:end], blotted[start:end]))
		}
		start = end + 1
	}
	return params
}

func (rc *requestCompiler) urlParam(src, blotted string) (p param) {
	eq := strings.IndexByte(blotted, '=')
	bare := eq < 0
	if bare {
		eq = len(src)
	}
	if blotted[:eq] != src[:eq] {
		rc.fail(urlField, "", "%q in the query: a placeholder cannot name a parameter; write name={…}", src[:eq])
		return p
	}
	name, err := escapeLiteral(src[:eq], true)
	if err != nil {
		rc.fail(urlField, "", "the query has %v", err)
		return p
	}
	if decoded, err := url.QueryUnescape(name); err == nil {
		rc.params[decoded] = true
	}
	if bare {
		return param{name: name}
	}
	p = param{name: name + "=", value: rc.parse(urlField, src[eq+1:], true)}
	rc.refuseStar(urlField, p.value)
	for i := range p.value {
		if p.value[i].text, err = escapeLiteral(p.value[i].text, true); err != nil {
			rc.fail(urlField, "", "the query has %v", err)
		}
	}
	return p
}

// field is a parameter, or a field of a form, whose name and text are plain.
func (rc *requestCompiler) field(at string, f Field, enc encoding) param {
	p := param{name: paramName(f.Name, enc), value: rc.parse(at, f.Value, false)}
	rc.refuseStar(at, p.value)
	for i := range p.value {
		p.value[i].text = string(appendAs(nil, p.value[i].text, enc))
	}
	return p
}

func paramName(name string, enc encoding) string {
	return string(append(appendAs(nil, name, enc), '='))
}

func (rc *requestCompiler) queryField(f Field) (p param, ok bool) {
	at := "request.query." + f.Name
	if f.Name == "" {
		rc.fail("request.query", "", "a parameter needs a name")
		return p, false
	}
	if f.File != nil {
		rc.fail(at, "", "a file has its place in a multipart body only")
		return p, false
	}
	rc.params[f.Name] = true
	return rc.field(at, f, asQuery), true
}

func (rc *requestCompiler) refuseStar(at string, t template) {
	for _, pc := range t {
		if pc.ph != nil && pc.ph.star {
			rc.fail(at, pc.ph.arg, "{%s*}: the star is for segments of the path; write {%s}", pc.ph.key, pc.ph.key)
		}
	}
}

// pairs are parameters on their way into a query or a form.
type pairs struct {
	buf []byte
	// lead is what comes before the first pair, if anything.
	lead string
	none bool
	enc  encoding
}

func (w *pairs) name(name string) {
	if w.none {
		w.buf = append(w.buf, w.lead...)
		w.none = false
	} else {
		w.buf = append(w.buf, '&')
	}
	w.buf = append(w.buf, name...)
}

// add adds a parameter: none if its argument is absent, one for each element if
// it is an array.
func (b *builder) add(w *pairs, p *param) error {
	ph := p.value.only()
	if ph != nil && ph.arg != "" {
		v, _ := b.lookup(ph)
		b.addValue(w, p.name, v)
		return nil
	}
	start, none := len(w.buf), w.none
	w.name(p.name)
	from := len(w.buf)
	out, ok, err := b.expand(w.buf, p.value, w.enc)
	if err != nil {
		return err
	}
	w.buf = out
	if !ok || ph != nil && len(out) == from {
		w.buf, w.none = out[:start], none
	}
	return nil
}

func (b *builder) addValue(w *pairs, name string, v jsontext.Value) {
	_ = elements(bytes.TrimSpace(v), func(e jsontext.Value) error {
		w.name(name)
		w.buf = appendAs(w.buf, b.text(e), w.enc)
		return nil
	})
}

// hasParam says that the configuration has a parameter of that name, in
// whatever case: there are upstreams that do not tell case apart.
func (q *request) hasParam(name string) bool {
	for known := range q.params {
		if strings.EqualFold(known, name) {
			return true
		}
	}
	return false
}

// appendQuery appends ? and the query, if there is one.
func (b *builder) appendQuery(dst []byte, q *request) ([]byte, error) {
	w := pairs{buf: dst, lead: "?", none: true, enc: asQuery}
	for i := range q.query {
		if err := b.add(&w, &q.query[i]); err != nil {
			return nil, err
		}
	}
	if q.rest != restInQuery {
		return w.buf, nil
	}
	for i := range b.call.args.Members {
		m := &b.call.args.Members[i]
		place, declared := q.args[m.Name]
		switch {
		case place.placed:
			continue
		case !declared && q.hasParam(m.Name):
			// A second value could override the configured one.
			return nil, unknownArgument(m.Name)
		case !declared:
			place.param = paramName(m.Name, asQuery)
		}
		b.addValue(&w, place.param, m.Value)
	}
	return w.buf, nil
}
