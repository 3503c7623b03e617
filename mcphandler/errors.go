// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// JSON-RPC error codes (MCP 2026-07-28, basic, "Error Codes").
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeMethod         = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeHeaderMismatch = -32020
	codeVersion        = -32022
)

// rpcError is a JSON-RPC error and the HTTP status that goes with it.
type rpcError struct {
	code    int
	status  int
	message string
	data    jsontext.Value
	// outcome for the observer. Default: client_error.
	outcome string
}

// outcomes of messages that are not calls.
const (
	outcomeOK          = "ok"
	outcomeClientError = "client_error"
	outcomeBusy        = "busy"
	outcomeInternal    = "internal_error"
)

func (e *rpcError) kind() string {
	if e.outcome == "" {
		return outcomeClientError
	}
	return e.outcome
}

func parseError() *rpcError {
	return &rpcError{
		code: codeParse, status: http.StatusBadRequest,
		message: "parse error: expected one JSON value in UTF-8, without duplicate names",
	}
}

func invalidRequest(text string) *rpcError {
	return &rpcError{code: codeInvalidRequest, status: http.StatusBadRequest, message: text}
}

func noBatches() *rpcError {
	return invalidRequest("only protocol " + versionBatch + " has batches")
}

func tooManyMessages(limit int) *rpcError {
	return invalidRequest("the batch has more than " + strconv.Itoa(limit) + " messages")
}

func batchTooLarge() *rpcError {
	return &rpcError{
		code: codeInternal, status: http.StatusOK,
		message: "the batch's answer is too large; send its requests one by one",
	}
}

// invalidParams is an error of a well-formed request. Its status is 200: a
// client of both eras may take 400 as a reason to try the other one.
func invalidParams(text string) *rpcError {
	return &rpcError{code: codeInvalidParams, status: http.StatusOK, message: text}
}

// malformedMeta is a modern request without the metadata that it must have.
func malformedMeta(key, what string) *rpcError {
	return &rpcError{
		code: codeInvalidParams, status: http.StatusBadRequest,
		message: `params._meta["` + key + `"]: ` + what,
	}
}

func headerMismatch(text string) *rpcError {
	return &rpcError{code: codeHeaderMismatch, status: http.StatusBadRequest, message: text}
}

func internalError() *rpcError {
	return &rpcError{code: codeInternal, status: http.StatusOK, message: "internal error", outcome: outcomeInternal}
}

func busy() *rpcError {
	return &rpcError{
		code: codeInternal, status: http.StatusServiceUnavailable, outcome: outcomeBusy,
		message: "too many calls are running; try again in a moment",
	}
}

// append adds the whole JSON-RPC error response. An id that could not be read
// is left out.
func (e *rpcError) append(b []byte, id jsontext.Value) []byte {
	b = append(b, `{"jsonrpc":"2.0"`...)
	if id != nil {
		b = append(append(b, `,"id":`...), id...)
	}
	b = append(b, `,"error":{"code":`...)
	b = strconv.AppendInt(b, int64(e.code), 10)
	b = quote(append(b, `,"message":`...), e.message)
	if e.data != nil {
		b = append(append(b, `,"data":`...), e.data...)
	}
	return append(b, "}}"...)
}

// quote appends s as a JSON string; invalid UTF-8 is replaced.
func quote(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s)
	return b
}

// clip cuts what a client sent to a length that an answer may repeat.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
