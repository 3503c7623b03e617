// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"github.com/go-json-experiment/json/jsontext"
)

// jsonBody is a JSON body: of a template, or an object of the arguments that are
// named nowhere else.
type jsonBody struct {
	root *jsonNode
	// optional says that an object without members is no body at all.
	optional bool
	size     int
}

// jsonNode is a value of a template. Bodies are built along their structure, so
// that a value can never be anything but a value.
type jsonNode struct {
	// raw is the whole value if there are no placeholders in it.
	raw jsontext.Value
	// text is a string with placeholders.
	text template
	// open is { or [ for a value with members or elements in it.
	open byte
	// names are quoted, with their colon.
	names []string
	kids  []*jsonNode
}

func (rc *requestCompiler) jsonBody(q *request, b *Body) bodyTemplate {
	if len(b.JSON) == 0 {
		q.rest = restInBody
		return &jsonBody{}
	}
	v := jsontext.Value(b.JSON).Clone()
	if err := v.Compact(); err != nil {
		rc.fail(bodyField, "", "json is not valid JSON: %v", err)
		return nil
	}
	return &jsonBody{root: rc.jsonNode(v), size: len(v)}
}

func (rc *requestCompiler) jsonNode(v jsontext.Value) *jsonNode {
	switch v[0] {
	case '"':
		return rc.jsonString(v)
	case '{', '[':
	default:
		return &jsonNode{raw: v}
	}
	n := &jsonNode{open: v[0]}
	plain := true
	cur := enter(v, 0)
	for name, ok := cur.next(); ok; name, ok = cur.next() {
		if n.open == '{' {
			// Names stay as they are; a placeholder there is a mistake.
			if t := rc.parse(bodyField, string(unquote(name, nil)), false); !t.isPlain() {
				rc.fail(bodyField, "", "%s: the name of a member cannot have a placeholder", name)
			}
			n.names = append(n.names, string(name)+":")
		}
		kid := rc.jsonNode(cur.value())
		plain = plain && kid.raw != nil
		n.kids = append(n.kids, kid)
	}
	if !plain {
		return n
	}
	// Strings may have lost the backslashes before their braces.
	whole := &jsonNode{}
	whole.raw, _, _ = n.append(nil, nil)
	return whole
}

func (rc *requestCompiler) jsonString(v jsontext.Value) *jsonNode {
	t := rc.parse(bodyField, string(unquote(v, nil)), false)
	rc.refuseStar(bodyField, t)
	if t.isPlain() {
		raw, _ := jsontext.AppendQuote(nil, t.literal())
		return &jsonNode{raw: raw}
	}
	for i := range t {
		t[i].text = string(appendQuoted(nil, t[i].text))
	}
	return &jsonNode{text: t}
}

func (j *jsonBody) build(b *builder, q *request) (data []byte, contentType string, ok bool, err error) {
	size := j.size + 2
	for i := range b.call.args.Members {
		m := &b.call.args.Members[i]
		size += len(m.Name) + len(m.Value) + 4
	}
	dst := make([]byte, 0, size)
	if j.root != nil {
		data, ok, err = j.root.append(dst, b)
		return data, "application/json", ok, err
	}
	dst = append(dst, '{')
	for i := range b.call.args.Members {
		m := &b.call.args.Members[i]
		if !q.unplaced(m.Name) {
			continue
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		if dst, err = jsontext.AppendQuote(dst, m.Name); err != nil {
			return nil, "", false, err
		}
		dst = append(append(dst, ':'), m.Value...)
	}
	return append(dst, '}'), "application/json", len(dst) > 1 || !j.optional, nil
}

// append appends the value; ok is false if its argument is absent.
func (n *jsonNode) append(dst []byte, b *builder) (_ []byte, ok bool, err error) {
	switch {
	case n.raw != nil:
		return append(dst, n.raw...), true, nil
	case n.open != 0:
		return n.appendAll(dst, b)
	}
	if ph := n.text.only(); ph != nil && ph.arg != "" {
		// Here null is a value like others.
		v, ok := b.call.args.Get(ph.arg)
		if ph.path != "" {
			v, ok = b.call.args.Lookup(ph.path)
		}
		return append(dst, v...), ok, nil
	}
	dst = append(dst, '"')
	if dst, ok, err = b.expand(dst, n.text, asJSON); err != nil {
		return nil, false, err
	}
	return append(dst, '"'), ok, nil
}

func (n *jsonNode) appendAll(dst []byte, b *builder) (_ []byte, ok bool, err error) {
	dst = append(dst, n.open)
	start := len(dst)
	for i, kid := range n.kids {
		before := len(dst)
		if before > start {
			dst = append(dst, ',')
		}
		if n.open == '{' {
			dst = append(dst, n.names[i]...)
		}
		if dst, ok, err = kid.append(dst, b); err != nil {
			return nil, false, err
		}
		if !ok {
			dst = dst[:before]
		}
	}
	return append(dst, n.open+2), true, nil
}
