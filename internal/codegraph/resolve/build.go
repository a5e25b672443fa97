package resolve

import (
	"path"
	"slices"
	"strings"

	"sortedheap/internal/codegraph/extract"
	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/syntax"
)

// Program is all definitions of a tree, ready to bind files to. It never changes,
// so files may be bound at once.
type Program struct {
	p    *program
	ids  *identities
	fits [][]pair // types and interfaces of Go by file, nil without Go
}

// pair is a definition and another that it relates to.
type pair struct{ from, to symbol }

// New makes the program of files, in any order; their paths differ.
func New(files []*extract.File, roots Roots) *Program {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b *extract.File) int { return strings.Compare(a.Path, b.Path) })
	p := newProgram(files, roots)
	g := &Program{p: p, ids: newIdentities(p)}
	if len(p.modules.goFiles) > 0 {
		g.fits = make([][]pair, len(files))
		p.goImplements(func(t, iface symbol) {
			g.fits[p.fileOf[t]] = append(g.fits[p.fileOf[t]], pair{t, iface})
		})
	}
	return g
}

// Files are the files in the order of their paths, by which the methods number
// them.
func (g *Program) Files() []*extract.File { return g.p.files }

// HasFits reports whether there is Go in the tree, so that Fits tells something.
func (g *Program) HasFits() bool { return g.fits != nil }

// Fits lists the types of a file of Go and the interfaces that their methods fit:
// what changes with methods of files that it does not mention.
func (g *Program) Fits(file int) []string {
	var list []string
	if g.fits == nil {
		return nil
	}
	for _, f := range g.fits[file] {
		list = append(list, g.ids.of(f.from), g.ids.of(f.to))
	}
	return list
}

// Bind says what a file adds to the graph, and counts its calls. The file must
// have its bodies and references.
func (g *Program) Bind(file int) (graph.Part, CallCounts) {
	p := g.p
	s := p.bindFile(int32(file))
	m := &parting{p: p, ids: g.ids, file: int32(file), at: map[symbol]int32{}, named: map[string]int32{}}
	m.nodes()
	m.structure()
	if g.fits != nil {
		for _, f := range g.fits[file] {
			m.add(graph.PartEdge{
				Source: m.end(f.from), Target: m.end(f.to), Relation: graph.Implements, Confidence: graph.Inferred, Score: 0.9,
				Line: p.def(f.from).Line, Why: "method set",
			})
		}
	}
	m.sites(s)
	return m.out, s.calls
}

// parting makes the part of a file.
type parting struct {
	p     *program
	ids   *identities
	file  int32
	out   graph.Part
	at    map[symbol]int32 // positions of ends that are definitions
	named map[string]int32 // and of the others
}

func (m *parting) add(e graph.PartEdge) { m.out.Edges = append(m.out.Edges, e) }

// end is the position of a definition, of the file itself for none.
func (m *parting) end(s symbol) int32 {
	n, ok := m.at[s]
	if ok {
		return n
	}
	n = int32(len(m.out.Ends))
	m.at[s] = n
	switch {
	case s == none:
		m.out.Ends = append(m.out.Ends, graph.End{})
	case m.p.fileOf[s] == m.file:
		m.out.Ends = append(m.out.Ends, graph.End{Own: s - m.p.first[m.file] + 1})
	default:
		m.out.Ends = append(m.out.Ends, graph.End{Own: graph.Elsewhere, ID: m.ids.of(s)})
	}
	return n
}

// other is the position of a node that is no definition.
func (m *parting) other(own int32, id string) int32 {
	n, ok := m.named[id]
	if !ok {
		n = int32(len(m.out.Ends))
		m.named[id] = n
		m.out.Ends = append(m.out.Ends, graph.End{Own: own, ID: id})
	}
	return n
}

