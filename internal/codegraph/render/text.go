// Package render turns answers into text, JSON and pages. It decides nothing
// about what is in an answer, only how much of it fits.
//
// Whatever it writes is safe to print: names come from sources and lose control
// characters here.
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

// CharsPerToken is how a budget of tokens becomes one of characters.
const CharsPerToken = 3

// DefaultBudget is in tokens, MinBudget holds a header and a row.
const (
	DefaultBudget = 2000
	MinBudget     = 60
)

// Tokens is how many tokens a text counts, rounded up.
func Tokens(text string) int {
	return (utf8.RuneCountInString(text) + CharsPerToken - 1) / CharsPerToken
}

// Text is an answer as text.
type Text struct {
	Body  string
	Shown int // answer rows, or ranked names, in the body
	// Rows are the answer rows in the body, in its order.
	Rows []query.Row
	Near int // edges of the neighbourhood in it
}

// detail is how much a row says.
type detail int

const (
	full    detail = iota // name, sites, relation, target, confidence, evidence
	brief                 // name, sites, confidence where it is not the best
	grouped               // one line for each file
)

// Answer writes an answer into at most budget tokens, everything included: the
// header, rows as detailed as lets all of them fit, then as many edges of the
// neighbourhood as fit. Rows that do not fit are summed up by file.
func Answer(a *query.Answer, budget int, staleness string) Text {
	w := &writer{left: CharsPerToken * max(budget, MinBudget)}
	w.lines(header(a, staleness))
	t := Text{}
	switch {
	case len(a.Path) > 0:
		w.lines(pathLines(a.Catalog, a.Path))
	case len(a.Rows) > 0:
		t.Rows = rows(w, a)
		t.Shown = len(t.Rows)
	case len(a.Matches) > 0:
		t.Shown = matches(w, a)
	case len(a.Intent.Nodes) > 0:
		w.add("answers (0): the graph has no such edge")
	}
	t.Near = near(w, a)
	t.Body = strings.Join(w.out, "\n") + "\n"
	return t
}

// writer takes lines while there is room.
type writer struct {
	out  []string
	left int // characters
}

func cost(lines []string) int {
	n := 0
	for _, l := range lines {
		n += utf8.RuneCountInString(l) + 1
	}
	return n
}

// add writes a line, or returns false when it does not fit.
func (w *writer) add(line string) bool {
	n := utf8.RuneCountInString(line) + 1
	if n > w.left {
		return false
	}
	w.left -= n
	w.out = append(w.out, line)
	return true
}

// lines writes as many as fit.
func (w *writer) lines(list []string) {
	for _, l := range list {
		if !w.add(l) {
			return
		}
	}
}

func header(a *query.Answer, staleness string) []string {
	c := a.Catalog
	info := c.Info
	line := "graph: " + plain.Field(info.Corpus)
	if info.Commit != "" {
		line += "@" + plain.Field(info.Commit[:min(12, len(info.Commit))])
	}
	line += fmt.Sprintf(" (%d nodes, %d edges)", info.Nodes, info.Edges)
	if staleness != "" {
		line += "; " + plain.Field(staleness)
	}
	list := []string{line, "reading: " + reading(a)}
	if len(a.Filter) > 0 {
		list = append(list, fmt.Sprintf("filter: context %s (explicit) removed %d edges", plain.Field(strings.Join(a.Filter, ", ")), a.Filtered))
	}
	if len(a.Intent.Nodes) > 1 && a.Intent.Ask != query.AskNothing {
		list = append(list, fmt.Sprintf("%q is %d things: %s", plain.Field(a.Intent.Subject), len(a.Intent.Nodes), places(c, a.Intent.Nodes)))
	}
	if len(a.Intent.Others) > 0 {
		list = append(list, "also of that name: "+places(c, a.Intent.Others))
	}
	for _, n := range a.Notes {
		list = append(list, "note: "+plain.Field(n))
	}
	if a.Inside > 0 {
		list = append(list, fmt.Sprintf("note: %d more within the subject itself", a.Inside))
	}
	return list
}

// maxPlaces is how many namesakes a header lists.
const maxPlaces = 6

func places(c *query.Catalog, nodes []int32) string {
	var parts []string
	for _, n := range nodes[:min(maxPlaces, len(nodes))] {
		parts = append(parts, plain.Field(c.Name(n))+" "+place(c, n))
	}
	if more := len(nodes) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, "; ")
}

func place(c *query.Catalog, n int32) string {
	node := c.Node(n)
	if node.File == "" {
		return "(outside)"
	}
	return plain.Field(node.File) + ":" + strconv.Itoa(max(1, node.Line))
}

// Reading says how a question was understood.
func reading(a *query.Answer) string {
	c, in := a.Catalog, a.Intent
	if len(in.Nodes) == 0 {
		return "no name of the graph; ranked by words"
	}
	subject := plain.Field(c.Name(in.Nodes[0]))
	if len(in.Nodes) > 1 {
		subject = plain.Field(in.Subject)
	}
	where := " (" + kindName(c.Node(in.Nodes[0])) + ", " + place(c, in.Nodes[0]) + ")"
	return plain.Field(Phrase(in, subject)) + where
}

