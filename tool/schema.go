// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema is a compiled JSON Schema.
type schema struct {
	doc      *schemaDoc
	compiled *jsonschema.Schema
	// steps are those of compiled; nil if they are not counted.
	steps *steps
	// quick is nil if the schema is not simple.
	quick *quick
	// bounded has *boundedSchema values if the schema is complex, so that a
	// small value can take very long to check: those count their steps.
	bounded *sync.Pool
}

// violation is one way in which a value breaks a schema.
type violation struct {
	// Pointer is the JSON pointer into the value.
	Pointer string
	// Message says what was expected.
	Message string
}

// compileSchema checks and compiles a schema; it is nil if one of the problems
// is not a warning.
func compileSchema(raw json.RawMessage, field string) (*schema, []Problem) {
	doc, problems := checkSchema(raw, field)
	if doc == nil {
		return nil, problems
	}
	s, err := newSchema(doc)
	if err != nil {
		return nil, append(problems, Problem{Field: field, Message: err.Error()})
	}
	return s, problems
}

func newSchema(doc *schemaDoc) (*schema, error) {
	s := &schema{doc: doc, quick: doc.quickSchema(doc.root)}
	doc.known, doc.base = nil, nil // No longer needed.
	if !doc.complex {
		c, err := buildSchema(doc, nil)
		if err != nil {
			return nil, err
		}
		s.compiled = c
		return s, nil
	}
	first, err := newBounded(doc)
	if err != nil {
		return nil, err
	}
	s.compiled, s.steps = first.schema, first.steps
	s.bounded = &sync.Pool{New: func() any {
		b, err := newBounded(doc)
		if err != nil {
			return nil
		}
		return b
	}}
	return s, nil
}

// noLoader refuses to fetch schemas.
type noLoader struct{}

var _ jsonschema.URLLoader = noLoader{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("nothing is fetched") }

func buildSchema(doc *schemaDoc, steps *steps) (s *jsonschema.Schema, err error) {
	defer func() {
		if v := recover(); v != nil {
			s, err = nil, fmt.Errorf("the schema cannot be compiled: %v", v)
		}
	}()
	v, err := decode(doc.root.raw)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(regexEngine)
	if steps != nil {
		c.RegisterVocabulary(&jsonschema.Vocabulary{
			URL: documentURL + "steps",
			Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
				return steps, nil
			},
		})
		c.AssertVocabs()
	}
	if err := c.AddResource(documentURL, v); err != nil {
		return nil, compileError(err)
	}
	s, err = c.Compile(documentURL)
	if err != nil {
		return nil, compileError(err)
	}
	return s, nil
}

// compileError tells of a mistake that our own checks did not find.
func compileError(err error) error {
	var ve *jsonschema.ValidationError
	var sve *jsonschema.SchemaValidationError
	if errors.As(err, &sve) && errors.As(sve.Err, &ve) {
		for len(ve.Causes) > 0 {
			ve = ve.Causes[0]
		}
		return fmt.Errorf("not a valid schema at %s: %s", pointerTo(ve.InstanceLocation), ve.ErrorKind.LocalizedString(printer))
	}
	return fmt.Errorf("not a valid schema: %s", strings.ReplaceAll(err.Error(), documentURL, ""))
}

// steps counts how many schemas are applied while one value is checked.
type steps struct{ left int }

var _ jsonschema.SchemaExt = (*steps)(nil)

// maxSteps is what the largest arguments that are allowed may take, and some
// tens of milliseconds.
const maxSteps = 200_000

var errSteps = errors.New("too deep or too varied to be checked; send less at once")

// Validate counts one step, and more the deeper it is, since an error takes its
// whole place along. The library has no way to give up but this one.
func (s *steps) Validate(ctx *jsonschema.ValidatorContext, _ any) {
	if s.left -= 1 + len(ctx.ValueLocation())/4; s.left < 0 {
		panic(errSteps)
	}
}

// boundedSchema is a schema for one check at a time.
type boundedSchema struct {
	schema *jsonschema.Schema
	steps  *steps
}

func newBounded(doc *schemaDoc) (*boundedSchema, error) {
	b := &boundedSchema{steps: &steps{}}
	var err error
	b.schema, err = buildSchema(doc, b.steps)
	return b, err
}

// errUnchecked is a value that the library failed on.
var errUnchecked = errors.New("could not be checked")

// run checks a value against the schema, or against a part of it, which is for
// one check at a time. The error is a *jsonschema.ValidationError, errSteps or
// errUnchecked: what could not be checked does not pass.
func (s *schema) run(part *jsonschema.Schema, v any) error {
	switch {
	case part != nil:
		if s.steps != nil {
			s.steps.left = maxSteps
		}
		return runSchema(part, v)
	case s.bounded == nil:
		return runSchema(s.compiled, v)
	}
	b, _ := s.bounded.Get().(*boundedSchema)
	if b == nil {
		return errUnchecked
	}
	b.steps.left = maxSteps
	err := runSchema(b.schema, v)
	s.bounded.Put(b)
	return err
}

func runSchema(s *jsonschema.Schema, v any) (err error) {
	defer func() {
		switch v := recover(); {
		case v == nil:
		case v == any(errSteps):
			err = errSteps
		default:
			err = errUnchecked
		}
	}()
	return s.Validate(v)
}

// validate gives what is wrong with a value that is valid JSON without names that
// are there twice. The messages
// do not repeat the value's content, so that they can be logged.
func (s *schema) validate(v jsontext.Value) []violation {
	if s.quick != nil {
		if end, ok := s.quick.match(v, skipSpace(v, 0)); ok && skipSpace(v, end) == len(v) {
			return nil
		}
	}
	value, err := decode(v)
	if err != nil {
		return []violation{{Message: err.Error()}}
	}
	r := report{schema: s, value: value, noun: "property"}
	return r.check()
}
