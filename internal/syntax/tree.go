package syntax

import (
	"bytes"
	"sort"
)

// NodeID is a position in a tree; None is no node.
type NodeID int32

// None is the absence of a node, and Root the node of the whole file.
const (
	None NodeID = -1
	Root NodeID = 0
)

// node is one node of a tree: 24 bytes, children linked in order.
type node struct {
	kind, field uint16
	start, end  uint32
	parent      NodeID
	first, next NodeID
}

// Tree is a syntax tree of named nodes and keywords in source order; punctuation
// is left out. It never changes.
type Tree struct {
	Lang Language
	// Errors counts the places that did not parse; the rest of the tree is usable.
	Errors int
	// Cut says that nodes below Limits.MaxDepth were left out.
	Cut bool

	grammar *grammar
	source  []byte
	nodes   []node
	lines   []uint32 // where each line starts
}

// Source returns the text that was parsed. It must not be changed.
func (t *Tree) Source() []byte { return t.source }

// Len returns the number of nodes; they are numbered from 0 in source order,
// parents before children.
func (t *Tree) Len() int { return len(t.nodes) }

// Kind returns the grammar's name of a node's kind, "" for None.
func (t *Tree) Kind(n NodeID) string {
	if n == None {
		return ""
	}
	return t.grammar.kind(t.nodes[n].kind)
}

// Field returns the name of the field of its parent that a node is, "" for none.
func (t *Tree) Field(n NodeID) string {
	if n == None {
		return ""
	}
	return t.grammar.fields[t.nodes[n].field]
}

// Named reports whether a node is more than a keyword.
func (t *Tree) Named(n NodeID) bool {
	return n != None && t.grammar.isNamed(t.nodes[n].kind)
}

// Parent returns the node around a node, None for the root and for None.
func (t *Tree) Parent(n NodeID) NodeID {
	if n == None {
		return None
	}
	return t.nodes[n].parent
}

// First returns the first child of a node, and Next the sibling after it.
func (t *Tree) First(n NodeID) NodeID {
	if n == None {
		return None
	}
	return t.nodes[n].first
}

// Next returns the sibling after a node, or None.
func (t *Tree) Next(n NodeID) NodeID {
	if n == None {
		return None
	}
	return t.nodes[n].next
}

// Span returns the bytes of a node as [start, end); for None they are none.
func (t *Tree) Span(n NodeID) (start, end int) {
	if n == None {
		return 0, 0
	}
	return int(t.nodes[n].start), int(t.nodes[n].end)
}

// Text returns the source of a node, "" for None.
func (t *Tree) Text(n NodeID) string {
	if n == None {
		return ""
	}
	return string(t.source[t.nodes[n].start:t.nodes[n].end])
}

// Line returns the line, from 1, on which a node starts, 0 for None.
func (t *Tree) Line(n NodeID) int {
	if n == None {
		return 0
	}
	return t.lineAt(t.nodes[n].start)
}

// EndLine returns the line, from 1, of the last byte of a node.
func (t *Tree) EndLine(n NodeID) int {
	return t.lineAt(max(t.nodes[n].end, t.nodes[n].start+1) - 1)
}

func (t *Tree) lineAt(offset uint32) int {
	return sort.Search(len(t.lines), func(i int) bool { return t.lines[i] > offset })
}

// Child returns the first child of a node in a field, or None.
func (t *Tree) Child(n NodeID, field string) NodeID {
	for c := t.First(n); c != None; c = t.Next(c) {
		if t.Field(c) == field {
			return c
		}
	}
	return None
}

// ChildOf returns the first child of a node that is of one of the kinds, or None.
func (t *Tree) ChildOf(n NodeID, kinds ...string) NodeID {
	for c := t.First(n); c != None; c = t.Next(c) {
		kind := t.Kind(c)
		for _, k := range kinds {
			if k == kind {
				return c
			}
		}
	}
	return None
}

// Children calls visit with each child of a node in order.
func (t *Tree) Children(n NodeID) func(visit func(NodeID) bool) {
	return func(visit func(NodeID) bool) {
		for c := t.First(n); c != None; c = t.Next(c) {
			if !visit(c) {
				return
			}
		}
	}
}

// Within returns the nodes below a node in source order, without the node; visit
// answers whether to go below what it is given. The stack is bounded by
// Limits.MaxDepth.
func (t *Tree) Within(n NodeID, visit func(NodeID) (below bool)) {
	for c := t.First(n); c != None; c = t.Next(c) {
		if visit(c) {
			t.Within(c, visit)
		}
	}
}

// lineStarts returns where the lines of a text start.
func lineStarts(source []byte) []uint32 {
	lines := make([]uint32, 1, bytes.Count(source, []byte("\n"))+1)
	for i, c := range source {
		if c == '\n' {
			lines = append(lines, uint32(i+1))
		}
	}
	return lines
}
