// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/caddymcp/caddy-mcp/tests/fixture"
	"github.com/caddymcp/caddy-mcp/tests/harness"
)

const caddyfile = `{
	admin {$ADMIN}
	persist_config off
}

http:// {
	bind {$LISTEN} {
		protocols h1
	}
	log
	tracing {
		span site
	}
	metrics /metrics

	mcp {
		name shop
		instructions ""

		tool echo {
			description "What the upstream gets."
			arg text string "A text."
			request POST /echo/observe
		}
		tool in_path {
			description "An argument in the path."
			arg text string "A text."
			arg way string "What happens." enum=die,die-early,status,echo
			request GET /{way}/{text}
		}
		tool oversize {
			description "More than anybody wants."
			arg text string "A text."
			request GET /big/3000000?q={text}
		}
		tool panics {
			description "It panics."
			arg text string "A text." optional
			request GET /x
			test_panic
		}
		tool refused {
			description "Nobody is there."
			arg text string "A text." optional
			request GET /x
			reverse_proxy 127.0.0.1:1
		}
		tool slow {
			description "It takes too long."
			arg key string "A gate."
			request GET /gate/{key}
			timeout 50ms
		}
		tool waits {
			description "It waits."
			arg key string "A gate."
			request GET /gate/{key}
		}
		tool broken_promise {
			description "Not what it promises."
			request GET /json/object
			output ` + "`" + `{"type":"object","required":["other"]}` + "`" + `
		}
		tool no_key {
			description "Its key is missing."
			request GET /echo/no_key {
				header X-Key {env.OBSERVE_NO_KEY}
			}
		}
		tool nobody {
			description "No handler answers."
			request GET /nobody
		}
		@somebody not path /nobody
		reverse_proxy @somebody {$UPSTREAM}
	}

	mcp /other {
		name other
		instructions ""
		tool echo {
			description "The same name at another endpoint."
			request GET /echo/other
		}
		reverse_proxy {$UPSTREAM}
	}

	handle_errors {
		respond "handled {err.status_code}"
	}
}
`

var (
	up     *fixture.Upstream
	traces *collector
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	up = fixture.New()
	defer up.Close()
	traces = newCollector()
	defer traces.Close()
	return m.Run()
}

// start runs a Caddy of its own, since counters have to be exact.
func start(t *testing.T) *harness.Caddy {
	t.Helper()
	return harness.Start(t, harness.Config{
		Text: strings.ReplaceAll(caddyfile, "{$UPSTREAM}", up.Addr()), Caddyfile: true,
		Env: []string{
			"OTEL_TRACES_EXPORTER=otlp", "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", "OTEL_EXPORTER_OTLP_INSECURE=true",
			"OTEL_EXPORTER_OTLP_ENDPOINT=" + traces.URL, "OTEL_BSP_SCHEDULE_DELAY=20", "OTEL_TRACES_SAMPLER=parentbased_always_on",
		},
	})
}

type object = map[string]any

// collector keeps what an OpenTelemetry exporter sends.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	data    strings.Builder
	changed chan struct{}
}

func newCollector() *collector {
	c := &collector{changed: make(chan struct{})}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		c.data.Write(b)
		close(c.changed)
		c.changed = make(chan struct{})
		c.mu.Unlock()
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	return c
}

// wait waits until something that matches was sent.
func (c *collector) wait(ctx context.Context, substring string) error {
	for {
		c.mu.Lock()
		found, changed := strings.Contains(c.data.String(), substring), c.changed
		c.mu.Unlock()
		if found {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("no %q was sent: %w", substring, ctx.Err())
		}
	}
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), harness.Patience)
	t.Cleanup(cancel)
	return ctx
}

// scrape gives the samples of this module's metrics.
func scrape(t *testing.T, c *harness.Caddy) map[string]string {
	t.Helper()
	res, err := c.Client.Get(c.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.SplitSeq(string(b), "\n") {
		if name, value, ok := strings.Cut(line, "} "); ok && strings.HasPrefix(line, "caddy_mcp_") {
			out[name+"}"] = value
		}
	}
	return out
}
