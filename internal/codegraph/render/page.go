package render

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/query"
	"sortedheap/internal/codegraph/query/plain"
)

//go:embed page/page.html
var pageHTML string

//go:embed page/page.css
var pageCSS string

// Limits of a page: what a person still looks at.
const (
	pageRows  = 200
	pageNodes = 60
)

// The drawing, in units of its view box, which is as wide as a phone: names
// stand in a column, arcs between them bend to the left.
const (
	drawWidth = 360
	drawAxis  = 104
	drawText  = 114
	drawLine  = 34
	drawTop   = 20
	nameChars = 32
)

type (
	pageRow     struct{ Name, Tag, Where string }
	pageSection struct {
		Title, More  string
		Total, First int
		Rows         []pageRow
	}
	pageNode struct {
		Name, Short, Where string
		Subject            bool
		Y, NameY, WhereY   int
	}
	pageArc    struct{ Class, Style, Path, Head, Title string }
	pageLegend struct{ Class, Names string }
	pageEdge   struct{ From, Relation, To, Sure, Where string }
	pageData   struct {
		Question      string
		CSS           template.CSS
		Head          []string
		Sections      []pageSection
		Nodes         []pageNode
		Arcs          []pageArc
		Legend        []pageLegend
		Table         []pageEdge
		Width, Height int
		Axis, TextX   int
	}
)

// Page writes an answer as a web page that needs nothing from anywhere: rows
// first, then a drawing of the subject, the rows and what is near.
func Page(w io.Writer, a *query.Answer, staleness string) error {
	t, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return fmt.Errorf("read page template: %w", err)
	}
	d := pageData{Question: plain.Field(a.Question), CSS: template.CSS(pageCSS), Head: header(a, staleness), Width: drawWidth, Axis: drawAxis, TextX: drawText}
	d.addRows(a)
	d.draw(a)
	if err := t.Execute(w, d); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

func (d *pageData) addRows(a *query.Answer) {
	left, number := pageRows, 0
	for _, s := range sections(a) {
		p := pageSection{Title: s.title, Total: len(s.rows), First: number}
		for i := range s.rows[:min(left, len(s.rows))] {
			p.Rows = append(p.Rows, rowOfPage(a, &s.rows[i]))
		}
		number += len(p.Rows)
		left -= len(p.Rows)
		if rest := s.rows[len(p.Rows):]; len(rest) > 0 {
			p.More = remainder(a, rest, summaryRoom)
		}
		d.Sections = append(d.Sections, p)
	}
	if len(a.Matches) == 0 {
		return
	}
	p := pageSection{Title: "found", Total: len(a.Matches)}
	for _, m := range a.Matches {
		p.Rows = append(p.Rows, pageRow{plain.Field(a.Catalog.Name(m.Node)), kindName(a.Catalog.Node(m.Node)), place(a.Catalog, m.Node)})
	}
	d.Sections = append(d.Sections, p)
}

func rowOfPage(a *query.Answer, r *query.Row) pageRow {
	var names []string
	for _, rel := range r.Relations {
		names = append(names, rel.String())
	}
	tag := strings.Join(names, ", ") + ", " + strings.ToLower(r.Confidence.String())
	if r.Why != "" {
		tag += ": " + plain.Field(r.Why)
	}
	return pageRow{plain.Field(a.Catalog.Name(r.Node)), tag, sites(r.Sites, len(r.Sites))}
}

// drawing collects nodes in the order in which they stand.
type drawing struct {
	a     *query.Answer
	at    map[int32]int
	order []int32
	edges []graph.Edge
}

func (g *drawing) stand(n int32) bool {
	if _, ok := g.at[n]; ok {
		return true
	}
	if len(g.order) == pageNodes {
		return false
	}
	g.at[n] = len(g.order)
	g.order = append(g.order, n)
	return true
}

