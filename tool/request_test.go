// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// fakeBackend knows some placeholders and keeps the requests.
type fakeBackend struct {
	placeholders map[string]string
	serve        func(http.ResponseWriter, *http.Request) error
}

func (b *fakeBackend) Placeholder(_ *Call, key string) (string, bool) {
	v, ok := b.placeholders[key]
	return v, ok
}

func (b *fakeBackend) Serve(w http.ResponseWriter, r *http.Request, _ *Call) error {
	return b.serve(w, r)
}

// builds compiles a tool and builds the request of one call.
func builds(t testing.TB, config, args string, b Backend) (*http.Request, error) {
	t.Helper()
	tl := compiles(t, config, b)
	c := &Call{ID: "call-1", Tool: "t", Arguments: jsontext.Value(args), Inbound: inbound()}
	if err := tl.inputs.prepare(c); err != nil {
		t.Fatalf("prepare: %v", err)
	}
	return tl.request.build(t.Context(), c, b)
}

func compiles(t testing.TB, config string, b Backend) *Tool {
	t.Helper()
	var cfg Config
	if err := json.Unmarshal([]byte(config), &cfg); err != nil {
		t.Fatal(err)
	}
	if cfg.Name == "" {
		cfg.Name = "t"
	}
	tl, problems := Compile(cfg, Options{Backend: b})
	for _, p := range problems {
		if !p.Warning {
			t.Fatalf("compile: %v", p)
		}
	}
	return tl
}

func inbound() *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	r.Header.Set("Authorization", "Bearer client")
	r.Header.Set("Cookie", "a=b")
	r.Header.Set("X-Api-Key", "mine")
	r.Header.Set("X-Other", "secret")
	return r
}

// schemaOf declares arguments: a name with `?` is optional, and may be followed
// by its type.
func schemaOf(args ...string) string {
	props, required := []string{}, []string{}
	for _, a := range args {
		name, typ, ok := strings.Cut(a, ":")
		if !ok {
			typ = "string"
		}
		if opt := strings.TrimSuffix(name, "?"); opt != name {
			name = opt
		} else {
			required = append(required, `"`+name+`"`)
		}
		props = append(props, `"`+name+`":{"type":"`+typ+`"}`)
	}
	return `{"type":"object","properties":{` + strings.Join(props, ",") + `},"required":[` +
		strings.Join(required, ",") + `],"additionalProperties":false}`
}

