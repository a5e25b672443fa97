package resolve

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"sync"
	"sync/atomic"

	"sortedheap/internal/codegraph/extract"
	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/syntax"
)

// Input is what a graph is made from.
type Input struct {
	Files   []*extract.File // in any order; paths differ
	Roots   Roots
	Info    graph.Info // Corpus, Commit and Hash
	Workers int        // how many files are bound at once, at least 1
	// Reuse returns what a file said in an earlier run when that still holds; nil
	// binds every file. It is called from several goroutines.
	Reuse func(path string) (b Bound, ok bool, err error)
}

// Output is a graph and what was counted on the way.
type Output struct {
	Graph *graph.Graph
	Calls CallCounts
	// Bound has what each source says by its path, in terms that outlive the run.
	Bound map[string]Bound
	// Reused counts the sources whose sites were taken from an earlier run.
	Reused int
}

// Bound is what the bodies and references of one file say, by ids of nodes.
type Bound struct {
	IDs        []Name // those that are named below, by their positions
	Edges      []BoundEdge
	Unresolved []BoundOpen
	Calls      CallCounts
}

// Name is how a file's sites name a node in terms that outlive the run.
type Name struct {
	Own int32  // the file's own definition, OwnFile for the file itself, or Other
	ID  string // of a node of another file
}

// Values of Name.Own that are no definitions.
const (
	OwnFile = -1
	Other   = -2
)

// BoundEdge is an edge by positions in IDs.
type BoundEdge struct {
	Source, Target int32
	Relation       graph.Relation
	Context        string
	Confidence     graph.Confidence
	Score          float32
	Line           int32
	Why            string
}

// BoundOpen is an unresolved call by positions in IDs.
type BoundOpen struct {
	Source     int32
	Name       string
	Receiver   string
	Line       int32
	Candidates []int32
	Total      int
}

// Build binds the files to each other.
func Build(ctx context.Context, in Input) (Output, error) {
	files := slices.Clone(in.Files)
	slices.SortFunc(files, func(a, b *extract.File) int { return compareStrings(a.Path, b.Path) })
	p := newProgram(files, in.Roots)
	ids := newIdentities(p)
	bound, reused, err := p.bindAll(ctx, in, ids)
	if err != nil {
		return Output{}, err
	}
	a := &assembly{p: p, ids: ids, b: graph.NewBuilder(in.Info)}
	edges := 0
	for i, f := range files {
		edges += len(bound[i].Edges) + 2*len(f.Defs) + len(f.Imports)
	}
	if err := a.nodes(edges); err != nil {
		return Output{}, fmt.Errorf("build graph: %w", err)
	}
	if err := a.structure(); err != nil {
		return Output{}, fmt.Errorf("build graph: %w", err)
	}
	out := Output{Bound: make(map[string]Bound, len(files)), Reused: reused}
	for i, f := range files {
		if err := a.bound(int32(i), bound[i]); err != nil {
			return Output{}, fmt.Errorf("build graph: %w", err)
		}
		out.Bound[f.Path] = bound[i]
		out.Calls.Add(bound[i].Calls)
	}
	out.Graph = a.b.Build()
	return out, nil
}

func compareStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}

// bindAll binds every file that has nothing to reuse. The program does not
// change meanwhile, so files are bound at once.
func (p *program) bindAll(ctx context.Context, in Input, ids *identities) ([]Bound, int, error) {
	bound := make([]Bound, len(p.files))
	failed := make([]error, len(p.files))
	var next, reused atomic.Int64
	var wg sync.WaitGroup
	one := func(i int) error {
		if in.Reuse != nil {
			old, ok, err := in.Reuse(p.files[i].Path)
			if err != nil {
				return fmt.Errorf("reuse what %q said: %w", p.files[i].Path, err)
			}
			if ok {
				bound[i] = old
				reused.Add(1)
				return nil
			}
		}
		bound[i] = p.export(int32(i), p.bindFile(int32(i)), ids)
		return nil
	}
	for range max(in.Workers, 1) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1) - 1)
				if i >= len(p.files) {
					return
				}
				failed[i] = one(i)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		return nil, 0, err
	}
	return bound, int(reused.Load()), ctx.Err()
}

