package code

import (
	"fmt"
	"slices"
	"strings"

	"sortedheap/internal/corpus"
)

// This file cuts the lines out of a file that a question is about, as the published
// client did.

const (
	snippetAnchors = 4
	snippetRadius  = 18 // lines on either side of an anchor
)

// lines are a file's lines without the blanks around them, numbered from 0.
type lines []string

func newLines(text string) lines {
	out := lines(strings.Split(text, "\n"))
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// window is a range of lines, the end not included.
type window struct{ start, end int }

// candidate is a line that may become an anchor.
type candidate struct {
	line    int
	score   float64
	matched []int // terms of the question, by place
}

// cutSnippet returns the parts of a file around the lines that match a question's
// words best, each line with its number, below a line that names the file.
func cutSnippet(f corpus.CodeFile, question string) string {
	text := newLines(f.Text)
	var windows []window
	for _, anchor := range text.anchors(termForms(question)) {
		windows = append(windows, text.around(anchor, f.Path))
	}
	out := []string{"# File Snippet: " + f.Path}
	for _, w := range merge(windows) {
		for i := w.start; i < w.end; i++ {
			if text[i] != "" {
				out = append(out, fmt.Sprintf("L%d: %s", i+1, text[i]))
			}
		}
	}
	return strings.Join(out, "\n")
}

// termForms are the forms of each term of a question: as it is, and without the ends
// of plurals and of -ing.
func termForms(question string) [][]string {
	var out [][]string
	for _, term := range corpus.PromptTerms(question) {
		forms := []string{term}
		if stem, ok := strings.CutSuffix(term, "ies"); ok && len(term) > 4 {
			forms = append(forms, stem+"y")
		}
		if stem, ok := strings.CutSuffix(term, "s"); ok && len(term) > 4 {
			forms = append(forms, stem)
		}
		if stem, ok := strings.CutSuffix(term, "ing"); ok && len(term) > 5 {
			forms = append(forms, stem)
		}
		out = append(out, forms)
	}
	return out
}

// anchors are the lines to show, in ascending order: each the one with most terms
// that no anchor before it has, away from these; among equals definitions of methods,
// then the higher score, then the earlier line.
func (l lines) anchors(terms [][]string) []int {
	candidates := l.candidates(terms)
	covered := map[int]bool{}
	var anchors []int
	for range snippetAnchors {
		var best *candidate
		bestNew, bestMethod := 0, false
		for i := range candidates {
			c := &candidates[i]
			if slices.ContainsFunc(anchors, func(a int) bool { return max(a, c.line)-min(a, c.line) <= snippetRadius }) {
				continue
			}
			added, method := 0, isMethod(l[c.line])
			for _, term := range c.matched {
				if !covered[term] {
					added++
				}
			}
			better := best == nil || added > bestNew
			if best != nil && added == bestNew {
				better = method && !bestMethod || method == bestMethod && c.score > best.score
			}
			if better {
				best, bestNew, bestMethod = c, added, method
			}
		}
		if best == nil {
			break
		}
		anchors = append(anchors, best.line)
		for _, term := range best.matched {
			covered[term] = true
		}
	}
	slices.Sort(anchors)
	return anchors
}

// candidates are the lines with a score above 0, in order.
func (l lines) candidates(terms [][]string) []candidate {
	var out []candidate
	for i, line := range l {
		if line == "" {
			continue
		}
		small := strings.ToLower(line)
		c := candidate{line: i, score: codeBonus(line)}
		for term, forms := range terms {
			if slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(small, form) }) {
				c.matched = append(c.matched, term)
			}
		}
		if len(c.matched) > 0 || c.score >= 1 {
			c.score += 10 * float64(len(c.matched))
			out = append(out, c)
		}
	}
	return out
}

// codeBonus is what a line is worth whatever is asked.
func codeBonus(line string) float64 {
	bonus := 0.0
	switch {
	case isMethod(line):
		bonus += 10
	case hasAnyPrefix(line, "property ", "getter ", "setter ", "class ", "struct ", "module "):
		bonus++
	}
	for _, telling := range []bool{
		strings.ContainsAny(line, "_?"), strings.ContainsAny(line, "0123456789"),
		strings.Contains(line, " = ") || strings.HasPrefix(line, "@"),
	} {
		if telling {
			bonus += 0.5
		}
	}
	return bonus
}

func isMethod(line string) bool { return hasAnyPrefix(line, "def ", "private def ", "protected def ") }

func hasAnyPrefix(text string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(text, p) })
}

// around is what is shown of an anchor: the whole method that it begins, where blocks
// end in a line of their own, else lines on either side.
func (l lines) around(anchor int, path string) window {
	if isMethod(l[anchor]) && (strings.HasSuffix(path, ".cr") || strings.HasSuffix(path, ".rb")) {
		return l.method(anchor)
	}
	return window{max(0, anchor-snippetRadius), min(len(l), anchor+snippetRadius+1)}
}

// merge joins windows, ascending by start, that touch or overlap.
func merge(windows []window) []window {
	slices.SortStableFunc(windows, func(a, b window) int { return a.start - b.start })
	var out []window
	for _, w := range windows {
		if n := len(out); n > 0 && w.start <= out[n-1].end {
			out[n-1].end = max(out[n-1].end, w.end)
			continue
		}
		out = append(out, w)
	}
	return out
}
