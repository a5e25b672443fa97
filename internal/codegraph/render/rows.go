package render

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/query"
	"sortedheap/internal/codegraph/query/plain"
)

// This file writes answer rows: sections, how much each row says, and what is
// summed up.

// section is a run of rows under one title.
type section struct {
	title string
	rows  []query.Row
}

// sections cut the rows where their standing changes; the rows are in that
// order already.
func sections(a *query.Answer) []section {
	var list []section
	for _, r := range a.Rows {
		title := title(&r)
		if len(list) == 0 || list[len(list)-1].title != title {
			list = append(list, section{title: title})
		}
		s := &list[len(list)-1]
		s.rows = append(s.rows, r)
	}
	return list
}

func title(r *query.Row) string {
	var t string
	switch r.Tier {
	case query.TierDirect:
		t = "answers"
	case query.TierHolds:
		t = "names it, no such edge seen"
	case query.TierImports:
		t = "only imports it"
	default:
		t = "possible"
	}
	if r.Test {
		t += ", tests"
	}
	return t
}

// rows writes the rows, and returns those it wrote. Where all of them do not
// fit in full, sections say less about each, the last ones first: tests and what
// is only possible before production.
func rows(w *writer, a *query.Answer) []query.Row {
	list := sections(a)
	blocks := make([][]string, len(list))
	starts, details := make([]int, len(list)), make([]detail, len(list))
	total := 0
	set := func(i int, d detail, number int) {
		total -= cost(blocks[i])
		blocks[i] = append([]string{fmt.Sprintf("%s (%d):", list[i].title, len(list[i].rows))}, rowLines(a, list[i].rows, d, number)...)
		total += cost(blocks[i])
		details[i] = d
	}
	for i, n := 0, 0; i < len(list); i++ {
		starts[i] = n
		n += len(list[i].rows)
		set(i, full, starts[i])
	}
	for i := len(list) - 1; i >= 0 && total > w.left; i-- {
		for _, d := range []detail{brief, grouped} {
			if total > w.left {
				set(i, d, starts[i])
			}
		}
	}
	if total <= w.left {
		var shown []query.Row
		for i, b := range blocks {
			w.lines(b)
			if details[i] == grouped {
				shown = append(shown, slices.Concat(byFile(a, list[i].rows)...)...)
			} else {
				shown = append(shown, list[i].rows...)
			}
		}
		return shown
	}
	return cutRows(w, a, list)
}

// summaryRoom is kept free for what was cut, or half of what is left.
const summaryRoom = 300

// cutRows writes groups by file while they fit, of the last file as many rows as
// do, and sums the rest up.
func cutRows(w *writer, a *query.Answer, list []section) []query.Row {
	room := min(summaryRoom, w.left/2)
	w.left -= room
	var shown, rest []query.Row
	for _, s := range list {
		if len(rest) > 0 || !w.add(fmt.Sprintf("%s (%d):", s.title, len(s.rows))) {
			rest = append(rest, s.rows...)
			continue
		}
		for _, group := range byFile(a, s.rows) {
			fits := 0
			if len(rest) == 0 {
				fits = fitting(w, a, group)
			}
			if fits > 0 {
				w.add(groupLine(a, group[:fits]))
			}
			shown = append(shown, group[:fits]...)
			rest = append(rest, group[fits:]...)
		}
	}
	w.left += room
	if len(rest) > 0 {
		w.add(remainder(a, rest, room))
	}
	return shown
}

// fitting is how many rows of a group fit into a line that fits.
func fitting(w *writer, a *query.Answer, group []query.Row) int {
	return sort.Search(len(group), func(i int) bool { return utf8.RuneCountInString(groupLine(a, group[:i+1]))+1 > w.left })
}

