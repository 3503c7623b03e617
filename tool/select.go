// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/itchyny/gojq"
)

// selector is a compiled jq program. Its one output is the answer; several
// outputs are an array, and none is an answer without content. An output that
// is a string becomes the text itself, as by jq -r, unless there is an output
// schema. Numbers that the program only passes on keep their digits.
//
// The program is the operator's, but what it is run on is not: it gets nothing
// of the process (no env, input, modules), ends with the call, and what it makes
// of an answer is bounded: texts, sums, products and generated arrays, each by
// itself. What a program piles up of these on purpose, or hides in functions of
// its own, only the end of the call bounds.
type selector struct{ code *gojq.Code }

const (
	// selectNumber caps a number in the answer: arithmetic on one of millions of
	// digits cannot be interrupted.
	selectNumber = 1 << 10
	// selectValues caps the values of an answer: in memory, each takes many
	// times the bytes that it has as JSON.
	selectValues = 1_000_000
	// selectCheck is after how many values it is looked whether the call is over.
	selectCheck = 4096
	// selectOutputs caps the outputs of a program.
	selectOutputs = 100_000
)

func compileSelect(program string, opt Options) (*selector, []Problem) {
	if program == "" {
		return nil, nil
	}
	problem := func(msg string) (*selector, []Problem) {
		return nil, []Problem{{Field: "select", Message: msg}}
	}
	q, err := gojq.Parse(program)
	if err != nil {
		return problem("the jq program has a mistake: " + parseMessage(program, err))
	}
	boundGrowth(reflect.ValueOf(q))
	prelude, err := gojq.Parse(selectCounted + selectPrelude)
	if err != nil {
		return problem(err.Error())
	}
	q.FuncDefs = append(prelude.FuncDefs, q.FuncDefs...)
	env := false
	opts := append(selectBounds(int(opt.AnswerSize)),
		gojq.WithEnvironLoader(func() []string { env = true; return nil }))
	code, err := gojq.Compile(q, opts...)
	if err != nil {
		return problem("the jq program has a mistake: " + err.Error())
	}
	if env {
		return problem("the jq program uses env or $ENV, which are not available here")
	}
	return &selector{code: code}, nil
}

// parseMessage adds the place to a parse error.
func parseMessage(program string, err error) string {
	var pe *gojq.ParseError
	if !errors.As(err, &pe) {
		return err.Error()
	}
	before := program[:max(0, min(pe.Offset-len(pe.Token), len(program)))]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("%s at line %d, column %d", pe.Error(), line, column)
}

// selected is what a program gave.
type selected struct {
	none bool
	json jsontext.Value
	text string // its only output, if that is a string
	cut  bool   // json is only the beginning
}

func (s *selector) run(ctx context.Context, v jsontext.Value, limit int64) (*selected, error) {
	in, err := decodeValue(ctx, v)
	if err != nil {
		return nil, err
	}
	it := s.code.RunWithContext(ctx, in)
	var outs []any
	for {
		v, ok := it.Next()
		if !ok {
			break
		}
		if err, ok := v.(error); ok {
			var halt *gojq.HaltError
			if errors.As(err, &halt) && halt.Value() == nil {
				break
			}
			return nil, selectError(err)
		}
		if outs = append(outs, v); len(outs) > selectOutputs {
			return nil, fmt.Errorf("it has more than %d outputs", selectOutputs)
		}
	}
	var out any = outs
	switch len(outs) {
	case 0:
		return &selected{none: true}, nil
	case 1:
		out = outs[0]
	}
	res := &selected{}
	if text, ok := out.(string); ok {
		res.text = strings.ToValidUTF8(text, "\uFFFD")
	}
	res.json, err = encodeJSON(out, int(limit))
	if errors.Is(err, errOversize) {
		res.json, res.cut = cutText(res.json, limit), true
		return res, nil
	}
	return res, err
}

// selectError tells a program's error; the values of error(…) may be anything.
func selectError(err error) error {
	var ve gojq.ValueError
	if !errors.As(err, &ve) {
		return err
	}
	if s, ok := ve.Value().(string); ok {
		return errors.New(shortText([]byte(s)))
	}
	b, _ := encodeJSON(ve.Value(), messageSize)
	return errors.New(shortText(b))
}

