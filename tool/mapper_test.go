// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// newMapper compiles a mapper that must have no problems but warnings.
func newMapper(t testing.TB, cfg Config, opt Options) *mapper {
	t.Helper()
	m, problems := compileMapper(cfg, opt.withDefaults())
	for _, p := range problems {
		if !p.Warning {
			t.Fatal(p.Error())
		}
	}
	return m
}

// answer is what an upstream answers.
type answer struct {
	method string
	status int
	header map[string]string
	body   string
}

func (a answer) request(t testing.TB) *http.Request {
	t.Helper()
	if a.method == "" {
		a.method = http.MethodGet
	}
	return httptest.NewRequest(a.method, "http://api.internal/orders/7", nil)
}

// serve gives the answer to w as a handler does, and the error that it got.
func (a answer) serve(w http.ResponseWriter) error {
	for k, v := range a.header {
		w.Header().Set(k, v)
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	if a.body == "" {
		return nil
	}
	_, err := io.WriteString(w, a.body)
	return err
}

// exchange maps an answer as Tool.exchange does.
func (m *mapper) exchange(t testing.TB, a answer, c *Call) *Result {
	t.Helper()
	if c == nil {
		c = &Call{ID: "c1", Tool: "get_order"}
	}
	cw := m.capture(a.request(t), c)
	if err := a.serve(cw); err != nil {
		res := cw.overflow()
		if res == nil {
			t.Fatalf("Write failed without an overflow: %v", err)
		}
		return res
	}
	return cw.result(t.Context())
}

// told is a result in short: one string per content.
func told(res *Result) []string {
	var out []string
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			out = append(out, c.Text)
		case *mcp.ImageContent:
			out = append(out, fmt.Sprintf("image %s %q", c.MIMEType, c.Data))
		case *mcp.AudioContent:
			out = append(out, fmt.Sprintf("audio %s %q", c.MIMEType, c.Data))
		case *mcp.EmbeddedResource:
			out = append(out, fmt.Sprintf("resource %s %s %q", c.Resource.URI, c.Resource.MIMEType, c.Resource.Blob))
		default:
			out = append(out, fmt.Sprintf("%T", c))
		}
	}
	return out
}

// check says what is wrong with a result whatever was asked for.
func check(m *mapper, res *Result) error {
	if len(res.Content) == 0 {
		return fmt.Errorf("no content")
	}
	if res.Outcome == "" || res.IsError != (res.Outcome != OutcomeOK) {
		return fmt.Errorf("outcome %q, isError %v", res.Outcome, res.IsError)
	}
	if res.IsError && (res.Err == nil || res.Structured != nil) {
		return fmt.Errorf("an error with Err %v, Structured %s", res.Err, res.Structured)
	}
	if res.Structured != nil && !res.Structured.IsValid() {
		return fmt.Errorf("structured content is not valid JSON: %.200q", res.Structured)
	}
	var size int64
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			size += int64(len(c.Text))
			if !utf8.ValidString(c.Text) {
				return fmt.Errorf("text is not UTF-8: %.200q", c.Text)
			}
		case *mcp.ImageContent:
			size += int64(len(c.Data))
		case *mcp.AudioContent:
			size += int64(len(c.Data))
		case *mcp.EmbeddedResource:
			size += int64(len(c.Resource.Blob))
			if u, err := url.Parse(c.Resource.URI); err != nil || u.Scheme == "" {
				return fmt.Errorf("URI %q: %v", c.Resource.URI, err)
			}
		}
		if b, err := c.MarshalJSON(); err != nil || !json.Valid(b) {
			return fmt.Errorf("content is not JSON: %v", err)
		}
	}
	// Errors and notices are short, but there even if nothing fits.
	if limit := max(m.resultSize, 512); !res.IsError && size > limit {
		return fmt.Errorf("content has %d bytes, more than %d", size, limit)
	}
	if res.IsError && size > 512+failureTold {
		return fmt.Errorf("an error has %d bytes", size)
	}
	for _, mem := range res.Meta {
		if p := metaKeyProblem(mem.Name); p != "" || !mem.Value.IsValid() {
			return fmt.Errorf("_meta %s: %s: %s", mem.Name, mem.Value, p)
		}
	}
	return nil
}