// Phrase is an intent in words.
func Phrase(in query.Intent, subject string) string {
	type both struct{ incoming, outgoing string }
	p, ok := map[query.Ask]both{
		query.AskCalls:      {"who calls " + subject, "what " + subject + " calls"},
		query.AskUses:       {"what uses " + subject, "what " + subject + " uses"},
		query.AskImplements: {"what implements " + subject, "what " + subject + " implements"},
		query.AskExtends:    {"what extends " + subject, "what " + subject + " extends"},
		query.AskImports:    {"what imports " + subject, "what " + subject + " imports"},
		query.AskOverrides:  {"what overrides " + subject, "what " + subject + " overrides"},
		query.AskTakes:      {"what takes a " + subject, "what " + subject + " takes"},
		query.AskReturns:    {"what returns a " + subject, "what " + subject + " returns"},
		query.AskHolds:      {"what has a field of " + subject, "what " + subject + " has as fields"},
		query.AskListens:    {"what listens to " + subject, "what " + subject + " listens to"},
		query.AskMembers:    {"members of " + subject, "members of " + subject},
		query.AskDefined:    {"where " + subject + " is defined", "where " + subject + " is defined"},
		query.AskAffected:   {"what a change of " + subject + " reaches", "what a change of " + subject + " reaches"},
	}[in.Ask]
	switch {
	case in.Ask == query.AskPath:
		return "how " + subject + " leads to " + in.FocusName
	case !ok:
		return subject
	case in.Direction == graph.Out:
		return p.outgoing
	}
	return p.incoming
}

func kindName(n *graph.Node) string {
	if n.Form != "" {
		return plain.Field(n.Form)
	}
	return n.Kind.String()
}

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

// matches writes ranked nodes.
func matches(w *writer, a *query.Answer) int {
	shown := 0
	if !w.add("found:") {
		return 0
	}
	for i, m := range a.Matches {
		n := a.Catalog.Node(m.Node)
		line := fmt.Sprintf("%d. %s %s (%s)", i+1, plain.Field(a.Catalog.Name(m.Node)), place(a.Catalog, m.Node), kindName(n))
		if n.Signature != "" {
			line += " " + plain.Field(n.Signature)
		}
		if !w.add(line) {
			break
		}
		shown++
	}
	return shown
}

// What of the neighbourhood is shown: little beside an answer, more where the
// neighbourhood is the answer.
const (
	nearAnswer = 10
	nearAlone  = 30
)

// near writes edges of the neighbourhood while they fit.
func near(w *writer, a *query.Answer) int {
	shown, limit := 0, nearAlone
	if a.Intent.Ask != query.AskNothing && a.Intent.Ask != query.AskDefined {
		limit = nearAnswer
	}
	for i, n := range a.Near[:min(limit, len(a.Near))] {
		line := EdgeLine(a.Catalog, &n.Edge)
		if i == 0 {
			if utf8.RuneCountInString(line)+6 > w.left-1 || !w.add("near:") {
				return 0
			}
		}
		if !w.add(line) {
			break
		}
		shown++
	}
	return shown
}

// EdgeLine is an edge in its own direction.
func EdgeLine(c *query.Catalog, e *graph.Edge) string {
	line := fmt.Sprintf("%s --%s [%s]--> %s", plain.Field(c.Name(e.Source)), e.Relation, e.Confidence, plain.Field(c.Name(e.Target)))
	if e.File != "" {
		line += " " + plain.Field(e.File) + ":" + strconv.Itoa(e.Line)
	}
	return line
}

// pathLines are the hops of a path, one line each.
func pathLines(c *query.Catalog, hops []query.Hop) []string {
	lines := []string{fmt.Sprintf("shortest path (%d hops):", len(hops))}
	for _, h := range hops {
		lines = append(lines, "  "+hopLine(c, h))
	}
	return lines
}

func hopLine(c *query.Catalog, h query.Hop) string {
	var forward, backward []string
	best := graph.Ambiguous
	where := ""
	for _, e := range h.Edges {
		name := e.Relation.String()
		if e.Source == h.From && !slices.Contains(forward, name) {
			forward = append(forward, name)
		}
		if e.Source != h.From && !slices.Contains(backward, name) {
			backward = append(backward, name)
		}
		best = min(best, e.Confidence)
		if where == "" && e.File != "" {
			where = " " + plain.Field(e.File) + ":" + strconv.Itoa(e.Line)
		}
	}
	from, to := plain.Field(c.Name(h.From)), plain.Field(c.Name(h.To))
	if len(forward) > 0 {
		return fmt.Sprintf("%s --%s [%s]--> %s%s", from, strings.Join(forward, "/"), best, to, where)
	}
	return fmt.Sprintf("%s <--%s [%s]-- %s%s", from, strings.Join(backward, "/"), best, to, where)
}
