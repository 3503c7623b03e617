// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"net/url"
)

func (a *endpointAdapter) name(l line) {
	if !a.takes(l, 1, 1, "one name") {
		return
	}
	name := l.args[0].Text
	if !nameRE.MatchString(name) {
		a.add(l.args[0], "name %q: expected 1 to 128 letters, digits, `.`, `_` or `-`", name)
		return
	}
	a.handler.Name = name
}

func (a *endpointAdapter) website(l line) {
	if !a.takes(l, 1, 1, "one URL") {
		return
	}
	u, err := url.Parse(l.args[0].Text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		a.add(l.args[0], "website %q: expected an http or https URL", l.args[0].Text)
		return
	}
	a.handler.WebsiteURL = l.args[0].Text
}

func (a *endpointAdapter) page(l line) {
	if !a.takes(l, 1, 1, "on or off") {
		return
	}
	switch v := l.args[0].Text; v {
	case "on", "off":
		a.handler.Page = v
	default:
		a.add(l.args[0], "page %q: expected on or off", v)
	}
}

func (a *endpointAdapter) origins(l line) {
	if !a.takes(l, 1, -1, "any, or origins such as https://app.example.com") {
		return
	}
	for _, t := range l.args {
		o := t.Text
		if o != "any" {
			normal, err := normalOrigin(o)
			if err != nil {
				a.add(t, "%v", err)
				continue
			}
			o = normal
		}
		have := a.handler.Origins
		if len(have) > 0 && (o == "any" || have[0] == "any") && have[0] != o {
			a.add(t, "origins any allows all: leave out the others, or any")
			continue
		}
		known := false
		for _, h := range have {
			known = known || h == o
		}
		if !known {
			a.handler.Origins = append(have, o)
		}
	}
}

var limitWords = []string{"body", "elements", "depth", "result", "answer", "timeout", "calls", "batch"}

func (a *endpointAdapter) limits(l line) {
	if len(l.args) > 0 || !l.braces {
		a.add(l.end(), "%q takes a block: limits { body 1MiB }, with a line for each of %s", "limits", list(limitWords))
		return
	}
	lim := &a.handler.Limits
	first := make(map[string]token)
	for _, l := range l.block {
		if !a.once(l, "limits", first, limitWords) {
			continue
		}
		switch l.word.Text {
		case "body":
			lim.Body = a.limitSize(l)
		case "elements":
			lim.Elements, _ = a.number(l)
		case "depth":
			n, ok := a.number(l)
			if ok && n > maxDepth {
				a.add(l.args[0], "depth %d: expected at most %d", n, maxDepth)
			}
			lim.Depth = n
		case "result":
			a.limitResult(l)
		case "answer":
			lim.Answer = a.limitSize(l)
		case "timeout":
			lim.Timeout = a.duration(l)
		case "calls":
			lim.Calls, _ = a.number(l)
		case "batch":
			lim.Batch, _ = a.number(l)
		default:
			a.add(l.word, "%s", unknown(l.word.Text, "limits", limitWords))
		}
	}
}

func (a *endpointAdapter) limitSize(l line) int64 {
	if !a.takes(l, 1, 1, "a size such as 1MiB") {
		return 0
	}
	return a.size(l, l.args[0])
}

func (a *endpointAdapter) limitResult(l line) {
	if !a.takes(l, 1, 2, "a size such as 1MiB, and error if more is one") {
		return
	}
	a.handler.Limits.Result = a.size(l, l.args[0])
	if len(l.args) < 2 {
		return
	}
	switch v := l.args[1].Text; v {
	case "error":
		a.handler.Limits.ResultError = true
	case "cut":
	default:
		a.add(l.args[1], "%s", unknown(v, "limits result", []string{"cut", "error"}))
	}
}
