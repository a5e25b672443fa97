package evidence

import (
	"strings"
	"unicode/utf8"
)

// cutMark ends a line that was cut.
const cutMark = " …"

// sourceLines returns the lines of a text as they are stored: without their ends
// and what is beyond maxLineBytes.
func sourceLines(text string) []string {
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	for i, l := range lines {
		l = strings.TrimRight(l, " \t\r")
		if len(l) > maxLineBytes {
			end := maxLineBytes
			for end > 0 && !utf8.RuneStart(l[end]) {
				end--
			}
			l = l[:end] + cutMark
		}
		lines[i] = l
	}
	return lines
}

// span is a run of lines, from and to counted from 0, to exclusive.
type span struct{ from, to int }

// windows cuts a run of lines where it can at blank lines, and leaves out what
// is blank at either end of a window.
func windows(lines []string, in span) []span {
	var out []span
	for from := in.from; from < in.to; {
		to := windowEnd(lines, from, in.to)
		if w := trimBlank(lines, span{from, to}); w.from < w.to {
			out = append(out, w)
		}
		from = to
	}
	return out
}

// windowEnd is where a window that begins at from ends: after as many lines as it
// may have, or at the last blank line in its second half.
func windowEnd(lines []string, from, limit int) int {
	end, size := from, 0
	for end < limit && end-from < maxLines && (size+len(lines[end]) < maxTextBytes || end == from) {
		size += len(lines[end]) + 1
		end++
	}
	if end == limit {
		return end
	}
	for at := end - 1; at > from+(end-from)/2; at-- {
		if isBlank(lines[at]) {
			return at
		}
	}
	return end
}

func trimBlank(lines []string, s span) span {
	for s.from < s.to && isBlank(lines[s.from]) {
		s.from++
	}
	for s.to > s.from && isBlank(lines[s.to-1]) {
		s.to--
	}
	return s
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

// cutWindows cuts a file of which nothing is known but its lines.
func cutWindows(f File) []Fragment {
	lines := sourceLines(f.Text)
	var out []Fragment
	for _, w := range windows(lines, span{0, len(lines)}) {
		out = append(out, Fragment{
			File: f.Path, StartLine: w.from + 1, EndLine: w.to, Kind: "lines", Cut: CutWindow,
			Text: strings.Join(lines[w.from:w.to], "\n"),
		})
	}
	return out
}