func TestRequestLine(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		schema, request, args string
		want                  string // method and URL
		err                   string
	}{
		"default":                  {schemaOf(), `{}`, ``, "POST /t", ""},
		"one segment":              {schemaOf("id"), `{"method":"GET","url":"/users/{id}"}`, `{"id":"7"}`, "GET /users/7", ""},
		"encoded once":             {schemaOf("id"), `{"method":"GET","url":"/u/{id}/p"}`, `{"id":"a b/c?d#e%25é"}`, "GET /u/a%20b%2Fc%3Fd%23e%2525%C3%A9/p", ""},
		"reserved characters":      {schemaOf("id"), `{"method":"GET","url":"/u/{id}"}`, `{"id":"a:b@c+d;e=f&g,h"}`, "GET /u/a%3Ab%40c%2Bd%3Be%3Df%26g%2Ch", ""},
		"dot":                      {schemaOf("id"), `{"method":"GET","url":"/u/{id}/p"}`, `{"id":"."}`, "", `id: . and .. cannot be part of the path`},
		"dots":                     {schemaOf("id"), `{"method":"GET","url":"/u/{id}/p"}`, `{"id":".."}`, "", `id: . and .. cannot be part of the path`},
		"dots and a slash":         {schemaOf("id"), `{"method":"GET","url":"/u/{id}/p"}`, `{"id":"../admin"}`, "GET /u/..%2Fadmin/p", ""},
		"dots, encoded already":    {schemaOf("id"), `{"method":"GET","url":"/u/{id}/p"}`, `{"id":"%2e%2e"}`, "GET /u/%252e%252e/p", ""},
		"backslash":                {schemaOf("id"), `{"method":"GET","url":"/u/{id}/p"}`, `{"id":"..\\x"}`, "GET /u/..%5Cx/p", ""},
		"dots of two values":       {schemaOf("a", "b"), `{"method":"GET","url":"/u/{a}{b}/p"}`, `{"a":".","b":"."}`, "", `cannot be part of the path`},
		"dots in text are text":    {schemaOf("a"), `{"method":"GET","url":"/u/v{a}/p"}`, `{"a":".."}`, "GET /u/v../p", ""},
		"empty":                    {schemaOf("id"), `{"method":"GET","url":"/u/{id}/p"}`, `{"id":""}`, "", `id: must not be empty`},
		"NUL":                      {schemaOf("id"), `{"method":"GET","url":"/u/{id}/p"}`, `{"id":"a\u0000b"}`, "", `id: must not have line breaks or other control characters`},
		"line break":               {schemaOf("id"), `{"method":"GET","url":"/u/{id}"}`, `{"id":"a\r\nb"}`, "", `id: must not have line breaks`},
		"rest of the path":         {schemaOf("p"), `{"method":"GET","url":"/files/{p*}"}`, `{"p":"a b/c#/d.md"}`, "GET /files/a%20b/c%23/d.md", ""},
		"rest with a leading /":    {schemaOf("p"), `{"method":"GET","url":"/files/{p*}"}`, `{"p":"/a/b"}`, "GET /files/a/b", ""},
		"rest with dots":           {schemaOf("p"), `{"method":"GET","url":"/files/{p*}"}`, `{"p":"a/../b"}`, "", `p: . and .. cannot be part of the path`},
		"rest with a hole":         {schemaOf("p"), `{"method":"GET","url":"/files/{p*}"}`, `{"p":"a//b"}`, "", `p: must not be empty, nor have an empty segment`},
		"twice, and no expansion":  {schemaOf("tenant", "id"), `{"method":"GET","url":"/{tenant}/{tenant}/d/{id}"}`, `{"tenant":"t1","id":"{tenant}"}`, "GET /t1/t1/d/%7Btenant%7D", ""},
		"secrets are not expanded": {schemaOf("id"), `{"method":"GET","url":"/d/{id}?q={id}"}`, `{"id":"{env.SECRET}"}`, "GET /d/%7Benv.SECRET%7D?q=%7Benv.SECRET%7D", ""},
		"digits":                   {schemaOf("a:integer", "b:number", "c:number", "d:boolean"), `{"method":"GET","url":"/{a}/{b}/{c}?d={d}"}`, `{"a":9007199254740993,"b":1000000,"c":0.1,"d":true}`, "GET /9007199254740993/1000000/0.1?d=true", ""},
		"array in the path":        {schemaOf("a:array"), `{"method":"GET","url":"/x/{a}"}`, `{"a":["1,2","b c"]}`, "GET /x/1%2C2,b%20c", ""},
		"empty array in the path":  {schemaOf("a:array"), `{"method":"GET","url":"/x/{a}"}`, `{"a":[]}`, "", "a: must not be empty"},
		"member of an object":      {schemaOf("a:object"), `{"method":"GET","url":"/x/{a.id}"}`, `{"a":{"id":"7"}}`, "GET /x/7", ""},
		"absent member":            {schemaOf("a:object"), `{"method":"GET","url":"/x/{a.id}"}`, `{"a":{}}`, "", "a.id: expected a value"},
		"long form":                {schemaOf("id"), `{"method":"GET","url":"/x/{http.mcp.args.id}"}`, `{"id":"7"}`, "GET /x/7", ""},
		"not an argument":          {schemaOf(), `{"method":"GET","url":"/x/{env.PLACE}?v={env.PLACE}"}`, ``, "GET /x/a%2Fb?v=a%2Fb", ""},
		"unset in the path":        {schemaOf(), `{"method":"GET","url":"/x/{env.UNSET}/y"}`, ``, "", "placeholder {env.UNSET} is unknown or empty"},
		"unknown placeholder":      {schemaOf(), `{"method":"GET","url":"/x?v={no.such}"}`, ``, "", "placeholder {no.such} is unknown or empty"},
		"trailing slash":           {schemaOf(), `{"method":"GET","url":"/x/"}`, ``, "GET /x/", ""},
		"literal encoding":         {schemaOf(), `{"method":"GET","url":"/a b/%2F/é?x=ü&y=%26"}`, ``, "GET /a%20b/%2F/%C3%A9?x=%C3%BC&y=%26", ""},
		"escaped braces":           {schemaOf(), `{"method":"GET","url":"/x?q=\\{id}"}`, ``, "GET /x?q=%7Bid%7D", ""},

		"query":                   {schemaOf("q", "n?:integer"), `{"method":"GET","url":"/s?q={q}&n={n}"}`, `{"q":"a b&c=d","n":5}`, "GET /s?q=a%20b%26c%3Dd&n=5", ""},
		"query, absent":           {schemaOf("q", "n?:integer"), `{"method":"GET","url":"/s?q={q}&n={n}"}`, `{"q":"a"}`, "GET /s?q=a", ""},
		"query, absent in text":   {schemaOf("q", "n?:integer"), `{"method":"GET","url":"/s?n=from:{n}&q={q}"}`, `{"q":"a"}`, "GET /s?q=a", ""},
		"query, empty":            {schemaOf("q"), `{"method":"GET","url":"/s?q={q}"}`, `{"q":""}`, "GET /s?q=", ""},
		"query, array":            {schemaOf("q:array"), `{"method":"GET","url":"/s?q={q}"}`, `{"q":["a","b&c",3]}`, "GET /s?q=a&q=b%26c&q=3", ""},
		"query, empty array":      {schemaOf("q:array"), `{"method":"GET","url":"/s?q={q}"}`, `{"q":[]}`, "GET /s", ""},
		"query, object":           {schemaOf("q:object"), `{"method":"GET","url":"/s?q={q}"}`, `{"q":{"a": 1.10}}`, "GET /s?q=%7B%22a%22%3A1.10%7D", ""},
		"query, literal and bare": {schemaOf("q"), `{"method":"GET","url":"/s?v=1&flag&q={q}"}`, `{"q":"a"}`, "GET /s?v=1&flag&q=a", ""},
		"query words":             {schemaOf("q", "n?"), `{"method":"GET","url":"/s","query":[{"name":"the q","value":"{q}!"},{"name":"n","value":"{n}"},{"name":"lit","value":"a b"}]}`, `{"q":"x"}`, "GET /s?the%20q=x%21&lit=a%20b", ""},
		"GET takes the rest":      {schemaOf("id", "q", "n?"), `{"method":"GET","url":"/s/{id}"}`, `{"id":"1","q":"x"}`, "GET /s/1?q=x", ""},
		"DELETE takes the rest":   {schemaOf("id", "force?:boolean"), `{"method":"DELETE","url":"/s/{id}"}`, `{"id":"1","force":true}`, "DELETE /s/1?force=true", ""},
		"undeclared arguments":    {`{"type":"object","properties":{"q":{"type":"string"}}}`, `{"method":"GET","url":"/s?q={q}"}`, `{"q":"x","more":[1,2]}`, "GET /s?q=x&more=1&more=2", ""},
		"lower case method":       {schemaOf(), `{"method":"get","url":"/s"}`, ``, "GET /s", ""},
		"absolute":                {schemaOf("id"), `{"method":"GET","url":"https://api.example.com/v1/{id}"}`, `{"id":"a/b"}`, "GET https://api.example.com/v1/a%2Fb", ""},
		"absolute, no path":       {schemaOf(), `{"method":"GET","url":"HTTP://api.example.com:8080"}`, ``, "GET http://api.example.com:8080/", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &fakeBackend{placeholders: map[string]string{"env.PLACE": "a/b", "env.UNSET": ""}}
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
			if got := r.Method + " " + r.URL.String(); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	b := &fakeBackend{placeholders: map[string]string{
		"env.KEY": "k1", "env.UNSET": "", "http.mcp.call.id": "call-1", "http.mcp.client.name": "",
	}}
	for name, tc := range map[string]struct {
		schema, request, args string
		want                  map[string]string
		host                  string
		err                   string
	}{
		"nothing of the client's": {schemaOf(), `{"method":"GET","url":"/"}`, ``, map[string]string{
			"Authorization": "", "Cookie": "", "X-Api-Key": "", "X-Other": "", "User-Agent": "caddy-mcp",
		}, "", ""},
		"forwarded":             {schemaOf(), `{"method":"GET","url":"/","forward_headers":["x-api-key"]}`, ``, map[string]string{"X-Api-Key": "mine", "X-Other": ""}, "", ""},
		"placeholders":          {schemaOf("a"), `{"method":"GET","url":"/","headers":[{"name":"authorization","value":"Bearer {env.KEY}"},{"name":"X-A","value":"{a}"},{"name":"X-Id","value":"{http.mcp.call.id}"}]}`, `{"a":"x"}`, map[string]string{"Authorization": "Bearer k1", "X-A": "x", "X-Id": "call-1"}, "", ""},
		"absent":                {schemaOf("a?"), `{"method":"GET","url":"/","headers":[{"name":"X-A","value":"v {a}"}]}`, ``, map[string]string{"X-A": ""}, "", ""},
		"unset credential":      {schemaOf(), `{"method":"GET","url":"/","headers":[{"name":"Authorization","value":"Bearer {env.UNSET}"}]}`, ``, nil, "", "header Authorization: a credential of this tool is not configured: placeholder {env.UNSET} is unknown or empty"},
		"unknown credential":    {schemaOf(), `{"method":"GET","url":"/","headers":[{"name":"Authorization","value":"Bearer {no.such}"}]}`, ``, nil, "", "placeholder {no.such} is unknown or empty"},
		"nameless client":       {schemaOf(), `{"method":"GET","url":"/","headers":[{"name":"X-C","value":"{http.mcp.client.name}"}]}`, ``, map[string]string{"X-C": ""}, "", ""},
		"line break":            {schemaOf("a"), `{"method":"GET","url":"/","headers":[{"name":"X-A","value":"{a}"}]}`, `{"a":"x\r\nY: z"}`, nil, "", "a: must not have line breaks or other control characters"},
		"NUL":                   {schemaOf("a"), `{"method":"GET","url":"/","headers":[{"name":"X-A","value":"{a}"}]}`, `{"a":"x\u0000"}`, nil, "", "a: must not have line breaks"},
		"twice":                 {schemaOf(), `{"method":"GET","url":"/","headers":[{"name":"X-A","value":"1"},{"name":"x-a","value":"2"}]}`, ``, map[string]string{"X-A": "1,2"}, "", ""},
		"Accept and User-Agent": {schemaOf(), `{"method":"GET","url":"/","headers":[{"name":"Accept","value":"text/csv"},{"name":"User-Agent","value":"me"}]}`, ``, map[string]string{"Accept": "text/csv", "User-Agent": "me"}, "", ""},
		"Host":                  {schemaOf(), `{"method":"GET","url":"/","headers":[{"name":"host","value":"tenant.example"}]}`, ``, map[string]string{"Host": ""}, "tenant.example", ""},
		"Content-Type":          {schemaOf("a"), `{"url":"/","headers":[{"name":"Content-Type","value":"application/vnd.api+json"}]}`, `{"a":"x"}`, map[string]string{"Content-Type": "application/vnd.api+json"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := builds(t, `{"input_schema":`+tc.schema+`,"request":`+tc.request+`}`, tc.args, b)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("got %v, want an error with %q", err, tc.err)
				}
				if res := buildFailure(err); !res.IsError || strings.Contains(requestTold(res), "UNSET") || strings.Contains(requestTold(res), "no.such") {
					t.Errorf("the client is told %q", requestTold(res))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for h, want := range tc.want {
				if got := strings.Join(r.Header.Values(h), ","); got != want {
					t.Errorf("%s: got %q, want %q", h, got, want)
				}
			}
			if r.Host != tc.host {
				t.Errorf("host: got %q, want %q", r.Host, tc.host)
			}
		})
	}
}

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

func anyError(ps []Problem) bool {
	for _, p := range ps {
		if !p.Warning {
			return true
		}
	}
	return false
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

func TestRequestProblems(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		schema, request string
		field, want     string
	}{
		"no argument":         {schemaOf("user_id"), `{"method":"GET","url":"/u/{userid}"}`, "request.url", `placeholder {userid} has no argument; there are: user_id (did you mean "user_id"?)`},
		"no arguments at all": {schemaOf(), `{"method":"GET","url":"/u/{id}"}`, "request.url", `placeholder {id} has no argument: the tool has none`},
		"long form":           {schemaOf("a"), `{"method":"GET","url":"/u/{http.mcp.args.b}"}`, "request.url", `placeholder {http.mcp.args.b} has no argument; there are: a`},
		"optional in path":    {schemaOf("id?"), `{"method":"GET","url":"/u/{id}"}`, "request.url", `argument id is optional, but the path needs it`},
		"method":              {schemaOf(), `{"method":"GETT","url":"/"}`, "request.method", `unknown method "GETT"; accepted: GET, HEAD, POST, PUT, PATCH, DELETE (did you mean "GET"?)`},
		"scheme":              {schemaOf(), `{"url":"ftp://x/"}`, "request.url", `unknown scheme "ftp"; accepted: http, https`},
		"relative":            {schemaOf(), `{"url":"users"}`, "request.url", "expected a path that starts with /"},
		"fragment":            {schemaOf(), `{"url":"/a#b"}`, "request.url", "has a fragment"},
		"user":                {schemaOf(), `{"url":"https://u:p@x/"}`, "request.url", "no user name or password in a URL"},
		"host argument":       {schemaOf("h"), `{"url":"https://{h}.example.com/"}`, "request.url", "which host is asked must not be the client's choice"},
		"no host":             {schemaOf(), `{"url":"https:///x"}`, "request.url", `host "": expected a name or an address`},
		"encoding":            {schemaOf(), `{"url":"/a%zz"}`, "request.url", "is not valid percent-encoding"},
		"encoding in query":   {schemaOf(), `{"url":"/a?b=%2"}`, "request.url", "is not valid percent-encoding"},
		"dot segment":         {schemaOf(), `{"url":"/a/../b"}`, "request.url", `the path has the segment ".."`},
		"hidden dot segment":  {schemaOf(), `{"url":"/a/%2e%2E/b"}`, "request.url", `the path has the segment "%2e%2E"`},
		"rest in query":       {schemaOf("p"), `{"url":"/a?p={p*}"}`, "request.url", "the star is for segments of the path"},
		"name in query":       {schemaOf("p"), `{"url":"/a?{p}=1"}`, "request.url", "a placeholder cannot name a parameter"},
		"header name":         {schemaOf(), `{"url":"/","headers":[{"name":"X A","value":"1"}]}`, "request.headers.X A", "is not the name of a header"},
		"header value":        {schemaOf(), `{"url":"/","headers":[{"name":"X-A","value":"1\n2"}]}`, "request.headers.X-A", "control character"},
		"framing header":      {schemaOf(), `{"url":"/","headers":[{"name":"content-length","value":"1"}]}`, "request.headers.content-length", "belongs to the connection"},
		"forward framing":     {schemaOf(), `{"url":"/","forward_headers":["Transfer-Encoding"]}`, "request.forward_headers.Transfer-Encoding", "cannot be passed on"},
		"body of GET":         {schemaOf("a"), `{"method":"GET","url":"/","body":{"type":"json"}}`, "request.body", "a GET request has no body"},
		"body type":           {schemaOf("a"), `{"url":"/","body":{"type":"jsn"}}`, "request.body", `unknown body type "jsn"; accepted: json, form, multipart, text, raw (did you mean "json"?)`},
		"goes nowhere":        {schemaOf("a", "b"), `{"url":"/","body":{"type":"json","json":{"a":"{a}"}}}`, "request.body", `argument b goes nowhere`},
		"raw of nothing":      {schemaOf("a"), `{"url":"/","body":{"type":"raw","argument":"b"}}`, "request.body", `placeholder {b} has no argument; there are: a`},
		"wrong word":          {schemaOf("a"), `{"url":"/","body":{"type":"json","text":"{a}"}}`, "request.body", "text is for a body of type text, this one is of type json"},
		"file in a form":      {schemaOf("a"), `{"url":"/","body":{"type":"form","fields":[{"name":"f","value":"{a}","file":{}}]}}`, "request.body.f", "a file has its place in a multipart body only"},
		"nameless parameter":  {schemaOf("a"), `{"url":"/","query":[{"name":"","value":"{a}"}]}`, "request.query", "needs a name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var cfg Config
			if err := json.Unmarshal([]byte(`{"name":"t","description":"d","input_schema":`+tc.schema+`,"request":`+tc.request+`}`), &cfg); err != nil {
				t.Fatal(err)
			}
			tl, problems := Compile(cfg, Options{})
			if tl != nil {
				t.Error("it compiles")
			}
			for _, p := range problems {
				if p.Field == tc.field && strings.Contains(p.Message, tc.want) && !p.Warning {
					return
				}
			}
			t.Errorf("got %q, want %s: …%s…", problems, tc.field, tc.want)
		})
	}
	t.Run("forwarding Authorization warns", func(t *testing.T) {
		t.Parallel()
		tl, problems := Compile(Config{Name: "t", Description: "d", Request: Request{ForwardHeaders: []string{"authorization"}}}, Options{})
		if tl == nil || len(problems) != 1 || !problems[0].Warning || problems[0].Field != "request.forward_headers.authorization" {
			t.Errorf("got %v", problems)
		}
	})
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://api.example.com/x":      "https api.example.com",
		"HTTPS://api.example.com?x":      "https api.example.com",
		"http://{env.A/B}:80/x":          "http {env.A/B}:80",
		"http://[::1]:8080":              "http [::1]:8080",
		"/users/{id}":                    "",
		"/redirect?to=https://elsewhere": "",
		"":                               "",
	} {
		scheme, host, ok := Origin(Config{Request: Request{URL: in}})
		if got := strings.TrimSpace(scheme + " " + host); got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v; want %q", in, got, ok, want)
		}
	}
}

