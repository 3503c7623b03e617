// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/caddymcp/caddy-mcp/tests/schema"
)

// results of the methods that have one.
var results = map[string]string{
	"initialize": "InitializeResult", "ping": "EmptyResult", "server/discover": "DiscoverResult",
	"tools/list": "ListToolsResult", "tools/call": "CallToolResult",
}

// codes that the protocol defines: modern ones, and those of JSON-RPC.
var codes = []int{-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022}

// check finds what is wrong with an answer, whatever the test is about.
func (r *Response) check(q *Request) error {
	kind := r.Header.Get("Content-Type")
	media, _, _ := strings.Cut(kind, ";")
	if s := r.Header.Get("Mcp-Session-Id"); s != "" {
		return fmt.Errorf("a session id %q: this server has none", s)
	}
	if r.Status == http.StatusMethodNotAllowed && r.Header.Get("Allow") == "" {
		return errors.New("405 without Allow")
	}
	if len(r.Body) == 0 {
		if r.Status == http.StatusOK {
			return errors.New("200 without a body")
		}
		return nil
	}
	if r.Status == http.StatusAccepted {
		return errors.New("202 with a body")
	}
	if q.HTTPMethod != "" && q.HTTPMethod != http.MethodPost {
		return nil
	}
	if media != "application/json" && media != "text/event-stream" {
		return fmt.Errorf("content type %q", kind)
	}
	if !utf8.Valid(r.Body) {
		return errors.New("not UTF-8")
	}
	if r.SSE {
		if err := r.checkStream(); err != nil {
			return err
		}
	} else if !r.isBatch() && len(r.Messages) != 1 {
		return fmt.Errorf("%d messages", len(r.Messages))
	}
	for i := range r.Messages {
		if err := r.Messages[i].check(q, i == len(r.Messages)-1 || r.isBatch()); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	return nil
}

func (r *Response) isBatch() bool { return bytes.HasPrefix(r.Body, []byte("[")) }

func (r *Response) checkStream() error {
	if got := r.Header.Get("X-Accel-Buffering"); got != "no" {
		return fmt.Errorf("X-Accel-Buffering %q on a stream", got)
	}
	if r.Status != http.StatusOK {
		return fmt.Errorf("a stream with status %d", r.Status)
	}
	for line := range bytes.SplitSeq(r.Body, []byte("\n")) {
		if bytes.HasPrefix(line, []byte("id:")) || bytes.HasPrefix(line, []byte("retry:")) {
			return fmt.Errorf("the stream cannot be resumed, but has %q", line)
		}
	}
	if n := len(r.Messages); n == 0 || r.Messages[n-1].Method != "" {
		return errors.New("the stream does not end with the response")
	}
	return nil
}

func (m *Message) check(q *Request, final bool) error {
	// Duplicate names are refused by this decoder.
	if !jsontext.Value(m.Raw).IsValid() {
		return fmt.Errorf("invalid JSON: %s", short(m.Raw))
	}
	version := q.Version
	if version == "" {
		version = Legacy
	}
	if !final {
		if m.ID != nil {
			return fmt.Errorf("a request from the server: %s", m.Raw)
		}
		if m.Method != "notifications/progress" {
			return fmt.Errorf("unexpected %s before the response", m.Method)
		}
		return schema.Validate(version, "ProgressNotification", m.Raw)
	}
	if m.Method != "" {
		return fmt.Errorf("a request from the server: %s", m.Raw)
	}
	if m.Error != nil {
		return m.checkError(version, q)
	}
	if err := schema.Validate(version, "JSONRPCResultResponse", m.Raw); err != nil {
		return err
	}
	if q.Method != "" && q.Body == nil && string(m.ID) != q.ID {
		return fmt.Errorf("id %s, want %s", m.ID, q.ID)
	}
	def := results[q.Method]
	if def == "" || q.Body != nil {
		return nil
	}
	if err := schema.Validate(version, def, m.Result); err != nil {
		return err
	}
	return checkEra(version, q.Method, m.Result)
}

func (m *Message) checkError(version string, q *Request) error {
	if !slices.Contains(codes, m.Error.Code) {
		return fmt.Errorf("error code %d is not defined", m.Error.Code)
	}
	if m.Error.Message == "" {
		return errors.New("an error without a message")
	}
	if bytes.Equal(m.ID, []byte("null")) {
		return errors.New("an id that is null")
	}
	if m.ID == nil {
		// Before 2025-11-25 the schema wants an id even where none could be read.
		version = Modern
	} else if q.Method != "" && q.Body == nil && string(m.ID) != q.ID {
		return fmt.Errorf("id %s, want %s", m.ID, q.ID)
	}
	def := "JSONRPCErrorResponse"
	switch m.Error.Code {
	case -32020:
		version, def = Modern, "HeaderMismatchError"
	case -32021:
		version, def = Modern, "MissingRequiredClientCapabilityError"
	case -32022:
		version, def = Modern, "UnsupportedProtocolVersionError"
	}
	return schema.Validate(version, def, m.Raw)
}

// checkEra finds members of the other era.
func checkEra(version, method string, result json.RawMessage) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(result, &members); err != nil {
		return err
	}
	var meta map[string]json.RawMessage
	if m, ok := members["_meta"]; ok {
		if err := json.Unmarshal(m, &meta); err != nil {
			return err
		}
	}
	if version == Modern {
		if string(members["resultType"]) != `"complete"` {
			return fmt.Errorf("resultType %s", members["resultType"])
		}
		if meta[MetaServer] == nil {
			return errors.New("no serverInfo in _meta")
		}
		if err := schema.Validate(version, "Implementation", meta[MetaServer]); err != nil {
			return err
		}
		_, cacheable := members["ttlMs"]
		if cacheable != (method == "server/discover" || method == "tools/list") {
			return fmt.Errorf("ttlMs present: %t", cacheable)
		}
		return nil
	}
	for _, name := range []string{"resultType", "ttlMs", "cacheScope"} {
		if _, ok := members[name]; ok {
			return fmt.Errorf("legacy result with %s", name)
		}
	}
	if meta[MetaServer] != nil {
		return errors.New("legacy result with serverInfo in _meta")
	}
	return nil
}
