// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/caddymcp/caddy-mcp/mcphandler"
	"github.com/caddymcp/caddy-mcp/tool"
)

// outcomeNonconforming is a call whose result was delivered although it breaks
// the tool's output schema.
const outcomeNonconforming = "nonconforming"

// observer turns what happens at an endpoint into metrics, access-log fields,
// spans and logs. None of them holds an argument, a token or personal data.
type observer struct {
	server  string
	logger  *slog.Logger
	metrics *endpointMetrics
}

// Message counts a message and describes it in the access log. Of a batch, the
// log tells the last one.
func (o *observer) Message(r *http.Request, m mcphandler.Message) {
	o.metrics.request(m.Method, m.Era, m.Outcome)
	if !hasAccessLog(r.Context()) {
		return
	}
	if extra, ok := r.Context().Value(caddyhttp.ExtraLogFieldsCtxKey).(*caddyhttp.ExtraLogFields); ok {
		// One field for all: setting each is a good part of what a call costs.
		extra.Set(zap.Inline(logFields(m)))
	}
}

// hasAccessLog says that somebody reads what is added to the access log.
func hasAccessLog(ctx context.Context) bool {
	server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	return !ok || server.Logs != nil
}

// logFields are the fields of a message in the access log.
type logFields mcphandler.Message

// MarshalLogObject adds the fields.
func (f logFields) MarshalLogObject(enc zapcore.ObjectEncoder) error {
	enc.AddString("mcp_method", f.Method)
	if f.Tool != "" {
		enc.AddString("mcp_tool", f.Tool)
	}
	enc.AddString("mcp_era", f.Era)
	enc.AddString("mcp_outcome", f.Outcome)
	return nil
}

// Call measures a call. A span is made only where Caddy's tracing has one.
func (o *observer) Call(ctx context.Context, c *tool.Call) (context.Context, func(*tool.Result)) {
	start := time.Now()
	o.metrics.inFlight.Inc()
	var span trace.Span
	if outer := trace.SpanFromContext(ctx); outer.SpanContext().IsValid() {
		ctx, span = outer.TracerProvider().Tracer("github.com/caddymcp/caddy-mcp").Start(ctx, "tools/call "+c.Tool,
			trace.WithAttributes(
				attribute.String("mcp.method.name", "tools/call"),
				attribute.String("gen_ai.tool.name", c.Tool),
				attribute.String("mcp.protocol.version", c.Protocol),
				attribute.String("mcp.server.name", o.server),
			))
	}
	return ctx, func(res *tool.Result) {
		o.metrics.inFlight.Dec()
		outcome := string(tool.OutcomeInternal)
		if res != nil {
			outcome = string(res.Outcome)
			if res.Nonconforming && res.Outcome == tool.OutcomeOK {
				outcome = outcomeNonconforming
			}
		}
		o.metrics.call(c.Tool, outcome, time.Since(start).Seconds())
		if span != nil {
			span.SetAttributes(attribute.String("mcp.outcome", outcome))
			if outcome != string(tool.OutcomeOK) && outcome != outcomeNonconforming {
				span.SetStatus(codes.Error, outcome)
			}
			span.End()
		}
		if outcome != string(tool.OutcomeOK) || res.Err != nil {
			o.log(ctx, c, res, outcome)
		}
	}
}

func (o *observer) log(ctx context.Context, c *tool.Call, res *tool.Result, outcome string) {
	level := slog.LevelWarn
	switch tool.Outcome(outcome) {
	case tool.OutcomeArguments, tool.OutcomeCancelled:
		level = slog.LevelDebug
	case tool.OutcomeInternal:
		level = slog.LevelError
		if res != nil && errors.Is(res.Err, tool.ErrNoCredential) {
			// Without the stack that the logger adds to errors.
			level = slog.LevelWarn
		}
	case tool.OutcomeUpstream:
		// A wrong id is a matter between model and API; a refused credential is not.
		if res != nil && res.Status >= 400 && res.Status < 500 && res.Status != 401 && res.Status != 403 {
			level = slog.LevelInfo
		}
	}
	if !o.logger.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("server", o.server), slog.String("tool", c.Tool),
		slog.String("call", c.ID), slog.String("outcome", outcome),
	}
	// What is wrong with arguments names values of them.
	if res != nil && res.Err != nil && outcome != string(tool.OutcomeArguments) {
		attrs = append(attrs, slog.String("error", res.Err.Error()))
	}
	if res != nil && res.Detail != "" && o.logger.Enabled(ctx, slog.LevelDebug) {
		attrs = append(attrs, slog.String("detail", res.Detail))
	}
	msg := "tool call failed"
	if res != nil && !res.IsError {
		msg = "tool answer is not what it should be"
	}
	o.logger.LogAttrs(ctx, level, msg, attrs...)
}

// Interface guard
var _ mcphandler.Observer = (*observer)(nil)
