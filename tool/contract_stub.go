// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// --- inputs.go, schema.go …

type property struct {
	Name   string
	Types  []string // JSON types that its schema allows; nil means any
	Always bool     // required, or has a default or a fixed value
	Base64 bool     // contentEncoding: base64
}

type inputs struct {
	public     jsontext.Value
	headers    []HeaderParam
	properties []property
	open       bool // undeclared arguments are allowed
}

func compileInputs(cfg Config, opt Options) (*inputs, []Problem) { panic("todo") }
func (in *inputs) prepare(c *Call) error                         { panic("todo") }

type schema struct{}
type violation struct{ Pointer, Message string }

func compileSchema(raw json.RawMessage, field string) (*schema, []Problem) { panic("todo") }
func (s *schema) validate(v jsontext.Value) []violation                    { panic("todo") }

// --- request.go, template.go …

type request struct{}

func compileRequest(cfg Config, props []property) (*request, []Problem) { panic("todo") }
func (q *request) build(ctx context.Context, c *Call, b Backend) (*http.Request, error) {
	panic("todo")
}
func buildFailure(err error) *Result { panic("todo") }
