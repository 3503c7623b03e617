// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// newMapper compiles a mapper that must have no problems but warnings.
func newMapper(t testing.TB, cfg Config, opt Options) *mapper {
	t.Helper()
	m, problems := compileMapper(cfg, opt.withDefaults())
	for _, p := range problems {
		if !p.Warning {
			t.Fatal(p.Error())
		}
	}
	return m
}

// answer is what an upstream answers.
type answer struct {
	method string
	status int
	header map[string]string
	body   string
}

func (a answer) request(t testing.TB) *http.Request {
	t.Helper()
	if a.method == "" {
		a.method = http.MethodGet
	}
	return httptest.NewRequest(a.method, "http://api.internal/orders/7", nil)
}

// serve gives the answer to w as a handler does, and the error that it got.
func (a answer) serve(w http.ResponseWriter) error {
	for k, v := range a.header {
		w.Header().Set(k, v)
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	if a.body == "" {
		return nil
	}
	_, err := io.WriteString(w, a.body)
	return err
}

// exchange maps an answer as Tool.exchange does.
func (m *mapper) exchange(t testing.TB, a answer, c *Call) *Result {
	t.Helper()
	if c == nil {
		c = &Call{ID: "c1", Tool: "get_order"}
	}
	cw := m.capture(a.request(t), c)
	if err := a.serve(cw); err != nil {
		res := cw.overflow()
		if res == nil {
			t.Fatalf("Write failed without an overflow: %v", err)
		}
		return res
	}
	return cw.result(t.Context())
}

// told is a result in short: one string per content.
func told(res *Result) []string {
	var out []string
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			out = append(out, c.Text)
		case *mcp.ImageContent:
			out = append(out, fmt.Sprintf("image %s %q", c.MIMEType, c.Data))
		case *mcp.AudioContent:
			out = append(out, fmt.Sprintf("audio %s %q", c.MIMEType, c.Data))
		case *mcp.EmbeddedResource:
			out = append(out, fmt.Sprintf("resource %s %s %q", c.Resource.URI, c.Resource.MIMEType, c.Resource.Blob))
		default:
			out = append(out, fmt.Sprintf("%T", c))
		}
	}
	return out
}

// check says what is wrong with a result whatever was asked for.
func check(m *mapper, res *Result) error {
	if len(res.Content) == 0 {
		return fmt.Errorf("no content")
	}
	if res.Outcome == "" || res.IsError != (res.Outcome != OutcomeOK) {
		return fmt.Errorf("outcome %q, isError %v", res.Outcome, res.IsError)
	}
	if res.IsError && (res.Err == nil || res.Structured != nil) {
		return fmt.Errorf("an error with Err %v, Structured %s", res.Err, res.Structured)
	}
	if res.Structured != nil && !res.Structured.IsValid() {
		return fmt.Errorf("structured content is not valid JSON: %.200q", res.Structured)
	}
	var size int64
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			size += int64(len(c.Text))
			if !utf8.ValidString(c.Text) {
				return fmt.Errorf("text is not UTF-8: %.200q", c.Text)
			}
		case *mcp.ImageContent:
			size += int64(len(c.Data))
		case *mcp.AudioContent:
			size += int64(len(c.Data))
		case *mcp.EmbeddedResource:
			size += int64(len(c.Resource.Blob))
			if u, err := url.Parse(c.Resource.URI); err != nil || u.Scheme == "" {
				return fmt.Errorf("URI %q: %v", c.Resource.URI, err)
			}
		}
		if b, err := c.MarshalJSON(); err != nil || !json.Valid(b) {
			return fmt.Errorf("content is not JSON: %v", err)
		}
	}
	// Errors and notices are short, but there even if nothing fits.
	if limit := max(m.resultSize, 512); !res.IsError && size > limit {
		return fmt.Errorf("content has %d bytes, more than %d", size, limit)
	}
	if res.IsError && size > 512+failureTold {
		return fmt.Errorf("an error has %d bytes", size)
	}
	for _, mem := range res.Meta {
		if p := metaKeyProblem(mem.Name); p != "" || !mem.Value.IsValid() {
			return fmt.Errorf("_meta %s: %s: %s", mem.Name, mem.Value, p)
		}
	}
	return nil
}

func compress(t testing.TB, coding, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := io.WriteCloser(gzip.NewWriter(&b))
	if f, ok := compressors[coding]; ok {
		w = f(&b)
	}
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