func TestMapperKinds(t *testing.T) {
	t.Parallel()
	m := newMapper(t, Config{}, Options{})
	json1 := `{"id":9007199254740993,"n":1.50,"note":null}`
	for _, tc := range []struct {
		name, contentType, body string
		want                    string
		structured              string
	}{
		{"object", "application/json", json1, json1, json1},
		{"object with charset", "application/json; charset=utf-8", json1, json1, json1},
		{"object in capitals", "Application/JSON;Charset=UTF-8", json1, json1, json1},
		{"object with a broken parameter", "application/json; charset", json1, json1, json1},
		{"object with space", "application/json", " \r\n" + json1 + "\n", json1, json1},
		{"object with byte order mark", "application/json", "\uFEFF" + json1, json1, json1},
		{"json suffix", "application/vnd.api+json", json1, json1, json1},
		{"text/json", "text/json", json1, json1, json1},
		{"array", "application/json", `[1,2]`, `[1,2]`, ""},
		{"string", "application/json", `"a\nb"`, `"a\nb"`, ""},
		{"null", "application/json", `null`, `null`, ""},
		{"digits", "application/json", `{"a":1e400,"b":-0,"c":0.10}`, `{"a":1e400,"b":-0,"c":0.10}`, `{"a":1e400,"b":-0,"c":0.10}`},
		{"duplicate names", "application/json", `{"a":1,"b":{"x":1,"x":2},"a":{"y":[1,{"z":1,"z":3}],"y":4}}`, `{"b":{"x":2},"a":{"y":4}}`, `{"b":{"x":2},"a":{"y":4}}`},
		{"many duplicates", "application/json", `{"a":1,"a":2,"b":0,"a":3}`, `{"b":0,"a":3}`, `{"b":0,"a":3}`},
		{"duplicates by escapes", "application/json", `{"a":1,"\u0061":2}`, `{"a":2}`, `{"a":2}`},
		{"lone surrogate", "application/json", `{"a":"\ud800x"}`, "{\"a\":\"\uFFFDx\"}", "{\"a\":\"\uFFFDx\"}"},
		{"bad bytes", "application/json", "{\"a\":\"\xffx\"}", "{\"a\":\"\uFFFDx\"}", "{\"a\":\"\uFFFDx\"}"},
		{"names that become equal", "application/json", `{"\ud800":1,"\udfff":2}`, "{\"\uFFFD\":2}", "{\"\uFFFD\":2}"},
		{"latin1 that says it is JSON", "application/json; charset=iso-8859-1", "{\"a\":\"\xe9\"}", `{"a":"é"}`, `{"a":"é"}`},
		{"UTF-8 that says it is latin1", "application/json; charset=iso-8859-1", `{"a":"é"}`, `{"a":"é"}`, `{"a":"é"}`},
		{"not JSON", "application/json", "<html>oops", "<html>oops", ""},
		{"JSON and more", "application/json", `{"a":1} {"b":2}`, `{"a":1} {"b":2}`, ""},
		{"deep JSON", "application/json", strings.Repeat("[", 5000) + strings.Repeat("]", 5000), strings.Repeat("[", 5000) + strings.Repeat("]", 5000), ""},
		{"text", "text/plain", "é\n", "é\n", ""},
		{"JSON as text", "text/plain", `{"a":1}`, `{"a":1}`, ""},
		{"latin1", "text/plain; charset=iso-8859-1", "caf\xe9", "café", ""},
		{"shift_jis", "text/plain; charset=Shift_JIS", "\x93\xfa\x96\x7b", "日本", ""},
		{"utf-16 by mark", "text/plain", "\xff\xfeh\x00i\x00", "hi", ""},
		{"utf-16 by name", "text/plain; charset=utf-16be", "\x00h\x00i", "hi", ""},
		{"mark beats charset", "text/plain; charset=iso-8859-1", "\uFEFFé", "é", ""},
		{"bad UTF-8", "text/plain; charset=utf-8", "a\xffb", "a\uFFFDb", ""},
		{"unknown charset of UTF-8", "text/plain; charset=klingon", "é", "é", ""},
		{"html", "text/html", "<p>é</p>", "<p>é</p>", ""},
		{"html that names its charset", "text/html", "<meta charset=iso-8859-1><p>\xe9", "<meta charset=iso-8859-1><p>é", ""},
		{"xml that names its charset", "application/xml", "<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>", "<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>", ""},
		{"yaml", "application/yaml", "a: 1", "a: 1", ""},
		{"javascript", "application/javascript", "f()", "f()", ""},
		{"svg", "image/svg+xml", "<svg/>", "<svg/>", ""},
		{"image", "image/png", "\x89PNG\r\n\x00\xff", `image image/png "\x89PNG\r\n\x00\xff"`, ""},
		{"audio", "audio/mpeg; x=1", "\xff\xfb", `audio audio/mpeg "\xff\xfb"`, ""},
		{"pdf", "application/pdf", "%PDF-1.7\xff", `resource tool://get_order/c1 application/pdf "%PDF-1.7\xff"`, ""},
		{"video", "video/mp4", "\x00", `resource tool://get_order/c1 video/mp4 "\x00"`, ""},
		{"no type, text", "", "hello", "hello", ""},
		{"no type, JSON", "", json1, json1, json1},
		{"no type, image", "", "\x89PNG\x0D\x0A\x1A\x0A", `image image/png "\x89PNG\r\n\x1a\n"`, ""},
		{"no type, bytes", "", "\x00\x01\xfe", `resource tool://get_order/c1 application/octet-stream "\x00\x01\xfe"`, ""},
		{"nonsense type", "nonsense", "hello", "hello", ""},
		{"empty JSON", "application/json", "", "200 OK", ""},
		{"blank JSON", "application/json", " \n", "200 OK", ""},
		{"empty image", "image/png", "", "200 OK", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := answer{body: tc.body, header: map[string]string{}}
			if tc.contentType != "" {
				a.header["Content-Type"] = tc.contentType
			}
			res := m.exchange(t, a, nil)
			if err := check(m, res); err != nil {
				t.Fatal(err)
			}
			if res.Outcome != OutcomeOK {
				t.Fatalf("outcome %s: %v", res.Outcome, res.Err)
			}
			if diff := cmp.Diff([]string{tc.want}, told(res)); diff != "" {
				t.Error(diff)
			}
			if got := string(res.Structured); got != tc.structured {
				t.Errorf("structured %s, want %s", got, tc.structured)
			}
		})
	}
}

