// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// request builds the HTTP requests of a tool.
type request struct {
	method string
	// scheme and host of an absolute URL. A host with placeholders is the
	// backend's to know.
	scheme, host string
	path         []segment
	query        []queryParam
	headers      []headerField
	forward      []string
	body         *requestBody
	// declared are the names of all arguments; others go where arguments go that
	// have no other place.
	declared map[string]bool
	// restInBody says that they go to the body.
	restInBody bool
}

var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}

// compileRequest checks how arguments become a request.
func compileRequest(cfg Config, props []property) (*request, []Problem) {
	p := &parser{props: make(map[string]*property, len(props)), used: make(map[string]bool, len(props))}
	q := &request{method: cfg.method(), declared: make(map[string]bool, len(props))}
	for i := range props {
		p.props[props[i].Name] = &props[i]
		p.names = append(p.names, props[i].Name)
		q.declared[props[i].Name] = true
	}
	rc := &cfg.Request
	if !slices.Contains(methods, q.method) {
		p.problem("request.method", "", "unknown method %q; accepted: %s%s", rc.Method, strings.Join(methods, ", "), didYouMean(q.method, methods))
	}
	q.compileURL(p, cfg)
	for _, f := range rc.Query {
		if f.Name == "" {
			p.problem("request.query", "", "a query parameter has no name")
			continue
		}
		q.query = append(q.query, p.queryField("request.query."+f.Name, f))
	}
	for _, f := range rc.Headers {
		if h, ok := p.headerField(f); ok {
			q.headers = append(q.headers, h)
		}
	}
	q.forward = p.forwarded(rc.ForwardHeaders)
	q.compileBody(p, cfg)
	for _, pr := range p.problems {
		if !pr.Warning {
			return nil, p.problems
		}
	}
	return q, p.problems
}

func (q *request) compileURL(p *parser, cfg Config) {
	const field = "request.url"
	u := cfg.Request.URL
	if u == "" {
		u = "/" + cfg.Name
	}
	rest := u
	if scheme, after, ok := cutScheme(u); ok {
		host, path := splitAuthority(after)
		q.scheme, q.host = scheme, host
		rest = path
		p.checkHost(field, host)
	} else if i := strings.Index(u, "://"); i > 0 && !strings.ContainsAny(u[:i], "/?{") {
		p.problem(field, "", "unknown scheme %q; accepted: http, https", u[:i])
		return
	} else if !strings.HasPrefix(u, "/") && !strings.HasPrefix(u, "?") {
		p.problem(field, "", "%q: expected a path that begins with `/`, or an http or https URL", u)
		return
	}
	if strings.Contains(placeholderRE.ReplaceAllString(rest, ""), "#") {
		p.problem(field, "", "%q has a fragment, which is never sent; a literal # is written %%23", u)
		return
	}
	path, query := splitQuery(rest)
	if path == "" {
		path = "/"
	}
	q.path = p.parsePath(path)
	q.query = p.parseQuery(query)
}

// splitQuery splits at the first `?` outside of a placeholder.
func splitQuery(s string) (path, query string) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			if m := placeholderRE.FindStringIndex(s[i:]); m != nil && m[0] == 0 {
				i += m[1] - 1
			}
		case '?':
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

func cutScheme(u string) (scheme, rest string, ok bool) {
	for _, s := range []string{"http", "https"} {
		if n := len(s) + 3; len(u) >= n && strings.EqualFold(u[:n], s+"://") {
			return s, u[n:], true
		}
	}
	return "", "", false
}

// splitAuthority splits host and the rest. A host may hold placeholders.
func splitAuthority(s string) (host, rest string) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			if m := placeholderRE.FindStringIndex(s[i:]); m != nil && m[0] == 0 {
				i += m[1] - 1
			}
		case '/', '?', '#':
			return s[:i], s[i:]
		}
	}
	return s, ""
}

