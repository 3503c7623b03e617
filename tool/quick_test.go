// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// quickSchemas are what the fast path and the schema library are compared on.
var quickSchemas = []string{
	searchSchema,
	treeSchema,
	taggedSchema,
	`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"number","multipleOf":3},"c":{"type":["boolean","null"]}},"required":["a","b"]}`,
	`{"type":"object","properties":{"a":{"enum":["x",1,2.50,null,true,"é"]},"b":{"const":100},"c":{"const":"y"}},"additionalProperties":{"type":"integer","minimum":-1,"exclusiveMaximum":2.5}}`,
	`{"type":"object","properties":{"a":{"anyOf":[{"type":"string","maxLength":1},{"type":"null"}]},"b":{"oneOf":[{"type":"integer","maximum":1},{"type":"array","items":{"type":"string"}},{"type":"object","required":["a"]}]},"c":{"anyOf":[{"type":"integer"},{"type":"number","minimum":5}]}}}`,
	`{"type":"object","properties":{"a":{"properties":{"a":{"$ref":"#/properties/a"},"b":{"default":1}},"minProperties":1,"maxProperties":2},"b":{"items":{"items":{"type":"number"},"maxItems":2},"minItems":1},"c":{"pattern":"^[xé]$","minLength":1}}}`,
	`{"type":"object","properties":{"a":{"$ref":"#/$defs/a","description":"x"},"b":{"$ref":"#/$defs/b"}},"$defs":{"a":{"type":"string","minLength":2},"b":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"array","items":{"$ref":"#/$defs/b"}}]}}}`,
	`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"$ref":"#/definitions/x","maxLength":1},"b":{"format":"date"},"c":{"const":null}},"definitions":{"x":{"type":"string"}}}`,
	`{"type":"object","properties":{"a":true,"b":{},"c":{"not":{"type":"string"}}},"required":["d"],"additionalProperties":{"type":"string"}}`,
	`{"type":"object","patternProperties":{"^a":{"type":"integer"}},"minProperties":1,"additionalProperties":false}`,
	`{"type":"object","properties":{"a":{"type":"integer","anyOf":[{"type":"number"}]},"b":{"uniqueItems":true},"c":{"type":"string","enum":["x","xx"],"minLength":2}},"unevaluatedProperties":false}`,
}

// randomJSON writes a value that comes close to what the schemas ask for.
func randomJSON(b []byte, r *rand.Rand, depth int) []byte {
	scalars := []string{
		`"x"`, `"xx"`, `"\u0078"`, `"é"`, `"\u00e9"`, `"\ud83d\ude00"`, `"😀"`, `""`, `"y"`, `"name"`, `"AB"`, `"circle"`, `"a b c d e f"`, `"2020-01-01"`,
		"0", "-0", "1", "1.0", "10e-1", "1e2", "100", "100.0", "2.5", "2.50", "2.49999999999999999999", "0.5", "-1", "3", "9007199254740993", "1e400", "5E-1",
		"true", "false", "null",
	}
	n := r.IntN(12)
	if depth == 0 {
		n = 10
	}
	if depth > 4 {
		n = min(n, 7)
	}
	switch {
	case n < 8:
		return append(b, scalars[r.IntN(len(scalars))]...)
	case n < 9:
		b = append(b, '[')
		for i := range r.IntN(5) {
			if i > 0 {
				b = append(b, " , "...)
			}
			b = randomJSON(b, r, depth+1)
		}
		return append(b, ']')
	}
	names := []string{`"a"`, `"b"`, `"c"`, `"d"`, `"\u0061b"`, `"q"`, `"limit"`, `"sort"`, `"tags"`, `"price"`, `"flag"`, `"filter"`, `"from"`, `"tree"`, `"kids"`, `"shape"`, `"kind"`, `"radius"`}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	b = append(b, "{ "...)
	for i, name := range names[:r.IntN(6)] {
		if i > 0 {
			b = append(b, ',')
		}
		b = randomJSON(append(append(b, name...), ": "...), r, depth+1)
	}
	return append(b, " }"...)
}

// compared is a schema, with and without its fast path.
type compared struct {
	fast, slow *inputs
	quick      *quick
}