// export says what a file's sites bind to by ids.
func (p *program) export(file int32, s sites, ids *identities) Bound {
	out := Bound{Calls: s.calls, Edges: make([]BoundEdge, 0, len(s.links))}
	at := map[symbol]int32{}
	id := func(s symbol) int32 {
		n, ok := at[s]
		if !ok {
			n = int32(len(out.IDs))
			at[s] = n
			switch {
			case s == none:
				out.IDs = append(out.IDs, Name{Own: OwnFile})
			case p.fileOf[s] == file:
				out.IDs = append(out.IDs, Name{Own: s - p.first[file]})
			default:
				out.IDs = append(out.IDs, Name{Own: Other, ID: ids.of[s]})
			}
		}
		return n
	}
	seen := map[BoundEdge]bool{}
	for _, l := range s.links {
		e := BoundEdge{
			Source: id(l.source), Target: id(l.target), Relation: l.relation, Context: l.context, Confidence: l.confidence, Score: l.score,
			Line: l.line, Why: l.why,
		}
		if !seen[e] {
			seen[e] = true
			out.Edges = append(out.Edges, e)
		}
	}
	for _, o := range s.open {
		b := BoundOpen{Source: id(o.source), Name: o.name, Receiver: o.receiver, Line: o.line, Total: o.total}
		for _, c := range o.candidates {
			b.Candidates = append(b.Candidates, id(c))
		}
		out.Unresolved = append(out.Unresolved, b)
	}
	return out
}

// assembly puts nodes and edges into a builder, files first and then symbols,
// whose numbers are known by that.
type assembly struct {
	p   *program
	ids *identities
	b   *graph.Builder
}

// nodes adds all nodes, with room for that many edges.
func (a *assembly) nodes(edges int) error {
	p := a.p
	a.b.Grow(len(p.files)+len(p.fileOf), edges)
	for _, f := range p.files {
		if _, err := a.b.AddNode(fileNode(f)); err != nil {
			return err
		}
	}
	for s := range p.fileOf {
		if _, err := a.b.AddNode(p.node(symbol(s), a.ids.of[s])); err != nil {
			return err
		}
	}
	for dir := range p.modules.goFiles {
		name := p.modules.goPackage[dir]
		n := graph.Node{
			ID: packageID(dir), Label: name, Qualified: dir, Kind: graph.Package, Form: "package", Lang: "go", FileType: graph.Code, File: dir,
		}
		if _, err := a.b.AddNode(n); err != nil {
			return err
		}
	}
	return nil
}

// number is that of a symbol's node.
func (a *assembly) number(s symbol) int32 { return int32(len(a.p.files)) + s }

// edge adds an edge to an id, making a node of a thing outside of the tree.
func (a *assembly) edge(source int32, target, name string, e graph.Edge) error {
	t, ok := a.b.Number(target)
	if !ok {
		if target != externalID(name) {
			return fmt.Errorf("edge to unknown node %q", target)
		}
		var err error
		if t, err = a.b.AddNode(graph.Node{ID: target, Label: lastPart(name), Qualified: name, Kind: graph.External}); err != nil {
			return err
		}
	}
	e.Source, e.Target = source, t
	return a.b.AddEdge(e)
}

// structure adds what follows from definitions and imports.
func (a *assembly) structure() error {
	p := a.p
	for i, f := range p.files {
		if f.Lang == syntax.Go {
			from, _ := a.b.Number(packageID(path.Dir(f.Path)))
			if err := a.b.AddEdge(graph.Edge{Source: from, Target: int32(i), Relation: graph.Contains, File: f.Path, Line: 1}); err != nil {
				return err
			}
		}
		for d := range f.Defs {
			if err := a.held(int32(i), p.first[i]+symbol(d)); err != nil {
				return err
			}
		}
		if err := a.imports(int32(i)); err != nil {
			return err
		}
	}
	return a.methods()
}

