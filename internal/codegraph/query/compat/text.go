package compat

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"sortedheap/internal/codegraph/query/plain"
)

// charsPerToken turns a budget of tokens into one of characters.
const charsPerToken = 3

// noMatch is the whole answer when nothing matches.
const noMatch = "No matching nodes found."

// header is the first line of an answer.
type header struct {
	graph      string // as it is to be shown; empty: left out
	depthFirst bool
	depth      int
	filter     Filter
	relaxed    bool
}

func (h header) line(g *Graph, w *found) string {
	var parts []string
	if h.graph != "" {
		parts = append(parts, fmt.Sprintf("Graph: %s (%d nodes)", plain.Field(h.graph), len(g.Nodes)))
	}
	mode := "BFS"
	if h.depthFirst {
		mode = "DFS"
	}
	parts = append(parts, fmt.Sprintf("Traversal: %s depth=%d", mode, h.depth))
	labels := make([]string, len(w.seeds))
	for i, s := range w.seeds {
		labels[i] = quoted(plain.Field(g.Nodes[s].Label))
	}
	parts = append(parts, "Start: ["+strings.Join(labels, ", ")+"]")
	if len(h.filter.Contexts) > 0 {
		note := h.filter.Source
		if h.relaxed {
			note += "; relaxed — no matches beyond seeds"
		}
		parts = append(parts, "Context: "+plain.Field(strings.Join(h.filter.Contexts, ", "))+" ("+note+")")
	}
	parts = append(parts, fmt.Sprintf("%d nodes found", len(w.nodes)))
	return strings.Join(parts, " | ")
}

// quoted is a string as Python's lists show it.
func quoted(s string) string {
	s = strings.ReplaceAll(s, `\`, `\\`)
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `\'`) + "'"
}

func nodeLine(n *Node) string {
	line := fmt.Sprintf("NODE %s [src=%s loc=%s community=%s", plain.Field(n.Label), plain.Field(n.File), plain.Field(n.Location), plain.Field(n.Community))
	if n.Status != "" {
		line += " learning=" + plain.Field(n.Status)
	}
	return line + "]"
}

// edgeLine shows an edge in its own direction, however the walk came to it.
func edgeLine(g *Graph, e *Edge) string {
	line := fmt.Sprintf("EDGE %s --%s [%s", plain.Field(g.Nodes[e.Source].Label), plain.Field(e.Relation), plain.Field(e.Confidence))
	if e.Context != "" {
		line += " context=" + plain.Field(e.Context)
	}
	line += "]--> " + plain.Field(g.Nodes[e.Target].Label)
	if e.File != "" {
		line += " at=" + plain.Field(e.File)
		if e.Location != "" {
			line += ":" + plain.Field(e.Location)
		}
	}
	return line
}

// body has the lines of a walk: nodes, then edges.
type body struct {
	lines               []string
	seeds, nodes, edges int
}

func (w *found) body(g *Graph) body {
	b := body{seeds: len(w.seeds), edges: len(w.steps)}
	for _, n := range w.order(g) {
		b.lines = append(b.lines, nodeLine(&g.Nodes[n]))
		b.nodes++
	}
	for _, s := range w.steps {
		b.lines = append(b.lines, edgeLine(g, &g.Edges[s.edge]))
	}
	return b
}

// text cuts the body to a budget of tokens. It never cuts a seed, and it cuts
// nothing where only edges would go.
func (b body) text(budget int) string {
	whole := strings.Join(b.lines, "\n")
	chars := charsPerToken * budget
	length := utf8.RuneCountInString(whole)
	if length <= chars {
		return whole
	}
	kept := b.keep(chars)
	if kept >= b.nodes {
		return fmt.Sprintf("[i] Complete answer over budget: all %d nodes and %d edges shown (~%d tokens vs a budget of %d).\n%s",
			b.nodes, b.edges, length/charsPerToken, budget, whole)
	}
	return fmt.Sprintf("[!] TRUNCATED: showing %d of %d nodes (~%d-token budget). Raise --budget, narrow with --context, or look one node up with explain.\n"+
		"%s\n... (truncated - %d more nodes cut by ~%d-token budget. Raise --budget, narrow with --context, or use explain.)",
		kept, b.nodes, budget, strings.Join(b.lines[:kept], "\n"), b.nodes-kept, budget)
}

// keep returns how many whole lines fit into so many characters, at least those
// of the seeds.
func (b body) keep(chars int) int {
	used := -1 // no line end before the first line
	for i, line := range b.lines {
		used += 1 + utf8.RuneCountInString(line)
		// The line end itself must be within, too.
		if used >= chars {
			return max(i, b.seeds)
		}
	}
	return len(b.lines)
}

// CutLines cuts plain lines, such as a list of neighbours, to a budget of
// tokens, and says at the top how many of them it kept.
func CutLines(lines []string, budget int) string {
	whole := strings.Join(lines, "\n")
	chars := charsPerToken * budget
	if utf8.RuneCountInString(whole) <= chars {
		return whole
	}
	kept := (body{lines: lines}).keep(chars)
	return fmt.Sprintf("[!] TRUNCATED: showing %d of %d lines (~%d-token budget). Raise --budget.\n%s\n... (truncated - %d more lines)",
		kept, len(lines), budget, strings.Join(lines[:kept], "\n"), len(lines)-kept)
}