func compareAll(tb testing.TB) []compared {
	var all []compared
	for _, s := range quickSchemas {
		in := inputsFor(tb, s)
		slow := *in
		slow.simple = false
		all = append(all, compared{fast: in, slow: &slow, quick: in.schema.doc.quickSchema(in.schema.doc.root)})
	}
	return all
}

// check tells whether the fast path was enough; it must never say more than
// the schema library.
func (c *compared) check(tb testing.TB, arguments []byte) (quick bool) {
	got, err := prepared(c.fast, string(arguments))
	want, wantErr := prepared(c.slow, string(arguments))
	if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
		tb.Errorf("%s\nschema  %s\nfast    %s, %v\nlibrary %s, %v", arguments, c.fast.schema.doc.root.raw, got, err, want, wantErr)
	}
	if c.quick == nil {
		return false
	}
	end, ok := c.quick.match(arguments, 0)
	if !ok {
		return false
	}
	if end != len(arguments) {
		tb.Errorf("%s: matched %d of %d bytes", arguments, end, len(arguments))
	}
	if vs := c.fast.schema.validate(arguments); len(vs) > 0 {
		tb.Errorf("%s\nschema %s\npasses, but %v", arguments, c.fast.schema.doc.root.raw, vs)
	}
	return true
}

func TestQuickAgrees(t *testing.T) {
	t.Parallel()
	all := compareAll(t)
	r := rand.New(rand.NewPCG(1, 2))
	quick := make([]int, len(all))
	for range 400 {
		arguments := randomJSON(nil, r, 0)
		if !jsontext.Value(arguments).IsValid() {
			continue // Names that are there twice.
		}
		for i := range all {
			if all[i].check(t, arguments) {
				quick[i]++
			}
		}
	}
	// The comparison is worth nothing if nothing passes.
	for i := range all {
		if all[i].quick != nil && quick[i] == 0 {
			t.Errorf("nothing passed %s", quickSchemas[i])
		}
	}
}

func FuzzQuickAgrees(f *testing.F) {
	all := compareAll(f)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 200 {
		f.Add(i%len(all), randomJSON(nil, r, 0))
	}
	f.Fuzz(func(t *testing.T, i int, arguments []byte) {
		v, err := strictJSON(arguments)
		if err != nil || v.Kind() != '{' || i < 0 {
			// What is not valid JSON must do no harm.
			_, _ = prepared(all[0].fast, string(arguments))
			return
		}
		var m size
		if m.add(v, 1000, 60); m.number || m.elements > 1000 || m.depth > 60 {
			return
		}
		all[i%len(all)].check(t, v)
	})
}

func FuzzCoerce(f *testing.F) {
	in := newInputs(f, Config{Coerce: true, InputSchema: json.RawMessage(searchSchema)})
	strict := inputsFor(f, searchSchema)
	for _, s := range []string{`{"q":5,"limit":"5"}`, `{"tags":"[\"a\",5]","q":"ab"}`, `{"filter":"{\"from\":\"1\"}","q":"ab","flag":"True"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, arguments []byte) {
		v, err := strictJSON(arguments)
		if err != nil || v.Kind() != '{' {
			_, _ = prepared(in, string(arguments))
			return
		}
		plain, plainErr := prepared(strict, string(v))
		got, err := prepared(in, string(v))
		if err != nil {
			if plainErr == nil {
				t.Errorf("%s: refused only with coerce: %v", v, err)
			}
			return
		}
		if plainErr == nil && got != plain {
			t.Errorf("%s is valid, but became %s", v, got)
		}
		if again, err := prepared(strict, got); err != nil || again != got {
			t.Errorf("%s became %s, which gives %s, %v", v, got, again, err)
		}
	})
}

func FuzzCompileSchema(f *testing.F) {
	for _, s := range quickSchemas {
		f.Add([]byte(s))
	}
	for _, s := range []string{`{"$ref":"#"}`, `{"$id":"urn:x","$ref":"y"}`, `{"$dynamicRef":"#a","$dynamicAnchor":"a"}`, `{"type":"object","$ref":"%zz"}`, `{"properties":{"":{"$ref":"#/properties/~1"}}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, problems := compileSchema(raw, "output_schema")
		if s == nil {
			if len(problems) == 0 {
				t.Error("no schema and no problem")
			}
			return
		}
		q := s.doc.quickSchema(s.doc.root)
		for _, v := range []string{`null`, `1`, `"x"`, `[1]`, `{"a":1}`} {
			vs := s.validate(jsontext.Value(v))
			if q == nil {
				continue
			}
			if _, ok := q.match([]byte(v), 0); ok && len(vs) > 0 {
				t.Errorf("%s passes %s, but %v", v, raw, vs)
			}
		}
	})
}

