package query

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/query/terms"
)

// Resolved is what a name may mean.
type Resolved struct {
	// Nodes are the meanings: more than one when the name does not tell them
	// apart. Ordered: by kind, then file and line.
	Nodes []int32
	// Others have the name too, but lose to Nodes: tests, files, externals.
	Others []int32
}

// Resolve finds what a name means, trying in this order and stopping at the
// first that finds something: a printed id; "path::Name" or "path:line"; a
// qualified name or its last parts; a bare name as written, then in any case,
// then in any spelling of its words; a file by its path or name.
func (c *Catalog) Resolve(name string) Resolved {
	if n, ok := c.ids[name]; ok {
		return Resolved{Nodes: []int32{n}}
	}
	callable := strings.HasSuffix(name, "()")
	clean := trimName(name)
	if clean == "" {
		return Resolved{}
	}
	for _, find := range []func(string) []int32{c.byPlace, c.byQualified, c.byLabel, c.byAnyCase, c.byFile} {
		if found := find(clean); len(found) > 0 {
			return c.prefer(found, callable)
		}
	}
	return Resolved{}
}

// trimName drops what people write around a name: quotes, call parentheses,
// sigils, pointer receivers.
func trimName(name string) string {
	name = strings.TrimSuffix(strings.Trim(name, "`'\"“”‘’«» \t"), "()")
	name = strings.NewReplacer("(*", "", "(", "", ")", "", "$this->", "", "->", "::", "#", "::").Replace(name)
	return strings.TrimLeft(strings.TrimSuffix(name, "::class"), ".\\&*@$")
}

// byPlace takes "path::Name", "path:Name" and "path:12".
func (c *Catalog) byPlace(name string) []int32 {
	for _, sep := range []string{"::", ":"} {
		at := strings.Index(name, sep)
		if at <= 0 || !strings.ContainsAny(name[:at], "./") {
			continue
		}
		if found := c.within(terms.Fold(strings.TrimPrefix(name[:at], "./")), name[at+len(sep):]); len(found) > 0 {
			return found
		}
	}
	return nil
}

// within finds a name or a line in the files whose folded path ends so.
func (c *Catalog) within(file, name string) []int32 {
	line, err := strconv.Atoi(strings.TrimPrefix(name, "L"))
	var found []int32
	narrow := -1
	for i := range c.nodes {
		n := &c.nodes[i]
		if n.Kind == graph.File || !pathEnds(n.File, file) {
			continue
		}
		switch {
		case err != nil && (n.Label == name || matchTail(segments(n.Qualified), segments(name), false)):
			found = append(found, int32(i))
		case err == nil && n.Line <= line && line <= max(n.Line, n.EndLine) && (narrow < 0 || n.EndLine-n.Line <= narrow):
			found, narrow = []int32{int32(i)}, n.EndLine-n.Line
		}
	}
	return found
}

// pathEnds says whether a path ends in the parts of a folded one.
func pathEnds(file, end string) bool {
	folded := terms.Fold(file)
	return folded == end || strings.HasSuffix(folded, "/"+end)
}

// segments cuts a qualified name at what separates its parts.
func segments(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(`\:./`, r) })
}

// byQualified compares the last parts of qualified names: as written, then in
// any case.
func (c *Catalog) byQualified(name string) []int32 {
	parts := segments(name)
	if len(parts) < 2 {
		return nil
	}
	last := parts[len(parts)-1]
	for _, anyCase := range []bool{false, true} {
		var found []int32
		candidates := c.labels[last]
		if anyCase {
			candidates = c.folded[squash(last)]
		}
		for _, n := range candidates {
			if matchTail(c.path(n), parts, anyCase) {
				found = append(found, n)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// path are the parts of a node's qualified name behind those of its folder, so
// that a package's folder may qualify a name, too.
func (c *Catalog) path(n int32) []string {
	node := &c.nodes[n]
	return append(strings.Split(strings.TrimSuffix(path.Dir(node.File), "/"), "/"), segments(cmp.Or(node.Qualified, node.Label))...)
}

// matchTail says whether the parts of a name are the last ones of a longer name.
func matchTail(long, parts []string, anyCase bool) bool {
	if len(parts) == 0 || len(parts) > len(long) {
		return false
	}
	for i, p := range parts {
		l := long[len(long)-len(parts)+i]
		if l != p && !(anyCase && terms.Fold(l) == terms.Fold(p)) {
			return false
		}
	}
	return true
}

func (c *Catalog) byLabel(name string) []int32 { return c.labels[name] }

func (c *Catalog) byAnyCase(name string) []int32 {
	all := c.folded[squash(name)]
	var same []int32
	for _, n := range all {
		if terms.Fold(c.nodes[n].Label) == terms.Fold(name) {
			same = append(same, n)
		}
	}
	if len(same) > 0 {
		return same
	}
	return all
}

// byFile takes the last parts of a path.
func (c *Catalog) byFile(name string) []int32 {
	want := terms.Fold(strings.TrimPrefix(name, "./"))
	var found []int32
	for _, n := range c.files[path.Base(want)] {
		if pathEnds(c.nodes[n].File, want) {
			found = append(found, n)
		}
	}
	return found
}

// prefer keeps the meanings of the strongest kind, production before tests.
func (c *Catalog) prefer(found []int32, callable bool) Resolved {
	slices.SortFunc(found, c.compare)
	found = slices.Compact(found)
	best := c.strength(found[0], callable)
	for _, n := range found {
		best = min(best, c.strength(n, callable))
	}
	var r Resolved
	for _, n := range found {
		if c.strength(n, callable) == best {
			r.Nodes = append(r.Nodes, n)
		} else {
			r.Others = append(r.Others, n)
		}
	}
	return r
}

// strength orders kinds as what a bare name most likely means; lower is
// stronger.
func (c *Catalog) strength(n int32, callable bool) int {
	node := &c.nodes[n]
	s := map[graph.Kind]int{graph.Type: 0, graph.Function: 1, graph.Method: 1, graph.Package: 2, graph.Const: 2, graph.Field: 3,
		graph.File: 4, graph.Section: 6, graph.Prose: 7, graph.External: 5}[node.Kind]
	if callable && (node.Kind == graph.Function || node.Kind == graph.Method) {
		s = -1
	}
	if node.Test {
		s += 10
	}
	return s
}

func (c *Catalog) compare(a, b int32) int {
	x, y := &c.nodes[a], &c.nodes[b]
	return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(a, b))
}
