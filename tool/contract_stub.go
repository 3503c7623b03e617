// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"context"
	"net/http"
)

// --- request.go, template.go …

type request struct{}

func compileRequest(cfg Config, props []property) (*request, []Problem) { panic("todo") }
func (q *request) build(ctx context.Context, c *Call, b Backend) (*http.Request, error) {
	panic("todo")
}
func buildFailure(err error) *Result { panic("todo") }
