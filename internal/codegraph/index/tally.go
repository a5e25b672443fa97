package index

import (
	"hash/crc32"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/packed"
	"sortedheap/internal/codegraph/resolve"
)

// tally is what a run asks of a part of the graph that it does not unpack.
type tally struct {
	nodes      [64]int // by kind
	edges      [64]int // by relation
	unresolved int
	calls      resolve.CallCounts
	// shared are the ids of nodes that parts have in common, for the package of
	// the folder and what is outside of the tree: they are there while a part
	// names them.
	shared []string
	fits   uint32 // checksum of resolve.Program.Fits
}

func newTally(p *graph.Part, calls resolve.CallCounts, dir string, fits []string) tally {
	t := tally{unresolved: len(p.Unresolved), calls: calls, fits: checksum(fits)}
	for i := range p.Nodes {
		t.nodes[p.Nodes[i].Kind]++
	}
	for _, e := range p.Edges {
		t.edges[e.Relation]++
	}
	if p.Packaged {
		t.shared = append(t.shared, graph.PackageID(dir))
	}
	for _, e := range p.Ends {
		if e.Own == graph.Outside {
			t.shared = append(t.shared, e.ID)
		}
	}
	return t
}

// checksum is that of a list of texts.
func checksum(list []string) uint32 {
	var sum uint32
	for _, s := range list {
		sum = crc32.Update(sum, crc32.IEEETable, append([]byte(s), 0))
	}
	return sum
}

func (t *tally) pack() []byte {
	var w packed.Writer
	w.Uint(uint64(t.fits))
	w.Uint(uint64(len(t.shared)))
	for _, id := range t.shared {
		w.Once(id)
	}
	for _, counts := range []*[64]int{&t.nodes, &t.edges} {
		kinds := 0
		for _, n := range counts {
			if n > 0 {
				kinds++
			}
		}
		w.Uint(uint64(kinds))
		for kind, n := range counts {
			if n > 0 {
				w.Uint(uint64(kind))
				w.Uint(uint64(n))
			}
		}
	}
	c := t.calls
	for _, n := range []int{t.unresolved, c.Extracted, c.Inferred, c.Ambiguous, c.Unresolved, c.Outside} {
		w.Uint(uint64(n))
	}
	return w.Bytes()
}

func unpackTally(data []byte) (tally, error) {
	r := packed.NewReader(data)
	t := tally{fits: uint32(r.Uint())}
	for range r.Len() {
		t.shared = append(t.shared, r.String())
	}
	for _, counts := range []*[64]int{&t.nodes, &t.edges} {
		for range r.Len() {
			kind := r.Byte(64)
			counts[kind] = int(r.Natural())
		}
	}
	c := &t.calls
	for _, n := range []*int{&t.unresolved, &c.Extracted, &c.Inferred, &c.Ambiguous, &c.Unresolved, &c.Outside} {
		*n = int(r.Natural())
	}
	return t, r.Err()
}

// count sums up the parts of a graph by their tallies.
func (r *run) count(with []*record) error {
	var sum tally
	shared := map[string]bool{}
	for _, one := range with {
		t, err := unpackTally(one.tally)
		if err != nil {
			return err
		}
		for k := range sum.nodes {
			sum.nodes[k] += t.nodes[k]
			sum.edges[k] += t.edges[k]
		}
		sum.unresolved += t.unresolved
		sum.calls.Add(t.calls)
		for _, id := range t.shared {
			shared[id] = true
		}
	}
	for id := range shared {
		kind := graph.External
		if id[len(id)-1] == '/' && !graph.IsExternalID(id) {
			kind = graph.Package
		}
		sum.nodes[kind]++
	}
	c := counts{Commit: r.summary.Commit, Nodes: map[string]int{}, Edges: map[string]int{}, Unresolved: sum.unresolved, Calls: sum.calls}
	for k, n := range sum.nodes {
		if n > 0 {
			c.Nodes[graph.Kind(k).String()] = n
		}
	}
	for k, n := range sum.edges {
		if n > 0 {
			c.Edges[graph.Relation(k).String()] = n
		}
	}
	r.new.counts = c
	return nil
}
