// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"net"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
)

// Caddy's Helper knows the warnings of the adaptation and the addresses of the
// site, but has no methods for them. Both are read by reflection, and done
// without if a later Caddy names them otherwise: warnings then go to the log,
// and the server's name falls back to its default.

// adapterWarnings gives the list that Caddy reports, with file and line, to
// whoever adapts the Caddyfile; nil if it is out of reach.
func adapterWarnings(h httpcaddyfile.Helper) *[]caddyconfig.Warning {
	f := reflect.ValueOf(h).FieldByName("warnings")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*[]caddyconfig.Warning]() || f.IsNil() {
		return nil
	}
	return (*[]caddyconfig.Warning)(f.UnsafePointer())
}

// siteName makes a server's name of the site's first address that has a host.
func siteName(h httpcaddyfile.Helper) string {
	for _, key := range siteKeys(h) {
		addr, err := httpcaddyfile.ParseAddress(key)
		if err != nil || net.ParseIP(addr.Host) != nil && strings.Contains(addr.Host, ":") {
			continue
		}
		host := strings.ToLower(strings.Trim(strings.TrimPrefix(addr.Host, "*."), "."))
		if nameRE.MatchString(host) {
			return host
		}
	}
	return "mcp"
}

func siteKeys(h httpcaddyfile.Helper) []string {
	if h.IsNamedRoute() {
		return nil
	}
	block := reflect.ValueOf(h).FieldByName("parentBlock")
	if !block.IsValid() || block.Type() != reflect.TypeFor[caddyfile.ServerBlock]() {
		return nil
	}
	list := block.FieldByName("Keys")
	var keys []string
	for i := range list.Len() {
		keys = append(keys, list.Index(i).FieldByName("Text").String())
	}
	return keys
}

// shorthands are placeholders that Caddy writes out in full before a directive
// sees its tokens, by their long form. In text for models, in jq and in schemas
// they are no placeholders at all, and in a request they may be arguments.
var shorthands = sync.OnceValue(func() map[string]string {
	expand := httpcaddyfile.NewShorthandReplacer()
	out := make(map[string]string)
	for short := range strings.FieldsSeq(`host hostport port orig_method orig_uri orig_path orig_dir orig_file
		orig_query orig_?query method uri %uri path %path dir file query %query ?query remote remote_host remote_port
		scheme uuid tls_cipher tls_version tls_client_fingerprint tls_client_issuer tls_client_serial
		tls_client_subject tls_client_certificate_pem tls_client_certificate_der_base64 upstream_hostport client_ip
		header. cookie. labels. path. file. query. re. vars. rp. resp. err. file_match.`) {
		s := caddyfile.Segment{{Text: "{" + short + "}"}}
		expand.ApplyToSegment(&s)
		if long := strings.Trim(s[0].Text, "{}"); long != short {
			out[long] = short
		}
	}
	return out
})

var placeholderRE = regexp.MustCompile(`\{[^{}\s]+\}`)

// shorten undoes Caddy's expansion of shorthands where want says so; nil means
// everywhere.
func shorten(s string, want func(short string) bool) string {
	if !strings.Contains(s, "{http.") {
		return s
	}
	return placeholderRE.ReplaceAllStringFunc(s, func(p string) string {
		long := p[1 : len(p)-1]
		short, ok := shorthands()[long]
		// {query.page} is written out by its prefix.
		for i := len(long); !ok && i > 0; {
			i = strings.LastIndexByte(long[:i], '.')
			if prefix, known := shorthands()[long[:i+1]]; known {
				short, ok = prefix+long[i+1:], true
			}
		}
		if !ok || want != nil && !want(short) {
			return p
		}
		return "{" + short + "}"
	})
}
