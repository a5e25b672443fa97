package index

import (
	"bytes"
	"path"
	"strings"

	"sortedheap/internal/codegraph/extract"
	"sortedheap/internal/codegraph/graph"
)

func isDocument(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".markdown":
		return true
	default:
		return false
	}
}

// document reads the headings of a Markdown text as sections, each within the
// last one of a higher level.
func document(p string, content []byte) *extract.File {
	f := &extract.File{Path: p}
	type open struct {
		def   int32
		level int
	}
	var path []open
	fenced := false
	line := int32(0)
	for raw := range bytes.Lines(content) {
		line++
		text := strings.TrimSpace(strings.ToValidUTF8(string(raw), "\uFFFD"))
		if strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~") {
			fenced = !fenced
		}
		level := len(text) - len(strings.TrimLeft(text, "#"))
		if fenced || level == 0 || level > 6 || len(text) == level || text[level] != ' ' {
			continue
		}
		title := strings.TrimSpace(strings.TrimRight(text[level:], "# "))
		if title == "" {
			continue
		}
		for len(path) > 0 && path[len(path)-1].level >= level {
			f.Defs[path[len(path)-1].def].EndLine = line - 1
			path = path[:len(path)-1]
		}
		d := extract.Def{Kind: graph.Section, Form: "section", Name: title, Qualified: title, Parent: -1, Line: line, EndLine: line}
		if len(path) > 0 {
			d.Parent = path[len(path)-1].def
			d.Qualified = f.Defs[d.Parent].Qualified + " > " + title
		}
		path = append(path, open{def: int32(len(f.Defs)), level: level})
		f.Defs = append(f.Defs, d)
	}
	for _, o := range path {
		f.Defs[o.def].EndLine = line
	}
	f.Lines = int(line)
	return f
}
