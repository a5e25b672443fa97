package graph

import (
	"fmt"
	"path"
	"strings"
)

// Part is what one file adds to a graph, in terms that hold whatever the other
// files are: its own nodes by their positions, those of others by id. A graph is
// the sum of the parts of its files, in any order.
type Part struct {
	Path  string // of the file
	Nodes []Node // the file itself and then its definitions
	// Packaged says that the folder is a package, Package what it is called.
	Packaged   bool
	Package    string
	Ends       []End // what the edges and calls name, by position
	Edges      []PartEdge
	Unresolved []PartCall
}

// End is a node as a part names it.
type End struct {
	Own int32  // the position in Nodes, Elsewhere or Outside
	ID  string // of a node that is not the part's own
}

// Values of End.Own that are no positions.
const (
	Elsewhere = -1 // a node of another part, or a package
	Outside   = -2 // a thing outside of the tree, which is a node because it is named
)

// PartEdge is an edge by positions in Ends. Its file is the part's.
type PartEdge struct {
	Source, Target int32
	Relation       Relation
	Context        string
	Confidence     Confidence
	Score          float32 // 0 for that of the confidence
	Line           int32
	Why            string
}

// PartCall is an unresolved call by positions in Ends.
type PartCall struct {
	Source     int32
	Relation   Relation
	Name       string
	Receiver   string
	Line       int32
	Candidates []int32
	Total      int
}

// PackageID is the id of the package that a folder holds.
func PackageID(dir string) string { return dir + "/" }

// external begins the ids of what is outside of the tree.
const external = "external::"

// ExternalID is the id of a thing outside of the tree.
func ExternalID(name string) string { return external + name }

// IsExternalID reports whether an id is that of a thing outside of the tree.
func IsExternalID(id string) bool { return strings.HasPrefix(id, external) }

// Check reports what a graph could not hold: a node without an id or kind, and
// texts that no store keeps. Ends that are missing are found by Assemble.
func (p *Part) Check() error {
	for i := range p.Nodes {
		if err := checkNode(&p.Nodes[i]); err != nil {
			return err
		}
	}
	for _, e := range p.Edges {
		if !storable(e.Context) || !storable(e.Why) || e.Line < 0 {
			return fmt.Errorf("an edge of %q has no valid site or context", p.Path)
		}
	}
	for _, u := range p.Unresolved {
		if !storable(u.Name) || !storable(u.Receiver) || u.Line < 0 {
			return fmt.Errorf("an unresolved call of %q has no valid site or name", p.Path)
		}
	}
	return nil
}

// Assemble makes the graph of parts. It trusts nothing in them.
func Assemble(info Info, parts []Part) (*Graph, error) {
	b := NewBuilder(info)
	nodes, edges := 0, 0
	for i := range parts {
		nodes += len(parts[i].Nodes)
		edges += len(parts[i].Edges)
	}
	b.Grow(nodes, edges)
	first := make([]int32, len(parts))
	for i := range parts {
		p := &parts[i]
		first[i] = int32(len(b.nodes))
		for _, n := range p.Nodes {
			if _, err := b.AddNode(n); err != nil {
				return nil, err
			}
		}
	}
	for i := range parts {
		if err := b.addPackage(&parts[i]); err != nil {
			return nil, err
		}
	}
	for i := range parts {
		if err := b.addPart(&parts[i], first[i]); err != nil {
			return nil, err
		}
	}
	return b.Build(), nil
}

// addPackage adds the package of a part's folder once.
func (b *Builder) addPackage(p *Part) error {
	dir := path.Dir(p.Path)
	if _, ok := b.byID[PackageID(dir)]; ok || !p.Packaged {
		return nil
	}
	_, err := b.AddNode(Node{
		ID: PackageID(dir), Label: p.Package, Qualified: dir, Kind: Package, Form: "package", Lang: "go", FileType: Code, File: dir,
	})
	return err
}

// end returns the number of a node that a part names.
func (b *Builder) end(p *Part, e End, first int32) (int32, error) {
	if e.Own >= 0 && int(e.Own) < len(p.Nodes) {
		return first + e.Own, nil
	}
	if n, ok := b.byID[e.ID]; ok && e.Own < 0 {
		return n, nil
	}
	name, ok := strings.CutPrefix(e.ID, external)
	if !ok || e.Own != Outside {
		return 0, fmt.Errorf("%q speaks of unknown node %q", p.Path, e.ID)
	}
	label := name[strings.LastIndexAny(name, `.:\`)+1:]
	return b.AddNode(Node{ID: e.ID, Label: label, Qualified: name, Kind: External})
}

// addPart adds what a part says of its nodes, the first of which has a number.
func (b *Builder) addPart(p *Part, first int32) error {
	numbers := make([]int32, len(p.Ends))
	for i, e := range p.Ends {
		var err error
		if numbers[i], err = b.end(p, e, first); err != nil {
			return err
		}
	}
	at := func(i int32) int32 {
		if i < 0 || int(i) >= len(numbers) {
			return -1 // which no builder takes
		}
		return numbers[i]
	}
	for _, e := range p.Edges {
		err := b.AddEdge(Edge{
			Source: at(e.Source), Target: at(e.Target), Relation: e.Relation, Context: e.Context, Confidence: e.Confidence, Score: e.Score,
			File: p.Path, Line: int(e.Line), Why: e.Why,
		})
		if err != nil {
			return err
		}
	}
	for _, c := range p.Unresolved {
		u := Unresolved{
			Source: at(c.Source), Relation: c.Relation, Name: c.Name, Receiver: c.Receiver, File: p.Path, Line: int(c.Line), Total: c.Total,
			Candidates: make([]int32, len(c.Candidates)),
		}
		for i, n := range c.Candidates {
			u.Candidates[i] = at(n)
		}
		if err := b.AddUnresolved(u); err != nil {
			return err
		}
	}
	return nil
}
