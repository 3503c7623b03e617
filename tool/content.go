// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// metaTruncated is the _meta member of a result that was cut. Its value is an
// object: bytes is how many are there, total how many there were, if known.
const metaTruncated = "com.github.caddymcp/truncated"

// bodyKind is what a media type becomes.
type bodyKind uint8

const (
	kindBlob bodyKind = iota
	kindJSON
	kindText
	kindImage
	kindAudio
	kindSSE
	kindLines
)

// mediaType gives the type in lower case, without parameters, and the charset
// parameter. The type is empty if there is none or if it is malformed.
func mediaType(contentType string) (mt, charset string) {
	switch contentType {
	case "":
		return "", ""
	case "application/json", "text/plain", "text/html":
		return contentType, ""
	case "application/json; charset=utf-8":
		return "application/json", "utf-8"
	case "text/plain; charset=utf-8":
		return "text/plain", "utf-8"
	}
	mt, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		// Keep the type of "application/json; charset" and the like.
		mt, _, _ = strings.Cut(contentType, ";")
		if mt, _, err = mime.ParseMediaType(mt); err != nil {
			return "", ""
		}
	}
	main, sub, ok := strings.Cut(mt, "/")
	if !ok || main == "" || sub == "" || !utf8.ValidString(mt) {
		return "", ""
	}
	return mt, strings.ToLower(params["charset"])
}

// textTypes are the application types that are text.
var textTypes = map[string]bodyKind{
	"application/json": kindJSON, "text/json": kindJSON, "application/x-json": kindJSON,

	"application/x-ndjson": kindLines, "application/ndjson": kindLines, "application/jsonl": kindLines,
	"application/x-jsonl": kindLines, "application/jsonlines": kindLines, "application/x-jsonlines": kindLines,
	"application/json-lines": kindLines, "application/stream+json": kindLines, "text/x-ndjson": kindLines,
	"text/event-stream": kindSSE,

	"application/xml": kindText, "application/xml-dtd": kindText, "application/javascript": kindText,
	"application/x-javascript": kindText, "application/ecmascript": kindText, "application/yaml": kindText,
	"application/x-yaml": kindText, "application/toml": kindText, "application/x-toml": kindText,
	"application/graphql": kindText, "application/sql": kindText, "application/x-sh": kindText,
	"application/x-www-form-urlencoded": kindText, "application/json-seq": kindText, "application/typescript": kindText,
	"application/n-triples": kindText, "application/n-quads": kindText, "application/trig": kindText,
	"application/sparql-query": kindText, "application/x-tex": kindText, "application/x-httpd-php": kindText,
	"application/json5": kindText, "application/x-pem-file": kindText, "application/pem-certificate-chain": kindText,
}

func classify(mt string) bodyKind {
	if k, ok := textTypes[mt]; ok {
		return k
	}
	if main, suffix, ok := cutLast(mt, '+'); ok && main != "" {
		switch suffix {
		case "json":
			return kindJSON
		case "xml", "yaml", "json-seq": // image/svg+xml is text, too
			return kindText
		}
	}
	switch main, _, _ := strings.Cut(mt, "/"); main {
	case "text":
		return kindText
	case "image":
		return kindImage
	case "audio":
		return kindAudio
	}
	return kindBlob
}

func cutLast(s string, sep byte) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// sniff guesses the type of a body that has none.
func sniff(data []byte, cut bool) (mt, charset string) {
	if t := trimSpace(data); len(t) > 0 && (t[0] == '{' || t[0] == '[') && !cut && jsontext.Value(t).IsValid() {
		return "application/json", ""
	}
	mt, charset = mediaType(http.DetectContentType(data))
	if mt == "text/plain" && charset == "utf-8" {
		// That is only DetectContentType's word for "not binary".
		charset = ""
	}
	return mt, charset
}