func TestMapperUndecodable(t *testing.T) {
	t.Parallel()
	m := newMapper(t, Config{}, Options{})
	for _, tc := range []struct {
		name   string
		header map[string]string
		body   string
		want   string
	}{
		{"unknown charset", map[string]string{"Content-Type": "text/plain; charset=klingon"}, "\xff", "the upstream's answer could not be decoded: its charset klingon is not supported"},
		{"unknown coding", map[string]string{"Content-Type": "text/plain", "Content-Encoding": "lzma"}, "x", "the upstream's answer could not be decoded: its content coding lzma is not supported"},
		{"not gzip", map[string]string{"Content-Type": "text/plain", "Content-Encoding": "gzip"}, "hello", "the upstream's answer could not be decoded: it is not valid gzip"},
		{"too many codings", map[string]string{"Content-Type": "text/plain", "Content-Encoding": "gzip, gzip, gzip"}, "x", "the upstream's answer could not be decoded: it has 3 content codings over each other"},
		{"broken off gzip", map[string]string{"Content-Type": "text/plain", "Content-Encoding": "gzip"}, compress(t, "gzip", "hello hello")[:20], "the upstream's answer could not be decoded: it is not valid gzip"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			res := m.exchange(t, answer{header: tc.header, body: tc.body}, nil)
			if err := check(m, res); err != nil {
				t.Fatal(err)
			}
			if res.Outcome != OutcomeOutput || told(res)[0] != tc.want {
				t.Errorf("%s: %q", res.Outcome, told(res))
			}
		})
	}
}

func TestMapperBrokenOff(t *testing.T) {
	t.Parallel()
	m := newMapper(t, Config{}, Options{})
	res := m.exchange(t, answer{header: map[string]string{"Content-Length": "10"}, body: "short"}, nil)
	if res.Outcome != OutcomeUpstream || told(res)[0] != "upstream aborted the response" {
		t.Errorf("%s: %q", res.Outcome, told(res))
	}
}

func TestMapperEmpty(t *testing.T) {
	t.Parallel()
	m := newMapper(t, Config{}, Options{})
	for _, tc := range []struct {
		name string
		a    answer
		want string
	}{
		{"nothing written", answer{}, "200 OK"},
		{"no content", answer{status: 204}, "204 No Content"},
		{"no content with content", answer{status: 204, body: "x"}, "204 No Content"},
		{"created", answer{status: 201, header: map[string]string{"Location": "/orders/8"}}, "201 Created\nLocation: /orders/8"},
		{"created, absolute", answer{status: 201, header: map[string]string{"Location": "http://api.internal/orders/8?x=1"}}, "201 Created\nLocation: /orders/8?x=1"},
		{"created elsewhere", answer{status: 201, header: map[string]string{"Location": "http://db.internal/orders/8"}}, "201 Created"},
		{"unknown status", answer{status: 299}, "299"},
		{"head", answer{method: "HEAD", header: map[string]string{"Content-Length": "1234", "Content-Type": "text/plain"}, body: "dropped"}, "200 OK\nContent-Type: text/plain\nContent-Length: 1234"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			res := m.exchange(t, tc.a, nil)
			if err := check(m, res); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{tc.want}, told(res)); diff != "" || res.Structured != nil || res.IsError {
				t.Errorf("%s%s %v", diff, res.Structured, res.IsError)
			}
		})
	}
}

