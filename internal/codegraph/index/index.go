package index

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sortedheap/internal/codegraph/extract"
	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/packed"
	"sortedheap/internal/codegraph/resolve"
	"sortedheap/internal/codegraph/store"
	"sortedheap/internal/syntax"
)

// Options say what to index and how.
type Options struct {
	Root  string
	Skips []string // patterns of path.Match, of a name or, with a slash, of a path below Root
	// Cache is the folder of facts from the last run, "" for none.
	Cache string
	// Graph is the folder that the graph is kept in, "" when Run returns it.
	Graph   string
	Limits  syntax.Limits
	Workers int // files handled at once, at least 1
	// Many, when it is set, is called once, when a run turns out to parse many files.
	Many func()
	// Now is when the run starts. A file that changed just before is read again by
	// the next run, whatever its time says.
	Now time.Time
}

// DefaultOptions returns the options for a root.
func DefaultOptions(root string) Options {
	return Options{Root: root, Skips: DefaultSkips(), Limits: syntax.DefaultLimits(), Workers: runtime.GOMAXPROCS(0)}
}

// Progress hears what a run is at.
type Progress interface {
	Step(name string, total int)
	Done(units int)
	Note(format string, args ...any)
}

// run is one run.
type run struct {
	opts     Options
	progress Progress
	summary  *Summary
	old, new *state
	parts    *store.Parts // of the graph that the old state is of, nil for none
	parsers  *syntax.Parsers
	changes  extract.Changes
	fresh    map[string]*extract.File // parsed in this run, by path
	parses   atomic.Int64
}

// Run indexes a tree and keeps the graph where opts says; the graph that it
// returns is nil when that is a folder. The error is the context's, or says that
// the root, the cache or the graph's folder cannot be used.
func Run(ctx context.Context, opts Options, progress Progress) (*graph.Graph, *Summary, error) {
	root, err := resolveRoot(opts.Root)
	if err != nil {
		return nil, nil, fmt.Errorf("index: %w", err)
	}
	opts.Root = root
	parsers, err := syntax.NewParsers(opts.Limits)
	if err != nil {
		return nil, nil, fmt.Errorf("index: %w", err)
	}
	defer parsers.Close()
	r := newRun(opts, progress, parsers)
	g, err := r.all(ctx, opts.Cache)
	if errors.Is(err, packed.ErrDamaged) {
		// The checksum was right, so a faulty program wrote them.
		progress.Note("The facts of the last run cannot be unpacked; every file is read again.")
		r = newRun(opts, progress, parsers)
		g, err = r.all(ctx, "")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("index %q: %w", opts.Root, err)
	}
	return g, r.summary, nil
}

func newRun(opts Options, progress Progress, parsers *syntax.Parsers) *run {
	// Facts depend on the options besides the sources.
	none := func() *state {
		return &state{options: fmt.Sprintf("%q %+v", opts.Root, opts.Limits), records: map[string]*record{}}
	}
	return &run{
		opts: opts, progress: progress, summary: newSummary(), old: none(), new: none(), parsers: parsers, fresh: map[string]*extract.File{},
	}
}

// load reads what the last run left.
func (r *run) load(dir string) error {
	if dir == "" {
		return nil
	}
	old, damaged, err := loadState(dir, r.new.options)
	if err != nil {
		return err
	}
	if damaged {
		r.progress.Note("The facts of the last run are damaged; every file is read again.")
	}
	r.old = old
	return nil
}

// loadAll reads what the last run left, the graph when it is of the same run.
func (r *run) loadAll(facts string) error {
	if facts == "" {
		return nil
	}
	var parts *store.Parts
	var graph sync.WaitGroup
	graph.Go(func() { parts = r.loadParts() })
	err := r.load(facts)
	graph.Wait()
	if parts != nil && parts.Sum == r.old.graph {
		r.parts = parts
	}
	return err
}

// all runs with the facts of a folder, "" for none.
func (r *run) all(ctx context.Context, facts string) (g *graph.Graph, err error) {
	var loading sync.WaitGroup
	var failed error
	loading.Go(func() { failed = r.loadAll(facts) })
	r.progress.Step("find files", 0)
	entries, err := walk(ctx, r.opts.Root, r.opts.Skips, r.opts.Workers, r.summary)
	loading.Wait()
	if err := cmp.Or(err, failed); err != nil {
		return nil, err
	}
	if err := r.read(ctx, entries); err != nil {
		return nil, err
	}
	if err := r.compare(); err != nil {
		return nil, err
	}
	s := r.summary
	s.Corpus, s.Commit, s.Hash = corpusName(r.opts.Root, r.roots().GoModules["."]), commitOf(r.opts.Root), r.hash()
	parts, kept := r.parts, r.kept()
	if kept {
		r.new.graph, r.new.counts = r.old.graph, r.old.counts
	} else if parts, err = r.bind(ctx); err != nil {
		return nil, err
	}
	c := r.new.counts
	s.Nodes, s.Edges, s.Unresolved, s.Calls = c.Nodes, c.Edges, c.Unresolved, c.Calls
	slices.SortFunc(s.Problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	if err := r.save(parts, kept); err != nil {
		return nil, err
	}
	if r.opts.Graph != "" {
		return nil, nil
	}
	return parts.Graph()
}

// kept reports whether the graph that the last run kept is still that of the tree.
func (r *run) kept() bool {
	return r.parts != nil && !r.changes.All && len(r.fresh) == 0 && r.old.counts.Commit == r.summary.Commit
}

// compare finds what the files that were parsed mean for the others. Files
// without facts mean nothing.
func (r *run) compare() error {
	same := 0
	for p, one := range r.new.records {
		if one.reason != "" {
			continue
		}
		old, ok := r.old.records[p]
		if !ok || old.reason != "" || old.module != one.module || old.hasFacts() != one.hasFacts() {
			r.changes.All = true // modules and nearest definitions may change
			return nil
		}
		same++
	}
	for _, old := range r.old.records {
		if old.reason == "" {
			same--
		}
	}
	if same != 0 {
		r.changes.All = true
		return nil
	}
	for p, f := range r.fresh {
		before, err := extract.UnpackDefinitions(r.old.records[p].definitions)
		if err != nil {
			return err
		}
		r.changes.Compare(before, f)
	}
	return nil
}

// hash is that of all sources: of their paths and contents.
func (r *run) hash() string {
	h := sha256.New()
	for _, p := range slices.Sorted(maps.Keys(r.new.records)) {
		if one := r.new.records[p]; one.hasFacts() {
			fmt.Fprintf(h, "%d %s %x\n", len(p), p, one.hash)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// roots collects what go.mod files say.
func (r *run) roots() resolve.Roots {
	modules := map[string]string{}
	for p, one := range r.new.records {
		if one.module != "" {
			modules[path.Dir(p)] = one.module
		}
	}
	return resolve.Roots{GoModules: modules}
}

// many is how many parsed files are many.
const many = 64

// errFault marks a fault of the indexer itself in one file.
var errFault = errors.New("the indexer could not handle the file")
