// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"net/url"
	"strings"
)

// documentURL is what a schema document is called where references need a name
// for it. Nothing is ever fetched from there, or from anywhere else.
const documentURL = "https://schema.invalid/"

// identify gives the base URI of what is in a schema.
func (d *schemaDoc) identify(n *node, base string) string {
	id := n.get("$id")
	if !id.isString() || d.draft < 2019 && n.get("$ref") != nil {
		return base
	}
	text, _, _ := strings.Cut(id.text, "#")
	if text == "" {
		return base
	}
	u, ok := joinURL(base, text)
	if !ok {
		d.fail(id, "$id %s is not a URI", quoteText(id.text))
		return base
	}
	return u
}

func joinURL(base, ref string) (string, bool) {
	b, err := url.Parse(base)
	if err != nil {
		return "", false
	}
	r, err := url.Parse(ref)
	if err != nil {
		return "", false
	}
	u := b.ResolveReference(r)
	if !r.IsAbs() && b.Opaque != "" {
		u.Opaque = b.Opaque
	}
	return u.String(), true
}

// resources are the parts of a document that have a URI, and their anchors.
type resources struct {
	roots   map[string]*node
	anchors map[string]*node
}

func (d *schemaDoc) resources() resources {
	r := resources{roots: map[string]*node{documentURL: d.root}, anchors: make(map[string]*node)}
	for _, n := range d.schemas {
		if n.kind != '{' {
			continue
		}
		base := d.base[n]
		if id := n.get("$id"); id.isString() {
			if text, fragment, _ := strings.Cut(id.text, "#"); text != "" {
				if other := r.roots[base]; other != nil && other != n {
					d.fail(id, "$id %s is there twice, also at %s", quoteText(id.text), other.pointer)
				}
				r.roots[base] = n
			} else if d.draft < 2019 && fragment != "" {
				r.anchors[base+"#"+fragment] = n
			}
		}
		if d.draft < 2019 {
			continue
		}
		for _, k := range []string{"$anchor", "$dynamicAnchor"} {
			if a := n.get(k); a.isString() {
				key := base + "#" + a.text
				if other := r.anchors[key]; other != nil && other != n {
					d.fail(a, "%s %s is there twice, also at %s", k, quoteText(a.text), other.pointer)
				}
				r.anchors[key] = n
			}
		}
	}
	return r
}

// resolveReferences finds what each reference refers to. What it finds outside
// of the places where schemas stand is checked as a schema too.
func (d *schemaDoc) resolveReferences() {
	for i := 0; i < len(d.schemas); {
		r := d.resources()
		checked := len(d.schemas)
		for ; i < checked; i++ {
			n := d.schemas[i]
			for _, k := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
				if v := n.get(k); v.isString() && keywords[k].known(d.draft) {
					d.resolve(r, n, k, v)
				}
			}
		}
	}
}

func (d *schemaDoc) resolve(r resources, n *node, k string, v *node) {
	base := d.base[n]
	ref, fragment, _ := strings.Cut(v.text, "#")
	fragment, err := url.PathUnescape(fragment)
	u, ok := joinURL(base, ref)
	if err != nil || !ok {
		d.fail(v, "%s %s is not a URI reference", k, quoteText(v.text))
		return
	}
	root := r.roots[u]
	if root == nil {
		d.fail(v, "%s %s is not in this document, and nothing is fetched: put that schema into $defs and refer to it as #/$defs/NAME", k, quoteText(v.text))
		return
	}
	var target *node
	switch {
	case fragment == "" || fragment[0] == '/':
		target = root.find(fragment)
	default:
		target = r.anchors[u+"#"+fragment]
	}
	if target == nil {
		d.fail(v, "%s %s leads nowhere%s", k, quoteText(v.text), d.suggest(v.text))
		return
	}
	if !target.isSchema() {
		d.fail(v, "%s %s leads to an %s, not to a schema", k, quoteText(v.text), kindName(target.kind))
		return
	}
	d.refs[v] = target
	if !d.known[target] {
		d.walk(target, base)
	}
}

// suggest names the definitions that there are.
func (d *schemaDoc) suggest(ref string) string {
	var names []string
	for _, k := range []string{"$defs", "definitions"} {
		if defs := d.root.get(k); defs.isObject() {
			for _, name := range defs.names {
				names = append(names, "#/"+k+"/"+escapePointer(name))
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; there are " + joinLimited(names) + didYouMean(ref, names)
}

// edges calls f with the schemas that a schema applies, and whether they apply
// to the same value.
func (d *schemaDoc) edges(n *node, f func(m *node, inPlace bool)) {
	for i, name := range n.names {
		v := n.values[i]
		k, ok := keywords[name]
		if !ok || !k.known(d.draft) || k.note {
			continue
		}
		if target := d.refs[v]; target != nil {
			f(target, true)
		}
		switch k.shape {
		case shapeSchema:
			f(v, k.inPlace)
		case shapeSchemas, shapeSchemaMap, shapeItems, shapeDependencies:
			if v.isArray() || k.shape == shapeSchemaMap || k.shape == shapeDependencies {
				for _, m := range v.values {
					if m.isSchema() {
						f(m, k.inPlace)
					}
				}
				continue
			}
			f(v, k.inPlace)
		}
	}
}

// maxExpansion is how many schemas may apply, with references followed, before
// a schema counts as complex.
const maxExpansion = 20_000

// checkCycles looks for schemas that apply to themselves in place, which no
// value could ever be checked against, and for those that are complex.
func (d *schemaDoc) checkCycles() {
	state := make(map[*node]int, len(d.schemas)) // 1: on the way, 2: done
	var visit func(n *node, inPlaceOnly bool)
	visit = func(n *node, inPlaceOnly bool) {
		state[n] = 1
		d.edges(n, func(m *node, inPlace bool) {
			if inPlaceOnly && !inPlace {
				return
			}
			switch state[m] {
			case 0:
				visit(m, inPlaceOnly)
			case 1:
				d.complex = true
				if inPlaceOnly {
					d.fail(m, "the schema refers back to itself for the same value, so that no value can be checked")
				}
			}
		})
		state[n] = 2
	}
	for _, n := range d.schemas {
		if state[n] == 0 {
			visit(n, true)
		}
	}
	clear(state)
	visit(d.root, false)
	if !d.complex {
		d.complex = d.expansion(d.root, make(map[*node]int)) > maxExpansion
	}
}

// expansion counts the schemas that a schema without cycles applies.
func (d *schemaDoc) expansion(n *node, counted map[*node]int) int {
	if c, ok := counted[n]; ok {
		return c
	}
	sum := 1
	d.edges(n, func(m *node, _ bool) {
		sum = min(sum+d.expansion(m, counted), maxExpansion+1)
	})
	counted[n] = sum
	return sum
}