func TestMapperFilename(t *testing.T) {
	t.Parallel()
	m := newMapper(t, Config{}, Options{})
	for disposition, want := range map[string]string{
		`attachment; filename="report 1.pdf"`:                 "tool://get_order/c1/report%201.pdf",
		`attachment; filename*=UTF-8''b%C3%BCcher.pdf`:        "tool://get_order/c1/b%C3%BCcher.pdf",
		`attachment; filename="../../etc/passwd"`:             "tool://get_order/c1/passwd",
		`attachment; filename="c:\\x\\y.pdf"`:                 "tool://get_order/c1/y.pdf",
		`attachment; filename=".."`:                           "tool://get_order/c1",
		`attachment; filename`:                                "tool://get_order/c1",
		`attachment`:                                          "tool://get_order/c1",
		`inline; filename="` + strings.Repeat("x", 300) + `"`: "tool://get_order/c1",
	} {
		a := answer{header: map[string]string{"Content-Type": "application/pdf", "Content-Disposition": disposition}, body: "x"}
		res := m.exchange(t, a, nil)
		if err := check(m, res); err != nil {
			t.Errorf("%s: %v", disposition, err)
		}
		if got := res.Content[0].(*mcp.EmbeddedResource).Resource.URI; got != want {
			t.Errorf("%s: %s, want %s", disposition, got, want)
		}
	}
}

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
		{"problem", answer{status: 404, header: map[string]string{"Content-Type": "application/problem+json"}, body: problem},
			"upstream returned 404 Not Found\n\nNot found: No order 7.", ""},
		{"problem with errors", answer{status: 422, header: map[string]string{"Content-Type": "application/problem+json"}, body: `{"title":"Bad","errors":[{"field":"id"}]}`},
			"upstream returned 422 Unprocessable Entity\n\nBad\n{\"errors\":[{\"field\":\"id\"}]}", ""},
		{"problem without words", answer{status: 400, header: map[string]string{"Content-Type": "application/problem+json"}, body: `{"code":7}`},
			"upstream returned 400 Bad Request\n\n{\"code\":7}", ""},
		{"retry", answer{status: 429, header: map[string]string{"Retry-After": "7", "Content-Type": "application/json"}, body: `{"error":"slow down"}`},
			"upstream returned 429 Too Many Requests\nRetry-After: 7\n\n{\"error\":\"slow down\"}", ""},
		{"retry date", answer{status: 429, header: map[string]string{"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}},
			"upstream returned 429 Too Many Requests\nRetry-After: Wed, 21 Oct 2026 07:28:00 GMT", ""},
		{"retry nonsense", answer{status: 429, header: map[string]string{"Retry-After": "ask db.internal"}}, "upstream returned 429 Too Many Requests", ""},
		{"unauthorized", answer{status: 401, header: map[string]string{"Www-Authenticate": "Bearer realm=api.internal"}}, "upstream returned 401 Unauthorized", ""},
		{"html", answer{status: 404, header: map[string]string{"Content-Type": "text/html"}, body: "<html><head><style>p{}</style></head><body><h1>Not  here</h1><script>x()</script><p>Really &amp; truly"},
			"upstream returned 404 Not Found\n\nNot here\nReally & truly", ""},
		{"latin1", answer{status: 400, header: map[string]string{"Content-Type": "text/plain; charset=iso-8859-1"}, body: "\xe9"}, "upstream returned 400 Bad Request\n\né", ""},
		{"binary", answer{status: 400, header: map[string]string{"Content-Type": "application/pdf"}, body: "%PDF"}, "upstream returned 400 Bad Request", ""},
		{"long", answer{status: 400, header: map[string]string{"Content-Type": "text/plain"}, body: strings.Repeat("é", 20000)},
			"upstream returned 400 Bad Request\n\n" + strings.Repeat("é", 4096) + " …", ""},
		{"longer than is read", answer{status: 400, header: map[string]string{"Content-Type": "application/json"}, body: strings.Repeat("é", 100000)},
			"upstream returned 400 Bad Request\n\n" + strings.Repeat("é", 4096) + " …", ""},
		{"compressed", answer{status: 400, header: map[string]string{"Content-Type": "text/plain", "Content-Encoding": "gzip"}, body: compress(t, "gzip", "why")}, "upstream returned 400 Bad Request\n\nwhy", ""},
		{"wrongly compressed", answer{status: 400, header: map[string]string{"Content-Type": "text/plain", "Content-Encoding": "gzip"}, body: "why"}, "upstream returned 400 Bad Request", ""},
		{"server error", answer{status: 500, header: map[string]string{"Content-Type": "text/plain", "X-Host": "db.internal"}, body: "panic at db.internal:5432"},
			"upstream returned 500 Internal Server Error", "panic at db.internal:5432"},
		{"server error with retry", answer{status: 503, header: map[string]string{"Retry-After": "120"}, body: "down"},
			"upstream returned 503 Service Unavailable\nRetry-After: 120", "down"},
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
			if !strings.Contains(res.Err.Error(), tc.log) {
				t.Errorf("log %q lacks %q", res.Err, tc.log)
			}
		})
	}
}