func TestDecode(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		v := randomJSON(nil, r, 1)
		got, err := decode(v)
		if err != nil {
			t.Fatalf("%s: %v", v, err)
		}
		d := json.NewDecoder(bytes.NewReader(v))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\ngot  %#v\nwant %#v", v, got, want)
		}
	}
	for _, v := range []string{``, `{`, `[1`, `{"a"}`, `{"a":}`, `[,]`, `"x`, `1 2`, `[1]]`, `01`, `{"a":1,}`, strings.Repeat("[", 20000)} {
		if got, err := decode([]byte(v)); err == nil {
			t.Errorf("%.20s gives %v", v, got)
		}
	}
}

func TestSkipString(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		``, `x`, `\"`, `\\`, `\\\"`, `0123456789abcde`, `0123456789abcdef`, `0123456789abcd\"`, `0123456789abcde\"`, `0123456789abcdef\"`, `0123456789abcdef\\`,
		`0123456789abcdef0123456789\"x\\y\"`, strings.Repeat(`\"`, 50), strings.Repeat(`\\`, 50),
		// A search for the end from each escape would take minutes.
		strings.Repeat(`\n`, 4<<20), strings.Repeat(`\"`, 4<<20),
	} {
		raw := `"` + body + `"`
		if got := skipString([]byte(raw+`",`), 0); got != len(raw) {
			t.Errorf("%.40s: got %d, want %d", raw, got, len(raw))
		}
		for _, open := range []string{raw[:len(raw)-1], raw[:len(raw)-1] + `\`, raw[:len(raw)-1] + `\"`} {
			if got := skipString([]byte(open), 0); got != -1 {
				t.Errorf("%.40s ends at %d", open, got)
			}
		}
	}
}

func BenchmarkPrepare(b *testing.B) {
	three := inputsFor(b, `{"type":"object","properties":{"q":{"type":"string","minLength":2},"limit":{"type":"integer","minimum":1,"maximum":100,"default":20},"sort":{"enum":["name","created"]}},"required":["q"],"additionalProperties":false}`)
	var large strings.Builder
	large.WriteString(`{"rows":[`)
	for i := range 1000 {
		if i > 0 {
			large.WriteByte(',')
		}
		fmt.Fprintf(&large, `{"id":%d,"name":"the name of number %d, with some more text behind it","tags":["a","b"],"on":true}`, i, i)
	}
	large.WriteString(`]}`)
	const rows = `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string","maxLength":200},"tags":{"type":"array","items":{"type":"string"}},"on":{"type":"boolean"}},"required":["id","name"]}}}%s}`
	slow := *three
	slow.simple = false
	for _, bc := range []struct {
		name      string
		in        *inputs
		arguments string
	}{
		{"three", three, `{"q":"caddy","limit":10,"sort":"name"}`},
		{"three/library", &slow, `{"q":"caddy","limit":10,"sort":"name"}`},
		{"100KB", inputsFor(b, fmt.Sprintf(rows, "")), large.String()},
		{"100KB/library", inputsFor(b, fmt.Sprintf(rows, `,"minProperties":1`)), large.String()},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(bc.arguments)))
			raw := jsontext.Value(bc.arguments)
			for b.Loop() {
				c := Call{Arguments: raw}
				if err := bc.in.prepare(&c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The fast path is there to be fast.
func TestPrepareAllocations(t *testing.T) {
	in := inputsFor(t, searchSchema)
	raw := jsontext.Value(`{"q":"caddy","limit":10,"sort":"name"}`)
	c := &Call{Arguments: raw}
	n := testing.AllocsPerRun(100, func() {
		if err := in.prepare(c); err != nil {
			t.Error(err)
		}
	})
	if n > 2 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkCompileInputs(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if in, problems := compileInputs(Config{InputSchema: json.RawMessage(searchSchema)}, Options{}); in == nil {
			b.Fatal(problems)
		}
	}
}
