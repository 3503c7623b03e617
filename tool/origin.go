// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"net/url"
	"regexp"
	"strings"
)

// Origin gives the scheme and the host, with its port, of a request to an
// absolute URL; ok is false if the request's URL is a path, or malformed. The
// host may hold placeholders that are not arguments, such as {env.API_HOST}.
func Origin(cfg Config) (scheme, host string, ok bool) {
	scheme, host, _, ok = splitURL(cfg.Request.URL)
	if !ok || host == "" || strings.Contains(outside(host), "@") {
		return "", "", false
	}
	return scheme, host, true
}

// splitURL takes an absolute URL apart; rest begins with the path.
func splitURL(raw string) (scheme, host, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(raw, "://")
	scheme = strings.ToLower(scheme)
	if !ok || scheme != "http" && scheme != "https" {
		return "", "", raw, false
	}
	end := strings.IndexAny(outside(rest), "/?#")
	if end < 0 {
		end = len(rest)
	}
	return scheme, rest[:end], rest[end:], true
}

// outside gives a template with its placeholders blotted out, so that
// characters are found outside of them, at the same places.
func outside(src string) string {
	b := []byte(src)
	for i := 0; i < len(b); i++ {
		if b[i] == '\\' {
			i++
			continue
		}
		if b[i] != '{' {
			continue
		}
		end := strings.IndexByte(src[i:], '}')
		if end < 0 {
			break
		}
		for j := range end + 1 {
			b[i+j] = '1'
		}
		i += end
	}
	return string(b)
}

var schemeRE = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)

// origin is where requests to an absolute URL go to.
type origin struct {
	scheme string
	// host is empty if it has placeholders: only the backend knows it then.
	host string
}

// compileOrigin checks the scheme and host of the URL and gives what follows.
func (rc *requestCompiler) compileOrigin(raw string) (o origin, rest string) {
	scheme, host, rest, absolute := splitURL(raw)
	if !absolute {
		rc.checkRelative(raw)
		return origin{}, raw
	}
	o.scheme = scheme
	if strings.Contains(outside(host), "@") {
		// Not repeated: it is most likely a password.
		rc.fail(urlField, "", "no user name or password in a URL; set a header instead: Authorization")
		return o, rest
	}
	t := rc.parse(urlField, host, true)
	for _, p := range t {
		if p.ph != nil && p.ph.arg != "" {
			rc.fail(urlField, p.ph.arg, "argument %s in the host: which host is asked must not be the client's choice", p.ph.arg)
			return o, rest
		}
	}
	u, err := url.Parse(scheme + "://" + outside(host))
	if err != nil || u.Hostname() == "" || strings.HasSuffix(u.Host, ":") {
		rc.fail(urlField, "", "host %q: expected a name or an address, with its port if need be, such as api.example.com:8443", host)
	}
	if t.isPlain() {
		o.host = t.literal()
	}
	return o, rest
}

func (rc *requestCompiler) checkRelative(raw string) {
	switch {
	case strings.HasPrefix(raw, "//"):
		rc.fail(urlField, "", "URL %q: expected a path that starts with one /, or an absolute http or https URL", raw)
	case strings.HasPrefix(raw, "/"):
	case schemeRE.MatchString(raw):
		scheme, _, _ := strings.Cut(raw, "://")
		rc.fail(urlField, "", "unknown scheme %q; accepted: http, https", scheme)
	case strings.HasPrefix(raw, "{"):
		rc.fail(urlField, "", "URL %q: a placeholder may stand for the host, not for the scheme: https://{env.API_HOST}/…", raw)
	default:
		shown, _, _ := strings.Cut(raw, "@")
		rc.fail(urlField, "", "URL %q: expected a path that starts with /, or an absolute http or https URL", shown)
	}
}