// held links a definition with what holds it, and a type with its bases.
func (a *assembly) held(file int32, s symbol) error {
	p := a.p
	f, d := p.files[file], p.def(s)
	e := graph.Edge{Source: file, Target: a.number(s), Relation: holder(d, p.owner[s] != none), File: f.Path, Line: int(d.Line)}
	switch {
	case p.owner[s] != none:
		e.Source = a.number(p.owner[s])
	case d.Parent >= 0:
		e.Source = a.number(p.first[file] + d.Parent)
	}
	if err := a.b.AddEdge(e); err != nil {
		return err
	}
	for _, b := range p.bases[s] {
		target := externalID(baseName(b.name))
		if b.symbol != none {
			target = a.ids.of[b.symbol]
		}
		e := graph.Edge{Relation: b.relation, File: f.Path, Line: int(b.line)}
		if err := a.edge(a.number(s), target, baseName(b.name), e); err != nil {
			return err
		}
	}
	return nil
}

func (a *assembly) imports(file int32) error {
	f := a.p.files[file]
	for _, i := range f.Imports {
		relation := graph.Imports
		switch i.Kind {
		case syntax.ImportInclude:
			relation = graph.Includes
		case syntax.ImportExport:
			relation = graph.ReExports
		case syntax.ImportDynamic:
			relation = graph.DynamicImport
		}
		for _, target := range a.p.importTargets(file, i, a.ids) {
			if target == f.Path {
				continue
			}
			e := graph.Edge{Relation: relation, Context: graph.ContextImport, File: f.Path, Line: i.Line}
			if err := a.edge(file, target, i.Path, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// methods adds what methods replace and which types fit which interfaces.
func (a *assembly) methods() error {
	p := a.p
	var failed error
	p.overrides(func(method, of symbol) {
		e := graph.Edge{
			Source: a.number(method), Target: a.number(of), Relation: graph.Overrides, File: p.file(method).Path, Line: int(p.def(method).Line),
		}
		if err := a.b.AddEdge(e); err != nil {
			failed = err
		}
	})
	p.goImplements(func(t, iface symbol) {
		e := graph.Edge{
			Source: a.number(t), Target: a.number(iface), Relation: graph.Implements, Confidence: graph.Inferred, Score: 0.9,
			File: p.file(t).Path, Line: int(p.def(t).Line), Why: "method set",
		}
		if err := a.b.AddEdge(e); err != nil {
			failed = err
		}
	})
	return failed
}

// bound adds what a file's sites say.
func (a *assembly) bound(at int32, b Bound) error {
	file := a.p.files[at].Path
	numbers := make([]int32, len(b.IDs))
	for i, name := range b.IDs {
		switch {
		case name.Own == OwnFile:
			numbers[i] = at
		case name.Own >= 0 && int(name.Own) < len(a.p.files[at].Defs):
			numbers[i] = a.number(a.p.first[at] + name.Own)
		default:
			n, ok := a.b.Number(name.ID)
			if !ok {
				return fmt.Errorf("%q speaks of unknown node %q", file, name.ID)
			}
			numbers[i] = n
		}
	}
	for _, e := range b.Edges {
		err := a.b.AddEdge(graph.Edge{
			Source: numbers[e.Source], Target: numbers[e.Target], Relation: e.Relation, Context: e.Context, Confidence: e.Confidence, Score: e.Score,
			File: file, Line: int(e.Line), Why: e.Why,
		})
		if err != nil {
			return err
		}
	}
	for _, o := range b.Unresolved {
		u := graph.Unresolved{
			Source: numbers[o.Source], Relation: graph.Calls, Name: o.Name, Receiver: o.Receiver, File: file, Line: int(o.Line), Total: o.Total,
		}
		for _, c := range o.Candidates {
			u.Candidates = append(u.Candidates, numbers[c])
		}
		if err := a.b.AddUnresolved(u); err != nil {
			return err
		}
	}
	return nil
}