func TestMapperSelect(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, program, contentType, body string
		want, structured                 string
		fails                            string
	}{
		{name: "object", program: ".order", body: `{"order":{"id":1,"a":9007199254740993,"f":1.10}}`, want: `{"a":9007199254740993,"f":1.10,"id":1}`, structured: `{"a":9007199254740993,"f":1.10,"id":1}`},
		{name: "array", program: ".items | map({id})", body: `{"items":[{"id":1,"x":2},{"id":2}]}`, want: `[{"id":1},{"id":2}]`},
		{name: "several", program: ".items[]", body: `{"items":[1,"a"]}`, want: `[1,"a"]`},
		{name: "none", program: "empty", body: `{}`, want: "no result"},
		{name: "string", program: ".text", body: `{"text":"# Title\n\"quoted\""}`, want: "# Title\n\"quoted\""},
		{name: "empty string", program: ".text", body: `{"text":""}`, want: `""`},
		{name: "null", program: ".nope", body: `{}`, want: "null"},
		{name: "big sum", program: ".a + 1", body: `{"a":9007199254740993}`, want: "9007199254740994"},
		{name: "float", program: ".a / 4", body: `{"a":1}`, want: "0.25"},
		{name: "nan", program: "[nan, infinite]", body: `{}`, want: "[null,1.7976931348623157e+308]"},
		{name: "JSON as text", program: ".a", contentType: "text/plain", body: `{"a":{"b":1}}`, want: `{"b":1}`, structured: `{"b":1}`},
		{name: "duplicate names", program: ".a", body: `{"a":1,"a":2}`, want: "2"},
		{name: "interpolation", program: `"\(.a)=\(.b|@json)"`, body: `{"a":{"x":1},"b":"c"}`, want: `{"x":1}="c"`},
		{name: "formats", program: `[(.a|@base64), (.a|@uri), (.l|@csv), (.l|@tsv), (.a|@html), (.a|@sh), ("YQ=="|@base64d), (.a|tojson), (.n|tostring), (.a|format("json")), ("%41"|@urid), @text "x\(.n)"]`, body: `{"a":"<a b>","l":[1,"x"],"n":7}`,
			want: `["PGEgYj4=","%3Ca%20b%3E","1,\"x\"","1\tx","&lt;a b&gt;","'<a b>'","a","\"<a b>\"","7","\"<a b>\"","A","x7"]`},
		{name: "halt", program: "1, halt, 2", body: `{}`, want: "1"},
		{name: "fails", program: ".a.b", body: `{"a":1}`, fails: `nothing could be selected from the upstream's answer: expected an object but got: number (1)`},
		{name: "error", program: `error("no such thing")`, body: `{}`, fails: "nothing could be selected from the upstream's answer: no such thing"},
		{name: "error with a value", program: `error({a: 1})`, body: `{}`, fails: `nothing could be selected from the upstream's answer: {"a":1}`},
		{name: "error with a bomb", program: `[limit(40; repeat(null))] | reduce .[] as $x ([1]; [., .]) | error`, body: `{}`, fails: "nothing could be selected from the upstream's answer: [["},
		{name: "text bomb", program: `reduce range(40) as $i ([1]; [., .]) | tojson`, body: `{}`, fails: "nothing could be selected from the upstream's answer: the answer is larger than the limit"},
		{name: "format bomb", program: `reduce range(40) as $i ([1]; [., .]) | format("text")`, body: `{}`, fails: "nothing could be selected from the upstream's answer: the answer is larger than the limit"},
		{name: "interpolated bomb", program: `reduce range(40) as $i ([1]; [., .]) | "\(.)"`, body: `{}`, fails: "nothing could be selected from the upstream's answer: the answer is larger than the limit"},
		{name: "deep output", program: `reduce range(5000) as $i ([]; [.])`, body: `{}`, fails: "nothing could be selected from the upstream's answer: a value nests deeper than 1000"},
		{name: "endless outputs", program: `repeat(1)`, body: `{}`, fails: "nothing could be selected from the upstream's answer: it has more than 100000 outputs"},
		{name: "long number", program: `.`, body: strings.Repeat("1", 2000), fails: "nothing could be selected from the upstream's answer: a number has more than 1024 digits"},
		{name: "not JSON", program: ".", contentType: "text/html", body: "<p>login", fails: "the upstream's answer is not JSON"},
		{name: "an image", program: ".", contentType: "image/png", body: "x", fails: "the upstream's answer is not JSON"},
		{name: "broken JSON", program: ".", body: "{", fails: "the upstream's answer is not JSON"},
		{name: "too large", program: ".", body: `"` + strings.Repeat("x", 1<<17) + `"`, fails: "the upstream's answer is larger than 64 KiB, too large to select from; ask for less"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := newMapper(t, Config{Select: tc.program}, Options{ResultSize: 1 << 15, AnswerSize: 1 << 16})
			if tc.contentType == "" {
				tc.contentType = "application/json"
			}
			res := m.exchange(t, answer{header: map[string]string{"Content-Type": tc.contentType}, body: tc.body}, nil)
			if err := check(m, res); err != nil {
				t.Fatal(err)
			}
			if tc.fails != "" {
				if got := told(res)[0]; res.Outcome != OutcomeOutput || !strings.HasPrefix(got, tc.fails) || strings.HasSuffix(tc.fails, "limit") && got != tc.fails {
					t.Errorf("%s: %q", res.Outcome, got)
				}
				return
			}
			if diff := cmp.Diff([]string{tc.want}, told(res)); diff != "" {
				t.Error(diff)
			}
			if got := string(res.Structured); got != tc.structured {
				t.Errorf("structured %s, want %s", got, tc.structured)
			}
		})
	}
}