// nodes adds the file, its definitions and the package of its folder.
func (m *parting) nodes() {
	f, first := m.p.files[m.file], m.p.first[m.file]
	m.out.Path = f.Path
	m.out.Nodes = append(make([]graph.Node, 0, len(f.Defs)+1), fileNode(f))
	for d := range f.Defs {
		s := first + symbol(d)
		m.out.Nodes = append(m.out.Nodes, m.p.node(s, m.ids.of(s)))
	}
	if f.Lang == syntax.Go {
		dir := path.Dir(f.Path)
		m.out.Packaged, m.out.Package = true, m.p.modules.goPackage[dir]
		m.add(graph.PartEdge{Source: m.other(graph.Elsewhere, graph.PackageID(dir)), Target: m.end(none), Relation: graph.Contains, Line: 1})
	}
}

// structure adds what follows from definitions and imports.
func (m *parting) structure() {
	p, first := m.p, m.p.first[m.file]
	for d := range p.files[m.file].Defs {
		m.held(first + symbol(d))
	}
	m.imports()
	p.overrides(m.file, func(method, of symbol) {
		m.add(graph.PartEdge{Source: m.end(method), Target: m.end(of), Relation: graph.Overrides, Line: p.def(method).Line})
	})
}

// held links a definition with what holds it, and a type with its bases.
func (m *parting) held(s symbol) {
	p := m.p
	d := p.def(s)
	holds := none
	switch {
	case p.owner[s] != none:
		holds = p.owner[s]
	case d.Parent >= 0:
		holds = p.first[m.file] + d.Parent
	}
	m.add(graph.PartEdge{Source: m.end(holds), Target: m.end(s), Relation: holder(d, p.owner[s] != none), Line: d.Line})
	for _, b := range p.bases[s] {
		e := graph.PartEdge{Source: m.end(s), Relation: b.relation, Line: b.line}
		if b.symbol != none {
			e.Target = m.end(b.symbol)
		} else {
			e.Target = m.other(graph.Outside, graph.ExternalID(baseName(b.name)))
		}
		m.add(e)
	}
}

func (m *parting) imports() {
	f := m.p.files[m.file]
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
		for _, target := range m.importTargets(i) {
			m.add(graph.PartEdge{Source: m.end(none), Target: target, Relation: relation, Context: graph.ContextImport, Line: int32(i.Line)})
		}
	}
}

// importTargets is where an import leads, besides the file itself.
func (m *parting) importTargets(i syntax.Import) []int32 {
	p := m.p
	t := p.modules.follow(m.file, i)
	var out []int32
	for _, s := range t.symbols {
		out = append(out, m.end(s))
	}
	for _, f := range t.files {
		if f != m.file {
			out = append(out, m.other(graph.Elsewhere, p.files[f].Path))
		}
	}
	if t.isDir {
		out = append(out, m.other(graph.Elsewhere, graph.PackageID(t.dir)))
	}
	switch {
	case !t.outside(), i.Kind == syntax.ImportInclude && p.files[m.file].Lang == syntax.PHP:
		return out // a path of PHP that is made while the program runs is nothing outside
	default:
		return []int32{m.other(graph.Outside, graph.ExternalID(i.Path))}
	}
}

// sites adds what bodies and references say, the same once.
func (m *parting) sites(s sites) {
	seen := map[graph.PartEdge]bool{}
	for _, l := range s.links {
		e := graph.PartEdge{
			Source: m.end(l.source), Target: m.end(l.target), Relation: l.relation, Context: l.context, Confidence: l.confidence, Score: l.score,
			Line: l.line, Why: l.why,
		}
		if !seen[e] {
			seen[e] = true
			m.add(e)
		}
	}
	for _, o := range s.open {
		c := graph.PartCall{Source: m.end(o.source), Relation: graph.Calls, Name: o.name, Receiver: o.receiver, Line: o.line, Total: o.total}
		for _, s := range o.candidates {
			c.Candidates = append(c.Candidates, m.end(s))
		}
		m.out.Unresolved = append(m.out.Unresolved, c)
	}
}
