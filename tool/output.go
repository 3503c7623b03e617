// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func (m *mapper) compileOutput(cfg Config) []Problem {
	if len(cfg.OutputSchema) == 0 {
		if cfg.OutputStrict {
			return []Problem{{Field: "output_strict", Message: "there is no output_schema that a result could break"}}
		}
		return nil
	}
	s, problems := compileSchema(cfg.OutputSchema, "output_schema")
	if s == nil {
		return problems
	}
	m.schema = s
	m.outputSchema = jsontext.Value(cfg.OutputSchema).Clone()
	if err := m.outputSchema.Compact(); err != nil {
		return append(problems, Problem{Field: "output_schema", Message: "expected a JSON Schema: " + err.Error()})
	}
	root := Args{Members: []Member{{Name: "s", Value: m.outputSchema}}}
	t, _ := root.Lookup("s.type")
	m.outputObject = string(t) == `"object"`
	if !m.outputObject {
		problems = append(problems, Problem{
			Field: "output_schema", Pointer: "/type", Warning: true,
			Message: `its root is not "type": "object": clients of 2025-11-25 and before are not shown it`,
		})
	}
	for _, v := range []string{"null", "{}"} {
		if len(s.validate(jsontext.Value(v))) == 0 {
			m.empty = jsontext.Value(v)
			break
		}
	}
	return problems
}

// structured maps JSON that text is the serialization of.
func (m *mapper) structured(b body, v jsontext.Value, text string) *Result {
	if int64(len(v)) > m.resultSize {
		b.data = v
		return m.text(b)
	}
	res := &Result{Content: []mcp.Content{&mcp.TextContent{Text: text}}, Outcome: OutcomeOK}
	if m.schema != nil {
		if violations := m.schema.validate(v); len(violations) > 0 {
			return m.nonconforming(res, v, violationError(violations))
		}
	}
	if m.schema != nil || v.Kind() == '{' {
		res.Structured = v
	}
	return res
}

// mapEmpty maps an answer without content.
func (m *mapper) mapEmpty(text string) *Result {
	res := &Result{Content: []mcp.Content{&mcp.TextContent{Text: text}}, Outcome: OutcomeOK}
	if m.schema == nil {
		return res
	}
	if m.empty != nil {
		res.Structured = m.empty
		return res
	}
	return m.nonconforming(res, nil, errors.New("the answer is empty"))
}

// unstructured marks a result that has no structured content where an output
// schema promises it.
func (m *mapper) unstructured(res *Result) *Result {
	if m.schema == nil || res.IsError {
		return res
	}
	return m.nonconforming(res, nil, errors.New("the answer is not JSON"))
}

// nonconforming marks a result that breaks the output schema, or makes it an
// error if the schema is strict.
func (m *mapper) nonconforming(res *Result, v jsontext.Value, err error) *Result {
	err = fmt.Errorf("the answer does not match the tool's output schema: %w", err)
	if m.strict {
		f := failure(OutcomeOutput, err.Error(), err)
		f.Nonconforming = true
		return f
	}
	res.Nonconforming, res.Err, res.Structured = true, err, v
	return res
}

// violationsTold is how many violations a message names.
const violationsTold = 5

func violationError(vs []violation) error {
	var b strings.Builder
	for i, v := range vs[:min(len(vs), violationsTold)] {
		if i > 0 {
			b.WriteString("; ")
		}
		if v.Pointer != "" {
			b.WriteString(v.Pointer)
			b.WriteString(": ")
		}
		b.WriteString(v.Message)
	}
	if n := len(vs) - violationsTold; n > 0 {
		fmt.Fprintf(&b, "; and %d more", n)
	}
	return errors.New(strings.ToValidUTF8(b.String(), "\uFFFD"))
}