// draw places the subject and what of it is meant on top, then the rows, then
// what is near.
func (d *pageData) draw(a *query.Answer) {
	g := &drawing{a: a, at: map[int32]int{}}
	for _, n := range a.Intent.Nodes {
		g.stand(n)
	}
	for i := range a.Rows {
		g.stand(a.Rows[i].Target)
	}
	for _, r := range a.Rows {
		if !g.stand(r.Node) || !g.stand(r.Target) {
			continue
		}
		e := graph.Edge{Source: r.Node, Target: r.Target, Relation: r.Relations[0], Confidence: r.Confidence}
		if a.Intent.Direction == graph.Out && a.Intent.Ask != query.AskAffected {
			e.Source, e.Target = e.Target, e.Source
		}
		if len(r.Sites) > 0 {
			e.File, e.Line = r.Sites[0].File, r.Sites[0].Line
		}
		g.edges = append(g.edges, e)
	}
	for _, h := range a.Path {
		if g.stand(h.From) && g.stand(h.To) && len(h.Edges) > 0 {
			g.edges = append(g.edges, h.Edges[0])
		}
	}
	for _, m := range a.Matches {
		g.stand(m.Node)
	}
	for _, n := range a.Near {
		if n.Edge.Source != n.Edge.Target && g.stand(n.Edge.Source) && g.stand(n.Edge.Target) {
			g.edges = append(g.edges, n.Edge)
		}
	}
	d.place(g)
}

func (d *pageData) place(g *drawing) {
	c := g.a.Catalog
	for i, n := range g.order {
		y := drawTop + i*drawLine
		name := plain.Field(c.Name(n))
		d.Nodes = append(d.Nodes, pageNode{Name: name, Short: shorten(name, nameChars), Where: shorten(place(c, n), nameChars+4),
			Subject: slices.Contains(g.a.Intent.Nodes, n), Y: y, NameY: y + 2, WhereY: y + 14})
	}
	d.Height = drawTop + len(g.order)*drawLine
	used := map[string][]string{}
	for i := range g.edges {
		e := &g.edges[i]
		class := classOf(e.Relation)
		if !slices.Contains(used[class], e.Relation.String()) {
			used[class] = append(used[class], e.Relation.String())
		}
		from, to := drawTop+g.at[e.Source]*drawLine, drawTop+g.at[e.Target]*drawLine
		title := EdgeLine(c, e)
		d.Arcs = append(d.Arcs, pageArc{class, strings.ToLower(e.Confidence.String()), arc(from, to), arrowhead(to), title})
		where := ""
		if e.File != "" {
			where = plain.Field(e.File) + ":" + strconv.Itoa(e.Line)
		}
		d.Table = append(d.Table, pageEdge{plain.Field(c.Name(e.Source)), e.Relation.String(), plain.Field(c.Name(e.Target)), e.Confidence.String(), where})
	}
	for _, class := range []string{"calls", "types", "names", "parts", "imports"} {
		if names := used[class]; len(names) > 0 {
			slices.Sort(names)
			d.Legend = append(d.Legend, pageLegend{class, strings.Join(names, ", ")})
		}
	}
}

// arc bends further to the left the further apart its ends are.
func arc(from, to int) string {
	bend := drawAxis - 6 - min(drawAxis-14, 16+abs(to-from)/7)
	return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", drawAxis-5, from, bend, from, bend, to, drawAxis-9, to)
}

func arrowhead(to int) string {
	return fmt.Sprintf("M%d %dl-7 -3.6v7.2z", drawAxis-4, to)
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// shorten keeps both ends of a name, of which the last says most.
func shorten(s string, limit int) string {
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	head := limit / 3
	return string(runes[:head]) + "…" + string(runes[len(runes)-(limit-head-1):])
}

func classOf(r graph.Relation) string {
	switch r {
	case graph.Calls, graph.Instantiates, graph.Triggers, graph.ListenedBy:
		return "calls"
	case graph.Inherits, graph.Extends, graph.Implements, graph.MixesIn, graph.Embeds, graph.Overrides:
		return "types"
	case graph.Contains, graph.HasMethod, graph.Defines:
		return "parts"
	case graph.Imports, graph.ImportsFrom, graph.ReExports, graph.DynamicImport, graph.Includes:
		return "imports"
	}
	return "names"
}
