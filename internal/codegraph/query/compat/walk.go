package compat

import (
	"cmp"
	"slices"
	"strings"
)

// Nodes of at least this degree, and of at least the degree that all but one
// per cent have, are reached but not passed through.
const (
	hubDegree     = 50
	hubPercentile = 0.99
)

// step is an edge that a walk shows, seen from where it came.
type step struct {
	from, to int32
	edge     int32
}

// found is what a walk reaches.
type found struct {
	adjacency *adjacency // of the graph walked, which may be filtered
	seeds     []int32
	nodes     map[int32]bool
	steps     []step
}

// hubThreshold is a property of the graph that is walked.
func (g *Graph) hubThreshold(a *adjacency) int {
	if len(g.Nodes) == 0 {
		return hubDegree
	}
	degrees := make([]int, len(g.Nodes))
	for i := range degrees {
		degrees[i] = a.degree(int32(i))
	}
	slices.Sort(degrees)
	at := min(int(hubPercentile*float64(len(degrees))), len(degrees)-1)
	return max(hubDegree, degrees[at])
}

// walk goes from the seeds along edges in both directions, at most depth away,
// then adds the edges between the nodes it reached.
func (g *Graph) walk(f Filter, seeds []int32, depth int, depthFirst bool) *found {
	a := &g.all
	if set := f.contextSet(); set != nil {
		filtered := g.adjacent(set)
		a = &filtered
	}
	w := &found{adjacency: a, seeds: seeds, nodes: map[int32]bool{}}
	if depthFirst {
		g.depthFirst(w, depth)
	} else {
		g.breadthFirst(w, depth)
	}
	g.complete(w)
	return w
}

// links of a node in the order of the other ends' ids. Parallel edges are next
// to one another, the one to show first.
func (g *Graph) links(w *found, n int32) []link {
	if w.adjacency == &g.all {
		return g.all.of(n)
	}
	links := slices.Clone(w.adjacency.of(n))
	g.sortLinks(links)
	return links
}

func (g *Graph) breadthFirst(w *found, depth int) {
	hub := g.hubThreshold(w.adjacency)
	for _, s := range w.seeds {
		w.nodes[s] = true
	}
	level := slices.Clone(w.seeds)
	for d := 0; d < depth && len(level) > 0; d++ {
		var next []int32
		reached := map[int32]bool{}
		for _, n := range level {
			if d > 0 && w.adjacency.degree(n) >= hub {
				continue
			}
			last := int32(-1)
			for _, l := range g.links(w, n) {
				if w.nodes[l.node] || l.node == last {
					continue
				}
				last = l.node
				w.steps = append(w.steps, step{n, l.node, l.edge})
				if !reached[l.node] {
					reached[l.node] = true
					next = append(next, l.node)
				}
			}
		}
		for _, n := range next {
			w.nodes[n] = true
		}
		slices.SortFunc(next, g.compareIDs)
		level = next
	}
}

// depthFirst closes a node at the depth at which it is first taken from the
// stack, so it can miss nodes that a shorter way would have reached in time.
func (g *Graph) depthFirst(w *found, depth int) {
	type place struct {
		node  int32
		depth int
	}
	hub := g.hubThreshold(w.adjacency)
	var stack []place
	for _, s := range slices.Backward(w.seeds) {
		stack = append(stack, place{s, 0})
	}
	var steps []step
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if w.nodes[p.node] || p.depth > depth {
			continue
		}
		w.nodes[p.node] = true
		if !slices.Contains(w.seeds, p.node) && w.adjacency.degree(p.node) >= hub {
			continue
		}
		var ahead []place
		last := int32(-1)
		for _, l := range g.links(w, p.node) {
			if w.nodes[l.node] || l.node == last {
				continue
			}
			last = l.node
			steps = append(steps, step{p.node, l.node, l.edge})
			ahead = append(ahead, place{l.node, p.depth + 1})
		}
		slices.Reverse(ahead)
		stack = append(stack, ahead...)
	}
	for _, s := range steps { // some lead to nodes that were too deep when their turn came
		if w.nodes[s.to] {
			w.steps = append(w.steps, s)
		}
	}
}

// complete adds every edge between two reached nodes that is not there yet, one
// for each pair.
func (g *Graph) complete(w *found) {
	seen := map[[2]int32]bool{}
	kept := w.steps[:0]
	for _, s := range w.steps {
		if pair := pairOf(s.from, s.to); !seen[pair] {
			seen[pair] = true
			kept = append(kept, s)
		}
	}
	w.steps = kept
	nodes := make([]int32, 0, len(w.nodes))
	for n := range w.nodes {
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, g.compareIDs)
	for _, n := range nodes {
		for _, l := range g.links(w, n) {
			pair := pairOf(n, l.node)
			if l.node != n && w.nodes[l.node] && !seen[pair] {
				seen[pair] = true
				w.steps = append(w.steps, step{n, l.node, l.edge})
			}
		}
	}
}

func pairOf(a, b int32) [2]int32 { return [2]int32{min(a, b), max(a, b)} }

func (g *Graph) compareIDs(a, b int32) int { return strings.Compare(g.Nodes[a].ID, g.Nodes[b].ID) }

// order is the seeds as picked, then what is nearest to them, of that what has
// most edges.
func (w *found) order(g *Graph) []int32 {
	distance := w.distances()
	rest := make([]int32, 0, len(w.nodes))
	for n := range w.nodes {
		if !slices.Contains(w.seeds, n) {
			rest = append(rest, n)
		}
	}
	slices.SortFunc(rest, func(a, b int32) int {
		return cmp.Or(cmp.Compare(distance[a], distance[b]), cmp.Compare(w.adjacency.degree(b), w.adjacency.degree(a)), g.compareIDs(a, b))
	})
	return append(slices.Clone(w.seeds), rest...)
}

// distances are hops from the seeds over the edges shown.
func (w *found) distances() map[int32]int {
	next := map[int32][]int32{}
	for _, s := range w.steps {
		next[s.from] = append(next[s.from], s.to)
		next[s.to] = append(next[s.to], s.from)
	}
	distance := map[int32]int{}
	queue := slices.Clone(w.seeds)
	for _, s := range w.seeds {
		distance[s] = 0
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, m := range next[n] {
			if _, seen := distance[m]; !seen {
				distance[m] = distance[n] + 1
				queue = append(queue, m)
			}
		}
	}
	return distance
}
