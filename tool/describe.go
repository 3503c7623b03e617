// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// NamePattern is what every common client takes as a tool's name.
const NamePattern = `^[A-Za-z0-9_-]{1,64}$`

// nameBudget leaves room for the prefix that clients put before a name.
const nameBudget = 48

var (
	nameRE    = regexp.MustCompile(NamePattern)
	metaKeyRE = regexp.MustCompile(`^(?:([A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*)/)?(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?)?$`)
)

// method is the method of the tool's request, with its default.
func (c *Config) method() string {
	if c.Request.Method == "" {
		return http.MethodPost
	}
	return strings.ToUpper(c.Request.Method)
}

// describe fills what clients are told about the tool, except its schemas.
func describe(cfg Config, d *Descriptor) []Problem {
	var ps []Problem
	add := func(warning bool, field, format string, a ...any) {
		ps = append(ps, Problem{Field: field, Message: fmt.Sprintf(format, a...), Warning: warning})
	}
	switch {
	case cfg.Name == "":
		add(false, "name", "a tool needs a name")
	case !nameRE.MatchString(cfg.Name):
		add(false, "name", "tool name %q is refused by common clients: letters, digits, _ and -, at most 64", cfg.Name)
	case len(cfg.Name) > nameBudget:
		add(true, "name", "tool name %q has %d characters: clients put a prefix before it and refuse more than 64 in all; keep to %d", cfg.Name, len(cfg.Name), nameBudget)
	}
	if strings.TrimSpace(cfg.Description) == "" {
		add(true, "description", "no description: a model chooses tools by it")
	}
	d.Name, d.Title, d.Description = cfg.Name, cfg.Title, cfg.Description
	d.Annotations = annotations(cfg)

	for i, ic := range cfg.Icons {
		field := fmt.Sprintf("icons.%d", i)
		if !strings.HasPrefix(ic.Src, "https://") && !strings.HasPrefix(ic.Src, "data:") {
			add(false, field, "icon %q: clients take https and data URLs only", ic.Src)
		}
		if ic.Theme != "" && ic.Theme != "light" && ic.Theme != "dark" {
			add(false, field, "icon theme %q: expected light or dark", ic.Theme)
		}
		d.Icons = append(d.Icons, ic.MCP())
	}
	if len(cfg.Meta) > 0 {
		ps = append(ps, describeMeta(cfg, d)...)
	}
	return ps
}

func describeMeta(cfg Config, d *Descriptor) []Problem {
	v := jsontext.Value(cfg.Meta).Clone()
	if err := v.Compact(); err != nil || v.Kind() != '{' {
		return []Problem{{Field: "meta", Message: "expected a JSON object"}}
	}
	d.Meta = v
	var ps []Problem
	for _, key := range objectKeys(v) {
		if problem := metaKeyProblem(key); problem != "" {
			ps = append(ps, Problem{Field: "meta", Message: fmt.Sprintf("_meta key %q: %s", key, problem)})
		}
	}
	return ps
}

// metaKeyProblem applies the naming rules of _meta (MCP 2026-07-28, basic,
// "_meta").
func metaKeyProblem(key string) string {
	m := metaKeyRE.FindStringSubmatch(key)
	if m == nil || key == "" {
		return "expected name, or a reverse-DNS prefix, / and a name"
	}
	labels := strings.Split(m[1], ".")
	if len(labels) > 1 && (labels[1] == "modelcontextprotocol" || labels[1] == "mcp") {
		return "its prefix is reserved for MCP itself; use one of your own domain"
	}
	return ""
}

func objectKeys(v jsontext.Value) []string {
	d := jsontext.NewDecoder(strings.NewReader(string(v)))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil
	}
	var keys []string
	for d.PeekKind() == '"' {
		t, err := d.ReadToken()
		if err != nil {
			return keys
		}
		keys = append(keys, t.String())
		if d.SkipValue() != nil {
			return keys
		}
	}
	return keys
}

// annotations fills every hint: a client must not guess what is left out, and
// the specification's defaults are the least favourable ones.
func annotations(cfg Config) mcp.ToolAnnotations {
	m := cfg.method()
	readOnly := m == http.MethodGet || m == http.MethodHead
	idempotent := readOnly || m == http.MethodPut || m == http.MethodDelete
	destructive := m == http.MethodPut || m == http.MethodPatch || m == http.MethodDelete
	openWorld := true

	a := cfg.Annotations
	if a == nil {
		a = &Annotations{}
	}
	pick := func(v *bool, def bool) bool {
		if v != nil {
			return *v
		}
		return def
	}
	readOnly = pick(a.ReadOnly, readOnly)
	if readOnly {
		destructive = false
	}
	destructive, openWorld = pick(a.Destructive, destructive), pick(a.OpenWorld, openWorld)
	return mcp.ToolAnnotations{
		Title: a.Title, ReadOnlyHint: readOnly, IdempotentHint: pick(a.Idempotent, idempotent),
		DestructiveHint: &destructive, OpenWorldHint: &openWorld,
	}
}

// MCP gives the icon as clients get it.
func (i Icon) MCP() mcp.Icon {
	return mcp.Icon{Source: i.Src, MIMEType: i.MIMEType, Sizes: i.Sizes, Theme: mcp.IconTheme(i.Theme)}
}
