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

// request builds the HTTP requests of a tool. It is made once, and knows of
// each argument where it goes.
type request struct {
	// decodedPath is Options.DecodedPath.
	decodedPath bool

	method string
	origin origin
	path   pathTemplate
	query  []param
	// params are the names of the configured parameters.
	params  map[string]bool
	headers []headerField
	// repeats says that a header has several fields.
	repeats bool
	// host is the Host header, nil if it is not set.
	host    *headerField
	forward []string
	// body is nil if there is none.
	body        bodyTemplate
	contentType *headerField
	// args are the declared arguments; rest is where those go that are placed
	// nowhere, and those that only an open schema lets through.
	args map[string]argPlace
	rest rest
}

// argPlace is what becomes of a declared argument.
type argPlace struct {
	// placed says that the configuration names its place.
	placed bool
	// param is its name as a query parameter otherwise.
	param string
}

type rest uint8

const (
	restNowhere rest = iota
	restInQuery
	restInBody
)

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
}

// requestCompiler checks how arguments become a request, and finds a place for
// each.
type requestCompiler struct {
	cfg   Config
	props []property
	// placed are the arguments that have a place.
	placed map[string]bool
	// params are the names of query parameters.
	params   map[string]bool
	problems []Problem
}

func (rc *requestCompiler) fail(field, arg, format string, a ...any) {
	rc.problems = append(rc.problems, Problem{Field: field, Arg: arg, Message: fmt.Sprintf(format, a...)})
}

func (rc *requestCompiler) warn(field, format string, a ...any) {
	rc.problems = append(rc.problems, Problem{Field: field, Message: fmt.Sprintf(format, a...), Warning: true})
}

// compileRequest makes the request of a tool with these arguments. It gives nil
// if one of the problems is not a warning.
func compileRequest(cfg Config, props []property) (*request, []Problem) {
	rc := &requestCompiler{cfg: cfg, props: props, placed: make(map[string]bool), params: make(map[string]bool)}
	q := &request{method: cfg.method()}
	if !slices.Contains(methods, q.method) {
		rc.fail("request.method", "", "unknown method %q; accepted: %s%s", cfg.Request.Method, strings.Join(methods, ", "), didYouMean(q.method, methods))
	}
	rc.compileURL(q)
	for _, f := range cfg.Request.Query {
		if p, ok := rc.queryField(f); ok {
			q.query = append(q.query, p)
		}
	}
	rc.compileHeaders(q)
	for i := range q.headers {
		q.repeats = q.repeats || q.headers[i].repeats
	}
	rc.compileBody(q)
	rc.placeRest(q)
	for _, p := range rc.problems {
		if !p.Warning {
			return nil, rc.problems
		}
	}
	return q, rc.problems
}

func (rc *requestCompiler) compileURL(q *request) {
	raw := rc.cfg.Request.URL
	if raw == "" {
		raw = "/" + rc.cfg.Name
	}
	before := len(rc.problems)
	var target string
	if q.origin, target = rc.compileOrigin(raw); len(rc.problems) > before {
		return
	}
	blotted := outside(target)
	if strings.Contains(blotted, "#") {
		rc.fail(urlField, "", "the URL has a fragment, which is never sent; a # itself is written %%23")
		return
	}
	path, query := target, ""
	if i := strings.IndexByte(blotted, '?'); i >= 0 {
		path, query = target[:i], target[i+1:]
	}
	if path == "" {
		path = "/"
	}
	q.path = rc.compilePath(path)
	q.query = rc.compileQuery(query)
}

// placeRest places the arguments that are named nowhere.
func (rc *requestCompiler) placeRest(q *request) {
	q.params = rc.params
	q.args = make(map[string]argPlace, len(rc.props))
	for i := range rc.props {
		name := rc.props[i].Name
		place := argPlace{placed: rc.placed[name]}
		switch {
		case place.placed:
		case q.rest == restInQuery && rc.params[name]:
			rc.fail("request", name, "argument %s would give a second parameter of that name: add {%s} to the first, or leave the first out", name, name)
		case q.rest == restInQuery:
			place.param = paramName(name, asQuery)
		case q.rest == restNowhere:
			rc.fail("request.body", name, "argument %s goes nowhere: the body is written out and does not use it; add {%s} to the URL, a query, a header or the body", name, name)
		}
		q.args[name] = place
	}
}

