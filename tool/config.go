// SPDX-License-Identifier: Apache-2.0

package tool

import "encoding/json"

// Config declares one tool: what clients see of it, how its arguments are
// checked, and how they become an HTTP request. It holds only data; [Compile]
// checks it and prepares everything that a call needs.
//
// Caddy keeps its configuration as decoded JSON, with the members of objects
// sorted, long numbers rounded, and `@id` for its own use. Where that matters in
// a schema, in `meta` or in a JSON body, write the object as a string that holds
// it: `"input_schema": "{\"type\": \"object\", …}"`.
type Config struct {
	// Name that clients call the tool by. Required, unique in its endpoint.
	// Letters, digits, `_` and `-`, at most 64 of them; a warning above 48,
	// since clients put a prefix before it.
	Name string `json:"name"`

	// Title for people. Default: none, clients show the name.
	Title string `json:"title,omitempty"`

	// Description tells the model what the tool does and when to use it.
	// A tool without one gets a warning.
	Description string `json:"description,omitempty"`

	// InputSchema is the JSON Schema (2020-12 unless `$schema` says otherwise)
	// of the arguments; its root has `type: object`. Default: an object without
	// properties. It is sent to clients as written, except for properties that
	// are fixed or hidden.
	InputSchema json.RawMessage `json:"input_schema,omitempty"`

	// OutputSchema is the JSON Schema of the structured result. Default: none.
	// A result that does not conform is delivered, logged and counted, unless
	// OutputStrict is set. Legacy clients (2025-11-25 and before) know only
	// schemas whose root is an object: another one is not shown to them.
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`

	// OutputStrict makes a result that does not conform to OutputSchema an
	// error. Default: false.
	OutputStrict bool `json:"output_strict,omitempty"`

	// Coerce converts arguments that clients send as strings ("5", "false",
	// "[1,2]") where the schema asks for another type. Default: false, such
	// arguments are refused with a message that names the field.
	Coerce bool `json:"coerce,omitempty"`

	// Fixed gives arguments a value that clients neither see nor change.
	Fixed map[string]json.RawMessage `json:"fixed,omitempty"`

	// Hidden names arguments that clients do not see; their value is the
	// schema's default, or they are absent.
	Hidden []string `json:"hidden,omitempty"`

	// Request says how the arguments become an HTTP request.
	Request Request `json:"request,omitzero"`

	// Select is a jq program that is applied to a JSON answer before anything
	// else looks at it; one output is the answer, several become an
	// array. The program is the operator's and trusted: it ends with the call,
	// and the values that it makes are bounded, but one that is made to use
	// memory can use much. Default: none.
	Select string `json:"select,omitempty"`

	// Annotations are hints for clients about what the tool does. Default:
	// derived from the request's method.
	Annotations *Annotations `json:"annotations,omitempty"`

	// Icons for clients that show them.
	Icons []Icon `json:"icons,omitempty"`

	// Meta is the tool's `_meta` object, sent to clients as written. Keys
	// follow the specification's rules for `_meta` names.
	Meta json.RawMessage `json:"meta,omitempty"`
}

// Request is the HTTP request that a call becomes. Strings in it are templates:
// `{name}` is the argument of that name, `{http.mcp.args.name}` its long form,
// and any other Caddy placeholder works too. Values are inserted once, never
// expanded again. The request carries nothing of the client's own headers
// except those named in ForwardHeaders.
type Request struct {
	// Method is GET, HEAD, POST, PUT, PATCH or DELETE. Default: POST.
	Method string `json:"method,omitempty"`

	// URL is the path and query, or an absolute http or https URL. A
	// placeholder in the path is one segment, percent-encoded once; `.` and
	// `..` are refused; `{name*}` allows several segments, each checked. An
	// absent optional argument removes its query parameter. Default: `/` and
	// the tool's name.
	URL string `json:"url,omitempty"`

	// Query adds query parameters, in order. An argument that is absent leaves
	// its parameter out; an array gives one parameter per element.
	Query []Field `json:"query,omitempty"`

	// Headers adds header fields, in order. An argument that is absent leaves
	// its header out. A placeholder that is not an argument and has no value
	// fails the call: it is most likely a credential.
	Headers []Field `json:"headers,omitempty"`

	// Body says what the body is made of. Default: arguments that are named
	// nowhere else, as a JSON object, for POST, PUT and PATCH; none for others.
	Body *Body `json:"body,omitempty"`

	// ForwardHeaders names request headers of the client that are passed on.
	// Default: none. Forwarding `Authorization` is warned about: MCP forbids
	// passing the client's token on (authorization, "token passthrough").
	ForwardHeaders []string `json:"forward_headers,omitempty"`
}

// Field is a named value of a query, header or form.
type Field struct {
	// Name of the parameter, header or form field.
	Name string `json:"name"`

	// Value is a template.
	Value string `json:"value,omitempty"`

	// File makes this field of a multipart body a file whose bytes are the
	// Base64 text that Value gives.
	File *File `json:"file,omitempty"`
}

// File describes a file part of a multipart body.
type File struct {
	// Filename is a template. Default: the field's name.
	Filename string `json:"filename,omitempty"`

	// ContentType is a template. Default: application/octet-stream.
	ContentType string `json:"content_type,omitempty"`
}

// Body is the body of the request.
type Body struct {
	// Type is json, form, multipart, text or raw. Required.
	Type string `json:"type"`

	// ContentType overrides the Content-Type. Default: application/json,
	// application/x-www-form-urlencoded, multipart/form-data with its boundary,
	// text/plain; charset=utf-8, or application/octet-stream.
	ContentType string `json:"content_type,omitempty"`

	// JSON is the template of a json body: any JSON value whose strings may hold
	// placeholders. A string that is nothing but one argument's placeholder is
	// replaced by the argument's own JSON; a member or element whose argument
	// is absent is left out. Default: an object of the arguments that are named
	// nowhere else.
	JSON json.RawMessage `json:"json,omitempty"`

	// Fields of a form or multipart body, in order. Default: the arguments that
	// are named nowhere else.
	Fields []Field `json:"fields,omitempty"`

	// Text is the template of a text body.
	Text string `json:"text,omitempty"`

	// Argument names the argument that is a raw body: its text, or the bytes of
	// its Base64 where its schema says `contentEncoding: base64`.
	Argument string `json:"argument,omitempty"`
}

// Annotations are hints about a tool (MCP, "ToolAnnotations"). What is not set
// follows the request's method: GET and HEAD only read; PUT and DELETE are
// idempotent; PUT, PATCH and DELETE are destructive; the world is open.
type Annotations struct {
	// Title for people, before the tool's own in older clients. Default: none.
	Title string `json:"title,omitempty"`
	// ReadOnly says that the tool changes nothing.
	ReadOnly *bool `json:"read_only,omitempty"`
	// Destructive says that the tool may overwrite or delete.
	Destructive *bool `json:"destructive,omitempty"`
	// Idempotent says that calling again changes nothing more.
	Idempotent *bool `json:"idempotent,omitempty"`
	// OpenWorld says that the tool deals with things outside of the API.
	OpenWorld *bool `json:"open_world,omitempty"`
}

// Icon is an image that clients may show (MCP, "Icon").
type Icon struct {
	// Src is an https or data URL. Required.
	Src string `json:"src"`
	// MIMEType of the image. Default: what its server says.
	MIMEType string `json:"mime_type,omitempty"`
	// Sizes such as 48x48, or any. Default: any.
	Sizes []string `json:"sizes,omitempty"`
	// Theme is light or dark. Default: both.
	Theme string `json:"theme,omitempty"`
}