func TestSelectPassesFailuresAndEmptyAnswers(t *testing.T) {
	t.Parallel()
	m := newMapper(t, Config{Select: ".items"}, Options{})
	for want, a := range map[string]answer{
		"204 No Content": {status: 204},
		"upstream returned 404 Not Found\n\n{\"x\":1}": {status: 404, header: map[string]string{"Content-Type": "application/json"}, body: `{"x":1}`},
	} {
		if got := told(m.exchange(t, a, nil))[0]; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSelectEndsWithTheCall(t *testing.T) {
	t.Parallel()
	m := newMapper(t, Config{Select: "def f: f; f"}, Options{})
	cause := fmt.Errorf("call: %w", errTimeout)
	for _, tc := range []struct {
		cause error
		want  Outcome
	}{{cause, OutcomeTimeout}, {nil, OutcomeCancelled}} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cw := m.capture(answer{}.request(t), &Call{})
		if err := (answer{header: map[string]string{"Content-Type": "application/json"}, body: "{}"}).serve(cw); err != nil {
			t.Fatal(err)
		}
		done := make(chan *Result)
		go func() { done <- cw.result(ctx) }()
		cancel(tc.cause)
		if res := <-done; res.Outcome != tc.want {
			t.Errorf("outcome %s, want %s", res.Outcome, tc.want)
		}
	}
}

func TestCompileSelect(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]string{
		".items[":            `the jq program has a mistake: unexpected EOF at line 1, column 8`,
		".items\n| map({id":  `the jq program has a mistake: unexpected EOF at line 2, column 10`,
		".a | | .b":          `the jq program has a mistake: unexpected token "|" at line 1, column 6`,
		".é":                 `the jq program has a mistake: unexpected token "é" at line 1, column 2`,
		"nope(1)":            "the jq program has a mistake: function not defined: nope/1",
		"$x":                 "the jq program has a mistake: variable not defined: $x",
		"input":              "the jq program has a mistake: input(s)/0 is not allowed",
		"inputs":             "the jq program has a mistake: input(s)/0 is not allowed",
		"debug":              "the jq program has a mistake: function not defined: debug/0",
		"env.HOME":           "the jq program uses env or $ENV, which are not available here",
		"$ENV | .PATH":       "the jq program uses env or $ENV, which are not available here",
		`import "a" as a; 1`: `the jq program has a mistake: cannot load module: "a"`,
	} {
		m, problems := compileMapper(Config{Select: program}, Options{}.withDefaults())
		if m != nil || len(problems) != 1 || problems[0].Field != "select" || problems[0].Message != want {
			t.Errorf("%s: %v, want %s", program, problems, want)
		}
	}
}

func TestMapperCuts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		cfg    Config
		opt    Options
		header map[string]string
		body   string
		text   string // beginning of the text, whole if cut
		meta   string
		fails  string
	}{
		{name: "fits", opt: Options{ResultSize: 10}, body: "0123456789", text: "0123456789"},
		{name: "fits with characters", opt: Options{ResultSize: 10}, body: "ééééé", text: "ééééé"},
		{name: "one more, between characters", opt: Options{ResultSize: 300}, body: strings.Repeat("é", 151), text: "é", meta: `"total":302}`},
		{name: "known length", opt: Options{ResultSize: 300}, header: map[string]string{"Content-Length": "100000"}, body: strings.Repeat("x", 100000), text: "x", meta: `"total":100000}`},
		{name: "unknown length", opt: Options{ResultSize: 300}, body: strings.Repeat("x", 100000), text: "x", meta: "}"},
		{name: "json", opt: Options{ResultSize: 300}, header: map[string]string{"Content-Type": "application/json"}, body: `{"a":"` + strings.Repeat("é", 1000) + `"}`, text: `{"a":"é`, meta: "}"},
		{name: "selected", cfg: Config{Select: "."}, opt: Options{ResultSize: 300}, header: map[string]string{"Content-Type": "application/json"}, body: `{"a":"` + strings.Repeat("é", 1000) + `"}`, text: `{"a":"é`, meta: "}"},
		{name: "selected small of large", cfg: Config{Select: ".b"}, opt: Options{ResultSize: 300}, header: map[string]string{"Content-Type": "application/json"}, body: `{"a":"` + strings.Repeat("é", 1000) + `","b":"c"}`, text: `c`},
		{name: "compressed", opt: Options{ResultSize: 300}, header: map[string]string{"Content-Encoding": "gzip", "Content-Type": "text/plain"}, body: compress(t, "gzip", strings.Repeat("é", 100000)), text: "é", meta: "}"},
		{name: "nothing fits", opt: Options{ResultSize: 1}, body: strings.Repeat("é", 1000), text: "", meta: "}"},
		{name: "error wanted", opt: Options{ResultSize: 2048, ResultError: true}, body: strings.Repeat("é", 1<<20), fails: "the result is larger than 2 KiB; ask for less"},
		{name: "bytes", opt: Options{ResultSize: 2048}, header: map[string]string{"Content-Type": "image/png"}, body: strings.Repeat("é", 1<<20), fails: "the result is larger than 2 KiB and is not text that could be cut"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := newMapper(t, tc.cfg, tc.opt)
			res := m.exchange(t, answer{header: tc.header, body: tc.body}, nil)
			if err := check(m, res); err != nil {
				t.Fatal(err)
			}
			texts := told(res)
			if tc.fails != "" {
				if res.Outcome != OutcomeOutput || !strings.HasPrefix(texts[0], tc.fails) {
					t.Errorf("%s: %q", res.Outcome, texts)
				}
				return
			}
			if !strings.HasPrefix(texts[0], tc.text) || strings.ContainsRune(texts[0], utf8.RuneError) {
				t.Errorf("text %q", texts[0])
			}
			if tc.meta == "" {
				if len(texts) != 1 || res.Meta != nil {
					t.Errorf("cut: %q", texts)
				}
				return
			}
			if len(texts) != 2 || !strings.HasPrefix(texts[1], fmt.Sprintf("[The result was cut after %d ", len(texts[0]))) || res.Structured != nil {
				t.Errorf("notice %q", texts[1:])
			}
			want := fmt.Sprintf(`{"bytes":%d`, len(texts[0]))
			if v := string(res.Meta[0].Value); !strings.HasPrefix(v, want) || !strings.HasSuffix(v, tc.meta) {
				t.Errorf("_meta %s", v)
			}
		})
	}
}

