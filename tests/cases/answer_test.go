// SPDX-License-Identifier: Apache-2.0

package cases_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/caddymcp/caddy-mcp/tests/fixture"
	"github.com/caddymcp/caddy-mcp/tests/harness"
)

func TestB16(t *testing.T) {
	const array = `[1,"two",{"three":3}]`
	both(t,
		row{name: "array", tool: "b16_list", check: all(wantText(array), wantStructured(array, ""))},
		row{name: "wrapped", tool: "b16_wrapped", check: all(wantText(`{"items":`+array+`}`), wantStructured(`{"items":`+array+`}`, `{"items":`+array+`}`))},
		row{name: "string", tool: "b16_string", check: wantStructured(`"just text"`, "")},
		row{name: "null", tool: "b16_null", check: wantStructured("null", "")},
		row{name: "wrong", tool: "b16_wrong", check: all(wantText(`{"name":"Ada","n":1}`), wantStructured(`{"name":"Ada","n":1}`, `{"name":"Ada","n":1}`))},
		row{name: "strict", tool: "b16_strict", check: all(wantError(), wantStructured("", ""))},
	)
	t.Run("logged", func(t *testing.T) {
		t.Parallel()
		caddy.Do(t, harness.Tool(harness.Modern, "b16_wrong", nil)).Result(t)
		caddy.WaitLog(t, func(l harness.Log) bool {
			return l.Fields["tool"] == "b16_wrong" && l.Fields["outcome"] == "nonconforming"
		})
	})
}

func TestB25(t *testing.T) {
	empty := func(t *testing.T, _ string, res harness.Result) {
		t.Helper()
		if res.IsError || res.Text() == "" || len(res.Text()) > 200 {
			t.Errorf("%+v", res)
		}
	}
	both(t,
		row{name: "204", tool: "b25_204", check: all(empty, func(t *testing.T, _ string, res harness.Result) {
			if !strings.Contains(res.Text(), "204") {
				t.Errorf("%q does not name the status", res.Text())
			}
		})},
		row{name: "200", tool: "b25_empty", check: all(empty, func(t *testing.T, _ string, res harness.Result) {
			if !strings.Contains(res.Text(), "200") {
				t.Errorf("%q does not name the status", res.Text())
			}
		})},
	)
}

func TestB26(t *testing.T) {
	binary := func(kind, mime string, want []byte) row {
		return row{name: mime, tool: "b26", args: object{"kind": kind}, check: func(t *testing.T, _ string, res harness.Result) {
			t.Helper()
			if res.IsError || len(res.Content) == 0 {
				t.Fatalf("%+v", res)
			}
			c := res.Content[0]
			data, got := c.Data, c.MIMEType
			if c.Resource != nil {
				data, got = c.Resource.Blob, c.Resource.MIMEType
				if c.Resource.URI == "" || strings.Contains(c.Resource.URI, "127.0.0.1") {
					t.Errorf("URI %q", c.Resource.URI)
				}
			}
			b, err := base64.StdEncoding.DecodeString(data)
			if err != nil || string(b) != string(want) || got != mime {
				t.Errorf("%v %s: %d bytes, want %d", err, got, len(b), len(want))
			}
			if want := map[string]string{"png": "image", "wav": "audio", "pdf": "resource"}[kind]; c.Type != want {
				t.Errorf("type %s, want %s", c.Type, want)
			}
		}}
	}
	text := func(kind, want string) row {
		return row{name: kind, tool: "b26", args: object{"kind": kind}, check: wantText(want)}
	}
	sample := func(kind, text, modern, legacy string) row {
		return row{name: "JSON " + kind, tool: "b26_json", args: object{"kind": kind}, check: all(wantText(text), wantStructured(modern, legacy))}
	}
	const pretty = "{\n  \"name\": \"Ada\",\n  \"n\": 1.0\n}\n"
	both(t,
		binary("png", "image/png", fixture.PNG), binary("wav", "audio/wav", fixture.WAV), binary("pdf", "application/pdf", fixture.PDF),
		text("html", "<p>Grüße</p>"), text("latin1", "Grüße"),
		row{name: "bad UTF-8", tool: "b26", args: object{"kind": "badutf8"}, check: func(t *testing.T, _ string, res harness.Result) {
			if !utf8.ValidString(res.Text()) || !strings.HasPrefix(res.Text(), "a") || !strings.HasSuffix(res.Text(), "b") {
				t.Errorf("%q", res.Text())
			}
		}},
		row{name: "broken JSON", tool: "b26", args: object{"kind": "badjson"}, check: all(wantStructured("", ""), func(t *testing.T, _ string, res harness.Result) {
			if !strings.Contains(res.Text(), `{"a":`) && !res.IsError {
				t.Errorf("%+v", res)
			}
		})},
		row{name: "no JSON", tool: "b26", args: object{"kind": "notjson"}, check: wantStructured("", "")},
		sample("object", `{"name":"Ada","n":1}`, `{"name":"Ada","n":1}`, `{"name":"Ada","n":1}`),
		sample("array", `[1,"two",{"three":3}]`, "", ""),
		sample("number", "12345678901234567890.10", "", ""),
		sample("true", "true", "", ""),
		row{name: "JSON pretty", tool: "b26_json", args: object{"kind": "pretty"}, check: func(t *testing.T, _ string, res harness.Result) {
			// Numbers keep their digits; white space is nobody's business.
			compact := strings.NewReplacer("\n", "", " ", "").Replace(pretty)
			for _, got := range []string{res.Text(), string(res.Structured)} {
				if strings.NewReplacer("\n", "", " ", "").Replace(got) != compact {
					t.Errorf("%q", got)
				}
			}
		}},
		row{name: "select", tool: "b26_select", check: wantText(`[{"id":1,"name":"a"},{"id":2,"name":"b"}]`)},
	)
}

