// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"encoding/json"
	"net/textproto"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/caddymcp/caddy-mcp/tool"
)

// toolAdapter turns a tool block into a Tool.
type toolAdapter struct {
	*endpointAdapter
	tool   *Tool
	where  string // how errors call it
	at     token  // its name
	broken bool   // its block has errors
	places places

	args   []line // arg lines, made a schema when all are known
	open   bool
	schema jsontext.Value
	fixed  []line
}

// places are the tokens that fill the fields of a tool, by the names that
// tool.Problem has for them, and the arguments by their pointers in the schema.
type places struct {
	fields   map[string]token
	pointers map[string]token
	files    map[string]string // files of the schemas, to put before a pointer
}

// toolWords are the words of a tool, in the order of the documentation.
var toolWords = []string{
	"title", "description", "arg", "open", "input", "output", "request", "select", "annotate", "forward_header",
	"timeout", "coerce", "fix", "hide", "icon", "meta",
}

// manyWords may be given more than once in a tool.
var manyWords = []string{"arg", "annotate", "forward_header", "fix", "hide", "icon"}

func (a *endpointAdapter) tool(l line) {
	if len(l.args) != 1 {
		a.add(l.end(), "a tool takes its name and a block: tool find_customers { … }; got %s before the block", counted(len(l.args), "word"))
		return
	}
	t := &toolAdapter{
		endpointAdapter: a, tool: new(Tool), where: "tool " + l.args[0].Text, at: l.args[0],
		places: places{make(map[string]token), make(map[string]token), make(map[string]string)},
	}
	t.tool.Name = l.args[0].Text
	t.places.fields["name"] = l.args[0]

	errors := a.count()
	var rest []line
	first := make(map[string]token)
	for _, l := range l.block {
		word := l.word.Text
		if !slices.Contains(manyWords, word) && !a.once(l, t.where, first, toolWords) {
			continue
		}
		if t.word(word, l) {
			continue
		}
		switch word {
		case "mcp":
			a.add(l.word, "mcp cannot stand in %s: an endpoint has tools, not a tool endpoints", t.where)
			continue
		case "header":
			if !namesRequestHeader(l) {
				break
			}
			a.warn(l.word, "in %s, header changes the answer; for the request, write it in the block of request, or use request_header", t.where)
		}
		rest = append(rest, l)
	}
	if len(t.args) > 0 || t.open {
		if before, ok := first["input"]; ok {
			a.add(before, "%s has arg lines and input: keep one of them; say open in the schema itself", t.where)
		} else {
			t.schema = t.object(t.args, "", t.open)
		}
	}
	t.fix()
	t.tool.Routes = a.routes(t.at, t.where, rest, a.matchers, toolWords)
	t.broken = a.count() > errors
	a.handler.Tools = append(a.handler.Tools, t.tool)
	a.tools = append(a.tools, t)
}

// namesRequestHeader says that a header directive, which changes answers, is
// about a header that only requests have.
func namesRequestHeader(l line) bool {
	for _, t := range l.tokens {
		name := strings.ToLower(strings.TrimLeft(t.Text, "+-?>"))
		switch name {
		case "authorization", "cookie", "accept", "user-agent", "x-api-key", "api-key":
			return true
		}
		if strings.HasPrefix(name, "x-") && (strings.HasSuffix(name, "-key") || strings.HasSuffix(name, "-token")) {
			return true
		}
	}
	return false
}

// word reads a line of a tool; false means that the word is not ours.
func (t *toolAdapter) word(word string, l line) bool {
	c := &t.tool.Config
	switch word {
	case "title":
		c.Title, _ = t.text(l, oneText)
	case "description":
		t.places.fields["description"] = l.word
		c.Description, _ = t.textOrFile(l)
	case "arg":
		t.args = append(t.args, l)
	case "open":
		t.open = t.takes(l, 0, 0, "no argument")
	case "input":
		t.input(l)
	case "output":
		t.output(l)
	case "request":
		t.request(l)
	case "select":
		t.places.fields["select"] = l.word
		c.Select, _ = t.text(l, "a jq program, in quotes if it has spaces")
	case "annotate":
		t.annotate(l)
	case "forward_header":
		t.forwardHeader(l)
	case "timeout":
		t.tool.Timeout = t.duration(l)
	case "coerce":
		c.Coerce = t.takes(l, 0, 0, "no argument")
	case "fix":
		t.fixed = append(t.fixed, l)
	case "hide":
		t.hide(l)
	case "icon":
		t.places.fields["icons."+itoa(len(c.Icons))] = l.word
		if i, ok := t.icon(l); ok {
			c.Icons = append(c.Icons, i)
		}
	case "meta":
		t.places.fields["meta"] = l.word
		if v, ok := t.objectValue(l, "the _meta object"); ok {
			c.Meta = keep(v)
		}
	default:
		return false
	}
	return true
}

