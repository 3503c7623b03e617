// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddy-mcp/tool"
)

var nameRE = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)

// check finds what is wrong with the endpoint itself; its tools check themselves.
func (h *Handler) check() error {
	if !nameRE.MatchString(h.Name) {
		return fmt.Errorf("name %q: expected 1 to 128 letters, digits, `.`, `_` or `-`", h.Name)
	}
	if h.Version == "" {
		h.Version = "1.0.0"
	}
	switch h.Page {
	case "", "on", "off":
	default:
		return fmt.Errorf("page %q: expected on or off", h.Page)
	}
	for _, l := range []struct {
		name  string
		value int64
	}{
		{"body", h.Limits.Body},
		{"elements", int64(h.Limits.Elements)},
		{"depth", int64(h.Limits.Depth)},
		{"result", h.Limits.Result},
		{"answer", h.Limits.Answer},
		{"timeout", int64(h.Limits.Timeout)},
		{"calls", int64(h.Limits.Calls)},
		{"batch", int64(h.Limits.Batch)},
	} {
		if l.value < 0 {
			return fmt.Errorf("limits: %s is negative: expected a positive value, or none for the default", l.name)
		}
	}
	if !isWebURL(h.WebsiteURL) && h.WebsiteURL != "" {
		return fmt.Errorf("website_url %q: expected an http or https URL", h.WebsiteURL)
	}
	for _, i := range h.Icons {
		if !strings.HasPrefix(i.Src, "data:image/") && !strings.HasPrefix(i.Src, "https://") {
			return fmt.Errorf("icon %q: expected an https URL or a data URL of an image", i.Src)
		}
	}
	for _, t := range h.Tools {
		if t != nil && t.Timeout < 0 {
			return fmt.Errorf("tool %s: timeout is negative: expected a positive value, or none for the default", t.Name)
		}
	}
	if h.Limits.Depth > maxDepth {
		return fmt.Errorf("limits: depth %d: expected at most %d", h.Limits.Depth, maxDepth)
	}
	if h.Instructions == nil {
		h.logger.Warn("no instructions: a model uses tools better that are explained; `instructions \"\"` says that none are wanted",
			"server", h.Name)
	}
	return nil
}

func isWebURL(s string) bool {
	return strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")
}

// maxDepth keeps messages within what the JSON decoder takes.
const maxDepth = 1000

// origins normalizes browser origins; all tells that any origin is allowed.
func origins(list []string) (_ []string, all bool, err error) {
	out := make([]string, 0, len(list))
	for _, s := range list {
		if s == "any" {
			all = true
			continue
		}
		o, err := normalOrigin(s)
		if err != nil {
			return nil, false, err
		}
		out = append(out, o)
	}
	if all && len(out) > 0 {
		return nil, false, errors.New("origins: any allows all: leave out the others, or any")
	}
	return out, all, nil
}

// normalOrigin gives an origin as browsers send it (RFC 6454, section 6.1).
func normalOrigin(s string) (string, error) {
	if strings.Contains(s, "*") {
		return "", fmt.Errorf("origin %q: wildcards are not supported; name each origin, such as https://app.example.com, or allow any", s)
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || u.Host == "" || u.Opaque != "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return "", fmt.Errorf("origin %q: expected scheme://host, such as https://app.example.com, or any", s)
	}
	host := strings.ToLower(u.Host)
	switch {
	case u.Scheme == "https":
		host = strings.TrimSuffix(host, ":443")
	case u.Scheme == "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return strings.ToLower(u.Scheme) + "://" + host, nil
}

func icons(list []tool.Icon) []mcp.Icon {
	var out []mcp.Icon
	for _, i := range list {
		out = append(out, i.MCP())
	}
	return out
}
