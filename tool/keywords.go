// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"slices"
	"strings"
)

// shape is what the value of a keyword must be.
type shape uint8

const (
	shapeAny shape = iota
	shapeSchema
	shapeSchemas   // a list of schemas
	shapeSchemaMap // schemas by name
	shapeItems     // a schema, or before 2020-12 a list of them
	shapeString
	shapeBoolean
	shapeNumber
	shapeCount // an integer of 0 or more
	shapeList
	shapeObject
	shapeNames   // a list of different strings
	shapeNameMap // lists of strings by name
	shapeDependencies
	shapeType
)

// keyword is what is known of a keyword of JSON Schema.
type keyword struct {
	shape shape
	// since and until are the first and last dialect that has it; 0 is no limit.
	since, until int
	// inPlace marks schemas that apply to the same value.
	inPlace bool
	// note marks what says nothing about which values are valid.
	note bool
}

var keywords = map[string]keyword{
	"$schema":          {shape: shapeString, note: true},
	"$id":              {shape: shapeString},
	"$anchor":          {shape: shapeString, since: 2019, note: true},
	"$ref":             {shape: shapeString},
	"$dynamicRef":      {shape: shapeString, since: 2020},
	"$dynamicAnchor":   {shape: shapeString, since: 2020},
	"$recursiveRef":    {shape: shapeString, since: 2019}, // The library honours it in 2020-12 too.
	"$recursiveAnchor": {shape: shapeBoolean, since: 2019},
	"$vocabulary":      {shape: shapeObject, since: 2019, note: true},
	"$comment":         {shape: shapeString, note: true},
	"$defs":            {shape: shapeSchemaMap, note: true},
	"definitions":      {shape: shapeSchemaMap, note: true},

	"title":       {shape: shapeString, note: true},
	"description": {shape: shapeString, note: true},
	"default":     {shape: shapeAny, note: true},
	"examples":    {shape: shapeList, note: true},
	"deprecated":  {shape: shapeBoolean, note: true},
	"readOnly":    {shape: shapeBoolean, note: true},
	"writeOnly":   {shape: shapeBoolean, note: true},

	"contentEncoding":  {shape: shapeString, note: true},
	"contentMediaType": {shape: shapeString, note: true},
	"contentSchema":    {shape: shapeSchema, note: true},

	"type":   {shape: shapeType},
	"enum":   {shape: shapeList},
	"const":  {shape: shapeAny},
	"format": {shape: shapeString},

	"multipleOf":       {shape: shapeNumber},
	"minimum":          {shape: shapeNumber},
	"maximum":          {shape: shapeNumber},
	"exclusiveMinimum": {shape: shapeNumber},
	"exclusiveMaximum": {shape: shapeNumber},
	"minLength":        {shape: shapeCount},
	"maxLength":        {shape: shapeCount},
	"pattern":          {shape: shapeString},
	"minItems":         {shape: shapeCount},
	"maxItems":         {shape: shapeCount},
	"uniqueItems":      {shape: shapeBoolean},
	"minContains":      {shape: shapeCount, since: 2019},
	"maxContains":      {shape: shapeCount, since: 2019},
	"minProperties":    {shape: shapeCount},
	"maxProperties":    {shape: shapeCount},
	"required":         {shape: shapeNames},

	"properties":            {shape: shapeSchemaMap},
	"patternProperties":     {shape: shapeSchemaMap},
	"additionalProperties":  {shape: shapeSchema},
	"unevaluatedProperties": {shape: shapeSchema, since: 2019},
	"propertyNames":         {shape: shapeSchema},
	"dependentRequired":     {shape: shapeNameMap, since: 2019},
	"dependentSchemas":      {shape: shapeSchemaMap, since: 2019, inPlace: true},
	"dependencies":          {shape: shapeDependencies, inPlace: true},

	"items":            {shape: shapeItems},
	"prefixItems":      {shape: shapeSchemas, since: 2020},
	"additionalItems":  {shape: shapeSchema, until: 2019},
	"unevaluatedItems": {shape: shapeSchema, since: 2019},
	"contains":         {shape: shapeSchema},

	"allOf": {shape: shapeSchemas, inPlace: true},
	"anyOf": {shape: shapeSchemas, inPlace: true},
	"oneOf": {shape: shapeSchemas, inPlace: true},
	"not":   {shape: shapeSchema, inPlace: true},
	"if":    {shape: shapeSchema, inPlace: true},
	"then":  {shape: shapeSchema, inPlace: true},
	"else":  {shape: shapeSchema, inPlace: true},
}

// headerKeyword is the extension of MCP that mirrors an argument in a header.
const headerKeyword = "x-mcp-header"

func (k keyword) known(draft int) bool {
	return draft >= k.since && (k.until == 0 || draft <= k.until)
}

// dialects are the values of $schema that are accepted, by what comes behind
// http:// or https://.
var dialects = map[string]int{
	"json-schema.org/schema":               2020,
	"json-schema.org/draft/2020-12/schema": 2020,
	"json-schema.org/draft/2019-09/schema": 2019,
	"json-schema.org/draft-07/schema":      7,
}

const dialectNames = "https://json-schema.org/draft/2020-12/schema, https://json-schema.org/draft/2019-09/schema, http://json-schema.org/draft-07/schema#"

func dialectNamed(uri string) (draft int, ok bool) {
	uri = strings.TrimSuffix(uri, "#")
	rest, found := strings.CutPrefix(uri, "https://")
	if !found {
		rest, _ = strings.CutPrefix(uri, "http://")
	}
	draft, ok = dialects[rest]
	return draft, ok
}

// nearest gives the word that was probably meant, empty if none is close.
func nearest(word string, words []string) string {
	best, distance := "", 3
	switch {
	case len(word) < 3:
		distance = 1 // Any two short words are near each other.
	case len(word) < 4:
		distance = 2
	}
	plain := plainWord(word)
	for _, w := range words[:min(len(words), 500)] {
		if plainWord(w) == plain {
			return w
		}
		if n := editDistance(strings.ToLower(word), strings.ToLower(w), distance); n < distance {
			best, distance = w, n
		}
	}
	return best
}

func plainWord(w string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(w))
}

// editDistance counts the insertions, deletions, replacements and swaps of
// neighbours that make a into b; what reaches limit is not looked at further.
func editDistance(a, b string, limit int) int {
	if len(a) > 64 || len(b) > 64 || len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		if slices.Min(next) >= limit {
			return limit
		}
		before, row = row, next
	}
	return row[len(b)]
}

// didYouMean gives the question for a message, empty if nothing is close.
func didYouMean(word string, words []string) string {
	if w := nearest(word, words); w != "" {
		return " (did you mean \"" + w + "\"?)"
	}
	return ""
}
