package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"sortedheap/internal/codegraph/extract"
	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/resolve"
	"sortedheap/internal/syntax"
)

// Options say what to index and how.
type Options struct {
	Root  string
	Skips []string // patterns of path.Match, of a name or, with a slash, of a path below Root
	// Cache is the folder of facts from the last run, "" for none.
	Cache   string
	Limits  syntax.Limits
	Workers int // files handled at once, at least 1
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
	parsers  *syntax.Parsers
	changes  extract.Changes
	facts    map[string]*extract.File // by path
	fresh    map[string]bool          // parsed in this run
}

// Run indexes a tree. The error is the context's, or says that the root or the
// cache cannot be used.
func Run(ctx context.Context, opts Options, progress Progress) (*graph.Graph, *Summary, error) {
	root, err := resolveRoot(opts.Root)
	if err != nil {
		return nil, nil, fmt.Errorf("index: %w", err)
	}
	opts.Root = root
	r := &run{opts: opts, progress: progress, summary: newSummary(), facts: map[string]*extract.File{}, fresh: map[string]bool{}}
	if r.parsers, err = syntax.NewParsers(opts.Limits); err != nil {
		return nil, nil, fmt.Errorf("index: %w", err)
	}
	defer r.parsers.Close()
	g, err := r.all(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("index %q: %w", opts.Root, err)
	}
	return g, r.summary, nil
}

func (r *run) all(ctx context.Context) (*graph.Graph, error) {
	options := fmt.Sprintf("%q %+v", r.opts.Root, r.opts.Limits)
	r.old = &state{records: map[string]*record{}}
	r.new = &state{options: options, records: map[string]*record{}}
	if r.opts.Cache != "" {
		old, damaged, err := loadState(r.opts.Cache, options)
		if err != nil {
			return nil, err
		}
		if damaged {
			r.progress.Note("The facts of the last run are damaged; every file is read again.")
		}
		r.old = old
	}
	r.progress.Step("find files", 0)
	entries, err := walk(ctx, r.opts.Root, r.opts.Skips, r.summary)
	if err != nil {
		return nil, err
	}
	if err := r.read(ctx, entries); err != nil {
		return nil, err
	}
	if err := r.compare(); err != nil {
		return nil, err
	}
	g, err := r.bind(ctx)
	if err != nil {
		return nil, err
	}
	if r.opts.Cache != "" {
		r.progress.Step("save facts", 0)
		if err := r.new.save(r.opts.Cache); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// compare finds what the files that were parsed mean for the others.
func (r *run) compare() error {
	same := 0
	for p, one := range r.new.records {
		old, ok := r.old.records[p]
		if !ok || (old.reason == "") != (one.reason == "") || old.module != one.module {
			r.changes.All = true // modules and nearest definitions may change
			return nil
		}
		same++
	}
	if same != len(r.old.records) {
		r.changes.All = true
		return nil
	}
	for p := range r.fresh {
		before, err := extract.UnpackDefinitions(r.old.records[p].definitions)
		if err != nil {
			return err
		}
		r.changes.Compare(before, r.facts[p])
	}
	return nil
}

// bind builds the graph.
func (r *run) bind(ctx context.Context) (*graph.Graph, error) {
	var hashes []uint32
	for name := range r.changes.Names {
		hashes = append(hashes, nameHash(name))
	}
	reusable := func(p string) bool {
		one := r.new.records[p]
		return !r.changes.All && !r.fresh[p] && len(one.bound) > 0 && !one.mentionsAny(hashes)
	}
	var files []*extract.File
	for p, f := range r.facts {
		files = append(files, f)
		if r.fresh[p] || reusable(p) {
			continue
		}
		if err := f.UnpackSites(r.new.records[p].sites); err != nil {
			return nil, err
		}
	}
	r.progress.Step("bind calls", len(files))
	in := resolve.Input{
		Files: files, Roots: r.roots(), Workers: r.opts.Workers,
		Info: graph.Info{Corpus: corpusName(r.opts.Root), Commit: commitOf(r.opts.Root), Hash: r.hash(), Languages: r.summary.Languages},
		Reuse: func(p string) (resolve.Bound, bool, error) {
			if !reusable(p) {
				return resolve.Bound{}, false, nil
			}
			b, err := r.new.records[p].getBound()
			return b, true, err
		},
	}
	out, err := resolve.Build(ctx, in)
	if err != nil {
		return nil, err
	}
	for p, b := range out.Bound {
		if !reusable(p) {
			r.new.records[p].setBound(b)
		}
	}
	r.count(out, len(files))
	return out.Graph, nil
}

// count fills the summary.
func (r *run) count(out resolve.Output, files int) {
	s := r.summary
	info := out.Graph.Summary()
	s.Corpus, s.Commit, s.Hash, s.Files = info.Corpus, info.Commit, info.Hash, files
	s.Bound, s.Calls, s.Unresolved = files-out.Reused, out.Calls, info.Unresolved
	for i := range int32(out.Graph.Len()) {
		s.Nodes[out.Graph.Node(i).Kind.String()]++
	}
	for _, e := range out.Graph.Edges() {
		s.Edges[e.Relation.String()]++
	}
	slices.SortFunc(s.Problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
}

// hash is that of all sources: of their paths and contents.
func (r *run) hash() string {
	paths := make([]string, 0, len(r.facts))
	for p := range r.facts {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	h := sha256.New()
	for _, p := range paths {
		fmt.Fprintf(h, "%d %s %x\n", len(p), p, r.new.records[p].hash)
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

// errFault marks a fault of the indexer itself in one file.
var errFault = errors.New("the indexer could not handle the file")
