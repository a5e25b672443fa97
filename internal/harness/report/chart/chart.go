// Package chart draws what a page shows: points and curves in two dimensions as
// inline SVG, bars and ratios as tables whose cells carry the marks. Nothing
// needs a script, a font or a network; colours come from the page's style sheet
// by the class of a series, so one drawing serves light and dark.
//
// Drawings are as wide as their place: horizontal positions are percentages,
// texts keep their size, and only the box of the curves is stretched.
package chart

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"
)

// Mark is the shape of a point, so that no series is told by colour alone.
type Mark int

// The marks.
const (
	Circle Mark = iota
	Square
	Diamond
	Triangle
	Cross
	Ring
	Wedge // a triangle on its tip
)

// shapes have about the same area.
var shapes = map[Mark]string{
	Circle:   `<circle r="4.5"/>`,
	Square:   `<path d="M-4-4h8v8h-8z"/>`,
	Diamond:  `<path d="M0-5.6 5.6 0 0 5.6-5.6 0z"/>`,
	Triangle: `<path d="M0-5.4 5.2 4H-5.2z"/>`,
	Cross:    `<path d="M-4.4-2.2-2.2-4.4 0-2.2 2.2-4.4 4.4-2.2 2.2 0 4.4 2.2 2.2 4.4 0 2.2-2.2 4.4-4.4 2.2-2.2 0z"/>`,
	Ring:     `<circle class="hollow" r="4"/>`,
	Wedge:    `<path d="M0 5.4 5.2-4H-5.2z"/>`,
}

// Key is the mark of a series for a legend.
func Key(class string, m Mark) template.HTML {
	return template.HTML(`<svg class="key s-` + html.EscapeString(class) + `" width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">` + shapes[m] + `</svg>`)
}

// Point is a place, with its values as a reader sees them.
type Point struct {
	X, Y         float64
	Name         string // beside the name of the series
	XText, YText string
	Note         string
	Label        string // written beside the point; may be empty
}

// tip is what a reader sees when pointing at a point.
func (p Point) tip(series string) string {
	lines := []string{strings.TrimSpace(series + " " + p.Name), p.XText, p.YText, p.Note}
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return l == "" }), "\n")
}

// Series is points of one kind.
type Series struct {
	Name   string
	Class  string // of the style sheet: s-CLASS
	Mark   Mark
	Line   bool // joined in the order given
	Dashed bool
	Points []Point
}

// XY is a drawing in two dimensions. Lower and to the right is better when
// Better says so.
type XY struct {
	Label          string // the whole drawing in a sentence, for those who do not see it
	XTitle, YTitle string
	X, Y           Scale
	Better         string // a hint at the good corner, may be empty
	Height         int    // of the box, CSS pixels
	Series         []Series
}

const (
	gutter = 46 // for the labels of the vertical axis
	foot   = 42 // for those of the horizontal axis and its title
	head   = 10
)

// HTML is the drawing.
func (c XY) HTML() template.HTML {
	var b strings.Builder
	h := float64(c.Height)
	y := func(v float64) float64 { return head + h*(1-c.Y.Place(v)) }
	x := func(v float64) string { return fmt.Sprintf("%.2f%%", 100*c.X.Place(v)) }
	fmt.Fprintf(&b, `<div class="xy"><svg class="yaxis" width="%d" height="%d" aria-hidden="true">`, gutter, c.Height+head+foot)
	for _, t := range c.Y.Ticks() {
		fmt.Fprintf(&b, `<text x="%d" y="%.1f" dy=".32em" text-anchor="end">%s</text>`, gutter-8, y(t.Value), html.EscapeString(t.Label))
	}
	fmt.Fprintf(&b, `</svg><svg class="plot" width="100%%" height="%d" role="img" aria-label="%s">`, c.Height+head+foot, html.EscapeString(c.Label))
	for _, t := range c.Y.Ticks() {
		fmt.Fprintf(&b, `<line class="grid" x1="0" x2="100%%" y1="%.1[1]f" y2="%.1[1]f"/>`, y(t.Value))
	}
	for _, t := range c.X.Ticks() {
		fmt.Fprintf(&b, `<line class="grid" x1="%[1]s" x2="%[1]s" y1="%[2]d" y2="%[3]d"/>`, x(t.Value), head, c.Height+head)
		fmt.Fprintf(&b, `<text class="tick" x="%s" y="%d" text-anchor="%s">%s</text>`, x(t.Value), c.Height+head+18, anchor(c.X.Place(t.Value)), html.EscapeString(t.Label))
	}
	fmt.Fprintf(&b, `<line class="axis" x1="0" x2="100%%" y1="%[1]d" y2="%[1]d"/>`, c.Height+head)
	fmt.Fprintf(&b, `<text class="title" x="50%%" y="%d" text-anchor="middle">%s</text>`, c.Height+head+36, html.EscapeString(c.XTitle))
	if c.Better != "" {
		fmt.Fprintf(&b, `<text class="hint" x="100%%" dx="-6" y="%d" text-anchor="end">%s</text>`, c.Height+head-8, html.EscapeString(c.Better))
	}
	c.lines(&b)
	for _, s := range c.Series {
		fmt.Fprintf(&b, `<g class="s-%s">`, html.EscapeString(s.Class))
		for _, p := range s.Points {
			fmt.Fprintf(&b, `<svg class="mark" x="%s" y="%.1f" data-tip="%s">%s</svg>`, x(p.X), y(p.Y), html.EscapeString(p.tip(s.Name)), shapes[s.Mark])
		}
		b.WriteString(`</g>`)
	}
	c.labels(&b, y)
	b.WriteString(`</svg></div>`)
	return template.HTML(b.String())
}