// text is a result of text, cut if it is too large.
func (m *mapper) text(b body) *Result {
	if !b.cut && int64(len(b.data)) <= m.resultSize {
		return &Result{Content: []mcp.Content{&mcp.TextContent{Text: view(b.data)}}, Outcome: OutcomeOK}
	}
	if !b.cut {
		b.total = int64(len(b.data))
	}
	if m.resultError || m.schema != nil {
		text := fmt.Sprintf("the result is larger than %s; ask for less: narrower filters, fewer items, or one page at a time", sizeText(m.resultSize))
		return failure(OutcomeOutput, text, errOversize)
	}
	notice := cutNotice(m.resultSize, b.total)
	data := cutText(b.data, max(0, m.resultSize-int64(len(notice))))
	notice = cutNotice(int64(len(data)), b.total)
	meta := append([]byte(`{"bytes":`), strconv.Itoa(len(data))...)
	if b.total >= 0 {
		meta = strconv.AppendInt(append(meta, `,"total":`...), b.total, 10)
	}
	return &Result{
		Content: []mcp.Content{&mcp.TextContent{Text: view(data)}, &mcp.TextContent{Text: notice}},
		Meta:    []Member{{Name: metaTruncated, Value: append(meta, '}')}},
		Outcome: OutcomeOK,
	}
}

func cutNotice(n, total int64) string {
	of := ""
	if total >= 0 {
		of = fmt.Sprintf(" of %d", total)
	}
	return fmt.Sprintf("[The result was cut after %d%s bytes. To see the rest, ask for less at a time: narrower filters, fewer items, or one page after the other.]", n, of)
}

// cutText cuts at most n bytes off the front, between characters.
func cutText(b []byte, n int64) []byte {
	if int64(len(b)) <= n {
		return trimRune(b)
	}
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}

// trimRune drops a character that was cut off at the end.
func trimRune(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if !utf8.RuneStart(b[i]) {
			continue
		}
		if !utf8.FullRune(b[i:]) {
			return b[:i]
		}
		break
	}
	return b
}

// binary is a result of bytes.
func (m *mapper) binary(b body, kind bodyKind, mt string) *Result {
	if b.cut || int64(len(b.data)) > m.resultSize {
		text := fmt.Sprintf("the result is larger than %s and is not text that could be cut", sizeText(m.resultSize))
		return failure(OutcomeOutput, text, errOversize)
	}
	var c mcp.Content
	switch kind {
	case kindImage:
		c = &mcp.ImageContent{Data: b.data, MIMEType: mt}
	case kindAudio:
		c = &mcp.AudioContent{Data: b.data, MIMEType: mt}
	default:
		if mt == "" {
			mt = "application/octet-stream"
		}
		c = &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: b.cw.resourceURI(), MIMEType: mt, Blob: b.data}}
	}
	return &Result{Content: []mcp.Content{c}, Outcome: OutcomeOK}
}

// resourceURI names an embedded resource: by the tool, the call and, if the
// upstream gives one, the file's name. It tells nothing of the upstream's
// address.
func (cw *capture) resourceURI() string {
	var b strings.Builder
	b.WriteString("tool://")
	b.WriteString(url.PathEscape(cw.c.Tool))
	if cw.c.ID != "" {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(cw.c.ID))
	}
	if name := filename(first(cw.header, "Content-Disposition")); name != "" {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(name))
	}
	return b.String()
}

// filename gives the last segment of the file name in a Content-Disposition.
func filename(disposition string) string {
	if disposition == "" || len(disposition) > 4096 {
		return ""
	}
	_, params, err := mime.ParseMediaType(disposition)
	if err != nil {
		return ""
	}
	name := path.Base(strings.ReplaceAll(params["filename"], `\`, "/"))
	if name == "." || name == ".." || name == "/" || len(name) > 200 || !utf8.ValidString(name) {
		return ""
	}
	return name
}

// view gives bytes that will not change any more as a string, without a copy.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// validUTF8 replaces what is not UTF-8.
func validUTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return bytes.ToValidUTF8(b, []byte("\uFFFD"))
}
