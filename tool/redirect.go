// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// maxRedirects is how many redirects of one call are followed.
const maxRedirects = 3

// redirect gives the request that follows a redirect (RFC 9110, section 15.4),
// nil if the answer is none, or a result if it cannot be followed.
//
// The next request runs through the same handlers, and so goes to the same
// upstream with the same configured headers, wherever the Location points: it
// is followed only if that is the same host. Another scheme is another origin,
// and https is another scheme unless the upstream or the client is at https.
func (m *mapper) redirect(ctx context.Context, r *http.Request, cw *capture, hop int) (*http.Request, *Result) {
	cw.commit()
	method := r.Method
	switch cw.status {
	case http.StatusMovedPermanently, http.StatusFound:
		if method == http.MethodPost {
			method = http.MethodGet
		}
	case http.StatusSeeOther:
		if method != http.MethodHead {
			method = http.MethodGet
		}
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	loc := first(cw.header, "Location")
	if loc == "" {
		return nil, nil
	}
	refuse := func(why string) (*http.Request, *Result) {
		text := fmt.Sprintf("upstream returned %s: %s", statusText(cw.status), why)
		res := failure(OutcomeUpstream, text, nil)
		res.Detail = "Location: " + strconv.Quote(loc)
		return nil, res
	}
	if hop >= maxRedirects {
		return refuse(fmt.Sprintf("more than %d redirects", maxRedirects))
	}
	u, err := url.Parse(loc)
	if err != nil || u.Opaque != "" || u.Scheme != "" && u.Host == "" {
		return refuse("a redirect that cannot be followed")
	}
	if u.Host != "" && !cw.sameHost(u) {
		return refuse("a redirect to another host is not followed")
	}
	if u.User != nil {
		return refuse("a redirect with a user name is not followed")
	}
	if s := strings.ToLower(cw.url.Scheme); u.Scheme != "" && s != "" && u.Scheme != s {
		return refuse("a redirect from " + s + " to another scheme is not followed")
	}
	if u.Scheme == "https" && !cw.mayBeHTTPS(u) {
		return refuse("a redirect to https is not followed")
	}
	next, err := follow(ctx, r, &cw.url, u, method)
	if err != nil {
		return refuse(err.Error())
	}
	if u.Scheme == "https" && cw.url.Scheme == "" && method == r.Method && next.URL.RequestURI() == cw.url.RequestURI() {
		// The upstream does not see that the client came by https, and will not.
		return refuse("a redirect from a URL to the same one by https is not followed")
	}
	return next, nil
}

// mayBeHTTPS says that https can be how the request went out, or is where the
// client sees this host. Where the request's own URL has no scheme, only the
// handlers know how they reach the upstream. If it is in clear, following its
// redirect to https would only send the same request there again.
func (cw *capture) mayBeHTTPS(u *url.URL) bool {
	if cw.url.Scheme != "" {
		return true
	}
	if in := cw.c.Inbound; in != nil {
		// An upstream that is told of the client's scheme makes its URLs with it.
		if in.TLS != nil || strings.EqualFold(in.Header.Get("X-Forwarded-Proto"), "https") {
			return true
		}
	}
	// The upstream's own port speaks https if the upstream says so of that port.
	_, port, err := net.SplitHostPort(cw.upstreamHost)
	return err == nil && port == cmp.Or(u.Port(), "443") && normalHost(cw.upstreamHost, "https") == normalHost(u.Host, "https")
}

// follow makes the request for a redirect from one URL to another. It starts
// from where the handlers had not rewritten it yet: they will do so again.
func follow(ctx context.Context, r *http.Request, from, to *url.URL, method string) (*http.Request, error) {
	target := from.ResolveReference(to)
	for seg := range strings.SplitSeq(target.Path, "/") {
		if seg == "." || seg == ".." {
			return nil, errors.New("a redirect that cannot be followed")
		}
	}
	next := r.Clone(ctx)
	next.Method = method
	*next.URL = *from
	next.URL.Path, next.URL.RawPath = target.Path, target.RawPath
	next.URL.RawQuery, next.URL.ForceQuery = target.RawQuery, target.ForceQuery
	if next.URL.Path == "" {
		next.URL.Path = "/"
	}
	if next.RequestURI != "" {
		next.RequestURI = next.URL.RequestURI()
	}
	next.Response = nil
	if method == r.Method {
		return next, replay(next, r)
	}
	next.Body, next.GetBody, next.ContentLength = http.NoBody, nil, 0
	next.TransferEncoding, next.Trailer = nil, nil
	for name := range next.Header {
		if strings.HasPrefix(name, "Content-") || name == "Transfer-Encoding" || name == "Digest" {
			delete(next.Header, name)
		}
	}
	return next, nil
}

// replay gives next the body of r again.
func replay(next, r *http.Request) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	if r.GetBody == nil {
		return errors.New("a redirect that cannot be followed with this body")
	}
	b, err := r.GetBody()
	if err != nil {
		return errors.New("a redirect that cannot be followed with this body")
	}
	next.Body = b
	return nil
}

// sameHost says that an absolute URL has the host of the request: the one in
// its Host header, in its URL, or the one that the backend says it went to.
// Ports count, except a scheme's own.
func (cw *capture) sameHost(u *url.URL) bool {
	scheme := strings.ToLower(u.Scheme)
	if scheme == "" {
		scheme = strings.ToLower(cw.url.Scheme)
	}
	if scheme != "" && scheme != "http" && scheme != "https" {
		return false
	}
	want := normalHost(u.Host, scheme)
	if want == "" {
		return false
	}
	own := strings.ToLower(cw.url.Scheme)
	if own == "" {
		own = scheme
	}
	for _, host := range []string{cw.r.Host, cw.url.Host, cw.upstreamHost} {
		if host != "" && normalHost(host, own) == want {
			return true
		}
	}
	return false
}

// normalHost gives a host in lower case, without the scheme's own port.
func normalHost(host, scheme string) string {
	host = strings.ToLower(host)
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), ""
	}
	name = strings.TrimSuffix(name, ".")
	if scheme == "http" && port == "80" || scheme == "https" && port == "443" || port == "" {
		return name
	}
	return net.JoinHostPort(name, port)
}