// labels are written beside their points, towards the middle of the drawing, and
// pushed apart where they would touch.
func (c XY) labels(b *strings.Builder, y func(float64) float64) {
	type label struct {
		text, class string
		place, at   float64
	}
	var all []label
	for _, s := range c.Series {
		for _, p := range s.Points {
			if p.Label != "" {
				place := c.X.Place(p.X)
				all = append(all, label{fitted(p.Label, max(place, 1-place)), s.Class, place, y(p.Y)})
			}
		}
	}
	slices.SortFunc(all, func(a, b label) int { return cmp.Compare(a.at, b.at) })
	for i := 1; i < len(all); i++ {
		all[i].at = max(all[i].at, all[i-1].at+labelHeight)
	}
	floor := float64(head+c.Height) - 4
	for i := len(all) - 1; i >= 0; i-- {
		all[i].at = min(all[i].at, floor)
		floor = all[i].at - labelHeight
	}
	for _, l := range all {
		anchor, shift := "start", 9
		if l.place > 0.5 {
			anchor, shift = "end", -9
		}
		fmt.Fprintf(b, `<text class="label s-%s" x="%.2f%%" dx="%d" y="%.1f" dy=".32em" text-anchor="%s">%s</text>`,
			html.EscapeString(l.class), 100*l.place, shift, l.at, anchor, html.EscapeString(l.text))
	}
}

// Pixels: how close texts may stand, what a letter takes, and the width of the
// drawing on the narrowest phone.
const (
	labelHeight  = 15
	letterWidth  = 7
	narrowestBox = 250
)

// fitted leaves out details, then all but the name, where a text is wider than the
// share of a narrow drawing that it has; the point's tip tells all.
func fitted(text string, share float64) string {
	for _, end := range []string{", ", " "} {
		if float64(letterWidth*len(text)) > share*narrowestBox {
			text, _, _ = strings.Cut(text, end)
		}
	}
	return text
}

// lines stretches curves to the box; their strokes keep their width.
func (c XY) lines(b *strings.Builder) {
	fmt.Fprintf(b, `<svg class="lines" x="0" y="%d" width="100%%" height="%d" viewBox="0 0 1000 1000" preserveAspectRatio="none">`, head, c.Height)
	for _, s := range c.Series {
		if !s.Line || len(s.Points) < 2 {
			continue
		}
		var path strings.Builder
		for i, p := range s.Points {
			step := byte('L')
			if i == 0 {
				step = 'M'
			}
			fmt.Fprintf(&path, "%c%.1f %.1f", step, 1000*c.X.Place(p.X), 1000*(1-c.Y.Place(p.Y)))
		}
		class := "curve"
		if s.Dashed {
			class += " dashed"
		}
		fmt.Fprintf(b, `<path class="%s s-%s" d="%s"/>`, class, html.EscapeString(s.Class), path.String())
	}
	b.WriteString(`</svg>`)
}

// anchor keeps the labels at both ends inside the drawing.
func anchor(place float64) string {
	switch {
	case place < 0.03:
		return "start"
	case place > 0.97:
		return "end"
	}
	return "middle"
}

// Percent is a share as the width or place of a mark, for style attributes.
func Percent(share float64) template.CSS {
	if math.IsNaN(share) {
		share = 0
	}
	return template.CSS(fmt.Sprintf("%.2f%%", 100*min(1, max(0, share))))
}