// selectFailure is a result that tells that select failed.
func (m *mapper) selectFailure(ctx context.Context, err error) *Result {
	if ctx.Err() != nil {
		if errors.Is(context.Cause(ctx), errTimeout) {
			return failure(OutcomeTimeout, "timed out while selecting from the upstream's answer", err)
		}
		return failure(OutcomeCancelled, "the call was cancelled", err)
	}
	text := "nothing could be selected from the upstream's answer: " + shortText([]byte(err.Error()))
	return failure(OutcomeOutput, text, fmt.Errorf("select: %w", err))
}

// valueDecoder makes the values that gojq works on. Numbers stay text.
type valueDecoder struct {
	*jsontext.Decoder
	ctx context.Context
	n   int // values so far
}

func decodeValue(ctx context.Context, v jsontext.Value) (any, error) {
	d := valueDecoder{Decoder: jsontext.NewDecoder(bytes.NewReader(v), lenient...), ctx: ctx}
	out, err := d.next()
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON value")
	}
	return out, nil
}

// count counts a value and fails if there are too many, or if the call is over.
func (d *valueDecoder) count() error {
	if d.n++; d.n > selectValues {
		return fmt.Errorf("it has more than %d values, too many values to select from; ask for less", selectValues)
	}
	if d.n%selectCheck == 0 {
		return d.ctx.Err()
	}
	return nil
}

func (d *valueDecoder) next() (any, error) {
	if err := d.count(); err != nil {
		return nil, err
	}
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		return t.Bool(), nil
	case '"':
		return t.String(), nil
	case '0':
		n := t.String()
		if len(n) > selectNumber {
			return nil, fmt.Errorf("a number has more than %d digits", selectNumber)
		}
		return json.Number(n), nil
	case '[':
		list := []any{}
		for d.PeekKind() != ']' {
			v, err := d.next()
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.ReadToken()
		return list, err
	}
	object := map[string]any{}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		if object[key], err = d.next(); err != nil {
			return nil, err
		}
	}
	_, err = d.ReadToken()
	return object, err
}

// encodeJSON encodes a value of gojq as JSON. Beyond limit bytes it fails with
// errOversize and gives what it has.
func encodeJSON(v any, limit int) ([]byte, error) {
	return appendNested(nil, v, limit, 0)
}

func appendNested(b []byte, v any, limit, depth int) (_ []byte, err error) {
	if len(b) > limit {
		return b, errOversize
	}
	if depth > jsonDepth {
		return b, fmt.Errorf("a value nests deeper than %d", jsonDepth)
	}
	switch v := v.(type) {
	case nil:
		b = append(b, "null"...)
	case bool:
		b = strconv.AppendBool(b, v)
	case int:
		b = strconv.AppendInt(b, int64(v), 10)
	case *big.Int:
		b = v.Append(b, 10)
	case json.Number:
		b = append(b, v...)
	case float64:
		b = appendFloat(b, v)
	case string:
		// Invalid UTF-8 is replaced; that is the only error.
		b, _ = jsontext.AppendQuote(b, v[:min(len(v), limit+utf8.UTFMax)])
		if len(v) > limit {
			return b, errOversize
		}
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendNested(b, e, limit, depth+1); err != nil {
				return b, err
			}
		}
		b = append(b, ']')
	case map[string]any:
		return appendObject(b, v, limit, depth)
	default:
		return b, fmt.Errorf("a value of type %T", v)
	}
	if len(b) > limit {
		return b, errOversize
	}
	return b, nil
}

func appendObject(b []byte, v map[string]any, limit, depth int) (_ []byte, err error) {
	keys := make([]string, 0, len(v))
	for k := range v {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	b = append(b, '{')
	for i, k := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendNested(b, k, limit, depth+1); err != nil {
			return b, err
		}
		b = append(b, ':')
		if b, err = appendNested(b, v[k], limit, depth+1); err != nil {
			return b, err
		}
	}
	b = append(b, '}')
	if len(b) > limit {
		return b, errOversize
	}
	return b, nil
}

func appendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "null"...)
	case math.IsInf(f, 1):
		f = math.MaxFloat64
	case math.IsInf(f, -1):
		f = -math.MaxFloat64
	}
	return jsontext.AppendFloat(b, f, 64)
}
