// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"strconv"
	"strings"
)

// answerTypes says which of the two kinds of answers a client takes.
func answerTypes(header []string) (json, sse bool) {
	if len(header) == 1 && header[0] == "application/json, text/event-stream" {
		return true, true // what most clients send
	}
	return accepts(header, "application", "json") > 0, accepts(header, "text", "event-stream") > 0
}

// accepts gives the quality at which a client takes a media type (RFC 9110,
// section 12.5.1): 0 means not at all. The most specific range counts.
func accepts(header []string, typ, subtype string) float64 {
	if len(header) == 0 {
		return 1
	}
	best, quality := -1, 0.0
	for _, line := range header {
		for part := range strings.SplitSeq(line, ",") {
			mt, attrs, _ := strings.Cut(part, ";")
			t, s, ok := strings.Cut(strings.TrimSpace(mt), "/")
			if !ok {
				continue
			}
			specific := 0
			switch {
			case strings.EqualFold(t, typ) && strings.EqualFold(s, subtype):
				specific = 2
			case strings.EqualFold(t, typ) && s == "*":
				specific = 1
			case t == "*" && s == "*":
			default:
				continue
			}
			if specific > best {
				best, quality = specific, weight(attrs)
			}
		}
	}
	return quality
}

func weight(attrs string) float64 {
	for attr := range strings.SplitSeq(attrs, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(attr), "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 1
		}
		return q
	}
	return 1
}