func TestB27(t *testing.T) {
	const plain = `{"compressed":true,"text":"grüße"}`
	decoded := func(coding string) row {
		return row{name: coding, tool: "b27", args: object{"coding": coding}, check: all(wantText(plain), wantStructured(plain, plain))}
	}
	both(t, decoded("gzip"), decoded("br"), decoded("zstd"),
		row{name: "unknown", tool: "b27", args: object{"coding": "coding"}, check: wantError("x-secret")},
		row{name: "broken", tool: "b27", args: object{"coding": "gzipbad"}, check: wantError()},
		row{name: "bomb", tool: "b27", args: object{"coding": "bomb"}, check: func(t *testing.T, _ string, res harness.Result) {
			if n := len(res.Text()); n > 210_000 || res.Structured != nil {
				t.Errorf("%d bytes", n)
			}
		}},
		row{name: "bomb and jq", tool: "b27_select", check: wantError()},
	)
}

func TestB28(t *testing.T) {
	client := func(code, words string) row {
		return row{name: code, tool: "b28", args: raw(`{"code":` + code + `}`), check: wantError(append(strings.Fields(words), code, "detail of "+code)...)}
	}
	server := func(code string) row {
		return row{name: code, tool: "b28", args: raw(`{"code":` + code + `}`), check: func(t *testing.T, v string, res harness.Result) {
			wantError(code)(t, v, res)
			if strings.Contains(res.Text(), "detail") || strings.Contains(res.Text(), "Title") {
				t.Errorf("the body of a %s leaked: %s", code, res.Text())
			}
		}}
	}
	both(t, client("400", ""), client("401", ""), client("404", ""), client("409", ""), client("422", ""), client("429", "7"),
		server("500"), server("502"), server("503"),
		row{name: "refused", tool: "b28_refused", check: wantError("502")},
		row{name: "dies", tool: "b28_die", args: object{"how": "die"}, check: wantError("upstream")},
		row{name: "dies early", tool: "b28_die", args: object{"how": "die-early"}, check: wantError()},
		row{name: "307", tool: "b28_redirect", args: object{"way": "r307", "key": "k"}, check: echo(func(t *testing.T, got fixture.Request) {
			if got.Path != "/r307/k/" || got.Method != http.MethodPost {
				t.Errorf("%s %s", got.Method, got.Path)
			}
		})},
		row{name: "303", tool: "b28_redirect", args: object{"way": "r303", "key": "k"}, check: echo(func(t *testing.T, got fixture.Request) {
			if got.Path != "/echo/k" || got.Method != http.MethodGet || len(got.Body) > 0 || got.Type != "" {
				t.Errorf("%s %s %s", got.Method, got.Path, got.Text)
			}
		})},
		row{name: "302 to another host", tool: "b28_redirect", args: object{"way": "r302-other", "key": "foreign"}, check: all(wantError(), notSeen("/foreign"), func(t *testing.T, _ string, _ harness.Result) {
			if got := up.SeenOther("/"); len(got) > 0 {
				t.Errorf("the other origin was asked: %v", got)
			}
		})},
		row{name: "loop", tool: "b28_redirect", args: object{"way": "rloop", "key": "0"}, check: all(wantError(), func(t *testing.T, _ string, _ harness.Result) {
			if got := up.Seen("/rloop/5"); len(got) > 0 {
				t.Error("redirects were followed too often")
			}
		})},
	)
	for _, v := range harness.Eras {
		t.Run(v+"/401 is not ours", func(t *testing.T) {
			t.Parallel()
			res := caddy.Do(t, harness.Tool(v, "b28", object{"code": 401})).WantStatus(t, http.StatusOK)
			for name := range res.Header {
				switch name {
				case "Www-Authenticate", "Retry-After", "Set-Cookie", "X-Upstream", "Via":
					t.Errorf("a header of the upstream: %s: %v", name, res.Header[name])
				}
			}
		})
		t.Run(v+"/timeout", func(t *testing.T) {
			t.Parallel()
			key := "b28-" + v
			res := caddy.Do(t, harness.Tool(v, "b28_timeout", object{"key": key})).Result(t)
			wantError("timed out", "100ms")(t, v, res)
			if err := up.Cancelled(deadline(t), key); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestB29(t *testing.T) {
	n := object{"n": 10_000_000}
	cut := func(t *testing.T, _ string, res harness.Result) {
		t.Helper()
		total, text := 0, ""
		for _, c := range res.Content {
			total += len(c.Text)
			text += c.Text
		}
		if res.IsError || total > 200_000 || total < 100_000 {
			t.Errorf("%t, %d bytes", res.IsError, total)
		}
		if !utf8.ValidString(text) || strings.Contains(text, "\ufffd") {
			t.Error("cut in the middle of a character")
		}
		if !strings.Contains(text[max(0, len(text)-400):], "cut") {
			t.Errorf("no notice: %q", text[max(0, len(text)-400):])
		}
		if res.Structured != nil {
			t.Error("structuredContent of an answer that was cut")
		}
		marked := false
		for key := range res.Meta {
			marked = marked || strings.Contains(key, "truncated")
		}
		if !marked {
			t.Errorf("no mark in _meta: %v", res.Meta)
		}
	}
	both(t,
		row{name: "JSON", tool: "b29", args: n, check: cut},
		row{name: "text", tool: "b29_text", args: object{"n": 400_001}, check: cut},
		row{name: "just below", tool: "b29_text", args: object{"n": 199_000}, check: func(t *testing.T, _ string, res harness.Result) {
			if len(res.Text()) != 199_000 || len(res.Content) != 1 {
				t.Errorf("%d bytes", len(res.Text()))
			}
		}},
		row{name: "jq", tool: "b29_select", args: n, check: func(t *testing.T, _ string, res harness.Result) {
			var got struct {
				Count int
				First string
			}
			if err := json.Unmarshal([]byte(res.Text()), &got); err != nil || got.First != "grüße" || got.Count < 100_000 {
				t.Errorf("%v %s", err, res.Text())
			}
		}},
		row{name: "promised shape", tool: "b29_structured", args: n, check: wantError()},
		row{name: "error", tool: "b29", path: "/strict", args: n, check: wantError()},
		row{name: "jq beyond the answer's limit", tool: "b29_select", path: "/strict", args: n, check: wantError()},
		row{name: "jq below the answer's limit", tool: "b29_select", path: "/strict", args: object{"n": 900_000}, check: func(t *testing.T, _ string, res harness.Result) {
			if res.IsError {
				t.Error(res.Text())
			}
		}},
	)
}
