// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"net/url"
	"strings"
)

// segment is one segment of a path, with what stands literally in it in both
// forms.
type segment []pathPart

type pathPart struct {
	part
	// escaped and decoded are the literal text.
	escaped, decoded string
}

// parsePath parses the path of a request URL.
func (p *parser) parsePath(s string) []segment {
	const field = "request.url"
	var out []segment
	for _, text := range strings.Split(strings.TrimPrefix(s, "/"), "/") {
		var seg segment
		t := p.parse(field, text)
		literal := true
		for _, pt := range t {
			pp := pathPart{part: pt}
			switch {
			case pt.literal != "":
				esc, ok := literalURL(pt.literal, false)
				dec, err := url.PathUnescape(esc)
				if !ok || err != nil {
					p.problem(field, "", "%q in the path is not valid percent-encoding; a literal %% is written %%25", pt.literal)
					continue
				}
				pp.escaped, pp.decoded = esc, dec
			case pt.isArg():
				literal = false
				p.checkPathArg(field, pt, len(t) > 1)
			default:
				literal = false
				if pt.rest {
					p.problem(field, "", "placeholder {%s*}: only an argument may be several path segments", pt.key)
				}
			}
			seg = append(seg, pp)
		}
		if literal {
			dec := ""
			for i := range seg {
				dec += seg[i].decoded
			}
			if dec == "." || dec == ".." {
				p.problem(field, "", "the path has the segment %q: write the path that is meant", dec)
			}
		}
		out = append(out, seg)
	}
	return out
}

func (p *parser) checkPathArg(field string, pt part, mixed bool) {
	if pt.rest && mixed {
		p.problem(field, pt.arg, "{%s*} stands beside other text: it must be a whole segment", pt.path)
	}
	if prop := p.props[pt.arg]; prop != nil && !prop.Always && pt.path == pt.arg {
		p.problem(field, pt.arg, "argument %s is optional, but the path needs it: make it required or give it a default", pt.arg)
	}
}

// pathBuilder builds both forms of a path.
type pathBuilder struct {
	escaped, decoded []byte
}

func (b *pathBuilder) add(s string) {
	b.escaped = appendEscaped(b.escaped, s)
	b.decoded = append(b.decoded, s...)
}

func (b *pathBuilder) slash() {
	b.escaped = append(b.escaped, '/')
	b.decoded = append(b.decoded, '/')
}

// buildPath fills path and raw path. A value stays within its segment, and what
// would change the path's shape is refused: empty segments, `.` and `..`.
func buildPath(segs []segment, c *Call, b Backend, u *url.URL) error {
	pb := pathBuilder{
		escaped: make([]byte, 0, 96),
		decoded: make([]byte, 0, 96),
	}
	for i, seg := range segs {
		pb.slash()
		start := len(pb.decoded)
		dynamic := false
		var name string
		for j := range seg {
			pt := &seg[j]
			switch {
			case pt.isArg():
				dynamic, name = true, pt.path
				if err := pb.argument(pt, c); err != nil {
					return err
				}
			case pt.key != "":
				dynamic, name = true, pt.key
				s, err := external(c, b, pt.key)
				if err != nil {
					return err
				}
				pb.add(s)
			default:
				pb.escaped = append(pb.escaped, pt.escaped...)
				pb.decoded = append(pb.decoded, pt.decoded...)
			}
		}
		if !dynamic || len(seg) == 1 && seg[0].rest {
			continue
		}
		if err := checkSegment(name, string(pb.decoded[start:])); err != nil {
			if !seg.hasArg() {
				// Nothing that the model could mend.
				return errUnset
			}
			return err
		}
		_ = i
	}
	u.Path = string(pb.decoded)
	if raw := string(pb.escaped); raw != u.Path {
		u.RawPath = raw
	}
	return nil
}

func (s segment) hasArg() bool {
	for i := range s {
		if s[i].isArg() {
			return true
		}
	}
	return false
}

// argument adds an argument: one segment, or several where that is allowed. An
// array is its elements separated by commas (RFC 6570, simple expansion).
func (b *pathBuilder) argument(pt *pathPart, c *Call) error {
	v, ok := pt.raw(c)
	if !ok {
		return argumentErrorf("%s: expected a value, it is part of the path", pt.path)
	}
	if v.Kind() == '[' {
		n := 0
		cur := enter(v, skipSpace(v, 0))
		for _, ok := cur.next(); ok; _, ok = cur.next() {
			if n++; n > 1 {
				b.escaped = append(b.escaped, ',')
				b.decoded = append(b.decoded, ',')
			}
			b.add(Text(cur.value()))
		}
		return nil
	}
	s := Text(v)
	if !pt.rest {
		b.add(s)
		return nil
	}
	for i, seg := range strings.Split(strings.TrimPrefix(s, "/"), "/") {
		if err := checkSegment(pt.path, seg); err != nil {
			return err
		}
		if i > 0 {
			b.slash()
		}
		b.add(seg)
	}
	return nil
}

func checkSegment(name, s string) error {
	switch {
	case s == "":
		return argumentErrorf("%s: expected a value that is not empty, it is part of the path", name)
	case s == "." || s == "..":
		return argumentErrorf("%s: %q cannot be part of the path", name, s)
	case strings.IndexByte(s, 0) >= 0:
		return argumentErrorf("%s: a NUL character cannot be part of the path", name)
	}
	return nil
}
