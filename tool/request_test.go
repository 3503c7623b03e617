// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"strings"
	"testing"
)

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

		"rest, absent":             {schemaOf("p?"), `{"method":"GET","url":"/files/{p*}"}`, `{}`, "GET /files/", ""},
		"rest, null":               {`{"type":"object","properties":{"p":{"type":["string","null"]}}}`, `{"method":"GET","url":"/files/{p*}"}`, `{"p":null}`, "GET /files/", ""},
		"rest, empty":              {schemaOf("p"), `{"method":"GET","url":"/files/{p*}"}`, `{"p":""}`, "", "p: must not be empty"},
		"rest, a slash at the end": {schemaOf("p"), `{"method":"GET","url":"/files/{p*}"}`, `{"p":"a/b/"}`, "GET /files/a/b/", ""},
		"rest, two slashes":        {schemaOf("p"), `{"method":"GET","url":"/files/{p*}"}`, `{"p":"//a"}`, "", "p: must not be empty, nor have an empty segment"},
		"rest in the middle":       {schemaOf("p"), `{"method":"GET","url":"/files/{p*}/raw"}`, `{"p":"a/b"}`, "GET /files/a/b/raw", ""},
		"rest in the middle, open": {schemaOf("p"), `{"method":"GET","url":"/files/{p*}/raw"}`, `{"p":"a/"}`, "", "nor have an empty segment"},
		"rest in text":             {schemaOf("p"), `{"method":"GET","url":"/files/{p*}.md"}`, `{"p":"a/b"}`, "GET /files/a/b.md", ""},
		"rest in text, dots":       {schemaOf("p"), `{"method":"GET","url":"/files/.{p*}"}`, `{"p":"./b"}`, "", "p: . and .. cannot be part of the path"},
		"rest in text, empty":      {schemaOf("p"), `{"method":"GET","url":"/files/{p*}.md"}`, `{"p":""}`, "", "p: must not be empty"},
		"rest, encoded dots":       {schemaOf("p"), `{"method":"GET","url":"/files/{p*}"}`, `{"p":"%2e%2e/%2F"}`, "GET /files/%252e%252e/%252F", ""},
		"rest, backslashes":        {schemaOf("p"), `{"method":"GET","url":"/files/{p*}"}`, `{"p":"..\\..\\a"}`, "GET /files/..%5C..%5Ca", ""},
		"rest of an array":         {schemaOf("p:array"), `{"method":"GET","url":"/files/{p*}"}`, `{"p":["a/b","c",1]}`, "GET /files/a%2Fb/c/1", ""},
		"rest of an array, dots":   {schemaOf("p:array"), `{"method":"GET","url":"/files/{p*}"}`, `{"p":["a",".."]}`, "", "p: . and .. cannot be part of the path"},
		"rest of an array, a hole": {schemaOf("p:array"), `{"method":"GET","url":"/files/{p*}"}`, `{"p":["a","","b"]}`, "", "p: must not be empty"},
		"dots after encoded ones":  {schemaOf("a"), `{"method":"GET","url":"/u/%2e{a}/p"}`, `{"a":"."}`, "", "a: . and .. cannot be part of the path"},
		"dots of an array":         {schemaOf("a:array"), `{"method":"GET","url":"/u/{a}/p"}`, `{"a":[".."]}`, "", "a: . and .. cannot be part of the path"},
		"empty in text":            {schemaOf("a"), `{"method":"GET","url":"/u/{a}.md"}`, `{"a":""}`, "", "a: must not be empty"},
		"object in the path":       {`{"type":"object","properties":{"a":{}},"required":["a"]}`, `{"method":"GET","url":"/u/{a}"}`, `{"a":{"b":1}}`, "", "a: an object cannot be part of the path"},
		"null in the path":         {`{"type":"object","properties":{"a":{}},"required":["a"]}`, `{"method":"GET","url":"/u/{a}"}`, `{"a":null}`, "", "a: expected a value"},
		"escapes":                  {schemaOf("a"), `{"method":"GET","url":"/u/{a}?a={a}"}`, `{"a":"\u00e9\ud83d\ude00\/"}`, "GET /u/%C3%A9%F0%9F%98%80%2F?a=%C3%A9%F0%9F%98%80%2F", ""},
		"names of all kinds":       {schemaOf("a b", "f[x]", "é", "$top", "x.y", "n-1"), `{"method":"GET","url":"/{a b}/{f[x]}/{é}?$top={$top}&x={x.y}&n={n-1}"}`, `{"a b":"1","f[x]":"2","é":"3","$top":"4","x.y":"5","n-1":"6"}`, "GET /1/2/3?$top=4&x=5&n=6", ""},
		"an argument like a space": {`{"type":"object","properties":{"env":{"type":"object"}}}`, `{"method":"GET","url":"/{env.PLACE}"}`, `{"env":{"PLACE":"mine"}}`, "GET /a%2Fb?env=%7B%22PLACE%22%3A%22mine%22%7D", ""},
		"elements of an array":     {schemaOf("a:array"), `{"method":"GET","url":"/{a.1}"}`, `{"a":["x","y"]}`, "GET /y", ""},
		"unset in the query":       {schemaOf(), `{"method":"GET","url":"/x?key={env.UNSET}"}`, ``, "", "placeholder {env.UNSET} is unknown or empty"},
		"nameless client":          {schemaOf(), `{"method":"GET","url":"/x?c={http.mcp.client.name}&v=1"}`, ``, "GET /x?v=1", ""},
		"placeholder with a path":  {schemaOf(), `{"method":"GET","url":"/x?k={file./a?b/c#d&e=f}&v=1"}`, ``, "GET /x?k=s&v=1", ""},
		"several, not an argument": {schemaOf(), `{"method":"GET","url":"/{env.PLACE*}/x"}`, ``, "GET /a/b/x", ""},

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
		"query, null":             {`{"type":"object","properties":{"q":{},"r":{}}}`, `{"method":"GET","url":"/s?q={q}"}`, `{"q":null,"r":null}`, "GET /s", ""},
		"query, null in an array": {schemaOf("q:array"), `{"method":"GET","url":"/s?q={q}"}`, `{"q":[null,"a",null]}`, "GET /s?q=a", ""},
		"query, first is absent":  {schemaOf("a?", "b"), `{"method":"GET","url":"/s?a={a}&b={b}"}`, `{"b":"1"}`, "GET /s?b=1", ""},
		"query, several in one":   {schemaOf("a", "b"), `{"method":"GET","url":"/s?r={a}-{b}:{a}"}`, `{"a":"{b}","b":"&"}`, "GET /s?r=%7Bb%7D-%26:%7Bb%7D", ""},
		"query of a POST":         {schemaOf("a", "b"), `{"url":"/s?a={a}"}`, `{"a":"1","b":"2"}`, "POST /s?a=1", ""},
		"query, encoded names":    {schemaOf("a b&"), `{"method":"GET","url":"/s"}`, `{"a b&":"1"}`, "GET /s?a%20b%26=1", ""},
		"query without any":       {schemaOf(), `{"method":"GET","url":"/s?"}`, ``, "GET /s", ""},
		"a second value":          {`{"type":"object"}`, `{"method":"GET","url":"/s?admin=false"}`, `{"admin":true}`, "", `unknown argument "admin"`},
		"a second value, encoded": {`{"type":"object"}`, `{"method":"GET","url":"/s?%61dmin=false"}`, `{"admin":true}`, "", `unknown argument "admin"`},
		"a parameter, other case": {`{"type":"object","properties":{"q":{"type":"string"}}}`, `{"method":"GET","url":"/s?q={q}&key=1"}`, `{"q":"x","KEY":"2"}`, "", `unknown argument "KEY"`},
		"undeclared, other case":  {`{"type":"object","properties":{"q":{"type":"string"}}}`, `{"method":"GET","url":"/s?q={q}"}`, `{"q":"x","Q":"y"}`, "", `unknown argument "Q"`},
		"undeclared arguments":    {`{"type":"object","properties":{"q":{"type":"string"}}}`, `{"method":"GET","url":"/s?q={q}"}`, `{"q":"x","more":[1,2]}`, "GET /s?q=x&more=1&more=2", ""},
		"lower case method":       {schemaOf(), `{"method":"get","url":"/s"}`, ``, "GET /s", ""},
		"absolute":                {schemaOf("id"), `{"method":"GET","url":"https://api.example.com/v1/{id}"}`, `{"id":"a/b"}`, "GET https://api.example.com/v1/a%2Fb", ""},
		"absolute, no path":       {schemaOf(), `{"method":"GET","url":"HTTP://api.example.com:8080"}`, ``, "GET http://api.example.com:8080/", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &fakeBackend{placeholders: map[string]string{
				"env.PLACE": "a/b", "env.UNSET": "", "http.mcp.client.name": "", "file./a?b/c#d&e=f": "s",
			}}
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
			if got := r.URL.RequestURI(); got != r.RequestURI {
				t.Errorf("RequestURI is %s, not %s", r.RequestURI, got)
			}
		})
	}
}

