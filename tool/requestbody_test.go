// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestRequestBody(t *testing.T) {
	t.Parallel()
	b := &fakeBackend{placeholders: map[string]string{"http.mcp.client.name": `a"b`, "env.N": "5"}}
	for name, tc := range map[string]struct {
		schema, request, args string
		contentType, want     string
		err                   string
	}{
		"the rest as JSON":      {schemaOf("id", "n:integer", "s?"), `{"url":"/x/{id}"}`, `{"id":"1","n":9007199254740993}`, "application/json", `{"n":9007199254740993}`, ""},
		"nothing left":          {schemaOf("id"), `{"url":"/x/{id}/cancel"}`, `{"id":"1"}`, "", ``, ""},
		"no arguments":          {schemaOf(), `{"url":"/x"}`, ``, "application/json", `{}`, ""},
		"undeclared":            {`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"url":"/x"}`, `{"a":"1","b":{"c": 1.50}}`, "application/json", `{"a":"1","b":{"c": 1.50}}`, ""},
		"template":              {schemaOf("lines:array", "note"), `{"url":"/x","body":{"type":"json","json":{"lines":"{lines}","note":"from {http.mcp.client.name}: {note}","fixed":[1.0,true,null,"x"]}}}`, `{"lines":[{"n":1.10}],"note":"say \"hi\"\n"}`, "application/json", `{"fixed":[1.0,true,null,"x"],"lines":[{"n":1.10}],"note":"from a\"b: say \"hi\"\n"}`, ""},
		"absent member":         {schemaOf("a", "b?"), `{"url":"/x","body":{"type":"json","json":{"b":"{b}","t":"x{b}","a":"{a}","in":{"b":"{b}"},"l":["{b}","{a}","{b}"]}}}`, `{"a":"1"}`, "application/json", `{"a":"1","in":{},"l":["1"]}`, ""},
		"whole body":            {schemaOf("doc:object"), `{"method":"PUT","url":"/x","body":{"type":"json","json":"{doc}"}}`, `{"doc":{"z":1,"a":2}}`, "application/json", `{"z":1,"a":2}`, ""},
		"placeholder as string": {schemaOf(), `{"url":"/x","body":{"type":"json","json":{"n":"{env.N}"}}}`, ``, "application/json", `{"n":"5"}`, ""},
		"breaking out":          {schemaOf("a"), `{"url":"/x","body":{"type":"json","json":{"a":"<{a}>"}}}`, `{"a":"\",\"admin\":true,\"x\":\""}`, "application/json", `{"a":"<\",\"admin\":true,\"x\":\">"}`, ""},
		"null is a value":       {`{"type":"object","properties":{"a":{},"b":{}}}`, `{"url":"/x","body":{"type":"json","json":["{a}","{b}","v{b}"]}}`, `{"a":null}`, "application/json", `[null]`, ""},
		"absent":                {schemaOf("a?", "b?", "c"), `{"url":"/x","body":{"type":"json","json":{"a":"{a}","in":{"b":"{b}","l":["{a}",1,"{b}"]},"t":"{a}{c}","z":"{c}"}}}`, `{"c":"1"}`, "application/json", `{"in":{"l":[1]},"z":"1"}`, ""},
		"one value":             {schemaOf("a:array"), `{"url":"/x","body":{"type":"json","json":"{a}"}}`, `{"a":[1.0, {"b":2}]}`, "application/json", `[1.0, {"b":2}]`, ""},
		"one value, absent":     {schemaOf("a?:array"), `{"url":"/x","body":{"type":"json","json":"{a}"}}`, `{}`, "", "", ""},
		"in an argument":        {schemaOf("a:object"), `{"url":"/x","body":{"type":"json","json":{"c":"{a.b.c}","i":"{a.l.1}","t":"<{a.b.c}>","n":"{a.none}"}}}`, `{"a":{"b":{"c":9007199254740993},"l":[1,"x"]}}`, "application/json", `{"c":9007199254740993,"i":"x","t":"<9007199254740993>"}`, ""},
		"text of all kinds":     {schemaOf("o:object", "l:array", "b:boolean", "n:number"), `{"url":"/x","body":{"type":"json","json":["{o}|{l}|{b}|{n}"]}}`, `{"o":{"a": "\"\u00e9"},"l":[1, 2],"b":false,"n":1e400}`, "application/json", `["{\"a\":\"\\\"\\u00e9\"}|[1,2]|false|1e400"]`, ""},
		"escaped braces":        {schemaOf("a"), `{"url":"/x","body":{"type":"json","json":{"q":"{ a } \\{a} {a} {}","k":["\\{a}"]}}}`, `{"a":"\\{a}"}`, "application/json", `{"q":"{ a } {a} \\{a} {}","k":["{a}"]}`, ""},
		"a string of JSON":      {schemaOf("a"), `{"url":"/x","body":{"type":"json","json":"{\"z\":\"{a}\",\"a\":12345678901234567890}"}}`, `{"a":"1"}`, "application/json", `{"z":"1","a":12345678901234567890}`, ""},
		"placeholders alone":    {schemaOf(), `{"url":"/x","body":{"type":"json","json":["{env.N}","{http.mcp.client.version}"]}}`, `{}`, "application/json", `["5",""]`, ""},
		"no credential":         {schemaOf(), `{"url":"/x","body":{"type":"json","json":["{env.NONE}"]}}`, `{}`, "", "", "placeholder {env.NONE} is unknown or empty"},
		"undeclared, explicit":  {`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"url":"/x","body":{"type":"json","json":["{a}"]}}`, `{"a":"1","b":2}`, "", "", `unknown argument "b"`},
		"own type, a template":  {schemaOf("a", "v?"), `{"url":"/x?a={a}","body":{"type":"json","content_type":"application/vnd.api+json; v={v}","json":{}}}`, `{"a":"1","v":"2"}`, "application/vnd.api+json; v=2", `{}`, ""},
		"own type, absent":      {schemaOf("a", "v?"), `{"url":"/x?a={a}","body":{"type":"json","content_type":"application/vnd.api+json; v={v}","json":{}}}`, `{"a":"1"}`, "application/json", `{}`, ""},
		"own type, a line":      {schemaOf("v"), `{"url":"/x","body":{"type":"json","content_type":"application/json; v={v}","json":{}}}`, `{"v":"1\r\nX: y"}`, "", "", "v: must not have line breaks"},
		"form, undeclared":      {`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"url":"/x","body":{"type":"form"}}`, `{"b=":[true,{"k": 1}],"a":"1"}`, "application/x-www-form-urlencoded", `b%3D=true&b%3D=%7B%22k%22%3A1%7D&a=1`, ""},
		"text, absent":          {schemaOf("a?"), `{"url":"/x","body":{"type":"text","text":"{a}"}}`, `{}`, "", "", ""},
		"raw, absent":           {schemaOf("a?"), `{"url":"/x","body":{"type":"raw","argument":"a"}}`, `{}`, "", "", ""},
		"raw, empty":            {schemaOf("a"), `{"url":"/x","body":{"type":"raw","argument":"a"}}`, `{"a":""}`, "application/octet-stream", "", ""},
		"raw JSON":              {schemaOf("a:object"), `{"url":"/x","body":{"type":"raw","argument":"{http.mcp.args.a.b}"}}`, `{"a":{"b":[1, 2]}}`, "application/octet-stream", "[1,2]", ""},
		"own type":              {schemaOf("a"), `{"url":"/x","body":{"type":"json","content_type":"application/vnd.api+json"}}`, `{"a":"1"}`, "application/vnd.api+json", `{"a":"1"}`, ""},
		"form":                  {schemaOf("a", "l:array", "n?"), `{"url":"/x","body":{"type":"form"}}`, `{"a":"x y&z","l":[1,"2"]}`, "application/x-www-form-urlencoded", `a=x+y%26z&l=1&l=2`, ""},
		"form fields":           {schemaOf("a", "n?"), `{"url":"/x","body":{"type":"form","fields":[{"name":"grant type","value":"x:{a}"},{"name":"n","value":"{n}"},{"name":"lit","value":"1&2"}]}}`, `{"a":"é"}`, "application/x-www-form-urlencoded", `grant+type=x%3A%C3%A9&lit=1%262`, ""},
		"text":                  {schemaOf("a", "n?"), `{"url":"/x","body":{"type":"text","text":"Dear {a},{n}\n{ok}."}}`, `{"a":"Ann"}`, "", "", "compile"},
		"text without holes":    {schemaOf("a", "n?"), `{"url":"/x","body":{"type":"text","text":"Dear {a},{n} { x }"}}`, `{"a":"Ann"}`, "text/plain; charset=utf-8", "Dear Ann, { x }", ""},
		"raw":                   {schemaOf("a"), `{"url":"/x","body":{"type":"raw","argument":"a","content_type":"text/csv"}}`, `{"a":"x,y\n1,2"}`, "text/csv", "x,y\n1,2", ""},
		"raw Base64":            {`{"type":"object","properties":{"a":{"type":"string","contentEncoding":"base64"}},"required":["a"],"additionalProperties":false}`, `{"url":"/x","body":{"type":"raw","argument":"a"}}`, `{"a":"AAH/"}`, "application/octet-stream", "\x00\x01\xff", ""},
		"raw, no Base64":        {`{"type":"object","properties":{"a":{"type":"string","contentEncoding":"base64"}},"required":["a"],"additionalProperties":false}`, `{"url":"/x","body":{"type":"raw","argument":"a"}}`, `{"a":"%%%"}`, "", "", "a: expected Base64"},
		"DELETE with a body":    {schemaOf("a"), `{"method":"DELETE","url":"/x","body":{"type":"json"}}`, `{"a":"1"}`, "application/json", `{"a":"1"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.err == "compile" {
				var cfg Config
				if err := json.Unmarshal([]byte(`{"name":"t","input_schema":`+tc.schema+`,"request":`+tc.request+`}`), &cfg); err != nil {
					t.Fatal(err)
				}
				_, problems := Compile(cfg, Options{})
				if !anyError(problems) {
					t.Error("no problem found")
				}
				return
			}
			r, err := builds(t, `{"input_schema":`+tc.schema+`,"request":`+tc.request+`}`, tc.args, b)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("got %v, want an error with %q", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Fatal(err)
			}
			if string(body) != sortedJSON(tc.want, string(body)) {
				t.Errorf("body: got %q, want %q", body, tc.want)
			}
			if got := r.Header.Get("Content-Type"); got != tc.contentType {
				t.Errorf("type: got %q, want %q", got, tc.contentType)
			}
			if int64(len(body)) != r.ContentLength {
				t.Errorf("length: got %d, want %d", r.ContentLength, len(body))
			}
			if r.GetBody != nil {
				again, _ := r.GetBody()
				if b2, _ := io.ReadAll(again); string(b2) != string(body) {
					t.Errorf("second body: %q", b2)
				}
			}
		})
	}
}

// sortedJSON gives want, or got if both are the same JSON in another order of
// members; a configuration is decoded JSON, which has no order.
func sortedJSON(want, got string) string {
	a, b := jsontext.Value(want), jsontext.Value(got)
	if !a.IsValid() || !b.IsValid() {
		return want
	}
	a, b = a.Clone(), b.Clone()
	sortOnly := jsontext.CanonicalizeRawFloats(false)
	if a.Canonicalize(sortOnly, jsontext.CanonicalizeRawInts(false)) != nil ||
		b.Canonicalize(sortOnly, jsontext.CanonicalizeRawInts(false)) != nil || string(a) != string(b) {
		return want
	}
	return got
}

func TestRequestMultipart(t *testing.T) {
	t.Parallel()
	r, err := builds(t, `{"input_schema":`+schemaOf("note", "data", "name", "tags:array", "none?")+`,"request":{"url":"/x","body":{"type":"multipart","fields":[
		{"name":"note","value":"n: {note}"},{"name":"tag","value":"{tags}"},{"name":"none","value":"{none}"},
		{"name":"file","value":"{data}","file":{"filename":"{name}","content_type":"image/png"}}]}}}`,
		`{"note":"a\"b","data":"data:image/png;base64,iVBORw0KGgo=","name":"..\\..\\a \"b\"\r\n.png","tags":[1,"x"]}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	mt, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mt != "multipart/form-data" {
		t.Fatalf("type %q, %v", mt, err)
	}
	form, err := multipart.NewReader(r.Body, params["boundary"]).ReadForm(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if got := form.Value["note"]; len(got) != 1 || got[0] != `n: a"b` {
		t.Errorf("note: %q", got)
	}
	if got := strings.Join(form.Value["tag"], ","); got != "1,x" {
		t.Errorf("tag: %q", got)
	}
	if _, ok := form.Value["none"]; ok {
		t.Error("an absent argument has a field")
	}
	files := form.File["file"]
	if len(files) != 1 || files[0].Filename != `a "b".png` || files[0].Header.Get("Content-Type") != "image/png" {
		t.Fatalf("file: %+v", files)
	}
	f, err := files[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := io.ReadAll(f); string(data) != "\x89PNG\r\n\x1a\n" {
		t.Errorf("data: %q", data)
	}
}

// parts reads a multipart body.
func parts(t testing.TB, r *http.Request, mediaType string) []*multipart.Part {
	t.Helper()
	mt, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mt != mediaType {
		t.Fatalf("type %q, %v", r.Header.Get("Content-Type"), err)
	}
	var out []*multipart.Part
	for mr := multipart.NewReader(r.Body, params["boundary"]); ; {
		p, err := mr.NextPart()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		// Only the last part can be read: keep what is compared.
		content, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		p.Header.Set("Content", string(content))
		out = append(out, p)
	}
}

func TestRequestMultipartOfTheRest(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"data":{"type":["string","array"],"contentEncoding":"base64"},"note":{},"v":{}}}`
	r, err := builds(t, `{"input_schema":`+schema+`,"request":{"url":"/x?v={v}","body":{"type":"multipart","content_type":"multipart/related; type=\"a/b\""}}}`,
		`{"data":["_-8=","AA\nAA"],"note":{"a": 1},"a\"\r\nb":"c","none":null,"v":1}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); params["type"] != "a/b" {
		t.Errorf("type %q", r.Header.Get("Content-Type"))
	}
	var got []string
	for _, p := range parts(t, r, "multipart/related") {
		got = append(got, strings.Join([]string{p.FormName(), p.FileName(), p.Header.Get("Content-Type"), p.Header.Get("Content")}, "|"))
	}
	want := []string{
		"data|data|application/octet-stream|\xff\xef", "data|data|application/octet-stream|\x00\x00\x00",
		`note|||{"a":1}`, `a"%0D%0Ab|||c`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestRequestMultipartFiles(t *testing.T) {
	t.Parallel()
	config := `{"input_schema":` + schemaOf("a?", "n?", "ty?") + `,"request":{"url":"/x","body":{"type":"multipart","fields":[
		{"name":"f","value":"{a}","file":{"filename":"{n}","content_type":"{ty}"}}]}}}`
	for name, tc := range map[string]struct{ args, filename, contentType string }{
		"defaults":         {`{"a":"AA=="}`, "f", "application/octet-stream"},
		"given":            {`{"a":"AA","n":"é.txt","ty":"text/plain; charset=utf-8"}`, "é.txt", "text/plain; charset=utf-8"},
		"a path":           {`{"a":"AA==","n":"/etc/passwd","ty":"nonsense"}`, "passwd", "application/octet-stream"},
		"a path and dots":  {`{"a":"AA==","n":"a/.."}`, "f", "application/octet-stream"},
		"dots and control": {`{"a":"AA==","n":".\u0000."}`, "f", "application/octet-stream"},
		"a header":         {`{"a":"AA==","n":"x\r\nX-Y: z","ty":"text/plain\r\nX-Y: z"}`, "xX-Y: z", "application/octet-stream"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := builds(t, config, tc.args, nil)
			if err != nil {
				t.Fatal(err)
			}
			ps := parts(t, r, "multipart/form-data")
			if len(ps) != 1 || ps[0].FileName() != tc.filename || ps[0].Header.Get("Content-Type") != tc.contentType || ps[0].Header.Get("X-Y") != "" {
				t.Errorf("%+v", ps)
			}
		})
	}
	t.Run("absent", func(t *testing.T) {
		t.Parallel()
		r, err := builds(t, config, `{"n":"x"}`, nil)
		if err != nil {
			t.Fatal(err)
		}
		if ps := parts(t, r, "multipart/form-data"); len(ps) != 0 {
			t.Errorf("%+v", ps)
		}
	})
	t.Run("no Base64", func(t *testing.T) {
		t.Parallel()
		if _, err := builds(t, config, `{"a":"?"}`, nil); err == nil || !strings.Contains(err.Error(), "a: expected Base64") {
			t.Errorf("%v", err)
		}
	})
}
