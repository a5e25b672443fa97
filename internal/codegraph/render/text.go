// Package render turns answers into text, JSON and pages. It decides nothing
// about what is in an answer, only how much of it fits.
//
// Whatever it writes is safe to print: names come from sources and lose control
// characters here.
package render

import (
	"fmt"
	"slices"
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
		query.AskCreates:    {"what creates a " + subject, "what " + subject + " creates"},
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
