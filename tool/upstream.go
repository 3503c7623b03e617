// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/net/html"
)

// failureTold is how much of an error's body the model, or the log, gets.
const failureTold = 8 << 10

// upstreamFailure tells of an answer with an error status. Of 4xx the model
// gets what the upstream says, so that it can mend its arguments. 5xx is
// nothing that it could mend, and what is said there is often internal: that
// goes to the log.
func (cw *capture) upstreamFailure() *Result {
	res := cw.describeFailure()
	res.Status = cw.status
	return res
}

func (cw *capture) describeFailure() *Result {
	told := "upstream returned " + statusText(cw.status)
	text := told
	if v := retryAfter(cw.header); v != "" {
		text += "\nRetry-After: " + v
	}
	said := ""
	if !cw.discard {
		said = cw.said()
	}
	if said == "" {
		return failure(OutcomeUpstream, text, errors.New(told))
	}
	if cw.status >= 400 && cw.status < 500 {
		said = string(cutText([]byte(said), cw.m.resultSize))
		return failure(OutcomeUpstream, text+"\n\n"+said, errors.New(told))
	}
	res := failure(OutcomeUpstream, text, errors.New(told))
	res.Detail = said
	return res
}

// said gives the body of an error as text, as far as it is text.
func (cw *capture) said() string {
	data, cut := cw.buf, cw.over
	if cw.head.encoding != "" && len(data) > 0 {
		out, more, err := decompress(cw.head.encoding, data, failureRead)
		if err != nil && !cut {
			return ""
		}
		data, cut = out, cut || more
	}
	mt, label := mediaType(cw.head.contentType)
	if mt == "" && len(data) > 0 {
		mt, label = sniff(data, cut)
	}
	kind := classify(mt)
	switch kind {
	case kindBlob, kindImage, kindAudio:
		return ""
	}
	data, err := toUTF8(data, kind, mt, label, cut)
	if err != nil {
		return ""
	}
	text := strings.TrimSpace(string(data))
	if kind == kindJSON && !cut {
		if v, ok := cleanJSON(data); ok {
			text = string(v)
			if p := problemText(v); p != "" && mt == "application/problem+json" {
				text = p
			}
		}
	}
	if mt == "text/html" || mt == "application/xhtml+xml" {
		text = htmlText(text)
	}
	if len(text) > failureTold {
		text = string(cutText([]byte(text), failureTold)) + " …"
	}
	return text
}

// problemText tells a problem document (RFC 9457) in plain words: title and
// detail, then its extension members as JSON. Its type and instance are
// addresses that say nothing to a model.
func problemText(v jsontext.Value) string {
	d := jsontext.NewDecoder(bytes.NewReader(v))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return ""
	}
	var title, detail string
	var rest Args
	for d.PeekKind() == '"' {
		t, err := d.ReadToken()
		if err != nil {
			return ""
		}
		name := t.String()
		v, err := d.ReadValue()
		if err != nil {
			return ""
		}
		switch name {
		case "title":
			title = strings.TrimSpace(Text(v))
		case "detail":
			detail = strings.TrimSpace(Text(v))
		case "type", "status", "instance":
		default:
			rest.Members = append(rest.Members, Member{Name: name, Value: v.Clone()})
		}
	}
	text := title
	switch {
	case title == "":
		text = detail
	case detail != "":
		text += ": " + detail
	}
	if len(rest.Members) > 0 {
		text = strings.TrimPrefix(text+"\n"+string(rest.Object()), "\n")
	}
	return text
}

// htmlText gives the words of an HTML page, which is mostly markup where it
// tells of an error.
func htmlText(page string) string {
	z := html.NewTokenizer(strings.NewReader(page))
	var b strings.Builder
	skip := 0
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(b.String())
		case html.StartTagToken:
			if name, _ := z.TagName(); hidden(name) {
				skip++
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); hidden(name) && skip > 0 {
				skip--
			}
		case html.TextToken:
			if words := strings.Join(strings.Fields(string(z.Text())), " "); skip == 0 && words != "" {
				if b.Len() > 0 {
					b.WriteByte('\n')
				}
				b.WriteString(words)
			}
		}
	}
}

func hidden(tag []byte) bool { return string(tag) == "script" || string(tag) == "style" }

// retryAfter gives the Retry-After header if it is well formed.
func retryAfter(h http.Header) string {
	v := strings.TrimSpace(first(h, "Retry-After"))
	if n, err := strconv.ParseUint(v, 10, 31); err == nil {
		return strconv.FormatUint(n, 10)
	}
	if t, err := http.ParseTime(v); err == nil {
		return t.UTC().Format(http.TimeFormat)
	}
	return ""
}
