// SPDX-License-Identifier: Apache-2.0

package page

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"net"
	"net/url"
	"strings"
)

// connection is the part of the page that depends on the endpoint's URL.
type connection struct {
	URL     string
	Login   bool
	Clients []client
}

// client says how to connect one client.
type client struct {
	Name  string
	Link  template.URL // opens the client; empty if there is no such link
	Steps []step
}

// step is something to copy, and where it goes.
type step struct {
	Text string // what to do; shown before the code
	File string // the file that the code belongs in; may be empty
	Code string
}

// connectTo says how to connect each common client to the endpoint.
func connectTo(name, endpoint string, login bool) connection {
	id := clientName(name)
	type server struct {
		Type string `json:"type,omitempty"`
		URL  string `json:"url"`
	}
	byURL, typed := server{URL: endpoint}, server{Type: "http", URL: endpoint}
	added := compact(struct {
		Name string `json:"name"`
		server
	}{id, typed})

	remote := []string{"-y", "mcp-remote", endpoint}
	if plainHTTP(endpoint) {
		remote = append(remote, "--allow-http")
	}
	stdio := struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}{"npx", remote}

	servers := func(key string, v any) string {
		return indented(map[string]any{key: map[string]any{id: v}})
	}
	return connection{URL: endpoint, Login: login, Clients: []client{
		{Name: "Claude Code", Steps: []step{
			{Text: "Run in a terminal:", Code: "claude mcp add --transport http " + id + " " + endpoint},
		}},
		{
			Name: "VS Code", Link: template.URL("vscode:mcp/install?" + url.QueryEscape(added)), //nolint:gosec // built and escaped here
			Steps: []step{
				{Text: "Run in a terminal:", Code: "code --add-mcp '" + added + "'"},
				{Text: "Or for one workspace:", File: ".vscode/mcp.json", Code: servers("servers", typed)},
			},
		},
		{
			Name: "Cursor",
			Link: template.URL("cursor://anysphere.cursor-deeplink/mcp/install?name=" + url.QueryEscape(id) + //nolint:gosec // built and escaped here
				"&config=" + url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(compact(byURL))))),
			Steps: []step{
				{Text: "Add to", File: "~/.cursor/mcp.json", Code: servers("mcpServers", byURL)},
			},
		},
		{Name: "Codex", Steps: []step{
			{Text: "Run in a terminal:", Code: "codex mcp add " + id + " --url " + endpoint},
		}},
		{Name: "Gemini CLI", Steps: []step{
			{Text: "Run in a terminal:", Code: "gemini mcp add --transport http " + id + " " + endpoint},
		}},
		{Name: "Claude Desktop", Steps: []step{
			{Text: "Settings → Connectors → Add custom connector takes the endpoint's URL if the Internet can reach it. Else add to", File: "claude_desktop_config.json", Code: servers("mcpServers", stdio)},
		}},
		{Name: "MCP Inspector", Steps: []step{
			{Text: "List the tools without any client:", Code: "npx @modelcontextprotocol/inspector@latest --cli " + endpoint + " --transport http --method tools/list"},
		}},
		{Name: "Another client", Steps: []step{
			{Text: "Most clients take a configuration like this:", Code: servers("mcpServers", typed)},
			{Text: "A client that only starts programs connects through mcp-remote:", Code: "npx " + strings.Join(remote, " ")},
		}},
	}}
}

// clientName is the server's name as every client takes it: letters, digits,
// underscores and hyphens.
func clientName(name string) string {
	id := strings.Map(func(c rune) rune {
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '-':
			return c
		}
		return '-'
	}, name)
	if id = strings.Trim(id, "-"); id == "" {
		return "mcp"
	}
	return id
}

// plainHTTP tells whether an endpoint is neither encrypted nor on this machine:
// mcp-remote then wants to be told that this is intended.
func plainHTTP(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" {
		return false
	}
	host := u.Hostname()
	return host != "localhost" && !net.ParseIP(host).IsLoopback()
}

func compact(v any) string  { return marshal(v, "") }
func indented(v any) string { return marshal(v, "  ") }

// marshal leaves <, > and & as they are: the template escapes them.
func marshal(v any, indent string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if e.Encode(v) != nil {
		return "" // unreachable: strings only
	}
	return strings.TrimSpace(b.String())
}