// A handler must stop reading from its upstream as soon as no more is needed.
func TestCaptureStopsTheUpstream(t *testing.T) {
	t.Parallel()
	for _, readFrom := range []bool{false, true} {
		m := newMapper(t, Config{}, Options{ResultSize: 10_000})
		cw := m.capture(answer{}.request(t), &Call{})
		endless := &countingReader{}
		var w io.Writer = struct{ io.Writer }{cw}
		if readFrom {
			w = cw
		}
		if _, err := io.Copy(w, endless); err == nil {
			t.Fatal("no error")
		}
		if endless.n > 100_000 || len(cw.buf) > 10_000+runeSlack {
			t.Errorf("read %d, kept %d bytes", endless.n, len(cw.buf))
		}
		if res := cw.overflow(); res == nil || res.IsError || len(res.Meta) != 1 {
			t.Errorf("result %+v", res)
		}
	}
}

type countingReader struct{ n int }

func (r *countingReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	r.n += len(p)
	return len(p), nil
}

func TestCaptureWriter(t *testing.T) {
	t.Parallel()
	m := newMapper(t, Config{}, Options{})
	cw := m.capture(answer{}.request(t), &Call{})
	cw.WriteHeader(http.StatusEarlyHints)
	cw.Header().Set("Content-Type", "application/json")
	if err := http.NewResponseController(cw).Flush(); err != nil {
		t.Fatal(err)
	}
	// Too late, as for any ResponseWriter.
	cw.WriteHeader(http.StatusNotFound)
	cw.Header().Set("Content-Type", "image/png")
	cw.Header().Set("Content-Length", "7")
	for part := range strings.SplitSeq(`{"a"|:|1}`, "|") {
		if n, err := io.WriteString(cw, part); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if n, err := cw.ReadFrom(strings.NewReader("  ")); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if cw.overflow() != nil {
		t.Error("overflow")
	}
	if res := cw.result(t.Context()); string(res.Structured) != `{"a":1}` {
		t.Errorf("%+v", res)
	}
	var w http.ResponseWriter = cw
	if _, ok := w.(http.Hijacker); ok {
		t.Error("can be hijacked")
	}
	if _, ok := w.(interface{ Unwrap() http.ResponseWriter }); ok {
		t.Error("can be unwrapped")
	}
}

func TestOutputSchema(t *testing.T) {
	t.Parallel()
	object := json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}`)
	array := json.RawMessage(`{"type":"array","items":{"type":"integer"}}`)
	loose := json.RawMessage(`{"type":["object","null"]}`)
	any := json.RawMessage(`{"type":"object"}`)
	for _, tc := range []struct {
		name       string
		schema     json.RawMessage
		sel        string
		a          answer
		text       string
		structured string
		breaks     bool // the schema
		fails      bool // even without strict
	}{
		{name: "conforms", schema: object, a: answer{body: `{"id":1}`}, text: `{"id":1}`, structured: `{"id":1}`},
		{name: "breaks", schema: object, a: answer{body: `{"id":"x"}`}, text: `{"id":"x"}`, structured: `{"id":"x"}`, breaks: true},
		{name: "array", schema: array, a: answer{body: `[1]`}, text: `[1]`, structured: `[1]`},
		{name: "declared as text", schema: array, a: answer{header: map[string]string{"Content-Type": "text/plain"}, body: `[1]`}, text: `[1]`, structured: `[1]`},
		{name: "not JSON", schema: object, a: answer{header: map[string]string{"Content-Type": "text/plain"}, body: "hi"}, text: "hi", breaks: true},
		{name: "image", schema: object, a: answer{header: map[string]string{"Content-Type": "image/png"}, body: "hi"}, text: `image image/png "hi"`, breaks: true},
		{name: "nothing, null fits", schema: loose, a: answer{status: 204}, text: "204 No Content", structured: "null"},
		{name: "nothing, an object fits", schema: any, a: answer{status: 204}, text: "204 No Content", structured: "{}"},
		{name: "nothing fits", schema: object, a: answer{status: 204}, text: "204 No Content", breaks: true},
		{name: "selected string", schema: json.RawMessage(`{"type":"string"}`), sel: ".s", a: answer{body: `{"s":"x"}`}, text: `"x"`, structured: `"x"`},
		{name: "lines", schema: array, a: answer{header: map[string]string{"Content-Type": "application/x-ndjson"}, body: "1\n2\n"}, text: `[1,2]`, structured: `[1,2]`},
		{name: "too large", schema: array, a: answer{body: "[" + strings.Repeat("1,", 1000) + "1]"}, fails: true},
	} {
		for _, strict := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/strict=%v", tc.name, strict), func(t *testing.T) {
				t.Parallel()
				m := newMapper(t, Config{OutputSchema: tc.schema, OutputStrict: strict, Select: tc.sel}, Options{ResultSize: 1000})
				res := m.exchange(t, tc.a, nil)
				if err := check(m, res); err != nil {
					t.Fatal(err)
				}
				if res.Nonconforming != tc.breaks || tc.breaks && res.Err == nil {
					t.Errorf("nonconforming %v: %v", res.Nonconforming, res.Err)
				}
				if want := tc.fails || tc.breaks && strict; res.IsError != want || want && res.Outcome != OutcomeOutput {
					t.Errorf("isError %v, outcome %s", res.IsError, res.Outcome)
				}
				if res.IsError {
					return
				}
				if got := told(res); got[0] != tc.text || string(res.Structured) != tc.structured {
					t.Errorf("%q, %s", got, res.Structured)
				}
			})
		}
	}
}

func TestCompileOutput(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		schema string
		strict bool
		object bool
		fields []string
	}{
		{schema: `{ "type": "object" }`, object: true},
		{schema: `{"type":"array"}`, fields: []string{"output_schema"}},
		{schema: `{"anyOf":[{"type":"object"}]}`, fields: []string{"output_schema"}},
		{strict: true, fields: []string{"output_strict"}},
		{},
	} {
		m, problems := compileMapper(Config{OutputSchema: json.RawMessage(tc.schema), OutputStrict: tc.strict}, Options{}.withDefaults())
		var fields []string
		for _, p := range problems {
			fields = append(fields, p.Field)
		}
		if diff := cmp.Diff(tc.fields, fields); diff != "" {
			t.Errorf("%s: %s", tc.schema, diff)
		}
		if m != nil && m.outputObject != tc.object {
			t.Errorf("%s: object %v", tc.schema, m.outputObject)
		}
		if m != nil && (m.outputSchema == nil) != (tc.schema == "") {
			t.Errorf("%s: schema %s", tc.schema, m.outputSchema)
		}
	}
}

func FuzzMapper(f *testing.F) {
	f.Add(200, "application/json", "", `{"a":1,"a":"\ud800"}`, uint16(100))
	f.Add(200, "application/json; charset=utf-16le", "", "{\x00}\x00", uint16(3))
	f.Add(200, "text/event-stream", "", "data: {\"progress\":1}\r\rdata: x\ndata: y\n\n", uint16(9))
	f.Add(200, "application/x-ndjson", "gzip", compress(f, "gzip", "{\"a\":1}\n[\n"), uint16(50))
	f.Add(404, "application/problem+json", "", `{"title":"a","detail":"b","x":[{}]}`, uint16(50))
	f.Add(500, "text/html", "", "<p>\xff", uint16(5))
	f.Add(200, "text/html", "br", "<meta charset=gb18030>\xff\x81", uint16(600))
	f.Add(200, "", "", "\xfe\xff\xd8", uint16(600))
	f.Add(200, "application/octet-stream", "identity", "\x00", uint16(0))
	schema := json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}}}`)
	configs := []Config{{}, {Select: ".a, ."}, {OutputSchema: schema}, {OutputSchema: schema, OutputStrict: true}}
	f.Fuzz(func(t *testing.T, status int, contentType, encoding, body string, size uint16) {
		if status < 100 || status > 999 {
			t.Skip()
		}
		for _, cfg := range configs {
			m := newMapper(t, cfg, Options{ResultSize: int64(size) + 1, AnswerSize: 1 << 16})
			a := answer{status: status, header: map[string]string{"Content-Type": contentType, "Content-Encoding": encoding}, body: body}
			res := m.exchange(t, a, &Call{ID: "c1", Tool: "t", Progress: func(p Progress) {
				if !utf8.ValidString(p.Message) || len(p.Message) > messageSize+8 ||
					p.Progress != nil && !p.Progress.IsValid() || p.Total != nil && !p.Total.IsValid() {
					t.Errorf("progress %q", p)
				}
			}})
			if err := check(m, res); err != nil {
				t.Errorf("%+v: %v", cfg, err)
			}
		}
	})
}

func FuzzCleanJSON(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":{"x":1,"x":2},"a":{"y":[1,{"z":1,"z":3}],"y":4}}`))
	f.Add([]byte("{\"\xff\":1,\"\\ud800\":[2]}"))
	f.Add([]byte(` [1e400, "\u0000"] `))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, ok := cleanJSON(b)
		if !ok {
			return
		}
		if !v.IsValid() {
			t.Fatalf("%q gives %q", b, v)
		}
		// The standard library also lets the last one win.
		if got, want := stdDecode(t, v), stdDecode(t, b); !cmp.Equal(got, want) {
			t.Errorf("%q gives %q: %s", b, v, cmp.Diff(want, got))
		}
	})
}

func stdDecode(t *testing.T, b []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func compress(t testing.TB, coding, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := io.WriteCloser(gzip.NewWriter(&b))
	if f, ok := compressors[coding]; ok {
		w = f(&b)
	}
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
