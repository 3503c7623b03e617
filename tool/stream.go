// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// messageSize caps the message of a progress notification.
	messageSize = 1 << 10
	// numberSize caps a number in a progress report.
	numberSize = 64
)

// stream takes an answer event by event: server-sent events, or JSON lines.
//
// The data of each event is told to the client as progress, as soon as it is
// there, if the client asked for progress. Data that is a JSON object with a
// number named progress is a progress report: its progress, total and message
// are the notification's, and it is no part of the result. Of other data the
// message is its message member, if it is an object with one, else the data
// itself.
//
// What is left besides reports is the result. A single event is mapped as if
// it were the whole answer, so that JSON becomes structured content; several
// are joined by newlines. With select or an output schema, several that are all
// JSON become an array. If there are reports only, the last one's message is
// the result. [DONE], by which some APIs end a stream, is left out.
type stream struct {
	lines    bool // JSON lines, not server-sent events
	late     bool // compressed: read when it is complete
	limit    int64
	progress func(Progress)

	line    []byte // a line that is not complete
	skipLF  bool   // the last line ended with CR
	begun   bool
	event   []byte // data of the event that is not complete
	hasData bool

	data []byte // what is left, each with a newline after it
	ends []int  // where each ends, before its newline
	last string // message of the last report
	over bool
}

func newStream(k bodyKind, limit int64, progress func(Progress)) *stream {
	return &stream{lines: k == kindLines, limit: limit, progress: progress}
}

// write takes a part of the stream. It is false once there is too much of it.
func (s *stream) write(p []byte) bool {
	for len(p) > 0 && !s.over {
		if s.skipLF {
			s.skipLF = false
			if p[0] == '\n' {
				p = p[1:]
				continue
			}
		}
		i := bytes.IndexByte(p, '\n')
		if !s.lines {
			i = bytes.IndexAny(p, "\r\n")
		}
		if i < 0 {
			s.line = append(s.line, p...)
			s.check()
			break
		}
		s.skipLF = p[i] == '\r'
		if len(s.line) == 0 {
			s.take(p[:i])
		} else {
			s.line = append(s.line, p[:i]...)
			s.take(s.line)
			s.line = s.line[:0]
		}
		p = p[i+1:]
		s.check()
	}
	return !s.over
}

func (s *stream) check() {
	if int64(len(s.line)+len(s.event)+len(s.data)) > s.limit+runeSlack {
		s.over = true
	}
}

// take takes a complete line.
func (s *stream) take(line []byte) {
	if !s.begun {
		s.begun = true
		line = bytes.TrimPrefix(line, utf8BOM)
	}
	if s.lines {
		if line = trimSpace(line); len(line) > 0 {
			s.emit(line)
		}
		return
	}
	if len(line) == 0 {
		s.dispatch()
		return
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	if string(name) != "data" {
		return
	}
	if s.hasData {
		s.event = append(s.event, '\n')
	}
	s.event = append(s.event, bytes.TrimPrefix(value, []byte(" "))...)
	s.hasData = true
}

func (s *stream) dispatch() {
	if s.hasData {
		s.emit(s.event)
	}
	s.event, s.hasData = s.event[:0], false
}

// emit takes the data of one event.
func (s *stream) emit(data []byte) {
	if string(trimSpace(data)) == "[DONE]" {
		return
	}
	p, report := readReport(data)
	if s.progress != nil && !s.late {
		s.progress(p)
	}
	if report {
		s.last = p.Message
		return
	}
	s.data = append(s.data, data...)
	s.ends = append(s.ends, len(s.data))
	s.data = append(s.data, '\n')
}

// close takes what is left at the end.
func (s *stream) close() {
	if s.over {
		s.keep()
		return
	}
	if len(s.line) > 0 {
		s.take(s.line)
	}
	s.line = nil
	s.dispatch()
}

// keep takes what is there of the event in which the limit was hit. It is told
// as no progress: it is not complete.
func (s *stream) keep() {
	line := s.line
	if !s.begun {
		line = bytes.TrimPrefix(line, utf8BOM)
	}
	if s.lines {
		s.event = append(s.event, bytes.TrimLeft(line, " \t\r")...)
	} else if len(line) > 0 {
		s.take(line)
	}
	if len(s.event) > 0 {
		s.data = append(s.data, s.event...)
		s.ends = append(s.ends, len(s.data))
	}
	s.line, s.event, s.hasData = nil, nil, false
}

// readReport makes progress of an event's data; report says that it is a
// progress report.
func readReport(data []byte) (p Progress, report bool) {
	if t := trimSpace(data); len(t) > 0 && t[0] == '{' && jsontext.Value(t).IsValid() {
		d := jsontext.NewDecoder(bytes.NewReader(t))
		_, _ = d.ReadToken()
		for d.PeekKind() == '"' {
			name, _ := d.ReadToken()
			key := name.String()
			v, err := d.ReadValue()
			if err != nil {
				break
			}
			number := v.Kind() == '0' && len(v) <= numberSize
			switch {
			case key == "progress" && number:
				p.Progress, report = v.Clone(), true
			case key == "total" && number:
				p.Total = v.Clone()
			case key == "message" && v.Kind() == '"':
				p.Message = shortText([]byte(Text(v)))
			}
		}
		if !report {
			p.Total = nil
		}
	}
	if p.Message == "" && !report {
		p.Message = shortText(data)
	}
	return p, report
}

// shortText makes a message for people of a text.
func shortText(b []byte) string {
	if len(b) <= messageSize {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	return strings.ToValidUTF8(string(cutText(b, messageSize)), "\uFFFD") + "…"
}

// result maps the stream, when it has ended.
func (s *stream) result(ctx context.Context, cw *capture) *Result {
	b := body{cw: cw, cut: cw.over, total: -1}
	if s.late && len(cw.buf) > 0 {
		data, more, err := decompress(cw.head.encoding, cw.buf, cw.m.limit())
		if err != nil && !(cw.over && len(data) > 0) {
			return failure(OutcomeOutput, "the upstream's answer could not be decoded: "+err.Error(), err)
		}
		b.cut = b.cut || more
		s.write(data)
	}
	b.cut = b.cut || s.over
	s.close()
	if len(s.ends) == 0 && !b.cut {
		if s.last != "" {
			return cw.m.mapEmpty(s.last)
		}
		return cw.m.mapEmpty(statusText(cw.status))
	}
	b.data = bytes.TrimSuffix(s.data, []byte("\n"))
	if b.cut && len(b.data) == 0 {
		text := fmt.Sprintf("the upstream's answer is a stream with no event in its first %s", sizeText(s.limit))
		return failure(OutcomeOutput, text, errOversize)
	}
	if len(s.ends) == 1 && !b.cut {
		if v, ok := cleanJSON(b.data); ok {
			return cw.m.mapJSON(ctx, b, v)
		}
		return cw.m.mapTyped(ctx, b, "text/plain", "utf-8")
	}
	if cw.m.wantsJSON() && !b.cut {
		if v := s.array(); v != nil {
			return cw.m.mapJSON(ctx, b, v)
		}
	}
	return cw.m.mapTyped(ctx, b, "text/plain", "utf-8")
}

// array makes a JSON array of the events, nil if one is not JSON.
func (s *stream) array() jsontext.Value {
	out := slices.Grow(jsontext.Value{'['}, len(s.data)+1)
	start := 0
	for i, end := range s.ends {
		v, ok := cleanJSON(s.data[start:end])
		if !ok {
			return nil
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
		start = end + 1
	}
	return append(out, ']')
}
