// SPDX-License-Identifier: Apache-2.0

// Package examples_test runs the examples, and checks those of the documentation.
package examples_test

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	_ "github.com/caddymcp/caddy-mcp"
)

func adapt(t *testing.T, name string, body []byte) []byte {
	t.Helper()
	config, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt(body, map[string]any{"filename": name})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range warnings {
		t.Errorf("warning: %s", w.String())
	}
	return config
}

func TestExamplesAreValid(t *testing.T) {
	files, err := filepath.Glob("*Caddyfile")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, name := range append(files, "config.json") {
		t.Run(name, func(t *testing.T) {
			config, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if name != "config.json" {
				if diff := cmp.Diff(string(caddyfile.Format(config)), string(config)); diff != "" {
					t.Errorf("not formatted:\n%s", diff)
				}
				config = adapt(t, name, config)
			}
			validate(t, config)
		})
	}
}

// validate provisions a configuration without serving it.
func validate(t *testing.T, config []byte) {
	t.Helper()
	var cfg *caddy.Config
	if err := caddy.StrictUnmarshalJSON(contained(t, config), &cfg); err != nil {
		t.Fatal(err)
	}
	if err := caddy.Validate(cfg); err != nil {
		t.Error(err)
	}
}

// contained makes a configuration leave nothing behind.
func contained(t *testing.T, config []byte) []byte {
	t.Helper()
	var cfg map[string]any
	if err := json.Unmarshal(config, &cfg); err != nil {
		t.Fatal(err)
	}
	cfg["admin"] = map[string]any{"disabled": true, "config": map[string]any{"persist": false}}
	cfg["storage"] = map[string]any{"module": "file_system", "root": t.TempDir()}
	cfg["logging"] = map[string]any{"logs": map[string]any{"default": map[string]any{"writer": map[string]any{"output": "discard"}}}}
	out, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var fenceRE = regexp.MustCompile("(?ms)^```caddyfile\n(.*?)^```$")

// TestDocumentationIsValid adapts what the documentation shows.
func TestDocumentationIsValid(t *testing.T) {
	for _, name := range []string{"../README.md", "../docs/reference.md", "../docs/security.md"} {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found := fenceRE.FindAllSubmatch(page, -1)
		if len(found) == 0 {
			t.Errorf("%s has no Caddyfile", name)
		}
		for i, f := range found {
			t.Run(filepath.Base(name)+"/"+strconv.Itoa(i), func(t *testing.T) {
				body := string(f[1])
				switch {
				case strings.Contains(body, "…") || strings.HasPrefix(body, "arg <") || strings.HasPrefix(body, "request ["):
					return // a form, not an example
				case strings.HasPrefix(body, "handle_errors "):
					body = "localhost\n" + body
				case strings.HasPrefix(body, "tool "):
					body = "localhost\nmcp {\n" + body + "\nreverse_proxy localhost:9000\n}\n"
				case strings.HasPrefix(body, "mcp {"):
					body = "localhost\n" + body
				}
				if strings.Contains(body, "mcp {") && !strings.Contains(body, "instructions") {
					body = strings.Replace(body, "mcp {", "mcp {\n\tinstructions \"\"", 1)
				}
				adapt(t, "Caddyfile", caddyfile.Format([]byte(body)))
			})
		}
	}
}

var handlerRE = regexp.MustCompile("(?ms)^```json\n(\\{\n  \"handler\": \"mcp\".*?)^```$")

// TestDocumentedJSON provisions the handlers that the documentation shows.
func TestDocumentedJSON(t *testing.T) {
	for _, name := range []string{"../README.md", "../docs/reference.md"} {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found := handlerRE.FindAllSubmatch(page, -1)
		if len(found) == 0 {
			t.Errorf("%s has no handler", name)
		}
		for _, f := range found {
			validate(t, []byte(`{"apps":{"http":{"servers":{"s":{"listen":["127.0.0.1:0"],"routes":[{"handle":[`+string(f[1])+`]}]}}}}}`))
		}
	}
}

func TestBookshop(t *testing.T) {
	body, err := os.ReadFile("Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	front, api := freePort(t), freePort(t)
	body = bytes.ReplaceAll(body, []byte(":8080"), []byte(":"+front))
	body = bytes.ReplaceAll(body, []byte(":8081"), []byte(":"+api))
	t.Setenv("BOOKSHOP", "bookshop")
	if err := caddy.Load(contained(t, adapt(t, "Caddyfile", body)), true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := caddy.Stop(); err != nil {
			t.Error(err)
		}
	})

	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: "http://localhost:" + front + "/mcp", DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()

	tools, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	called := make(map[string]bool)
	for _, tt := range []struct {
		tool    string
		args    map[string]any
		isError bool
		want    string // regular expression
	}{
		{"search_books", map[string]any{"q": "Wells"}, false, `^\{"books":\[\{[^{}]*"id":"time-machine"[^{}]*\},\{[^{}]*"id":"war-of-the-worlds"[^{}]*\}\],"total":2\}$`},
		{"search_books", map[string]any{"q": `"}]<b>`}, false, `"total":0`},
		{"search_books", map[string]any{"q": "x"}, true, `q`},
		{"search_books", map[string]any{"q": "sea", "limit": 1}, false, `"total":2`},
		{"list_books", map[string]any{"sort": "year", "limit": 1}, false, `"id":"pride-and-prejudice".*"next_offset":1`},
		{"list_books", map[string]any{"offset": 10}, false, `"next_offset":null`},
		{"list_books", map[string]any{"sort": "color"}, true, `title.*year.*price`},
		{"get_book", map[string]any{"id": "moby-dick"}, false, `"author":"Herman Melville"`},
		{"get_book", map[string]any{"id": "no-such-book"}, true, `404.*Search for it to get its id`},
		{"get_book", map[string]any{"id": "../warehouse"}, true, `id`},
		{"get_cover", map[string]any{"id": "dracula"}, false, `^image/png$`},
		{"order_book", map[string]any{"book": "dracula", "copies": 2, "customer": `Ann "A" Lee`}, false, `"customer":"Ann \\"A\\" Lee".*"note":"".*"total":2480`},
		{"order_book", map[string]any{"book": "treasure-island", "copies": 1, "customer": "Ann"}, true, `409.*copies in stock`},
		{"order_book", map[string]any{"book": "dracula", "copies": 99, "customer": "Ann"}, true, `copies`},
		{"about_shop", nil, false, `^# The bookshop\n.*\*\*12 titles\*\*, from\s1813 to 1898`},
		{"opening_hours", nil, false, `^Monday to Saturday`},
		{"check_warehouse", nil, true, `503`},
	} {
		called[tt.tool] = true
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tt.tool, Arguments: tt.args})
		if err != nil {
			t.Errorf("%s %v: %v", tt.tool, tt.args, err)
			continue
		}
		got := text(res)
		if res.IsError != tt.isError || !regexp.MustCompile("(?s)"+tt.want).MatchString(got) {
			t.Errorf("%s %v: isError %v, %s; want %v, %s", tt.tool, tt.args, res.IsError, got, tt.isError, tt.want)
		}
		if strings.Contains(got, "warehouse.internal") {
			t.Errorf("%s tells of the upstream's insides: %s", tt.tool, got)
		}
	}
	for _, tool := range tools.Tools {
		if !called[tool.Name] {
			t.Errorf("tool %s is never called", tool.Name)
		}
	}
}

// text shows a result: texts, and of what is none its type.
func text(res *mcp.CallToolResult) string {
	var parts []string
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			parts = append(parts, c.Text)
		case *mcp.ImageContent:
			if len(c.Data) > 0 {
				parts = append(parts, c.MIMEType)
			}
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
