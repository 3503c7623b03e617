// SPDX-License-Identifier: Apache-2.0

// Package caddymcp is a Caddy HTTP handler that serves MCP: it offers HTTP APIs
// behind Caddy, or answered by Caddy itself, as tools to AI clients.
package caddymcp

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/caddymcp/caddy-mcp/mcphandler"
	"github.com/caddymcp/caddy-mcp/tool"
)

func init() {
	caddy.RegisterModule(&Handler{})
	caddy.RegisterModule(&App{})
}

// Handler serves an MCP endpoint over streamable HTTP, to clients of the
// stateless revision 2026-07-28 and of 2025-11-25, 2025-06-18 and 2025-03-26 on
// one URL. Each tool is an HTTP request that runs through Caddy handlers: the
// tool's own, or the endpoint's.
//
// Besides Caddy's own, these placeholders can be used in the handlers of tools:
//
// Placeholder | Description
// ------------|-------------
// `{http.mcp.tool}` | The name of the tool that is called
// `{http.mcp.call.id}` | A random identifier of the call, for idempotency keys and logs
// `{http.mcp.args.*}` | An argument by name or dotted path
// `{http.mcp.client.name}` | What the client calls itself (unverified)
// `{http.mcp.client.version}` | The client's version (unverified)
// `{http.mcp.protocol}` | The protocol version of the call
// `{http.mcp.request.header.*}` | A header of the client's own request
type Handler struct {
	// Name of the server, as clients see it and as metrics and logs call it.
	// Unique in a configuration. Letters, digits, `.`, `_` and `-`. Default in
	// the Caddyfile: from the site's address; in JSON: `mcp`.
	Name string `json:"name,omitempty"`

	// Title of the server for people. Default: none, clients show the name.
	Title string `json:"title,omitempty"`

	// Version of the server, as clients see it. Default: `1.0.0`.
	Version string `json:"version,omitempty"`

	// WebsiteURL of the server, for people.
	WebsiteURL string `json:"website_url,omitempty"`

	// Icons of the server for clients that show them.
	Icons []tool.Icon `json:"icons,omitempty"`

	// Instructions tell the model how to use the tools together. A server
	// without them gets a warning; an empty string says that none are wanted.
	Instructions *string `json:"instructions,omitempty"`

	// Origins are browser origins, besides the server's own, that may call it:
	// `https://app.example.com`, or `any`. Requests without an Origin header,
	// from clients that are not browsers, always may. Default: none.
	Origins []string `json:"origins,omitempty"`

	// Limits cap what clients control.
	Limits Limits `json:"limits,omitzero"`

	// Page is `on` or `off`: whether a browser that opens the endpoint sees a
	// page with the tools and how to connect. Default: on.
	Page string `json:"page,omitempty"`

	// Tools in the order that clients see.
	Tools []*Tool `json:"tools,omitempty"`

	// Routes run the requests of tools that have no routes of their own.
	Routes caddyhttp.RouteList `json:"routes,omitempty"`

	logger *slog.Logger
	mcp    *mcphandler.Handler
}

// Limits cap what clients control. What is left out has its default.
type Limits struct {
	// Body is the most bytes of a request's body; more is answered with 413.
	// Default: 1 MiB.
	Body int64 `json:"body,omitempty"`

	// Elements is the most members and elements in the arguments of a call.
	// Default: 10000.
	Elements int `json:"elements,omitempty"`

	// Depth is how deep a message may nest. Default: 64.
	Depth int `json:"depth,omitempty"`

	// Result is the most bytes that a tool may return. What is beyond it is cut
	// off, with a notice for the model. Default: 1 MiB.
	Result int64 `json:"result,omitempty"`

	// ResultError makes an oversize result an error instead. Default: false.
	ResultError bool `json:"result_error,omitempty"`

	// Answer is the most bytes of an upstream's answer that are read, after
	// decompression, where the whole of it is needed: for `select`. Default:
	// 16 MiB.
	Answer int64 `json:"answer,omitempty"`

	// Timeout of a call. Default: 30s.
	Timeout caddy.Duration `json:"timeout,omitempty"`

	// Calls is the most concurrent calls of this endpoint; more are answered
	// with 503 and Retry-After. Default: 100.
	Calls int `json:"calls,omitempty"`

	// Batch is the most messages in a batch of protocol 2025-03-26; later
	// protocols have none. Default: 20.
	Batch int `json:"batch,omitempty"`
}

// Tool is a tool and the handlers that its requests run through.
type Tool struct {
	tool.Config

	// Timeout of a call. Default: the limit of the endpoint.
	Timeout caddy.Duration `json:"timeout,omitempty"`

	// Routes run the tool's requests. What they do not answer goes on to the
	// endpoint's routes, or for a request with an absolute URL to a reverse proxy
	// to that origin. Default: only those.
	Routes caddyhttp.RouteList `json:"routes,omitempty"`
}