// FuzzPath holds what a value may do to a path: be one segment, and come back
// the same when a server decodes it.
func FuzzPath(f *testing.F) {
	for _, s := range []string{"7", "../admin", "..", ".", "%2e%2e", `..\x`, "a/../b", "a b?c#d%25é", "\xff", "", "\x00", ";x", "a//b"} {
		f.Add(s)
	}
	tl := compiles(f, `{"input_schema":`+schemaOf("id")+`,"request":{"method":"GET","url":"/u/{id}/p?q={id}"}}`, nil)
	f.Fuzz(func(t *testing.T, s string) {
		arg, err := jsontext.AppendQuote(nil, s)
		if err != nil {
			t.Skip("not UTF-8")
		}
		c := &Call{Arguments: jsontext.Value(`{"id":` + string(arg) + `}`)}
		if err := tl.inputs.prepare(c); err != nil {
			t.Skip(err)
		}
		r, err := tl.request.build(t.Context(), c, nil)
		if err != nil {
			if s == "" || s == "." || s == ".." || hasControl(s) {
				return
			}
			t.Fatalf("refused %q: %v", s, err)
		}
		u, err := url.ParseRequestURI(r.URL.RequestURI())
		if err != nil {
			t.Fatalf("%q gives a URI that does not parse: %v", s, err)
		}
		segs := strings.Split(u.EscapedPath(), "/")
		if len(segs) != 4 || segs[1] != "u" || segs[3] != "p" {
			t.Fatalf("%q changes the path to %s", s, u.EscapedPath())
		}
		if got, err := url.PathUnescape(segs[2]); err != nil || got != s {
			t.Fatalf("%q comes back from the path as %q, %v", s, got, err)
		}
		q, err := url.ParseQuery(u.RawQuery)
		if err != nil || len(q) != 1 || len(q["q"]) != 1 || q["q"][0] != s {
			t.Fatalf("%q comes back from the query as %q, %v", s, u.RawQuery, err)
		}
	})
}

