// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// mapper turns a tool's HTTP responses into results:
//
//   - A JSON object becomes structured content and the same bytes as text;
//     other JSON becomes text, and structured content too if there is an
//     output schema. Digits, order and spacing stay as they are.
//   - Text becomes text in UTF-8, images and audio become their own kinds of
//     content, everything else an embedded resource. What has no Content-Type
//     is sniffed.
//   - An empty answer becomes a short text with the status.
//   - Server-sent events and JSON lines: see [stream].
//   - select is applied to JSON before all that; see [selector].
//   - 4xx tells the model the status and what the upstream says about it; 5xx
//     and unfollowed redirects tell the status only.
//
// With an output schema or select, an answer of any text type that is JSON
// counts as JSON: they say that JSON is expected.
type mapper struct {
	// outputSchema is the configured schema, nil if there is none.
	outputSchema jsontext.Value
	// outputObject says that its root is an object.
	outputObject bool

	schema *schema
	strict bool
	sel    *selector
	// empty is what an answer without a body means under the output schema:
	// null or {}, whichever it accepts first; nil if it accepts neither.
	empty jsontext.Value

	resultSize, answerSize int64
	resultError            bool
}

func compileMapper(cfg Config, opt Options) (*mapper, []Problem) {
	m := &mapper{
		strict:     cfg.OutputStrict,
		resultSize: opt.ResultSize, answerSize: opt.AnswerSize, resultError: opt.ResultError,
	}
	problems := m.compileOutput(cfg)
	sel, ps := compileSelect(cfg.Select, opt)
	problems = append(problems, ps...)
	m.sel = sel
	for _, p := range problems {
		if !p.Warning {
			return nil, problems
		}
	}
	return m, problems
}

// wantsJSON says that the tool's configuration expects a JSON answer.
func (m *mapper) wantsJSON() bool { return m.schema != nil || m.sel != nil }

// limit is how many bytes of a successful answer are of any use.
func (m *mapper) limit() int64 {
	if m.sel != nil {
		return m.answerSize
	}
	return m.resultSize
}

// overflow gives the result of an answer that was larger than what is read of
// it, nil if it was not.
func (cw *capture) overflow() *Result {
	if !cw.over {
		return nil
	}
	return cw.result(context.Background())
}

// result maps what was captured. It must be called once, when the handlers are
// done. The result keeps the captured bytes.
func (cw *capture) result(ctx context.Context) (res *Result) {
	// Decoders and the jq interpreter are fed with foreign bytes here.
	defer func() {
		if v := recover(); v != nil {
			res = failure(OutcomeInternal, "internal error", &panicError{value: v, stack: debug.Stack()})
		}
	}()
	cw.commit()
	if cw.noAnswer {
		res = failure(OutcomeUpstream, "upstream gave no valid answer", errNoAnswer)
		res.Status = cw.status
		return res
	}
	if cw.broken() {
		return failure(OutcomeUpstream, "upstream aborted the response", errAborted)
	}
	if cw.status >= 300 {
		return cw.upstreamFailure()
	}
	if cw.events != nil {
		return cw.events.result(ctx, cw)
	}
	return cw.m.mapBody(ctx, cw)
}

// body is an answer on its way to a result.
type body struct {
	cw   *capture
	data []byte
	// cut says that data is only the beginning of the answer.
	cut bool
	// total is the size of the whole answer, -1 if unknown.
	total int64
}

func (m *mapper) mapBody(ctx context.Context, cw *capture) *Result {
	b := body{cw: cw, data: cw.buf, cut: cw.over, total: -1}
	if cw.head.encoding == "" {
		b.total = cw.head.length
	}
	if len(b.data) > 0 && cw.head.encoding != "" {
		data, more, err := decompress(cw.head.encoding, b.data, m.limit())
		if err != nil && !(cw.over && len(data) > 0) {
			return failure(OutcomeOutput, "the upstream's answer could not be decoded: "+err.Error(), err)
		}
		b.data, b.cut = data, b.cut || more
	}
	mt, charset := mediaType(cw.head.contentType)
	if mt == "" && len(b.data) > 0 {
		mt, charset = sniff(b.data, b.cut)
	}
	return m.mapTyped(ctx, b, mt, charset)
}

