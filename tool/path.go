// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const urlField = "request.url"

// pathTemplate is the path of a request. However many values stand in it, it
// has the segments that are written.
type pathTemplate struct {
	segments []segment
	// tail is the text behind the last segment with a value.
	tail string
	size int
}

// segment is a segment with a value in it.
type segment struct {
	// lead is the text before it, with its slash.
	lead  string
	value template
	// star is its placeholder that may be several segments.
	star *placeholder
	// end says that its value is the end of the path.
	end bool
}

func (rc *requestCompiler) compilePath(src string) (p pathTemplate) {
	var seg template
	var lead strings.Builder
	finish := func() {
		if !seg.isPlain() {
			p.segments = append(p.segments, rc.segment(lead.String(), seg))
			lead.Reset()
		} else {
			text := seg.literal()
			if isDots([]byte(text)) {
				rc.fail(urlField, "", "the path has the segment %q: write the path that is meant", text)
			}
			lead.WriteString(text)
		}
		seg = nil
	}
	for _, pc := range rc.parse(urlField, src, true) {
		if pc.ph != nil {
			rc.checkPathPlaceholder(pc.ph)
			seg = append(seg, pc)
			continue
		}
		text, err := escapeLiteral(pc.text, false)
		if err != nil {
			rc.fail(urlField, "", "the path has %v", err)
			continue
		}
		for i, part := range strings.Split(text, "/") {
			if i > 0 {
				finish()
				lead.WriteByte('/')
			}
			if part != "" {
				seg = append(seg, piece{text: part})
			}
		}
	}
	finish()
	p.tail = lead.String()
	p.size = len(p.tail)
	for i := range p.segments {
		s := &p.segments[i]
		s.end = i == len(p.segments)-1 && p.tail == "" && s.value.only() != nil
		p.size += len(s.lead) + 24
		if s.star != nil && !s.end {
			rc.checkRequired(s.star)
		}
	}
	return p
}

func (rc *requestCompiler) segment(lead string, t template) segment {
	s := segment{lead: lead, value: t}
	for _, pc := range t {
		if pc.ph != nil && pc.ph.star {
			s.star = pc.ph
		}
	}
	return s
}

func (rc *requestCompiler) checkPathPlaceholder(ph *placeholder) {
	if ph.arg == "" || ph.path != "" {
		return // Only a call can tell.
	}
	types := ph.prop.Types
	if len(types) == 1 && types[0] == "object" {
		rc.fail(urlField, ph.arg, "argument %s is an object, which has no place in a path: name what is in it, such as {%s.id}", ph.arg, ph.arg)
	}
	if !ph.star {
		rc.checkRequired(ph)
	}
}

func (rc *requestCompiler) checkRequired(ph *placeholder) {
	if ph.arg != "" && ph.path == "" && !ph.prop.Always {
		rc.fail(urlField, ph.arg, "argument %s is optional, but the path needs it: make it required or give it a default", ph.arg)
	}
}

// appendPath appends the path, with what would change its shape refused.
func (b *builder) appendPath(dst []byte, p *pathTemplate) ([]byte, error) {
	for i := range p.segments {
		s := &p.segments[i]
		dst = append(dst, s.lead...)
		start := len(dst)
		var last *placeholder
		for _, pc := range s.value {
			if pc.ph == nil {
				dst = append(dst, pc.text...)
				continue
			}
			last = pc.ph
			var err error
			if dst, err = b.appendPathValue(dst, s, pc.ph); err != nil {
				return nil, err
			}
		}
		if s.star != nil {
			last = s.star
		}
		if err := s.check(dst[start:], last); err != nil {
			return nil, err
		}
	}
	return append(dst, p.tail...), nil
}

// check looks at a segment as a whole: two harmless values make dots, too.
func (s *segment) check(path []byte, ph *placeholder) error {
	if s.star == nil {
		if isDots(path) {
			return ph.refusePath(". and .. cannot be part of the path")
		}
		return nil
	}
	for i := 0; ; i++ {
		part, rest, more := bytes.Cut(path, []byte{'/'})
		switch {
		case isDots(part):
			return ph.refusePath(". and .. cannot be part of the path")
		case len(part) > 0:
		case !more && s.end && (i > 0 || !ph.prop.Always):
			// A slash at the end, or nothing at all.
		default:
			return ph.refusePath("must not be empty, nor have an empty segment: it is part of the path")
		}
		if !more {
			return nil
		}
		path = rest
	}
}

// refusePath refuses a value that cannot stand in the path.
func (ph *placeholder) refusePath(why string) error {
	if ph.arg == "" {
		// Nothing that a model could mend.
		return errUnset
	}
	return ph.refuse("%s", why)
}

func (b *builder) appendPathValue(dst []byte, s *segment, ph *placeholder) ([]byte, error) {
	if ph.arg == "" {
		text, err := b.external(ph)
		if err != nil {
			return nil, err
		}
		return b.appendPathText(dst, ph, []byte(text), false)
	}
	v, ok := b.lookup(ph)
	switch {
	case !ok && ph.star && s.end:
		return dst, nil
	case !ok:
		return nil, ph.refuse("expected a value: it is part of the path")
	case v[0] == '{':
		return nil, ph.refuse("an object cannot be part of the path")
	case v[0] == '[':
		return b.appendPathArray(dst, ph, v)
	}
	text := b.text(v)
	if ph.star {
		text = bytes.TrimPrefix(text, []byte{'/'})
	}
	return b.appendPathText(dst, ph, text, s.end)
}

// appendPathArray appends the elements of an array, with commas between them
// (RFC 6570, section 3.2.2), or slashes if they may be segments.
func (b *builder) appendPathArray(dst []byte, ph *placeholder, v jsontext.Value) ([]byte, error) {
	one := *ph
	one.star = false
	n := 0
	err := elements(v, func(e jsontext.Value) (err error) {
		if n++; n > 1 && ph.star {
			dst = append(dst, '/')
		} else if n > 1 {
			dst = append(dst, ',')
		}
		if e[0] == '{' || e[0] == '[' {
			return ph.refuse("only simple values can be part of the path")
		}
		dst, err = b.appendPathText(dst, &one, b.text(e), false)
		return err
	})
	if err == nil && n == 0 && !ph.star {
		err = ph.refuse("must not be empty: it is part of the path")
	}
	return dst, err
}

func (b *builder) appendPathText(dst []byte, ph *placeholder, text []byte, mayBeEmpty bool) ([]byte, error) {
	switch {
	case len(text) == 0 && !(ph.star && mayBeEmpty):
		return nil, ph.refusePath("must not be empty: it is part of the path")
	case hasControl(text):
		return nil, ph.refusePath("must not have line breaks or other control characters: it is part of the path")
	}
	if b.decodedPath && (bytes.IndexByte(text, '\\') >= 0 || !ph.star && bytes.IndexByte(text, '/') >= 0) {
		return nil, ph.refusePath("must not have a slash or backslash: it is one segment of the path")
	}
	return appendEscaped(dst, text, false, ph.star), nil
}

// setPath sets both forms of a path. The raw one stays empty where it says
// nothing more, as net/url has it.
func setPath(u *url.URL, raw string) error {
	var err error
	if u.Path, err = url.PathUnescape(raw); err != nil {
		return err
	}
	if u.EscapedPath() != raw {
		u.RawPath = raw
	}
	return nil
}
