package index

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"sortedheap/internal/codegraph/extract"
	"sortedheap/internal/codegraph/packed"
	"sortedheap/internal/codegraph/resolve"
	"sortedheap/internal/codegraph/store"
)

// StateFile is the name of the file of what a run leaves for the next.
const StateFile = "facts.cg"

var stateMagic = []byte("sorted-heap codefacts 2\n")

// record is what is known of a file from one run to the next. The blobs are
// unpacked when they are needed.
type record struct {
	path        string
	stamp       stamp
	hash        [sha256.Size]byte
	reason      Reason // why it has no facts, or ""
	detail      string
	definitions []byte
	sites       []byte
	mentions    []byte // hashes of the names it mentions, sorted, 4 bytes each
	tally       []byte // of its part of the graph
	// module is the content of a go.mod that binding needs, "" for others.
	module string
	// What the summary says of a file with facts.
	language string
	errors   int32 // places that did not parse
	cut      bool
	packed   []byte // the record as it was loaded, nil once it is another
}

// hasFacts reports whether a file is one of the graph: not left out, nor a go.mod.
func (r *record) hasFacts() bool { return r.reason == "" && len(r.definitions) > 0 }

// counts is what a run found in its graph, and the commit that it is of.
type counts struct {
	Commit       string
	Nodes, Edges map[string]int
	Unresolved   int
	Calls        resolve.CallCounts
}

// state is all records of a run by path, and under what they hold.
type state struct {
	options string
	// graph is the checksum of the graph that was made of the records, 0 for
	// none, and counts are what it has.
	graph   uint32
	counts  counts
	records map[string]*record
}

// loadState reads the state of a folder; a missing one, one of another version
// and one under other options is empty. A damaged one is empty too and damaged
// is true: the run replaces it and says so.
func loadState(dir, options string) (s *state, damaged bool, err error) {
	empty := &state{options: options, records: map[string]*record{}}
	body, _, err := store.ReadFile(filepath.Join(dir, StateFile), stateMagic)
	switch {
	case errors.Is(err, store.ErrNoGraph), errors.Is(err, store.ErrOtherVersion):
		return empty, false, nil
	case errors.Is(err, packed.ErrDamaged):
		return empty, true, nil
	case err != nil:
		return nil, false, fmt.Errorf("load facts: %w", err)
	}
	r := packed.NewReader(body)
	if r.Uint() != extract.FactsVersion || r.String() != options {
		return empty, false, nil
	}
	s = &state{options: options, graph: uint32(r.Uint())}
	if err := json.Unmarshal(r.Blob(), &s.counts); err != nil {
		return empty, true, nil
	}
	n := r.Len()
	s.records = make(map[string]*record, n)
	for range n {
		one, err := unpackRecord(r.Blob())
		if err != nil {
			return empty, true, nil
		}
		s.records[one.path] = one
	}
	if r.Err() != nil {
		return empty, true, nil
	}
	return s, false, nil
}

func unpackRecord(data []byte) (*record, error) {
	r := packed.NewReader(data)
	one := &record{path: r.String(), stamp: stamp{size: r.Int(), mtime: r.Int(), ctime: r.Int()}, packed: data}
	copy(one.hash[:], r.Blob())
	one.reason, one.detail, one.module = Reason(r.String()), r.String(), r.String()
	one.language, one.errors, one.cut = r.String(), r.Int32(), r.Bool()
	one.definitions, one.sites, one.mentions, one.tally = r.Blob(), r.Blob(), r.Blob(), r.Blob()
	return one, r.Err()
}

// pack writes a record, which is not copied when it is as it was loaded.
func (r *record) pack() []byte {
	if r.packed != nil {
		return r.packed
	}
	var w packed.Writer
	w.Grow(128 + len(r.path) + len(r.definitions) + len(r.sites) + len(r.mentions) + len(r.tally))
	w.String(r.path)
	w.Int(r.stamp.size)
	w.Int(r.stamp.mtime)
	w.Int(r.stamp.ctime)
	w.Blob(r.hash[:])
	w.String(string(r.reason))
	w.String(r.detail)
	w.String(r.module)
	w.String(r.language)
	w.Int(int64(r.errors))
	w.Bool(r.cut)
	for _, blob := range [][]byte{r.definitions, r.sites, r.mentions, r.tally} {
		w.Blob(blob)
	}
	return w.Bytes()
}

// write writes the state into a folder, where Commit makes it that of the last run.
func (s *state) write(dir string) (*store.Pending, error) {
	counts, err := json.Marshal(s.counts)
	if err != nil {
		return nil, fmt.Errorf("save facts: %w", err)
	}
	var w packed.Writer
	w.Uint(extract.FactsVersion)
	w.String(s.options)
	w.Uint(uint64(s.graph))
	w.Blob(counts)
	w.Uint(uint64(len(s.records)))
	parts := [][]byte{w.Bytes()}
	for _, p := range slices.Sorted(maps.Keys(s.records)) {
		one := s.records[p].pack()
		parts = append(parts, binary.AppendUvarint(nil, uint64(len(one))), one)
	}
	file, err := store.WriteFile(filepath.Join(dir, StateFile), stateMagic, store.Sum(parts...), parts...)
	if err != nil {
		return nil, fmt.Errorf("save facts: %w", err)
	}
	return file, nil
}

// setFacts packs the facts of a file.
func (r *record) setFacts(f *extract.File) {
	r.errors, r.cut = int32(min(f.Errors, math.MaxInt32)), f.Cut
	if r.language = f.Lang.String(); r.language == "" {
		r.language = "document"
	}
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
