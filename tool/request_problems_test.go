// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"encoding/json"
	"strings"
	"testing"
)

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
		"member of a scalar":  {schemaOf("id:integer"), `{"method":"GET","url":"/x/{id.a}"}`, "request.url", "argument id is no object or array"},
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
		"spaces in braces":    {schemaOf("a"), `{"method":"GET","url":"/x/{a b}?a={a}"}`, "request.url", "placeholder {a b} has no argument; there are: a"},
		"open brace":          {schemaOf("a"), `{"method":"GET","url":"/x/{a"}`, "request.url", "a { without its }"},
		"empty braces":        {schemaOf(), `{"method":"GET","url":"/x/{}"}`, "request.url", "placeholder {} has no argument"},
		"two slashes":         {schemaOf(), `{"method":"GET","url":"//evil.example/x"}`, "request.url", "expected a path that starts with one /"},
		"scheme by a value":   {schemaOf(), `{"method":"GET","url":"{env.BASE}/x"}`, "request.url", "a placeholder may stand for the host, not for the scheme"},
		"user by a value":     {schemaOf(), `{"method":"GET","url":"https://{env.U}:{env.P}@x/"}`, "request.url", "no user name or password in a URL"},
		"port":                {schemaOf(), `{"method":"GET","url":"https://x:y/"}`, "request.url", `host "x:y": expected a name or an address`},
		"control character":   {schemaOf(), `{"method":"GET","url":"/a\nb"}`, "request.url", "control character"},
		"of a call":           {schemaOf(), `{"url":"/","headers":[{"name":"X","value":"{http.mcp.call_id}"}]}`, "request.headers.X", "unknown placeholder {http.mcp.call_id}; those of a call are http.mcp.tool, http.mcp.call.id"},
		"brace in a body":     {schemaOf(), `{"url":"/","body":{"type":"text","text":"{x}"}}`, "request.body", "for a brace itself write"},
		"object in the path":  {schemaOf("a:object"), `{"method":"GET","url":"/{a}"}`, "request.url", "argument a is an object"},
		"rest, optional":      {schemaOf("p?"), `{"method":"GET","url":"/{p*}/x"}`, "request.url", "argument p is optional, but the path needs it"},
		"second value":        {schemaOf("a"), `{"method":"GET","url":"/x?a=1"}`, "request", "argument a would give a second parameter of that name"},
		"second value, word":  {schemaOf("a"), `{"method":"GET","url":"/x","query":[{"name":"a","value":"1"}]}`, "request", "argument a would give a second parameter of that name"},
		"host header":         {schemaOf("h"), `{"url":"/","headers":[{"name":"Host","value":"{h}"}]}`, "request.headers.Host", "which host is asked must not be the client's choice"},
		"two hosts":           {schemaOf(), `{"url":"/","headers":[{"name":"Host","value":"a"},{"name":"host","value":"b"}]}`, "request.headers.host", "set twice"},
		"set and passed on":   {schemaOf(), `{"url":"/","headers":[{"name":"X-A","value":"1"}],"forward_headers":["x-a"]}`, "request.forward_headers.x-a", "both set and passed on"},
		"passing on a type":   {schemaOf(), `{"url":"/","forward_headers":["content-type"]}`, "request.forward_headers.content-type", "cannot be passed on"},
		"body without a type": {schemaOf(), `{"url":"/","body":{}}`, "request.body", "a body needs a type: json, form, multipart, text, raw"},
		"json":                {schemaOf(), `{"url":"/","body":{"type":"json","json":{"{x}":1}}}`, "request.body", "placeholder {x} has no argument"},
		"name of a member":    {schemaOf("x"), `{"url":"/","body":{"type":"json","json":{"{x}":1}}}`, "request.body", "the name of a member cannot have a placeholder"},
		"text without text":   {schemaOf(), `{"url":"/","body":{"type":"text"}}`, "request.body", "a text body needs its text"},
		"raw without a name":  {schemaOf(), `{"url":"/","body":{"type":"raw"}}`, "request.body", "a raw body needs the name of an argument"},
		"content type":        {schemaOf("a"), `{"url":"/","body":{"type":"raw","argument":"a","content_type":"xml"}}`, "request.body", `content type "xml": expected type/subtype`},
		"multipart type":      {schemaOf("a"), `{"url":"/","body":{"type":"multipart","content_type":"text/plain"}}`, "request.body", "expected multipart/"},
		"multipart header":    {schemaOf("a"), `{"url":"/","headers":[{"name":"content-type","value":"multipart/mixed"}],"body":{"type":"multipart"}}`, "request.headers.Content-Type", "give the body a content_type instead"},
		"file of text":        {schemaOf(), `{"url":"/","body":{"type":"multipart","fields":[{"name":"f","value":"x","file":{}}]}}`, "request.body.f", "a file takes its bytes from an argument in Base64"},
		"type of a file":      {schemaOf("a"), `{"url":"/","body":{"type":"multipart","fields":[{"name":"f","value":"{a}","file":{"content_type":"png"}}]}}`, "request.body.f", `content type "png"`},
		"file in the query":   {schemaOf("a"), `{"method":"GET","url":"/","query":[{"name":"a","value":"{a}","file":{}}]}`, "request.query.a", "a file has its place in a multipart body only"},
		"delete":              {schemaOf("a", "b"), `{"method":"DELETE","url":"/","body":{"type":"raw","argument":"a"}}`, "request.body", "argument b goes nowhere"},
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

func anyError(ps []Problem) bool {
	for _, p := range ps {
		if !p.Warning {
			return true
		}
	}
	return false
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
