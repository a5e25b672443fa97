package render

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sortedheap/internal/codegraph/query"
	"sortedheap/internal/codegraph/query/plain"
)

// Explanation writes all about one node within a budget: what it is, full counts
// by relation, then links while they fit, the rest summed up by file.
func Explanation(x *query.Explanation, budget int) string {
	c, n := x.Catalog, x.Catalog.Node(x.Node)
	w := &writer{left: CharsPerToken * max(budget, MinBudget)}
	head := []string{
		"Node: " + plain.Field(c.Name(x.Node)),
		"  ID:     " + plain.Field(n.ID),
		"  Source: " + place(c, x.Node),
		"  Type:   " + kindName(n),
	}
	if n.Signature != "" {
		head = append(head, "  As:     "+plain.Field(n.Signature))
	}
	if n.Doc != "" {
		head = append(head, "  Doc:    "+plain.Field(strings.Join(strings.Fields(n.Doc), " ")))
	}
	if n.Community > 0 {
		head = append(head, "  Community: "+strconv.Itoa(n.Community))
	}
	head = append(head, "  Degree: "+strconv.Itoa(x.Degree))
	if len(x.Others) > 0 {
		head = append(head, "  Also of that name: "+places(c, x.Others))
	}
	for _, k := range x.Counts {
		line := fmt.Sprintf("  %s %s: %d in %d files", arrow(k.Incoming), k.Relation, k.Links, k.Files)
		if k.Tests > 0 {
			line += fmt.Sprintf(" (%d in tests)", k.Tests)
		}
		head = append(head, line)
	}
	w.lines(head)
	links(w, x)
	return strings.Join(w.out, "\n") + "\n"
}

func arrow(incoming bool) string {
	if incoming {
		return "<--"
	}
	return "-->"
}

func links(w *writer, x *query.Explanation) {
	if len(x.Links) == 0 || !w.add(fmt.Sprintf("Connections (%d):", len(x.Links))) {
		return
	}
	lines := make([]string, len(x.Links))
	for i := range x.Links {
		lines[i] = linkLine(x, &x.Links[i])
	}
	if cost(lines) <= w.left {
		w.lines(lines)
		return
	}
	room := min(summaryRoom, w.left/2)
	w.left -= room
	shown := 0
	for _, l := range lines {
		if !w.add(l) {
			break
		}
		shown++
	}
	w.left += room
	w.add(byArrow(x, x.Links[shown:], room))
}

func linkLine(x *query.Explanation, l *query.Link) string {
	c := x.Catalog
	line := fmt.Sprintf("  %s %s [%s] [%s]", arrow(l.Incoming), plain.Field(c.Name(l.Far)), l.Edge.Relation, l.Edge.Confidence)
	if l.Member != x.Node {
		line += " " + plain.Field(c.Node(l.Member).Display())
	}
	if l.Edge.File != "" {
		return line + " " + plain.Field(l.Edge.File) + ":" + strconv.Itoa(l.Edge.Line)
	}
	return line + " " + place(c, l.Far)
}

// byArrow counts links by arrow and file, in so many characters where they are
// enough for the count itself.
func byArrow(x *query.Explanation, rest []query.Link, room int) string {
	count := map[string]int{}
	var order []string
	for i := range rest {
		key := arrow(rest[i].Incoming) + " " + plain.Field(x.Catalog.Node(rest[i].Far).File)
		if count[key] == 0 {
			order = append(order, key)
		}
		count[key]++
	}
	slices.SortStableFunc(order, func(a, b string) int { return count[b] - count[a] })
	line := fmt.Sprintf("... and %d more:", len(rest))
	for i, key := range order {
		part := fmt.Sprintf(" %s %d", key, count[key])
		if len(line)+len(part) > room-24 {
			if i == 0 {
				return strings.TrimSuffix(line, ":")
			}
			return line + fmt.Sprintf(", %d other files", len(order)-i)
		}
		if i > 0 {
			line += ","
		}
		line += part
	}
	return line
}

// Path writes the hops of a path within a budget, or says that there is none.
func Path(c *query.Catalog, hops []query.Hop, undirected bool, budget int) string {
	if len(hops) == 0 {
		if undirected {
			return "No path found.\n"
		}
		return "No directed path found. --undirected also follows edges backwards.\n"
	}
	w := &writer{left: CharsPerToken * max(budget, MinBudget)}
	lines := pathLines(c, hops)
	if cost(lines) <= w.left {
		w.lines(lines)
		return strings.Join(w.out, "\n") + "\n"
	}
	room := min(summaryRoom, w.left/2)
	w.left -= room
	w.lines(lines)
	w.left += room
	w.add(fmt.Sprintf("%d of %d hops are left out for the budget", len(lines)-len(w.out), len(hops)))
	return strings.Join(w.out, "\n") + "\n"
}

// Affected writes what a change reaches within a budget.
func Affected(c *query.Catalog, name string, list []query.Affected, depth, budget int) string {
	w := &writer{left: CharsPerToken * max(budget, MinBudget)}
	w.add(fmt.Sprintf("Affected nodes for %s (%d, depth %d):", plain.Field(name), len(list), depth))
	if len(list) == 0 {
		return "No affected nodes found.\n"
	}
	lines := make([]string, len(list))
	for i := range list {
		r := &list[i]
		var names []string
		for _, rel := range r.Relations {
			names = append(names, rel.String())
		}
		lines[i] = fmt.Sprintf("- %s [%s] %s", plain.Field(c.Name(r.Node)), strings.Join(names, ", "), sites(r.Sites, 3))
		if r.Hops > 1 {
			lines[i] += fmt.Sprintf(" (%d hops)", r.Hops)
		}
		if r.Test {
			lines[i] += " (test)"
		}
	}
	if cost(lines) <= w.left {
		w.lines(lines)
		return strings.Join(w.out, "\n") + "\n"
	}
	room := min(summaryRoom, w.left/2)
	w.left -= room
	shown := 0
	for _, l := range lines {
		if !w.add(l) {
			break
		}
		shown++
	}
	w.left += room
	var rest []query.Row
	for _, r := range list[shown:] {
		rest = append(rest, r.Row)
	}
	w.add(remainder(&query.Answer{Catalog: c}, rest, room))
	return strings.Join(w.out, "\n") + "\n"
}

// Candidates lists what a name may mean, one line each.
func Candidates(c *query.Catalog, nodes []int32) string {
	var b strings.Builder
	for _, n := range nodes {
		fmt.Fprintf(&b, "  %s %s (%s) %s\n", plain.Field(c.Name(n)), place(c, n), kindName(c.Node(n)), plain.Field(c.Node(n).ID))
	}
	return b.String()
}

// Fault is an error about a name together with what may have been meant.
func Fault(c *query.Catalog, err error) string {
	return plain.Field(err.Error()) + "\n" + Meanings(c, err)
}

// Meanings lists what a name that an error is about may have meant, "" for other
// errors.
func Meanings(c *query.Catalog, err error) string {
	text := ""
	var several *query.AmbiguousError
	var unknown *query.UnknownError
	switch {
	case errors.As(err, &several):
		text += Candidates(c, several.Nodes[:min(maxCandidates, len(several.Nodes))])
	case errors.As(err, &unknown) && len(unknown.Near) > 0:
		text += "Names like it:\n" + Candidates(c, unknown.Near)
	}
	return text
}

// maxCandidates is how many meanings of a name are listed.
const maxCandidates = 20
