// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"

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
// server reads. Everything in it aliases the body of the HTTP request.
type message struct {
	// id as it is written, so that it goes back the same; nil for notifications.
	id     jsontext.Value
	method string

	params params
	meta   meta

	// bad says what is wrong with a message that is JSON, but not JSON-RPC.
	bad *rpcError
}

// params are the params of all methods together.
type params struct {
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
	clientName    jsontext.Value
	clientVersion jsontext.Value
	progressToken jsontext.Value
}

// modern says that the message claims to be of a revision with metadata per
// request.
func (m *message) modern() bool { return m.meta.version != nil }

// refuse notes the first thing that is wrong.
func (m *message) refuse(err *rpcError) {
	if m.bad == nil {
		m.bad = err
	}
}

// decoder reads messages in one pass, and strictly: names are case-sensitive
// and unique at any depth, text is UTF-8, nothing follows. What it returns
// aliases the bytes it reads.
type decoder struct {
	json jsontext.Decoder
	buf  bytes.Buffer
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

func newDecoder(b []byte) *decoder {
	d := decoders.Get().(*decoder)
	d.buf = *bytes.NewBuffer(b)
	d.json.Reset(&d.buf)
	return d
}

// release gives the decoder back; nothing of the body stays in it.
func (d *decoder) release() {
	d.buf = bytes.Buffer{}
	d.json.Reset(&d.buf)
	decoders.Put(d)
}

// end says that nothing follows.
func (d *decoder) end() bool {
	_, err := d.json.ReadToken()
	return errors.Is(err, io.EOF)
}

// name reads the name of the next member; the value of that member is next. It
// gives nil behind the last one.
func (d *decoder) name() ([]byte, error) {
	if d.json.PeekKind() == '}' {
		_, err := d.json.ReadToken()
		return nil, err
	}
	v, err := d.json.ReadValue()
	if err != nil {
		return nil, err
	}
	b, _ := unquote(v)
	return b, nil
}

// enter goes into the value that is next if it is an object. If it is none, it
// gives the value.
func (d *decoder) enter() (other jsontext.Value, err error) {
	if d.json.PeekKind() != '{' {
		return d.json.ReadValue()
	}
	_, err = d.json.ReadToken()
	return nil, err
}

// message reads one message. The error says that it is not JSON; what else is
// wrong is in m.bad.
func (d *decoder) message(m *message) error {
	other, err := d.enter()
	if err != nil {
		return err
	}
	if other != nil {
		m.refuse(invalidRequest("a message is a JSON object"))
		return nil
	}
	var version, method jsontext.Value
	var reply bool
	for {
		name, err := d.name()
		if err != nil {
			return err
		}
		if name == nil {
			break
		}
		if string(name) == "params" {
			if err := d.params(m); err != nil {
				return err
			}
			continue
		}
		v, err := d.json.ReadValue()
		if err != nil {
			return err
		}
		switch string(name) {
		case "jsonrpc":
			version = v
		case "id":
			m.id = v
		case "method":
			method = v
		case "result", "error":
			reply = true
		}
	}
	m.check(version, method, reply)
	return nil
}

// check tells whether the members are those of a request or notification.
func (m *message) check(version, method jsontext.Value, reply bool) {
	if m.id != nil && !validID(m.id) {
		m.id = nil
		m.bad = invalidRequest("id: expected a string or an integer")
		return
	}
	if b, ok := unquote(version); !ok || string(b) != "2.0" {
		m.bad = invalidRequest(`jsonrpc: expected "2.0"`)
		return
	}
	if method == nil && reply {
		m.id = nil
		m.bad = invalidRequest("a response to a request that this server never sent")
		return
	}
	b, ok := unquote(method)
	if !ok || len(b) == 0 {
		m.bad = invalidRequest("method: expected a string")
		return
	}
	m.method = methodName(b)
}

func (d *decoder) params(m *message) error {
	other, err := d.enter()
	if err != nil {
		return err
	}
	if other != nil {
		if other.Kind() != 'n' { // null is what some clients mean by none
			m.refuse(invalidRequest("params: expected an object"))
		}
		return nil
	}
	for {
		name, err := d.name()
		if name == nil {
			return err
		}
		if string(name) == "_meta" {
			if err := d.meta(m); err != nil {
				return err
			}
			continue
		}
		v, err := d.json.ReadValue()
		if err != nil {
			return err
		}
		switch string(name) {
		case "name":
			m.params.name = v
		case "arguments":
			m.params.arguments = v
		case "cursor":
			m.params.cursor = v
		case "protocolVersion":
			m.params.protocolVersion = v
		}
	}
}

func (d *decoder) meta(m *message) error {
	other, err := d.enter()
	if err != nil {
		return err
	}
	if other != nil {
		if other.Kind() != 'n' {
			m.refuse(&rpcError{code: codeInvalidParams, status: http.StatusBadRequest, message: "params._meta: expected an object"})
		}
		return nil
	}
	for {
		name, err := d.name()
		if name == nil {
			return err
		}
		if string(name) == metaClientInfo {
			if err := d.clientInfo(m); err != nil {
				return err
			}
			continue
		}
		v, err := d.json.ReadValue()
		if err != nil {
			return err
		}
		switch string(name) {
		case metaVersion:
			m.meta.version = v
		case metaCapabilities:
			m.meta.capabilities = v
		case "progressToken":
			m.meta.progressToken = v
		}
	}
}

func (d *decoder) clientInfo(m *message) error {
	var err error
	if m.meta.clientInfo, err = d.enter(); err != nil || m.meta.clientInfo != nil {
		return err
	}
	for {
		name, err := d.name()
		if name == nil {
			return err
		}
		v, err := d.json.ReadValue()
		if err != nil {
			return err
		}
		switch string(name) {
		case "name":
			m.meta.clientName = v
		case "version":
			m.meta.clientVersion = v
		}
	}
}

// validID says that v is a string or an integer (MCP, "RequestId").
func validID(v jsontext.Value) bool {
	switch v.Kind() {
	case '"':
		return true
	case '0':
		return !bytes.ContainsAny(v, ".eE")
	}
	return false
}

// unquote gives the content of a JSON string, in place if nothing in it is
// escaped; ok is false if v is none.
func unquote(v jsontext.Value) (b []byte, ok bool) {
	if len(v) < 2 || v[0] != '"' {
		return nil, false
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1], true
	}
	b, err := jsontext.AppendUnquote(make([]byte, 0, len(v)), v)
	return b, err == nil
}

// text is unquote for what is kept.
func text(v jsontext.Value) (string, bool) {
	b, ok := unquote(v)
	return string(b), ok
}
