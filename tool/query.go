// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// queryParam is one parameter of a query.
type queryParam struct {
	// name is percent-encoded.
	name string
	// bare parameters have no `=`.
	bare  bool
	value template
	// literal parts of value are percent-encoded already.
	encoded bool
}

// parseQuery parses the query of a request URL.
func (p *parser) parseQuery(s string) []queryParam {
	const field = "request.url"
	var out []queryParam
	for text := range strings.SplitSeq(s, "&") {
		if text == "" {
			continue
		}
		name, value, ok := strings.Cut(text, "=")
		if placeholderRE.MatchString(name) {
			p.problem(field, "", "%q in the query: a parameter's name cannot be a placeholder", name)
			continue
		}
		q := queryParam{bare: !ok, encoded: true}
		if q.name, ok = literalURL(name, true); !ok {
			p.problem(field, "", "%q in the query is not valid percent-encoding; a literal %% is written %%25", name)
			continue
		}
		q.value = p.parse(field, value)
		for i := range q.value {
			if pt := &q.value[i]; pt.literal != "" {
				lit, ok := literalURL(pt.literal, true)
				if !ok {
					p.problem(field, "", "%q in the query is not valid percent-encoding; a literal %% is written %%25", pt.literal)
				}
				pt.literal = lit
			}
		}
		p.refuseRest(field, q.value)
		out = append(out, q)
	}
	return out
}

func (p *parser) refuseRest(field string, t template) {
	for i := range t {
		if t[i].rest {
			name := t[i].path
			if name == "" {
				name = t[i].key
			}
			p.problem(field, t[i].arg, "{%s*} stands outside of the path: write {%s}", name, name)
		}
	}
}

// queryField parses a configured parameter.
func (p *parser) queryField(field string, f Field) queryParam {
	t := p.parse(field, f.Value)
	p.refuseRest(field, t)
	return queryParam{name: string(appendEscaped(nil, f.Name)), value: t}
}

// queryArg is the parameter that an argument without another place becomes.
func queryArg(name string) queryParam {
	return queryParam{name: string(appendEscaped(nil, name)), value: template{{arg: name, path: name}}}
}

// buildQuery gives the whole query. A parameter whose argument is absent is
// left out, an array gives a parameter for each element.
func buildQuery(params []queryParam, c *Call, b Backend) (string, error) {
	if len(params) == 0 {
		return "", nil
	}
	out := make([]byte, 0, 128)
	for i := range params {
		var err error
		if out, err = params[i].append(out, c, b); err != nil {
			return "", err
		}
	}
	return string(out), nil
}

func (q *queryParam) append(out []byte, c *Call, b Backend) ([]byte, error) {
	if q.bare {
		return append(separated(out), q.name...), nil
	}
	if arg := q.value.whole(); arg != nil {
		v, ok := arg.raw(c)
		if !ok {
			return out, nil
		}
		return appendParam(out, q.name, v), nil
	}
	start := len(out)
	out = append(append(separated(out), q.name...), '=')
	for i := range q.value {
		p := &q.value[i]
		if p.literal != "" && q.encoded {
			out = append(out, p.literal...)
			continue
		}
		s, ok, err := p.text(c, b)
		if err != nil {
			return nil, err
		}
		if !ok {
			return out[:start], nil
		}
		out = appendEscaped(out, s)
	}
	return out, nil
}

func separated(out []byte) []byte {
	if len(out) > 0 {
		out = append(out, '&')
	}
	return out
}

// appendParam adds a parameter for a JSON value, one for each element of an
// array.
func appendParam(out []byte, name string, v jsontext.Value) []byte {
	if v.Kind() != '[' {
		out = append(append(separated(out), name...), '=')
		return appendEscaped(out, Text(v))
	}
	cur := enter(v, skipSpace(v, 0))
	for _, ok := cur.next(); ok; _, ok = cur.next() {
		out = append(append(separated(out), name...), '=')
		out = appendEscaped(out, Text(cur.value()))
	}
	return out
}
