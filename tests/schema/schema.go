// SPDX-License-Identifier: Apache-2.0

// Package schema holds the JSON Schemas of the Model Context Protocol, one per
// revision, and validates messages with them. See LICENSE.md for their origin.
package schema

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed *.json
var files embed.FS

// Versions that have a schema here, newest first.
var Versions = []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"}

var (
	mu       sync.Mutex
	docs     = map[string]any{}
	compiled = map[string]*jsonschema.Schema{}
)

// names that differ between revisions.
var aliases = map[string][]string{
	"JSONRPCResultResponse": {"JSONRPCResultResponse", "JSONRPCResponse"},
	"JSONRPCErrorResponse":  {"JSONRPCErrorResponse", "JSONRPCError"},
}

// Validate checks a JSON document against a definition of a revision, such as
// CallToolResult of 2025-11-25.
func Validate(version, definition string, data []byte) error {
	s, err := get(version, definition)
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	if err := s.Validate(v); err != nil {
		return fmt.Errorf("not a %s of %s: %w", definition, version, err)
	}
	return nil
}

func get(version, definition string) (*jsonschema.Schema, error) {
	mu.Lock()
	defer mu.Unlock()
	key := version + "#" + definition
	if s, ok := compiled[key]; ok {
		return s, nil
	}
	doc, err := load(version)
	if err != nil {
		return nil, err
	}
	section := "$defs"
	defs, ok := doc[section].(map[string]any)
	if !ok {
		section = "definitions"
		if defs, ok = doc[section].(map[string]any); !ok {
			return nil, fmt.Errorf("schema of %s has no definitions", version)
		}
	}
	names := aliases[definition]
	if names == nil {
		names = []string{definition}
	}
	i := slices.IndexFunc(names, func(n string) bool { _, ok := defs[n]; return ok })
	if i < 0 {
		return nil, fmt.Errorf("schema of %s has no %s", version, strings.Join(names, " or "))
	}
	c := jsonschema.NewCompiler()
	url := "mcp:" + version
	if err := c.AddResource(url, doc); err != nil {
		return nil, err
	}
	s, err := c.Compile(url + "#/" + section + "/" + names[i])
	if err != nil {
		return nil, err
	}
	compiled[key] = s
	return s, nil
}

func load(version string) (map[string]any, error) {
	if doc, ok := docs[version]; ok {
		return doc.(map[string]any), nil
	}
	b, err := files.ReadFile(version + ".json")
	if err != nil {
		return nil, fmt.Errorf("no schema of revision %q", version)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	m, ok := doc.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("schema of %s is not an object", version)
	}
	docs[version] = m
	return m, nil
}