// FuzzBody holds that bodies of all kinds give the argument back.
func FuzzBody(f *testing.F) {
	for _, s := range []string{"x", `"`, `\`, "a&b=c", "\r\n--x", "{id}", "é\u2028", ""} {
		f.Add(s)
	}
	object := compiles(f, `{"input_schema":`+schemaOf("id")+`,"request":{"url":"/","body":{"type":"json","json":{"a":{"b":["{id}","<{id}>"]}}}}}`, nil)
	form := compiles(f, `{"input_schema":`+schemaOf("id")+`,"request":{"url":"/","body":{"type":"form"}}}`, nil)
	parts := compiles(f, `{"input_schema":`+schemaOf("id")+`,"request":{"url":"/","body":{"type":"multipart","fields":[{"name":"id","value":"{id}"}]}}}`, nil)
	f.Fuzz(func(t *testing.T, s string) {
		arg, err := jsontext.AppendQuote(nil, s)
		if err != nil {
			t.Skip("not UTF-8")
		}
		body := func(tl *Tool) (*http.Request, []byte) {
			c := &Call{Arguments: jsontext.Value(`{"id":` + string(arg) + `}`)}
			if err := tl.inputs.prepare(c); err != nil {
				t.Skip(err)
			}
			r, err := tl.request.build(t.Context(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(r.Body)
			if err != nil {
				t.Fatal(err)
			}
			return r, b
		}
		_, b := body(object)
		var v struct{ A struct{ B []string } }
		if err := json.Unmarshal(b, &v); err != nil || len(v.A.B) != 2 || v.A.B[0] != s || v.A.B[1] != "<"+s+">" {
			t.Fatalf("json: %q gives %q, %v", s, b, err)
		}
		_, b = body(form)
		if q, err := url.ParseQuery(string(b)); err != nil || len(q) != 1 || q.Get("id") != s {
			t.Fatalf("form: %q gives %q, %v", s, b, err)
		}
		r, b := body(parts)
		_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil {
			t.Fatal(err)
		}
		mf, err := multipart.NewReader(strings.NewReader(string(b)), params["boundary"]).ReadForm(1 << 20)
		if err != nil || len(mf.Value["id"]) != 1 || mf.Value["id"][0] != s {
			t.Fatalf("multipart: %q gives %q, %v", s, b, err)
		}
	})
}

func BenchmarkBuild(b *testing.B) {
	for name, tc := range map[string]struct{ config, args string }{
		"GET":  {`{"input_schema":` + schemaOf("id", "q", "n?:integer") + `,"request":{"method":"GET","url":"/u/{id}?q={q}&n={n}"}}`, `{"id":"7","q":"some words","n":20}`},
		"POST": {`{"input_schema":` + schemaOf("a", "b:integer") + `,"request":{"url":"/u"}}`, `{"a":"7","b":20}`},
	} {
		b.Run(name, func(b *testing.B) {
			tl := compiles(b, tc.config, nil)
			c := &Call{Arguments: jsontext.Value(tc.args)}
			if err := tl.inputs.prepare(c); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tl.request.build(b.Context(), c, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// requestTold gives the text of a result.
func requestTold(res *Result) string {
	var b strings.Builder
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}
