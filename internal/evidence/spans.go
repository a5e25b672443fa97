package evidence

import (
	"slices"
	"strings"

	"sortedheap/internal/syntax"
)

// cutter cuts one file by what its syntax tree defines.
type cutter struct {
	file  File
	lines []string
	defs  []syntax.Definition
	kids  [][]int // by definition, those directly inside, by line; the last: of the file
	out   []Fragment
}

// cutDefinitions cuts a file: a function is a fragment, a type without its
// functions another, or with them if it is small; what lies between is cut by
// counting lines.
func cutDefinitions(f File, defs []syntax.Definition) []Fragment {
	c := &cutter{file: f, lines: sourceLines(f.Text), defs: defs, kids: make([][]int, len(defs)+1)}
	for i, d := range defs {
		parent := d.Parent
		if parent < 0 {
			parent = len(defs)
		}
		c.kids[parent] = append(c.kids[parent], i)
	}
	c.region(span{0, len(c.lines)}, len(defs))
	return c.out
}

// region cuts the lines of a definition, or of the file, around those inside.
func (c *cutter) region(in span, parent int) {
	at := in.from
	kids := slices.Clone(c.kids[parent])
	slices.SortStableFunc(kids, func(a, b int) int { return c.defs[a].Line - c.defs[b].Line })
	for _, i := range kids {
		d := &c.defs[i]
		s := span{max(d.Line-1, at), min(d.EndLine, in.to)}
		if !c.apart(i) {
			continue
		}
		if s.from >= s.to { // on a line that another definition has
			if len(c.out) > 0 {
				c.out[len(c.out)-1].Names = append(c.out[len(c.out)-1].Names, d.Name)
			}
			continue
		}
		c.leftover(span{at, s.from}, parent)
		c.definition(s, i)
		at = s.to
	}
	c.leftover(span{at, in.to}, parent)
}

// apart reports whether a definition makes fragments of its own.
func (c *cutter) apart(i int) bool {
	d := &c.defs[i]
	switch {
	case d.Kind == syntax.DefNamespace, d.Kind.IsType():
		return true
	case d.Kind.IsFunction():
		return !d.Declared
	default:
		return d.EndLine-d.Line+1 > maxLines/2 // a long table
	}
}

// definition cuts the lines of one definition.
func (c *cutter) definition(s span, i int) {
	d := &c.defs[i]
	switch {
	case d.Kind == syntax.DefNamespace:
		c.region(s, i)
	case s.to-s.from <= wholeLines && c.size(s) <= maxTextBytes:
		c.add(s, i, true)
	case d.Kind.IsType():
		c.region(s, i)
	default:
		for n, w := range windows(c.lines, s) {
			c.add(w, i, n == 0)
		}
	}
}

func (c *cutter) size(s span) int {
	n := 0
	for _, l := range c.lines[s.from:s.to] {
		n += len(l) + 1
	}
	return n
}

// add makes a fragment of a definition's lines, the first of which say what it is.
func (c *cutter) add(s span, i int, first bool) {
	d := &c.defs[i]
	f := c.fragment(s)
	f.Symbol, f.Kind, f.Cut = d.Qualified, string(d.Kind), CutSyntax
	f.Names = []string{d.Name}
	f.Declares = nil
	if first {
		f.Lead = max(min(d.NameLine, s.to)-s.from, 1)
	} else {
		f.Head = d.Signature
	}
	c.inner(&f, s, i)
	c.out = append(c.out, f)
}

// leftover cuts lines between definitions; in a type they are its own.
func (c *cutter) leftover(s span, parent int) {
	first := true
	for _, w := range windows(c.lines, s) {
		if !c.says(w) {
			continue
		}
		if parent < len(c.defs) && c.defs[parent].Kind.IsType() {
			c.add(w, parent, first && c.defs[parent].Line-1 >= s.from)
			first = false
			continue
		}
		f := c.fragment(w)
		f.Kind, f.Cut = "lines", CutSyntax
		c.inner(&f, w, parent)
		if len(f.Names)+len(f.Declares) == 0 {
			f.Kind = kindNotes
		}
		c.out = append(c.out, f)
	}
}

// says reports whether lines hold a word, not just brackets.
func (c *cutter) says(s span) bool {
	return slices.ContainsFunc(c.lines[s.from:s.to], func(l string) bool {
		return strings.ContainsFunc(l, func(r rune) bool {
			return r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= 0x80
		})
	})
}

func (c *cutter) fragment(s span) Fragment {
	return Fragment{File: c.file.Path, StartLine: s.from + 1, EndLine: s.to, Text: strings.Join(c.lines[s.from:s.to], "\n")}
}

// inner notes the names of definitions inside that have no fragment of their own.
func (c *cutter) inner(f *Fragment, s span, parent int) {
	for _, i := range c.kids[parent] {
		d := &c.defs[i]
		if d.NameLine > s.from && d.NameLine <= s.to {
			if d.Declared {
				f.Declares = append(f.Declares, d.Name)
			} else {
				f.Names = append(f.Names, d.Name)
				if d.Kind == syntax.DefField {
					f.Members = append(f.Members, d.Name)
				}
			}
		}
		c.inner(f, s, i)
	}
}