// mapTyped maps a decompressed body by its media type.
func (m *mapper) mapTyped(ctx context.Context, b body, mt, charset string) *Result {
	kind := classify(mt)
	if kind == kindJSON || kind == kindText {
		text, err := toUTF8(b.data, kind, mt, charset, b.cut)
		if err != nil {
			return failure(OutcomeOutput, "the upstream's answer could not be decoded: "+err.Error(), err)
		}
		if b.data = text; charset != "" && !isUTF8(charset) {
			b.total = -1
		}
		if len(trimSpace(b.data)) == 0 {
			b.data = nil
		}
	}
	if len(b.data) == 0 && !b.cut {
		return m.mapEmpty(b.cw.emptyText())
	}
	if m.sel != nil && (b.cut || int64(len(b.data)) > m.limit()) {
		return failure(OutcomeOutput, fmt.Sprintf("the upstream's answer is larger than %s, too large to select from; ask for less", sizeText(m.answerSize)), errOversize)
	}
	asJSON := kind == kindJSON || kind == kindText && m.wantsJSON()
	if asJSON && !b.cut {
		if v, ok := cleanJSON(b.data); ok {
			return m.mapJSON(ctx, b, v)
		}
	}
	if m.sel != nil {
		// Passing it on unfiltered could show what select is there to hide.
		err := fmt.Errorf("select needs JSON, the upstream answered with %s", describeType(mt, kind))
		return failure(OutcomeOutput, "the upstream's answer is not JSON", err)
	}
	if kind == kindJSON || kind == kindText {
		res := m.text(b)
		if kind == kindJSON && !b.cut && !res.IsError && res.Err == nil {
			res.Err = errors.New("the upstream's answer is declared as JSON and is none")
		}
		return m.unstructured(res)
	}
	return m.unstructured(m.binary(b, kind, mt))
}

// mapJSON maps a valid JSON answer.
func (m *mapper) mapJSON(ctx context.Context, b body, v jsontext.Value) *Result {
	if m.sel == nil {
		return m.structured(b, v, view(v))
	}
	sel, err := m.sel.run(ctx, v, m.resultSize)
	if err != nil {
		return m.selectFailure(ctx, err)
	}
	if sel.none {
		return m.mapEmpty("no result")
	}
	b.total = -1
	if sel.text != "" && m.schema == nil {
		b.data = []byte(sel.text)
		return m.text(b)
	}
	if b.data, b.cut = sel.json, sel.cut; b.cut {
		return m.text(b)
	}
	return m.structured(b, b.data, view(b.data))
}

// emptyText is what there is to say about an answer without a body. For HEAD
// the headers are the answer, and for what was created its place is.
func (cw *capture) emptyText() string {
	text := statusText(cw.status)
	var names []string
	switch {
	case cw.r.Method == http.MethodHead:
		names = []string{"Content-Type", "Content-Length", "Last-Modified", "Etag"}
	case cw.status == http.StatusCreated || cw.status == http.StatusAccepted:
		if place := cw.place(); place != "" {
			text += "\nLocation: " + place
		}
	}
	var headers strings.Builder
	for _, name := range names {
		if v := cw.header.Get(name); v != "" && len(v) <= 256 {
			headers.WriteString("\n" + name + ": " + v)
		}
	}
	text += headers.String()
	return strings.ToValidUTF8(text, "\uFFFD")
}

func sizeText(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB"}
	i := 0
	for n >= 1024 && n%1024 == 0 && i < len(units)-1 {
		n, i = n/1024, i+1
	}
	return fmt.Sprintf("%d %s", n, units[i])
}

func describeType(mt string, kind bodyKind) string {
	if kind == kindJSON {
		return mt + " that is not valid"
	}
	return mt
}

// trimSpace cuts JSON's white space off both ends.
func trimSpace(b []byte) []byte {
	isSpace := func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
	start := slices.IndexFunc(b, func(c byte) bool { return !isSpace(c) })
	if start < 0 {
		return nil
	}
	end := len(b)
	for isSpace(b[end-1]) {
		end--
	}
	return b[start:end]
}
