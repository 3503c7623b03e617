// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

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