func (p *parser) checkHost(field, host string) {
	bare := placeholderRE.ReplaceAllStringFunc(host, func(m string) string {
		key := strings.Trim(m, "{}*")
		if _, ok := p.argument(strings.TrimPrefix(key, argsPrefix)); ok || !strings.Contains(key, ".") {
			p.problem(field, key, "the host cannot be an argument (%s): clients would choose where requests go", m)
		}
		return "x"
	})
	if strings.Contains(bare, "@") {
		p.problem(field, "", "the URL has user information: set an Authorization header instead")
		return
	}
	if u, err := url.Parse("http://" + bare); err != nil || u.Host == "" || u.Hostname() == "" {
		p.problem(field, "", "%q is not a host", host)
	}
}

// Origin gives scheme and host of a tool whose request has an absolute URL. The
// host may hold placeholders whose value is known at load, such as
// {env.API_HOST}.
func Origin(cfg Config) (scheme, host string, ok bool) {
	scheme, rest, ok := cutScheme(cfg.Request.URL)
	if !ok {
		return "", "", false
	}
	host, _ = splitAuthority(rest)
	return scheme, host, true
}

// userAgent of requests that do not set their own.
var userAgent = []string{"caddy-mcp"}

var acceptAny = []string{"application/json, */*;q=0.5"}

// build makes the request of a call.
func (q *request) build(ctx context.Context, c *Call, b Backend) (*http.Request, error) {
	u := &url.URL{Scheme: q.scheme}
	if !strings.Contains(q.host, "{") {
		u.Host = q.host
	}
	if err := buildPath(q.path, c, b, u); err != nil {
		return nil, err
	}
	rest := q.undeclared(c)
	var err error
	if u.RawQuery, err = buildQuery(q.query, c, b); err != nil {
		return nil, err
	}
	if !q.restInBody && len(rest) > 0 {
		out := []byte(u.RawQuery)
		for _, m := range rest {
			if m.Value.Kind() != 'n' {
				out = appendParam(out, string(appendEscaped(nil, m.Name)), m.Value)
			}
		}
		u.RawQuery = string(out)
	}
	r := &http.Request{
		Method: q.method, URL: u, Host: u.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header, 4+len(q.headers)+len(q.forward)),
	}
	r.Header["Accept"], r.Header["User-Agent"] = acceptAny, userAgent
	if err := q.setBody(r, c, b, rest); err != nil {
		return nil, err
	}
	if c.Inbound != nil {
		for _, name := range q.forward {
			if v := c.Inbound.Header[name]; len(v) > 0 {
				r.Header[name] = slices.Clone(v)
			}
		}
	}
	set := make(map[string]bool, len(q.headers))
	for i := range q.headers {
		f := &q.headers[i]
		v, ok, err := f.build(c, b)
		if err != nil {
			return nil, err
		}
		switch {
		case !ok:
		case f.name == "Host":
			r.Host = v
		case set[f.name]:
			r.Header[f.name] = append(r.Header[f.name], v)
		default:
			r.Header[f.name] = []string{v}
			set[f.name] = true
		}
	}
	return r.WithContext(ctx), nil
}

// undeclared gives the arguments that only an open schema lets through.
func (q *request) undeclared(c *Call) []Member {
	var out []Member
	for i := range c.args.Members {
		if m := &c.args.Members[i]; !q.declared[m.Name] {
			out = append(out, *m)
		}
	}
	return out
}

func (q *request) setBody(r *http.Request, c *Call, b Backend, rest []Member) error {
	if q.body == nil {
		r.Body = http.NoBody
		return nil
	}
	if !q.restInBody {
		rest = nil
	}
	data, contentType, err := q.body.build(c, b, rest)
	if err != nil {
		return err
	}
	if contentType != "" {
		r.Header["Content-Type"] = []string{contentType}
	}
	r.ContentLength = int64(len(data))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	r.Body, _ = r.GetBody()
	return nil
}

// buildFailure is the result of a call whose request could not be built.
func buildFailure(err error) *Result {
	var ae *argumentError
	switch {
	case errors.As(err, &ae):
		return failure(OutcomeArguments, "invalid arguments: "+strings.TrimPrefix(ae.text, "invalid arguments: "), err)
	case errors.Is(err, ErrNoCredential):
		return failure(OutcomeInternal, ErrNoCredential.Error(), err)
	}
	return failure(OutcomeInternal, "the request of this tool could not be built; the server's configuration needs mending", fmt.Errorf("building the request: %w", err))
}