// CaddyModule returns the Caddy module information.
func (*Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.mcp",
		New: func() caddy.Module { return new(Handler) },
	}
}

// Provision compiles the tools and everything that clients are told of them.
func (h *Handler) Provision(ctx caddy.Context) error {
	h.logger = ctx.Slogger()
	if err := claimName(ctx, h); err != nil {
		return err
	}
	if err := h.check(); err != nil {
		return err
	}
	metrics, err := registerMetrics(ctx.GetMetricsRegistry())
	if err != nil {
		return fmt.Errorf("registering metrics: %w", err)
	}
	shared, err := newBackends(ctx, h)
	if err != nil {
		return err
	}
	tools, err := h.compile(shared)
	if err != nil {
		return err
	}
	repl := caddy.NewReplacer()
	known := func(s string) string { return repl.ReplaceKnown(s, "") }
	o := mcphandler.Options{
		Name: h.Name, Title: known(h.Title), Version: known(h.Version), WebsiteURL: known(h.WebsiteURL),
		Icons: icons(h.Icons), Tools: tools, Scheme: scheme,
		Limits: mcphandler.Limits{
			Body: h.Limits.Body, Elements: h.Limits.Elements, Depth: h.Limits.Depth,
			Calls: h.Limits.Calls, Batch: h.Limits.Batch,
		},
		Observer: &observer{server: h.Name, logger: h.logger, metrics: metrics.endpoint(h.Name)},
	}
	if h.Instructions != nil {
		o.Instructions = known(*h.Instructions)
	}
	if o.Origins, o.AnyOrigin, err = origins(h.Origins); err != nil {
		return err
	}
	if h.Page != "off" {
		if o.Page, err = newPage(o); err != nil {
			return err
		}
	}
	if h.mcp, err = mcphandler.New(o); err != nil {
		return err
	}
	return nil
}

// compile compiles the tools, several at a time, since large catalogs take
// seconds. Whoever wrote them sees all that is wrong at once.
func (h *Handler) compile(b *backends) ([]mcphandler.Tool, error) {
	compiled := make([]*tool.Tool, len(h.Tools))
	problems := make([][]tool.Problem, len(h.Tools))
	errs := make([]error, len(h.Tools))
	seen := make(map[string]bool, len(h.Tools))
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, t := range h.Tools {
		if t == nil {
			errs[i] = fmt.Errorf("tool %d: expected an object, got null", i)
			continue
		}
		if seen[t.Name] {
			errs[i] = fmt.Errorf("tool %s: another tool has the same name", t.Name)
			continue
		}
		seen[t.Name] = true
		backend, err := b.forTool(t)
		if err != nil {
			errs[i] = fmt.Errorf("tool %s: %w", t.Name, err)
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					errs[i] = fmt.Errorf("tool %s: panic: %v", t.Name, v)
				}
				<-slots
			}()
			compiled[i], problems[i] = tool.Compile(t.Config, h.options(t, backend))
		})
	}
	wg.Wait()

	tools := make([]mcphandler.Tool, 0, len(h.Tools))
	for i, t := range h.Tools {
		for _, p := range problems[i] {
			if p.Warning {
				h.logger.Warn(p.Error(), "server", h.Name, "tool", t.Name)
				continue
			}
			errs[i] = errors.Join(errs[i], fmt.Errorf("tool %s: %w", t.Name, p))
		}
		if compiled[i] != nil {
			tools = append(tools, compiled[i])
		}
	}
	return tools, errors.Join(errs...)
}

func (h *Handler) options(t *Tool, b *backend) tool.Options {
	timeout := time.Duration(t.Timeout)
	if timeout == 0 {
		timeout = time.Duration(h.Limits.Timeout)
	}
	return tool.Options{
		Backend: b, Elements: h.Limits.Elements, Depth: h.Limits.Depth, ResultSize: h.Limits.Result,
		AnswerSize: h.Limits.Answer, ResultError: h.Limits.ResultError, Timeout: timeout,
		DecodedPath: b.decodedPath,
	}
}

// ServeHTTP answers a client. Errors from before a message was read go to
// Caddy's error handling; later ones are answered in the protocol's own terms.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	err := h.mcp.ServeHTTP(w, r)
	if se, ok := errors.AsType[*mcphandler.StatusError](err); ok {
		return caddyhttp.Error(se.Status, se.Err)
	}
	return err
}

// scheme tells how the client reached this endpoint; a trusted proxy may say.
func scheme(r *http.Request) string {
	if repl, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer); ok {
		if s, ok := repl.GetString("http.request.scheme"); ok && s != "" {
			return s
		}
	}
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Handler)(nil)
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
)