func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	b := &fakeBackend{placeholders: map[string]string{
		"env.KEY": "k1", "env.UNSET": "", "http.mcp.call.id": "call-1", "http.mcp.client.name": "",
		"file.key": "k2\n", "file.lines": "a\nb",
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
		"forwarded":               {schemaOf(), `{"method":"GET","url":"/","forward_headers":["x-api-key"]}`, ``, map[string]string{"X-Api-Key": "mine", "X-Other": ""}, "", ""},
		"placeholders":            {schemaOf("a"), `{"method":"GET","url":"/","headers":[{"name":"authorization","value":"Bearer {env.KEY}"},{"name":"X-A","value":"{a}"},{"name":"X-Id","value":"{http.mcp.call.id}"}]}`, `{"a":"x"}`, map[string]string{"Authorization": "Bearer k1", "X-A": "x", "X-Id": "call-1"}, "", ""},
		"absent":                  {schemaOf("a?"), `{"method":"GET","url":"/","headers":[{"name":"X-A","value":"v {a}"}]}`, ``, map[string]string{"X-A": ""}, "", ""},
		"unset credential":        {schemaOf(), `{"method":"GET","url":"/","headers":[{"name":"Authorization","value":"Bearer {env.UNSET}"}]}`, ``, nil, "", "header Authorization: a credential of this tool is not configured: placeholder {env.UNSET} is unknown or empty"},
		"unknown credential":      {schemaOf(), `{"method":"GET","url":"/","headers":[{"name":"Authorization","value":"Bearer {no.such}"}]}`, ``, nil, "", "placeholder {no.such} is unknown or empty"},
		"nameless, with text":     {schemaOf(), `{"method":"GET","url":"/","headers":[{"name":"X-C","value":"for {http.mcp.client.name}"}]}`, ``, map[string]string{"X-C": ""}, "", ""},
		"nameless client":         {schemaOf(), `{"method":"GET","url":"/","headers":[{"name":"X-C","value":"{http.mcp.client.name}"}]}`, ``, map[string]string{"X-C": ""}, "", ""},
		"line break":              {schemaOf("a"), `{"method":"GET","url":"/","headers":[{"name":"X-A","value":"{a}"}]}`, `{"a":"x\r\nY: z"}`, nil, "", "a: must not have line breaks or other control characters"},
		"NUL":                     {schemaOf("a"), `{"method":"GET","url":"/","headers":[{"name":"X-A","value":"{a}"}]}`, `{"a":"x\u0000"}`, nil, "", "a: must not have line breaks"},
		"line break at the end":   {schemaOf("a"), `{"method":"GET","url":"/","headers":[{"name":"X-A","value":"{a}"}]}`, `{"a":"x\n"}`, nil, "", "a: must not have line breaks"},
		"twice":                   {schemaOf(), `{"method":"GET","url":"/","headers":[{"name":"X-A","value":"1"},{"name":"x-a","value":"2"}]}`, ``, map[string]string{"X-A": "1,2"}, "", ""},
		"Accept and User-Agent":   {schemaOf(), `{"method":"GET","url":"/","headers":[{"name":"Accept","value":"text/csv"},{"name":"User-Agent","value":"me"}]}`, ``, map[string]string{"Accept": "text/csv", "User-Agent": "me"}, "", ""},
		"Host":                    {schemaOf(), `{"method":"GET","url":"/","headers":[{"name":"host","value":"tenant.example"}]}`, ``, map[string]string{"Host": ""}, "tenant.example", ""},
		"twice, the first absent": {schemaOf("a?"), `{"method":"GET","url":"/","headers":[{"name":"Accept","value":"{a}"},{"name":"accept","value":"2"},{"name":"Accept","value":"3"}]}`, ``, map[string]string{"Accept": "2,3"}, "", ""},
		"absent, with a default":  {schemaOf("a?"), `{"method":"GET","url":"/","headers":[{"name":"Accept","value":"{a}"}]}`, ``, map[string]string{"Accept": defaultAccept}, "", ""},
		"forwarded User-Agent":    {schemaOf(), `{"method":"GET","url":"/","forward_headers":["User-Agent","X-None"]}`, ``, map[string]string{"User-Agent": "client/1", "X-None": ""}, "", ""},
		"braces":                  {schemaOf("a"), `{"method":"GET","url":"/","headers":[{"name":"X-A","value":"{\"a\":\"{a}\"} \\{a}"}]}`, `{"a":"x"}`, map[string]string{"X-A": `{"a":"x"} {a}`}, "", ""},
		"a value is no template":  {schemaOf("a"), `{"method":"GET","url":"/","headers":[{"name":"X-A","value":"{a}"}]}`, `{"a":"{env.KEY}"}`, map[string]string{"X-A": "{env.KEY}"}, "", ""},
		"a file with a line end":  {schemaOf(), `{"method":"GET","url":"/","headers":[{"name":"X-A","value":"{file.key}"}]}`, ``, map[string]string{"X-A": "k2"}, "", ""},
		"several lines":           {schemaOf(), `{"method":"GET","url":"/","headers":[{"name":"X-A","value":"{file.lines}"}]}`, ``, nil, "", "header X-A: a placeholder has a line break"},
		"empty":                   {schemaOf("a"), `{"method":"GET","url":"/","headers":[{"name":"X-A","value":"v{a}"}]}`, `{"a":""}`, map[string]string{"X-A": "v"}, "", ""},
		"Host of the server":      {schemaOf(), `{"method":"GET","url":"https://api.example.com/"}`, ``, nil, "api.example.com", ""},
		"Host of a placeholder":   {schemaOf(), `{"method":"GET","url":"/","headers":[{"name":"Host","value":"{env.KEY}.example"}]}`, ``, nil, "k1.example", ""},
		"Content-Type":            {schemaOf("a"), `{"url":"/","headers":[{"name":"Content-Type","value":"application/vnd.api+json"}]}`, `{"a":"x"}`, map[string]string{"Content-Type": "application/vnd.api+json"}, "", ""},
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