// unplaced says that an argument is named nowhere.
func (q *request) unplaced(name string) bool { return !q.args[name].placed }

// build makes the request of a call.
func (q *request) build(ctx context.Context, c *Call, be Backend) (*http.Request, error) {
	b := &builder{call: c, backend: be, decodedPath: q.decodedPath}
	if err := q.checkUndeclared(c); err != nil {
		return nil, err
	}
	uri, err := b.appendPath(make([]byte, 0, q.path.size+64), &q.path)
	if err != nil {
		return nil, fmt.Errorf("path: %w", err)
	}
	path := len(uri)
	if uri, err = b.appendQuery(uri, q); err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	// Not http.NewRequestWithContext: parsing a URL of its own is a good part of
	// what building a request costs.
	r := (&http.Request{
		Method: q.method, URL: new(url.URL), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header, 8),
	}).WithContext(ctx)
	r.RequestURI = string(uri)
	if err := setPath(r.URL, r.RequestURI[:path]); err != nil {
		return nil, fmt.Errorf("path: %w", err)
	}
	if len(uri) > path {
		r.URL.RawQuery = r.RequestURI[path+1:]
	}
	r.URL.Scheme, r.URL.Host, r.Host = q.origin.scheme, q.origin.host, q.origin.host
	if q.host != nil {
		host, ok, err := b.header(q.host)
		if err != nil {
			return nil, err
		}
		if ok {
			r.Host = host
		}
	}
	contentType, err := b.setBody(q, r)
	if err != nil {
		return nil, fmt.Errorf("body: %w", err)
	}
	return r, b.setHeaders(q, r.Header, contentType)
}

// checkUndeclared refuses what an open schema lets through where there is no
// place for it.
func (q *request) checkUndeclared(c *Call) error {
	for i := range c.args.Members {
		name := c.args.Members[i].Name
		if !q.unplaced(name) {
			continue
		}
		if q.rest == restNowhere {
			return unknownArgument(name)
		}
		// An upstream that does not tell case apart would see two of them, and one
		// may be fixed.
		if _, declared := q.args[name]; declared {
			continue
		}
		for known := range q.args {
			if strings.EqualFold(known, name) {
				return unknownArgument(name)
			}
		}
	}
	return nil
}

func unknownArgument(name string) error {
	// The name is the client's own: it is not repeated in the log.
	return argumentErrorf("invalid arguments: unknown argument %s", quoteText(name))
}

// setBody sets the body and gives its type.
func (b *builder) setBody(q *request, r *http.Request) (contentType string, err error) {
	r.Body = http.NoBody
	if q.body == nil {
		return "", nil
	}
	data, contentType, ok, err := q.body.build(b, q)
	if err != nil || !ok {
		return "", err
	}
	if q.contentType != nil {
		own, ok, err := b.header(q.contentType)
		if err != nil {
			return "", err
		}
		if ok {
			contentType = own
		}
	}
	r.ContentLength = int64(len(data))
	if len(data) > 0 {
		// A redirect may ask for the body again.
		r.GetBody = func() (io.ReadCloser, error) { return newBody(data), nil }
		r.Body = newBody(data)
	}
	return contentType, nil
}

// requestBody reads a body from memory.
type requestBody struct{ bytes.Reader }

func newBody(data []byte) *requestBody {
	b := new(requestBody)
	b.Reset(data)
	return b
}

// Close does nothing.
func (*requestBody) Close() error { return nil }

// buildFailure is the result of a call whose request could not be built.
func buildFailure(err error) *Result {
	var ae *argumentError
	switch {
	case errors.As(err, &ae):
		return failure(OutcomeArguments, ae.Error(), ae.redacted())
	case errors.Is(err, ErrNoCredential):
		return failure(OutcomeInternal, ErrNoCredential.Error(), err)
	}
	return failure(OutcomeInternal, "the request could not be built; the server's configuration needs mending", fmt.Errorf("building the request: %w", err))
}

// Interface guard
var _ io.ReadCloser = (*requestBody)(nil)
