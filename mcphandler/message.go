// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"github.com/go-json-experiment/json/jsontext"
)

// Members of _meta that the protocol defines (MCP 2026-07-28, basic, "_meta").
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaClientInfo   = "io.modelcontextprotocol/clientInfo"
	metaServerInfo   = "io.modelcontextprotocol/serverInfo"
)

// message is a JSON-RPC request or notification, with what of its params this
// server reads. Everything aliases the body of the HTTP request.
type message struct {
	// id as it is written, so that it goes back the same; nil for notifications.
	id     jsontext.Value
	method string

	params params
	meta   meta
}

// params are the params of all methods together.
type params struct {
	present         bool
	name            jsontext.Value
	arguments       jsontext.Value
	cursor          jsontext.Value
	protocolVersion jsontext.Value
}

// meta is the _meta of params.
type meta struct {
	version       jsontext.Value
	capabilities  jsontext.Value
	clientInfo    jsontext.Value
	progressToken jsontext.Value
}

// modern says that the message claims to be of a revision with metadata per
// request.
func (m *message) modern() bool { return m.meta.version != nil }

// parse decodes one message strictly: names are case-sensitive and unique,
// text is UTF-8, nothing follows. v must be valid JSON.
func parse(v jsontext.Value) (*message, *rpcError) {
	if v.Kind() != '{' {
		return nil, invalidRequest("a message is a JSON object")
	}
	var m message
	var version, method, paramsValue jsontext.Value
	var hasID, reply bool
	members(v, func(name, value jsontext.Value) bool {
		switch {
		case is(name, "jsonrpc"):
			version = value
		case is(name, "id"):
			m.id, hasID = value, true
		case is(name, "method"):
			method = value
		case is(name, "params"):
			paramsValue = value
		case is(name, "result"), is(name, "error"):
			reply = true
		}
		return true
	})
	if hasID && !validID(m.id) {
		m.id = nil
		return &m, invalidRequest("id: expected a string or an integer")
	}
	if string(version) != `"2.0"` {
		return &m, invalidRequest(`jsonrpc: expected "2.0"`)
	}
	if method == nil && reply {
		m.id = nil
		return &m, invalidRequest("a response to a request that this server never sent")
	}
	var ok bool
	if m.method, ok = text(method); !ok || m.method == "" {
		return &m, invalidRequest("method: expected a string")
	}
	if paramsValue != nil {
		if paramsValue.Kind() != '{' {
			return &m, invalidRequest("params: expected an object")
		}
		if err := m.parseParams(paramsValue); err != nil {
			return &m, err
		}
	}
	return &m, nil
}

func (m *message) parseParams(v jsontext.Value) (err *rpcError) {
	m.params.present = true
	members(v, func(name, value jsontext.Value) bool {
		switch {
		case is(name, "name"):
			m.params.name = value
		case is(name, "arguments"):
			m.params.arguments = value
		case is(name, "cursor"):
			m.params.cursor = value
		case is(name, "protocolVersion"):
			m.params.protocolVersion = value
		case is(name, "_meta"):
			if value.Kind() != '{' {
				err = &rpcError{code: codeInvalidParams, status: 400, message: "params._meta: expected an object"}
				return false
			}
			m.parseMeta(value)
		}
		return true
	})
	return err
}

func (m *message) parseMeta(v jsontext.Value) {
	members(v, func(name, value jsontext.Value) bool {
		switch {
		case is(name, metaVersion):
			m.meta.version = value
		case is(name, metaCapabilities):
			m.meta.capabilities = value
		case is(name, metaClientInfo):
			m.meta.clientInfo = value
		case is(name, "progressToken"):
			m.meta.progressToken = value
		}
		return true
	})
}

// validID says that v is a string or an integer (MCP, "RequestId").
func validID(v jsontext.Value) bool {
	switch v.Kind() {
	case '"':
		return true
	case '0':
		for _, c := range v {
			if c == '.' || c == 'e' || c == 'E' {
				return false
			}
		}
		return true
	}
	return false
}
