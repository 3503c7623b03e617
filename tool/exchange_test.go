// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// proxyBackend sends calls through the standard library's reverse proxy, which
// stops and panics as Caddy's does.
type proxyBackend struct{ proxy *httputil.ReverseProxy }

func (b *proxyBackend) Placeholder(*Call, string) (string, bool) { return "", false }

func (b *proxyBackend) Serve(w http.ResponseWriter, r *http.Request, _ *Call) error {
	// A server's context makes the proxy panic on errors.
	ctx := context.WithValue(r.Context(), http.ServerContextKey, &http.Server{})
	b.proxy.ServeHTTP(w, r.WithContext(ctx))
	return nil
}

// newProxied gives a tool whose calls go to h, and the log of the requests.
func newProxied(t *testing.T, cfg Config, opt Options, h http.HandlerFunc) (*Tool, func() []string) {
	t.Helper()
	var mu sync.Mutex
	var log []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		log = append(log, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", r.Method, r.RequestURI, r.Header.Get("X-Key"), b)))
		mu.Unlock()
		h(w, r)
	}))
	t.Cleanup(srv.Close)
	u, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	opt = opt.withDefaults()
	opt.Backend = &proxyBackend{&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(u); r.Out.Host = r.In.Host },
		Transport: &http.Transport{DisableCompression: true},
	}}
	return &Tool{opt: opt, mapper: newMapper(t, cfg, opt)}, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(log)
	}
}

func TestExchange(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		opt     Options
		handler http.HandlerFunc
		want    string // beginning of the text
		outcome Outcome
		log     []string
	}{
		{
			name: "json", handler: func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusEarlyHints)
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `{"a":1}`)
			},
			want: `{"a":1}`, outcome: OutcomeOK, log: []string{"POST /start k body"},
		},
		{
			name: "redirects", handler: func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/start":
					http.Redirect(w, r, "/start/", http.StatusPermanentRedirect)
				case "/start/":
					http.Redirect(w, r, "http://"+r.Host+"/b?x=1", http.StatusSeeOther)
				default:
					_, _ = io.WriteString(w, "there")
				}
			},
			want: "there", outcome: OutcomeOK, log: []string{"POST /start k body", "POST /start/ k body", "GET /b?x=1 k"},
		},
		{
			name: "endless redirects", handler: func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "/x", http.StatusFound)
			},
			want: "upstream returned 302 Found: more than 3 redirects", outcome: OutcomeUpstream,
			log: []string{"POST /start k body", "GET /x k", "GET /x k", "GET /x k"},
		},
		{
			name: "redirect elsewhere", handler: func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://elsewhere.example/x", http.StatusFound)
			},
			want: "upstream returned 302 Found: a redirect to another host is not followed", outcome: OutcomeUpstream,
			log: []string{"POST /start k body"},
		},
		{
			name: "endless answer", opt: Options{ResultSize: 1 << 16}, handler: func(w http.ResponseWriter, r *http.Request) {
				for r.Context().Err() == nil {
					if _, err := io.WriteString(w, strings.Repeat("é", 1000)); err != nil {
						return
					}
				}
			},
			want: "éé", outcome: OutcomeOK, log: []string{"POST /start k body"},
		},
		{
			name: "endless error", handler: func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusConflict)
				for r.Context().Err() == nil {
					if _, err := io.WriteString(w, strings.Repeat("é", 1000)); err != nil {
						return
					}
				}
			},
			want: "upstream returned 409 Conflict\n\néé", outcome: OutcomeUpstream, log: []string{"POST /start k body"},
		},
		{
			name: "broken off", handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "100")
				_, _ = io.WriteString(w, "short")
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			},
			want: "upstream aborted the response", outcome: OutcomeUpstream, log: []string{"POST /start k body"},
		},
		{
			name: "no content", handler: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
			want: "204 No Content", outcome: OutcomeOK, log: []string{"POST /start k body"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tl, log := newProxied(t, Config{}, tc.opt, tc.handler)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://api.example.com/start", strings.NewReader("body"))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Key", "k")
			res := tl.exchange(t.Context(), &Call{}, r)
			if err := check(tl.mapper, res); err != nil {
				t.Fatal(err)
			}
			if got := told(res)[0]; !strings.HasPrefix(got, tc.want) || res.Outcome != tc.outcome {
				t.Errorf("%s: %.200q: %v", res.Outcome, got, res.Err)
			}
			if diff := cmp.Diff(tc.log, log()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Progress passes a proxy while the upstream is still at work.
func TestExchangeProgress(t *testing.T) {
	t.Parallel()
	told1 := make(chan struct{})
	tl, _ := newProxied(t, Config{}, Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"progress\":1}\n\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-told1:
			_, _ = io.WriteString(w, "data: {\"done\":true}\n\n")
		case <-r.Context().Done():
		}
	})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://api.example.com/", nil)
	if err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	res := tl.exchange(t.Context(), &Call{Progress: func(Progress) { once.Do(func() { close(told1) }) }}, r)
	if string(res.Structured) != `{"done":true}` {
		t.Errorf("%+v", res)
	}
}