// remainder counts rows by file, in so many characters where they are enough for
// the count itself.
func remainder(a *query.Answer, rest []query.Row, room int) string {
	groups := byFile(a, rest)
	slices.SortStableFunc(groups, func(x, y []query.Row) int { return len(y) - len(x) })
	line := fmt.Sprintf("... %d more in %d files:", len(rest), len(groups))
	for i, g := range groups {
		part := fmt.Sprintf(" %s %d", fileOf(a, &g[0]), len(g))
		if utf8.RuneCountInString(line)+utf8.RuneCountInString(part) > room-20 {
			if i == 0 {
				return strings.TrimSuffix(line, ":")
			}
			return line + fmt.Sprintf(", and %d files", len(groups)-i)
		}
		if i > 0 {
			line += ","
		}
		line += part
	}
	return line
}

// byFile groups rows by the file of their first site, in the order in which the
// files come.
func byFile(a *query.Answer, list []query.Row) [][]query.Row {
	at := map[string]int{}
	var groups [][]query.Row
	for i := range list {
		f := fileOf(a, &list[i])
		g, ok := at[f]
		if !ok {
			g = len(groups)
			at[f] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], list[i])
	}
	return groups
}

func fileOf(a *query.Answer, r *query.Row) string {
	if len(r.Sites) > 0 {
		return plain.Field(r.Sites[0].File)
	}
	return plain.Field(a.Catalog.Node(r.Node).File)
}

// rowLines are rows as lines; those before them count before.
func rowLines(a *query.Answer, list []query.Row, d detail, before int) []string {
	var lines []string
	if d == grouped {
		for _, g := range byFile(a, list) {
			lines = append(lines, groupLine(a, g))
		}
		return lines
	}
	for i := range list {
		lines = append(lines, strconv.Itoa(before+i+1)+". "+rowLine(a, &list[i], d))
	}
	return lines
}

func rowLine(a *query.Answer, r *query.Row, d detail) string {
	c := a.Catalog
	line := plain.Field(c.Name(r.Node)) + " " + sites(r.Sites, len(r.Sites))
	if d == brief {
		return line + doubt(r)
	}
	var names []string
	for _, rel := range r.Relations {
		names = append(names, rel.String())
	}
	line += " " + strings.Join(names, "+")
	if target := plain.Field(c.Name(r.Target)); len(a.Intent.Nodes) != 1 || r.Target != a.Intent.Nodes[0] {
		line += " " + target
	}
	line += " " + r.Confidence.String()
	if r.Why != "" {
		line += " (" + plain.Field(r.Why) + ")"
	}
	return line
}

// doubt marks what is not certain.
func doubt(r *query.Row) string {
	if r.Confidence == graph.Extracted {
		return ""
	}
	return " " + r.Confidence.String()
}

// groupLine has the rows of one file: "file: name:12,15; name:40".
func groupLine(a *query.Answer, group []query.Row) string {
	file := fileOf(a, &group[0])
	var parts []string
	for i := range group {
		r := &group[i]
		name := plain.Field(a.Catalog.Node(r.Node).Label)
		if owner := r.Owner; owner >= 0 && owner != r.Node {
			name = plain.Field(a.Catalog.Node(owner).Label) + "." + name
		}
		var numbers []string
		for _, s := range r.Sites {
			if plain.Field(s.File) == file {
				numbers = append(numbers, strconv.Itoa(s.Line))
			}
		}
		part := name
		if len(numbers) > 0 {
			part += ":" + strings.Join(numbers, ",")
		}
		if r.Confidence != graph.Extracted {
			part += "?"
		}
		parts = append(parts, part)
	}
	return file + ": " + strings.Join(parts, "; ")
}

// sites are "file:line,line file:line".
func sites(list []query.Site, limit int) string {
	var b strings.Builder
	last := ""
	for i, s := range list[:min(limit, len(list))] {
		file := plain.Field(s.File)
		switch {
		case i > 0 && file == last:
			b.WriteString("," + strconv.Itoa(s.Line))
		case i > 0:
			b.WriteString(" " + file + ":" + strconv.Itoa(s.Line))
		default:
			b.WriteString(file + ":" + strconv.Itoa(s.Line))
		}
		last = file
	}
	return b.String()
}