func (t *toolAdapter) input(l line) {
	t.places.fields["input_schema"] = l.word
	if l.braces {
		t.add(l.word, "input takes no block, but a JSON Schema in backticks or a heredoc, or file <path>; arg lines stand in the tool itself")
		return
	}
	t.fromFile("input_schema", l.args)
	t.schema, _ = t.json(l, l.args, "the input schema", true)
}

func (t *toolAdapter) output(l line) {
	t.places.fields["output_schema"] = l.word
	if l.braces {
		t.add(l.word, "output takes no block, but a JSON Schema in backticks or a heredoc, or file <path>; then strict if a result that breaks it is an error")
		return
	}
	args := l.args
	if n := len(args); n > 1 && isWord(args[n-1], "strict") {
		t.tool.OutputStrict = true
		args = args[:n-1]
	}
	t.fromFile("output_schema", args)
	if v, ok := t.json(l, args, "the output schema", true); ok {
		t.tool.OutputSchema = keep(v)
	}
}

// fromFile notes the file that a schema comes from.
func (t *toolAdapter) fromFile(field string, args []token) {
	if len(args) == 2 && isWord(args[0], "file") {
		t.places.files[field] = "file " + args[1].Text + " "
	}
}

var annotationWords = []string{"read_only", "destructive", "idempotent", "open_world", "title"}

func (t *toolAdapter) annotate(l line) {
	t.places.fields["annotations"] = l.word
	if !t.takes(l, 1, -1, list(annotationWords)+", each alone or with =true, =false or =<text>") {
		return
	}
	a := t.tool.Annotations
	if a == nil {
		a = new(tool.Annotations)
		t.tool.Annotations = a
	}
	for _, arg := range l.args {
		key, value, given := keyValue(arg)
		if key == "title" && given {
			a.Title = unquoted(shorten(value, nil))
			continue
		}
		hint, ok := map[string]**bool{
			"read_only": &a.ReadOnly, "destructive": &a.Destructive, "idempotent": &a.Idempotent, "open_world": &a.OpenWorld,
		}[key]
		switch {
		case key == "title":
			t.add(arg, "annotate title needs a text: annotate title=<text>")
		case !ok:
			t.add(arg, "%s", unknown(key, "annotate", annotationWords))
		case given && value != "true" && value != "false":
			t.add(arg, "annotate %s=%s: expected true or false", key, value)
		case *hint != nil:
			t.add(arg, "annotate %s is given twice in %s", key, t.where)
		default:
			v := value != "false"
			*hint = &v
		}
	}
	if a.ReadOnly != nil && *a.ReadOnly && a.Destructive != nil && *a.Destructive {
		t.add(l.word, "annotate read_only and destructive: a tool that only reads destroys nothing; keep one of them")
	}
}

func (t *toolAdapter) forwardHeader(l line) {
	t.places.fields["request.forward_headers"] = l.word
	if !t.takes(l, 1, -1, "names of request headers") {
		return
	}
	for _, arg := range l.args {
		if !isToken(arg.Text) {
			t.add(arg, "forward_header %q: expected the name of a header", arg.Text)
			continue
		}
		name := textproto.CanonicalMIMEHeaderKey(arg.Text)
		t.places.fields["request.forward_headers."+name] = arg
		if !slices.Contains(t.tool.Request.ForwardHeaders, name) {
			t.tool.Request.ForwardHeaders = append(t.tool.Request.ForwardHeaders, name)
		}
	}
}

// isToken tells whether s can be the name of a header (RFC 9110, section 5.6.2).
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

func (t *toolAdapter) hide(l line) {
	t.places.fields["hidden"] = l.word
	if !t.takes(l, 1, -1, "names of arguments") {
		return
	}
	for _, arg := range l.args {
		t.places.fields["hidden."+arg.Text] = arg
		if slices.Contains(t.tool.Hidden, arg.Text) {
			t.add(arg, "argument %q is hidden twice in %s", arg.Text, t.where)
			continue
		}
		t.tool.Hidden = append(t.tool.Hidden, arg.Text)
	}
}

// fix gives arguments their values, in the types that the schema asks for.
func (t *toolAdapter) fix() {
	types := propertyTypes(t.schema)
	for _, l := range t.fixed {
		if !t.takes(l, 2, 2, "the name of an argument and its value") {
			continue
		}
		name, value := l.args[0].Text, l.args[1]
		t.places.fields["fixed."+name] = l.word
		if _, ok := t.tool.Fixed[name]; ok {
			t.add(l.args[0], "argument %q is fixed twice in %s", name, t.where)
			continue
		}
		raw, err := literal(types[name], value)
		if err != nil {
			t.add(value, "fix %s: %v", name, err)
			continue
		}
		if !keeps(raw) {
			t.add(value, "fix %s: Caddy's configuration rounds %s; write it into the schema as a const or default, and hide the argument", name, value.Text)
			continue
		}
		if t.tool.Fixed == nil {
			t.tool.Fixed = make(map[string]json.RawMessage)
		}
		t.tool.Fixed[name] = json.RawMessage(raw)
	}
}
