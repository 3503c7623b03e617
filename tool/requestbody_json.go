// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"github.com/go-json-experiment/json/jsontext"
)

// jsonNode is a node of a JSON body's template. Bodies are built along its
// structure, so that no value can break out of its place.
type jsonNode struct {
	// literal JSON: everything without placeholders.
	literal jsontext.Value
	// text is a string with placeholders.
	text template
	// names and nodes are the members of an object; without names, the elements
	// of an array.
	object, array bool
	names         []string // quoted
	nodes         []*jsonNode
}

func (p *parser) parseJSON(field string, v jsontext.Value) *jsonNode {
	if !v.IsValid() {
		p.problem(field, "", "the json body is not valid JSON")
		return nil
	}
	v = v.Clone()
	if err := v.Compact(); err != nil {
		p.problem(field, "", "the json body is not valid JSON")
		return nil
	}
	return p.parseNode(field, v)
}

func (p *parser) parseNode(field string, v jsontext.Value) *jsonNode {
	n := &jsonNode{}
	switch v.Kind() {
	case '"':
		t := p.parse(field, Text(v))
		p.refuseRest(field, t)
		if len(t) > 1 || len(t) == 1 && t[0].literal == "" {
			n.text = t
		} else {
			// Without placeholders it stays as it is, but for escaped braces.
			s := ""
			if len(t) == 1 {
				s = t[0].literal
			}
			n.literal, _ = jsontext.AppendQuote(nil, s)
		}
		return n
	case '{', '[':
		n.object, n.array = v.Kind() == '{', v.Kind() == '['
	default:
		n.literal = v
		return n
	}
	cur := enter(v, 0)
	for name, ok := cur.next(); ok; name, ok = cur.next() {
		if n.object {
			n.names = append(n.names, string(name))
		}
		n.nodes = append(n.nodes, p.parseNode(field, cur.value()))
	}
	return n
}

// append adds the node; ok is false if its argument is absent.
func (n *jsonNode) append(out []byte, c *Call, b Backend) (_ []byte, ok bool, err error) {
	switch {
	case n.object, n.array:
		return n.appendAll(out, c, b)
	case n.text == nil:
		return append(out, n.literal...), true, nil
	}
	if arg := n.text.whole(); arg != nil {
		// An explicit null is a value here, unlike in a URL.
		v, ok := c.args.Lookup(arg.path)
		if !ok {
			return out, false, nil
		}
		return append(out, v...), true, nil
	}
	s, ok, err := n.text.expand(c, b)
	if err != nil || !ok {
		return out, ok, err
	}
	out, _ = jsontext.AppendQuote(out, s)
	return out, true, nil
}

func (n *jsonNode) appendAll(out []byte, c *Call, b Backend) (_ []byte, ok bool, err error) {
	opener, closer := byte('['), byte(']')
	if n.object {
		opener, closer = '{', '}'
	}
	out = append(out, opener)
	start := len(out)
	for i, child := range n.nodes {
		before := len(out)
		if before > start {
			out = append(out, ',')
		}
		if n.object {
			out = append(append(out, n.names[i]...), ':')
		}
		out, ok, err = child.append(out, c, b)
		if err != nil {
			return nil, false, err
		}
		if !ok {
			out = out[:before]
		}
	}
	return append(out, closer), true, nil
}
