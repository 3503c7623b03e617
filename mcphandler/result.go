// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddy-mcp/tool"
)

// appendCall adds the whole response to a call.
func (c *catalog) appendCall(b []byte, id jsontext.Value, res *tool.Result, modern bool) []byte {
	b = append(appendResponse(grow(b, res), id), `{"content":[`...)
	n := 0
	for _, ct := range res.Content {
		if n > 0 {
			b = append(b, ',')
		}
		before := len(b)
		if b = appendContent(b, ct); len(b) == before {
			// Nothing of it could be encoded.
			if n > 0 {
				b = b[:before-1]
			}
			continue
		}
		n++
	}
	b = append(b, ']')
	if len(res.Structured) > 0 && (modern || res.Structured.Kind() == '{') {
		b = append(append(b, `,"structuredContent":`...), res.Structured...)
	}
	if res.IsError {
		b = append(b, `,"isError":true`...)
	}
	switch {
	case modern:
		b = append(b, c.resultTail...)
		for i := range res.Meta {
			b = appendMember(append(b, ','), &res.Meta[i])
		}
		b = append(b, '}')
	case len(res.Meta) > 0:
		b = append(b, `,"_meta":{`...)
		for i := range res.Meta {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendMember(b, &res.Meta[i])
		}
		b = append(b, '}')
	}
	return append(b, "}}"...)
}

// grow makes room for a large result at once, instead of by doubling: a copy of
// what is there costs more than all else that is done with it.
func grow(b []byte, res *tool.Result) []byte {
	n := len(res.Structured) + 512
	for _, ct := range res.Content {
		switch v := ct.(type) {
		case *mcp.TextContent:
			n += len(v.Text) + len(v.Text)/16 + 32
		case *mcp.ImageContent:
			n += base64.StdEncoding.EncodedLen(len(v.Data)) + 96
		case *mcp.AudioContent:
			n += base64.StdEncoding.EncodedLen(len(v.Data)) + 96
		case *mcp.EmbeddedResource:
			if v.Resource != nil {
				n += base64.StdEncoding.EncodedLen(len(v.Resource.Blob)) + len(v.Resource.Text) + len(v.Resource.URI) + 128
			}
		}
	}
	return slices.Grow(b, n)
}

func appendMember(b []byte, m *tool.Member) []byte {
	b = append(quote(b, m.Name), ':')
	return append(b, m.Value...)
}

// appendContent adds one content block. The kinds that tools make are written
// straight, since reflection would be most of the work of a call.
func appendContent(b []byte, ct mcp.Content) []byte {
	switch v := ct.(type) {
	case nil:
		return b
	case *mcp.TextContent:
		if v.Meta == nil && v.Annotations == nil {
			b = quote(append(b, `{"type":"text","text":`...), v.Text)
			return append(b, '}')
		}
	case *mcp.ImageContent:
		if v.Meta == nil && v.Annotations == nil {
			return appendMedia(b, `{"type":"image","mimeType":`, v.MIMEType, v.Data)
		}
	case *mcp.AudioContent:
		if v.Meta == nil && v.Annotations == nil {
			return appendMedia(b, `{"type":"audio","mimeType":`, v.MIMEType, v.Data)
		}
	case *mcp.EmbeddedResource:
		if r := v.Resource; v.Meta == nil && v.Annotations == nil && r != nil && r.Meta == nil {
			b = quote(append(b, `{"type":"resource","resource":{"uri":`...), r.URI)
			if r.MIMEType != "" {
				b = quote(append(b, `,"mimeType":`...), r.MIMEType)
			}
			if r.Blob != nil {
				b = appendBase64(append(b, `,"blob":`...), r.Blob)
			} else {
				b = quote(append(b, `,"text":`...), r.Text)
			}
			return append(b, "}}"...)
		}
	}
	data, err := json.Marshal(ct)
	if err != nil {
		return b
	}
	return append(b, data...)
}

func appendMedia(b []byte, start, mimeType string, data []byte) []byte {
	b = quote(append(b, start...), mimeType)
	b = appendBase64(append(b, `,"data":`...), data)
	return append(b, '}')
}

func appendBase64(b, data []byte) []byte {
	b = append(b, '"')
	b = base64.StdEncoding.AppendEncode(b, data)
	return append(b, '"')
}
