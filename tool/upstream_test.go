// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMapperFailures(t *testing.T) {
	t.Parallel()
	m := newMapper(t, Config{}, Options{})
	problem := `{"type":"https://api.internal/p","title":"Not found","status":404,"detail":"No order 7.","instance":"/x"}`
	for _, tc := range []struct {
		name string
		a    answer
		want string
		log  string // in Err
	}{
		{"bare", answer{status: 404}, "upstream returned 404 Not Found", ""},
		{
			"problem",
			answer{status: 404, header: map[string]string{"Content-Type": "application/problem+json"}, body: problem},
			"upstream returned 404 Not Found\n\nNot found: No order 7.", "",
		},
		{
			"problem with errors",
			answer{status: 422, header: map[string]string{"Content-Type": "application/problem+json"}, body: `{"title":"Bad","errors":[{"field":"id"}]}`},
			"upstream returned 422 Unprocessable Entity\n\nBad\n{\"errors\":[{\"field\":\"id\"}]}", "",
		},
		{
			"problem without words",
			answer{status: 400, header: map[string]string{"Content-Type": "application/problem+json"}, body: `{"code":7}`},
			"upstream returned 400 Bad Request\n\n{\"code\":7}", "",
		},
		{
			"retry",
			answer{status: 429, header: map[string]string{"Retry-After": "7", "Content-Type": "application/json"}, body: `{"error":"slow down"}`},
			"upstream returned 429 Too Many Requests\nRetry-After: 7\n\n{\"error\":\"slow down\"}", "",
		},
		{
			"retry date",
			answer{status: 429, header: map[string]string{"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}},
			"upstream returned 429 Too Many Requests\nRetry-After: Wed, 21 Oct 2026 07:28:00 GMT", "",
		},
		{"retry nonsense", answer{status: 429, header: map[string]string{"Retry-After": "ask db.internal"}}, "upstream returned 429 Too Many Requests", ""},
		{"unauthorized", answer{status: 401, header: map[string]string{"Www-Authenticate": "Bearer realm=api.internal"}}, "upstream returned 401 Unauthorized", ""},
		{
			"html",
			answer{status: 404, header: map[string]string{"Content-Type": "text/html"}, body: "<html><head><style>p{}</style></head><body><h1>Not  here</h1><script>x()</script><p>Really &amp; truly"},
			"upstream returned 404 Not Found\n\nNot here\nReally & truly", "",
		},
		{"latin1", answer{status: 400, header: map[string]string{"Content-Type": "text/plain; charset=iso-8859-1"}, body: "\xe9"}, "upstream returned 400 Bad Request\n\né", ""},
		{"binary", answer{status: 400, header: map[string]string{"Content-Type": "application/pdf"}, body: "%PDF"}, "upstream returned 400 Bad Request", ""},
		{
			"long",
			answer{status: 400, header: map[string]string{"Content-Type": "text/plain"}, body: strings.Repeat("é", 20000)},
			"upstream returned 400 Bad Request\n\n" + strings.Repeat("é", 4096) + " …", "",
		},
		{
			"longer than is read",
			answer{status: 400, header: map[string]string{"Content-Type": "application/json"}, body: strings.Repeat("é", 100000)},
			"upstream returned 400 Bad Request\n\n" + strings.Repeat("é", 4096) + " …", "",
		},
		{"compressed", answer{status: 400, header: map[string]string{"Content-Type": "text/plain", "Content-Encoding": "gzip"}, body: compress(t, "gzip", "why")}, "upstream returned 400 Bad Request\n\nwhy", ""},
		{"wrongly compressed", answer{status: 400, header: map[string]string{"Content-Type": "text/plain", "Content-Encoding": "gzip"}, body: "why"}, "upstream returned 400 Bad Request", ""},
		{
			"server error",
			answer{status: 500, header: map[string]string{"Content-Type": "text/plain", "X-Host": "db.internal"}, body: "panic at db.internal:5432"},
			"upstream returned 500 Internal Server Error", "panic at db.internal:5432",
		},
		{
			"server error with retry",
			answer{status: 503, header: map[string]string{"Retry-After": "120"}, body: "down"},
			"upstream returned 503 Service Unavailable\nRetry-After: 120", "down",
		},
		{"strange", answer{status: 799, body: "x"}, "upstream returned 799", "x"},
		{"not modified", answer{status: 304}, "upstream returned 304 Not Modified", ""},
		{"choices", answer{status: 300, body: "a or b"}, "upstream returned 300 Multiple Choices", ""},
		{"head", answer{method: "HEAD", status: 404, header: map[string]string{"Content-Length": "100"}}, "upstream returned 404 Not Found", ""},
		{"endless skipped body", answer{status: 302, body: strings.Repeat("x", skipped+1)}, "upstream returned 302 Found", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			res := m.exchange(t, tc.a, nil)
			if err := check(m, res); err != nil {
				t.Fatal(err)
			}
			if res.Outcome != OutcomeUpstream {
				t.Errorf("outcome %s", res.Outcome)
			}
			if diff := cmp.Diff([]string{tc.want}, told(res)); diff != "" {
				t.Error(diff)
			}
			if !strings.Contains(res.Err.Error()+res.Detail, tc.log) {
				t.Errorf("log %q, %q lacks %q", res.Err, res.Detail, tc.log)
			}
			if res.Detail != "" && strings.Contains(res.Err.Error(), res.Detail) {
				t.Errorf("the error repeats what the upstream said: %v", res.Err)
			}
		})
	}
}
