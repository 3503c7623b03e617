// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
)

// The revisions that the endpoint speaks.
const (
	Modern  = "2026-07-28"
	Legacy  = "2025-11-25"
	Legacy6 = "2025-06-18"
	Legacy3 = "2025-03-26"
)

// Names of a modern request's _meta.
const (
	MetaVersion      = "io.modelcontextprotocol/protocolVersion"
	MetaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaClient       = "io.modelcontextprotocol/clientInfo"
	MetaServer       = "io.modelcontextprotocol/serverInfo"
)

// Eras are one revision of each era, for tests that hold in both.
var Eras = []string{Modern, Legacy}

var lastID atomic.Int64

// Request is an HTTP request to an endpoint that a test can spoil in every way.
type Request struct {
	// HTTPMethod is POST by default.
	HTTPMethod string
	// Path of the endpoint. Default: /mcp.
	Path string
	// Version whose schema the answer has to obey; it also makes the headers
	// and _meta.
	Version string
	// RPC method; its result is validated.
	Method string
	// ID as raw JSON.
	ID string
	// Params without _meta, as raw members.
	Params map[string]any
	// Meta as members; nil leaves it out.
	Meta map[string]any
	// Header fields; an empty Host is the site's.
	Header http.Header
	Host   string
	// Body replaces the message, if it is not nil.
	Body []byte
	// Notify leaves the id out.
	Notify bool
	// Invalid says that the answer's shape is not to be checked.
	Invalid bool
}

// Raw is JSON that is sent as it is.
type Raw = json.RawMessage

// Call makes a well-formed request of a version.
func Call(version, method string, params map[string]any) *Request {
	r := &Request{
		Version: version, Method: method, ID: fmt.Sprint(lastID.Add(1)), Params: params,
		Header: http.Header{
			"Content-Type": {"application/json"},
			"Accept":       {"application/json, text/event-stream"},
		},
	}
	if version == Modern {
		r.Header.Set("MCP-Protocol-Version", version)
		r.Header.Set("Mcp-Method", method)
		if name, ok := params["name"].(string); ok && method == "tools/call" {
			r.Header.Set("Mcp-Name", headerValue(name))
		}
		r.Meta = map[string]any{
			MetaVersion: version, MetaCapabilities: map[string]any{},
			MetaClient: map[string]any{"name": "harness", "version": "1"},
		}
		return r
	}
	if method == "initialize" && params == nil {
		r.Params = map[string]any{
			"protocolVersion": version, "capabilities": map[string]any{},
			"clientInfo": map[string]any{"name": "harness", "version": "1"},
		}
		return r
	}
	if method != "initialize" {
		r.Header.Set("MCP-Protocol-Version", version)
	}
	return r
}

// headerValue encodes what a header field cannot carry as it is.
func headerValue(s string) string {
	plain := strings.TrimSpace(s) == s && !strings.HasPrefix(s, "=?base64?")
	for i := range len(s) {
		plain = plain && s[i] >= ' ' && s[i] < 0x7f
	}
	if plain {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

// Tool makes a tools/call.
func Tool(version, name string, arguments any) *Request {
	p := map[string]any{"name": name}
	if arguments != nil {
		p["arguments"] = arguments
	}
	return Call(version, "tools/call", p)
}

// Notification makes a notification.
func Notification(version, method string, params map[string]any) *Request {
	r := Call(version, method, params)
	r.Notify = true
	if params == nil {
		r.Params = nil
	}
	return r
}

// Post makes a request with any body.
func Post(body string) *Request {
	r := Call(Legacy, "", nil)
	r.Body = []byte(body)
	r.Header.Del("MCP-Protocol-Version")
	return r
}

// At sends it to another endpoint.
func (r *Request) At(path string) *Request { r.Path = path; return r }

// With sets a header field.
func (r *Request) With(name, value string) *Request { r.Header.Set(name, value); return r }

// Without removes a header field.
func (r *Request) Without(name string) *Request { r.Header.Del(name); return r }

// WithMeta sets a member of _meta.
func (r *Request) WithMeta(name string, value any) *Request {
	if r.Meta == nil {
		r.Meta = map[string]any{}
	}
	r.Meta[name] = value
	return r
}

// WithoutMeta removes a member of _meta.
func (r *Request) WithoutMeta(name string) *Request { delete(r.Meta, name); return r }

// WithID sets the id, as raw JSON.
func (r *Request) WithID(id string) *Request { r.ID = id; return r }

// payload is the message.
func (r *Request) payload() []byte {
	if r.Body != nil || r.Method == "" {
		return r.Body
	}
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0"`)
	if !r.Notify {
		b.WriteString(`,"id":` + r.ID)
	}
	b.WriteString(`,"method":` + quote(r.Method))
	if r.Params != nil || r.Meta != nil {
		params := make(map[string]any, len(r.Params)+1)
		maps.Copy(params, r.Params)
		if r.Meta != nil {
			params["_meta"] = r.Meta
		}
		p, err := json.Marshal(params)
		if err != nil {
			panic(err)
		}
		b.WriteString(`,"params":`)
		b.Write(p)
	}
	b.WriteString("}")
	return []byte(b.String())
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
