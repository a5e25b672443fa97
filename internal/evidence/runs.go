package evidence

import (
	"cmp"
	"slices"
)

// run is a sequence of neighbouring lines.
type run struct {
	lines  []Line
	elided bool // lines of the file between this and the run before are left out
}

// byFile groups passages by file, in the order of the first of each.
func byFile(passages []Passage) [][]Passage {
	var groups [][]Passage
	at := map[string]int{}
	for _, p := range passages {
		i, ok := at[p.File]
		if !ok {
			i = len(groups)
			at[p.File] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], p)
	}
	return groups
}

// runs joins the lines of one file's passages.
func runs(passages []Passage) []run {
	var lines []Line
	for _, p := range passages {
		lines = append(lines, p.Lines...)
	}
	slices.SortFunc(lines, func(a, b Line) int { return cmp.Compare(a.Number, b.Number) })
	lines = slices.CompactFunc(lines, func(a, b Line) bool { return a.Number == b.Number })
	var out []run
	for i, l := range lines {
		if i == 0 || l.Number != lines[i-1].Number+1 {
			out = append(out, run{elided: i > 0})
		}
		last := &out[len(out)-1]
		last.lines = append(last.lines, l)
	}
	return out
}
