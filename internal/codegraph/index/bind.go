package index

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"sortedheap/internal/codegraph/extract"
	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/packed"
	"sortedheap/internal/codegraph/resolve"
	"sortedheap/internal/codegraph/store"
)

// partsFolder is where the parts of the graph are kept from one run to the next, ""
// when they are not.
func (o *Options) partsFolder() string { return cmp.Or(o.Graph, o.Cache) }

// loadParts reads the graph that the last run left. What cannot be read is made
// anew, and what stands in the way of that too is found when it is written.
func (r *run) loadParts() *store.Parts {
	parts, err := store.LoadParts(r.opts.partsFolder())
	if errors.Is(err, packed.ErrDamaged) {
		r.progress.Note("The graph of the last run is damaged; it is made anew.")
	}
	if err != nil {
		return nil
	}
	return parts
}

// bind makes the parts of the graph, of which those hold on that nothing changed
// for.
func (r *run) bind(ctx context.Context) (*store.Parts, error) {
	var with []*record
	for _, one := range r.new.records {
		if one.hasFacts() {
			with = append(with, one)
		}
	}
	slices.SortFunc(with, func(a, b *record) int { return strings.Compare(a.path, b.path) })
	files, err := r.unpack(ctx, with)
	if err != nil {
		return nil, err
	}
	program := resolve.New(files, r.roots()) // which has them in the same order
	again, err := r.again(program, with)
	if err != nil {
		return nil, err
	}
	s := r.summary
	parts := &store.Parts{
		Info: graph.Info{Corpus: s.Corpus, Commit: s.Commit, Hash: s.Hash, Languages: s.Languages},
		Part: make(map[string][]byte, len(with)),
	}
	r.progress.Step("bind calls", len(again))
	made := make([][]byte, len(with))
	err = r.parallel(ctx, len(again), func(i int) (err error) {
		made[again[i]], err = r.bindOne(program, again[i], with[again[i]])
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, one := range with {
		if made[i] == nil {
			made[i] = r.parts.Part[one.path]
		}
		parts.Part[one.path] = made[i]
	}
	s.Bound = len(again)
	return parts, r.count(with)
}

// bindOne makes the part of a file and its tally.
func (r *run) bindOne(program *resolve.Program, number int, one *record) ([]byte, error) {
	f := program.Files()[number]
	if r.fresh[one.path] == nil {
		if err := f.UnpackSites(one.sites); err != nil {
			return nil, err
		}
	}
	part, calls := program.Bind(number)
	if r.fresh[one.path] == nil {
		f.Refs, f.Bodies = nil, nil // others do without
	}
	if err := part.Check(); err != nil {
		return nil, fmt.Errorf("build graph: %w", err)
	}
	t := newTally(&part, calls, path.Dir(one.path), program.Fits(number))
	one.tally, one.packed = t.pack(), nil
	return store.PackPart(&part), nil
}

// unpack returns the definitions of files, and all facts of those parsed.
func (r *run) unpack(ctx context.Context, with []*record) ([]*extract.File, error) {
	files := make([]*extract.File, len(with))
	err := r.parallel(ctx, len(with), func(i int) (err error) {
		if files[i] = r.fresh[with[i].path]; files[i] == nil {
			files[i], err = extract.UnpackDefinitions(with[i].definitions)
		}
		return err
	})
	return files, err
}

// again returns the numbers of the files that are bound in this run, in order:
// those that changed, and those for which what changed may mean something else.
func (r *run) again(program *resolve.Program, with []*record) ([]int, error) {
	r.changes.Spread(program.Files())
	names := r.changes.Names
	program.Widen(names)
	hashes := make([]uint32, 0, len(names))
	for name := range names {
		hashes = append(hashes, nameHash(name))
	}
	anew := make([]bool, len(with))
	for _, i := range program.Overriding(names) {
		anew[i] = true
	}
	gone, err := r.gone(program, with)
	if err != nil {
		return nil, err
	}
	var again []int
	for i, one := range with {
		if anew[i] || r.changes.All || !r.hasPart(one) || r.fresh[one.path] != nil || one.mentionsAny(hashes) || r.namesAny(one, gone) {
			again = append(again, i)
		} else if len(names) > 0 && program.HasFits() {
			t, err := unpackTally(one.tally)
			if err != nil {
				return nil, err
			}
			if t.fits != checksum(program.Fits(i)) {
				again = append(again, i)
			}
		}
	}
	return again, nil
}

// hasPart reports whether the last run left the part of a file.
func (r *run) hasPart(one *record) bool {
	return r.parts != nil && r.parts.Part[one.path] != nil && len(one.tally) > 0
}

// maxGone is how many ids of a file are looked for one by one.
const maxGone = 16

// gone are the ids of definitions that the last run had and this one has not, none
// where all is bound again.
func (r *run) gone(program *resolve.Program, with []*record) ([][]byte, error) {
	var gone [][]byte
	if r.changes.All || r.parts == nil {
		return nil, nil
	}
	for i, one := range with {
		frame := r.parts.Part[one.path]
		if r.fresh[one.path] == nil || frame == nil {
			continue
		}
		old, err := store.UnpackPart(frame)
		if err != nil {
			return nil, err
		}
		there := map[string]bool{}
		for _, id := range program.IDs(i) {
			there[id] = true
		}
		var here [][]byte
		for _, n := range old.Nodes {
			if n.Kind != graph.File && !there[n.ID] {
				here = append(here, []byte(n.ID))
			}
		}
		if len(here) > maxGone { // who names anything of the file
			here = [][]byte{[]byte(one.path + "::")}
		}
		gone = append(gone, here...)
	}
	return gone, nil
}

// namesAny reports whether the part of a file has one of the ids, which would make
// it one that no graph can be assembled with. It may err on the side of yes.
func (r *run) namesAny(one *record, ids [][]byte) bool {
	for _, id := range ids {
		if bytes.Contains(r.parts.Part[one.path], id) {
			return true
		}
	}
	return false
}
