// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"net/http"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/caddymcp/caddy-mcp/internal/page"
	"github.com/caddymcp/caddy-mcp/mcphandler"
)

// newPage prepares the page that a browser sees at the endpoint.
func newPage(o mcphandler.Options) (http.Handler, error) {
	info := page.Info{
		Title: o.Title, Name: o.Name, Version: o.Version, WebsiteURL: o.WebsiteURL,
		Instructions: o.Instructions, Scheme: scheme, Path: originalPath,
	}
	for _, t := range o.Tools {
		d := t.Descriptor()
		info.Tools = append(info.Tools, page.Tool{
			Name: d.Name, Title: d.Title, Description: d.Description, Args: page.ArgsOf(d.InputSchema),
			ReadOnly:    d.Annotations.ReadOnlyHint,
			Destructive: d.Annotations.DestructiveHint != nil && *d.Annotations.DestructiveHint,
		})
	}
	return page.New(info)
}

// originalPath is the path that the client asked for: handle_path and rewrite
// change the one that handlers see.
func originalPath(r *http.Request) string {
	if o, ok := r.Context().Value(caddyhttp.OriginalRequestCtxKey).(http.Request); ok && o.URL != nil {
		return o.URL.EscapedPath()
	}
	return r.URL.EscapedPath()
}
