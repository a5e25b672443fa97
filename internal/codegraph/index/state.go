package index

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"

	"sortedheap/internal/codegraph/extract"
	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/packed"
	"sortedheap/internal/codegraph/resolve"
	"sortedheap/internal/codegraph/store"
)

// StateFile is the name of the file of what a run leaves for the next.
const StateFile = "facts.cg"

var stateMagic = []byte("sorted-heap codefacts 1\n")

// record is what is known of a file from one run to the next. The blobs are
// unpacked when they are needed.
type record struct {
	path        string
	size, mtime int64
	hash        [sha256.Size]byte
	reason      Reason // why it has no facts, or ""
	detail      string
	definitions []byte
	sites       []byte
	mentions    []byte // hashes of the names it mentions, sorted, 4 bytes each
	bound       []byte
	// modules is the content of a go.mod that binding needs, "" for others.
	module string
}

// state is all records of a run by path, and under what they hold.
type state struct {
	options string
	records map[string]*record
}

// loadState reads the state of a folder; a missing one, one of another version
// and one under other options is empty. A damaged one is empty too and damaged
// is true: the run replaces it and says so.
func loadState(dir, options string) (s *state, damaged bool, err error) {
	s = &state{options: options, records: map[string]*record{}}
	body, err := store.ReadFile(filepath.Join(dir, StateFile), stateMagic)
	switch {
	case errors.Is(err, store.ErrNoGraph):
		return s, false, nil
	case errors.Is(err, packed.ErrDamaged):
		return s, true, nil
	case err != nil:
		return nil, false, fmt.Errorf("load facts: %w", err)
	}
	r := packed.NewReader(body)
	if r.Uint() != extract.FactsVersion || r.String() != options {
		return s, false, nil
	}
	for range r.Len() {
		one := &record{path: r.String(), size: r.Int(), mtime: r.Int()}
		copy(one.hash[:], r.Blob())
		one.reason, one.detail, one.module = Reason(r.String()), r.String(), r.String()
		one.definitions, one.sites, one.mentions, one.bound = r.Blob(), r.Blob(), r.Blob(), r.Blob()
		s.records[one.path] = one
	}
	if r.Err() != nil {
		return &state{options: options, records: map[string]*record{}}, true, nil
	}
	return s, false, nil
}

// save writes the records in the order of their paths.
func (s *state) save(dir string) error {
	paths := make([]string, 0, len(s.records))
	size := 0
	for p, one := range s.records {
		paths = append(paths, p)
		size += 2*len(p) + len(one.definitions) + len(one.sites) + len(one.mentions) + len(one.bound) + 128
	}
	slices.Sort(paths)
	var w packed.Writer
	w.Grow(size)
	w.Uint(extract.FactsVersion)
	w.String(s.options)
	w.Uint(uint64(len(paths)))
	for _, p := range paths {
		one := s.records[p]
		w.String(one.path)
		w.Int(one.size)
		w.Int(one.mtime)
		w.Blob(one.hash[:])
		w.String(string(one.reason))
		w.String(one.detail)
		w.String(one.module)
		for _, blob := range [][]byte{one.definitions, one.sites, one.mentions, one.bound} {
			w.Blob(blob)
		}
	}
	if err := store.WriteFile(filepath.Join(dir, StateFile), stateMagic, w.Bytes()); err != nil {
		return fmt.Errorf("save facts: %w", err)
	}
	return nil
}

// setFacts packs the facts of a file.
func (r *record) setFacts(f *extract.File) {
	var w packed.Writer
	f.PackDefinitions(&w)
	r.definitions = slices.Clone(w.Bytes())
	w.Reset()
	f.PackSites(&w)
	r.sites = slices.Clone(w.Bytes())
	hashes := make([]uint32, 0, 64)
	for _, name := range f.Mentions() {
		hashes = append(hashes, nameHash(name))
	}
	slices.Sort(hashes)
	r.mentions = make([]byte, 0, 4*len(hashes))
	for _, h := range slices.Compact(hashes) {
		r.mentions = binary.BigEndian.AppendUint32(r.mentions, h)
	}
}

func nameHash(name string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // a hash never fails
	return h.Sum32()
}

// mentionsAny reports whether a file mentions one of the names, given by their
// hashes. It may err on the side of yes.
func (r *record) mentionsAny(hashes []uint32) bool {
	n := len(r.mentions) / 4
	for _, h := range hashes {
		lo, hi := 0, n
		for lo < hi {
			mid := (lo + hi) / 2
			if binary.BigEndian.Uint32(r.mentions[4*mid:]) < h {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		if lo < n && binary.BigEndian.Uint32(r.mentions[4*lo:]) == h {
			return true
		}
	}
	return false
}

// setBound packs what a file says.
func (r *record) setBound(b resolve.Bound) {
	var w packed.Writer
	w.Uint(uint64(len(b.Edges)))
	for _, e := range b.Edges {
		w.String(e.Source)
		w.String(e.Target)
		w.Uint(uint64(e.Relation))
		w.String(e.Context)
		w.Uint(uint64(e.Confidence))
		w.Float(e.Score)
		w.Int(int64(e.Line))
		w.String(e.Why)
	}
	w.Uint(uint64(len(b.Unresolved)))
	for _, u := range b.Unresolved {
		w.String(u.Source)
		w.String(u.Name)
		w.String(u.Receiver)
		w.Int(int64(u.Line))
		w.Int(int64(u.Total))
		w.Uint(uint64(len(u.Candidates)))
		for _, c := range u.Candidates {
			w.String(c)
		}
	}
	for _, n := range []int{b.Calls.Extracted, b.Calls.Inferred, b.Calls.Ambiguous, b.Calls.Unresolved, b.Calls.Outside} {
		w.Uint(uint64(n))
	}
	r.bound = slices.Clone(w.Bytes())
}

// getBound unpacks what setBound packed.
func (r *record) getBound() (resolve.Bound, error) {
	in := packed.NewReader(r.bound)
	b := resolve.Bound{Edges: make([]resolve.BoundEdge, in.Len())}
	for i := range b.Edges {
		b.Edges[i] = resolve.BoundEdge{
			Source: in.String(), Target: in.String(), Relation: graph.Relation(in.Byte(64)), Context: in.String(),
			Confidence: graph.Confidence(in.Byte(3)), Score: in.Float(), Line: in.Int32(), Why: in.String(),
		}
	}
	b.Unresolved = make([]resolve.BoundOpen, in.Len())
	for i := range b.Unresolved {
		u := resolve.BoundOpen{Source: in.String(), Name: in.String(), Receiver: in.String(), Line: in.Int32(), Total: int(in.Int32())}
		u.Candidates = make([]string, in.Len())
		for j := range u.Candidates {
			u.Candidates[j] = in.String()
		}
		b.Unresolved[i] = u
	}
	for _, n := range []*int{&b.Calls.Extracted, &b.Calls.Inferred, &b.Calls.Ambiguous, &b.Calls.Unresolved, &b.Calls.Outside} {
		*n = int(in.Uint())
	}
	return b, in.Err()
}
