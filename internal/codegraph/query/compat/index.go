package compat

import (
	"encoding/binary"
	"slices"
	"strings"
)

// Index proposes the nodes that may match a term, so that a question need not
// read every node. It has, for every three bytes in a row, the nodes whose
// texts hold them. What it proposes is always a superset: scores never depend
// on whether there is one.
type Index struct {
	postings map[uint32][]int32
	common   int // a trigram of more nodes than this saves nothing
	everyone []int32
}

// Shortest needle that has a trigram.
const trigramBytes = 3

// BuildIndex makes later scorings of this graph fast. It costs more than one
// scoring of all nodes does, so it is for processes that answer many questions.
func (g *Graph) BuildIndex() {
	x := &Index{postings: map[uint32][]int32{}, common: len(g.Nodes) / 10, everyone: g.everyone()}
	for n := range g.text {
		t := &g.text[n]
		for _, s := range []string{t.norm, t.tokens, t.id, t.source} {
			for i := 0; i+trigramBytes <= len(s); i++ {
				key := trigram(s[i:])
				list := x.postings[key]
				if len(list) == 0 || list[len(list)-1] != int32(n) {
					x.postings[key] = append(list, int32(n))
				}
			}
		}
	}
	g.indexM.Lock()
	g.index = x
	g.indexM.Unlock()
}

func trigram(s string) uint32 {
	return binary.BigEndian.Uint32([]byte{0, s[0], s[1], s[2]})
}

func (g *Graph) everyone() []int32 {
	all := make([]int32, len(g.Nodes))
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// lookup returns a superset of the nodes with a text that contains term.
func (x *Index) lookup(term string) []int32 {
	if len(term) < trigramBytes {
		return x.everyone
	}
	rarest := x.everyone
	for i := 0; i+trigramBytes <= len(term); i++ {
		if list := x.postings[trigram(term[i:])]; len(list) < len(rarest) {
			rarest = list
		}
	}
	if len(rarest) > x.common {
		return x.everyone
	}
	return rarest
}

// candidates are the nodes to score, ascending, for each term and for any.
type candidates struct {
	byTerm [][]int32
	union  []int32
}

func (c *candidates) of(term int) []int32 { return c.byTerm[term] }

func (g *Graph) candidates(list []string) candidates {
	g.indexM.Lock()
	x := g.index
	g.indexM.Unlock()
	c := candidates{byTerm: make([][]int32, len(list))}
	if x == nil {
		c.union = g.everyone()
		for i := range list {
			c.byTerm[i] = c.union
		}
		return c
	}
	marked := make([]bool, len(g.Nodes))
	for i, t := range list {
		proposed := x.lookup(t)
		c.byTerm[i] = proposed
		for _, n := range proposed {
			if !marked[n] && g.mentions(n, t) {
				marked[n] = true
				c.union = append(c.union, n)
			}
		}
	}
	slices.Sort(c.union)
	return c
}

// mentions says whether any text of a node contains a term.
func (g *Graph) mentions(n int32, term string) bool {
	t := &g.text[n]
	return strings.Contains(t.norm, term) || strings.Contains(t.tokens, term) ||
		strings.Contains(t.id, term) || strings.Contains(t.source, term)
}
