// SPDX-License-Identifier: Apache-2.0

package tool

import "strings"

// Problem is something that [Compile] found in a tool's configuration.
type Problem struct {
	// Field of [Config] that it is about, as its JSON path: "name",
	// "input_schema", "output_schema", "request.url", "request.query.limit",
	// "request.headers.X-Key", "request.body", "fixed.sort", "select", "meta".
	Field string
	// Pointer is the JSON pointer into a schema, such as /properties/id/type.
	Pointer string
	// Arg is the argument that it is about, if it is about one.
	Arg string
	// Message says what is wrong, what is expected there and, where it can, how
	// to mend it. Lower case, no full stop, without the tool's name.
	Message string
	// Warning marks what only some clients dislike; the tool works.
	Warning bool
}

// Error tells the field and the message.
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.Field)
	if p.Pointer != "" {
		b.WriteString(" at ")
		b.WriteString(p.Pointer)
	}
	b.WriteString(": ")
	b.WriteString(p.Message)
	return b.String()
}
