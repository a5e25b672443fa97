package resolve

import (
	"path"
	"strings"
	"sync"

	"sortedheap/internal/codegraph/extract"
	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/syntax"
)

// symbol numbers a definition of the program.
type symbol = int32

// none is no symbol.
const none symbol = -1

// memberKey finds the members of a type by name.
type memberKey struct {
	owner symbol
	name  string
}

// nameKey finds definitions by name within a family of languages.
type nameKey struct {
	family, name string
}

// program is all definitions with the tables to find them.
type program struct {
	files  []*extract.File
	byPath map[string]int32
	first  []symbol // of each file, and the end
	fileOf []int32  // of each symbol

	types     map[nameKey][]symbol // by the key of the language, see typeKey
	functions map[nameKey][]symbol
	byName    map[nameKey][]symbol // functions and methods by bare name
	members   map[memberKey][]symbol
	methods   map[symbol][]symbol // methods of a type, in order
	owner     []symbol            // type of a member, or none
	bases     map[symbol][]base
	modules   *modules
	scopes    []scope           // of each file
	lines     map[symbol][]step // ancestors of each type with bases, once they are known
}

// base is a type that a type is derived from, or the name of one outside.
type base struct {
	relation graph.Relation
	symbol   symbol // none for one outside of the tree
	name     string
	line     int32
}

// newProgram indexes the files, which must be in the order of their paths.
func newProgram(files []*extract.File, roots Roots) *program {
	p := &program{
		files: files, byPath: make(map[string]int32, len(files)), first: make([]symbol, len(files)+1),
		methods: map[symbol][]symbol{}, bases: map[symbol][]base{},
	}
	for i, f := range files {
		p.byPath[f.Path] = int32(i)
		p.first[i+1] = p.first[i] + symbol(len(f.Defs))
	}
	p.fileOf = make([]int32, p.first[len(files)])
	n := len(p.fileOf)
	p.owner = make([]symbol, n)
	p.members = make(map[memberKey][]symbol, n/2)
	p.types, p.functions = make(map[nameKey][]symbol, n/16), make(map[nameKey][]symbol, n/8)
	for i, f := range files {
		for d := range f.Defs {
			s := p.first[i] + symbol(d)
			p.fileOf[s], p.owner[s] = int32(i), none
			p.index(s)
		}
	}
	var names sync.WaitGroup // which only sites are looked up by
	names.Go(p.indexNames)
	p.modules = newModules(p, roots)
	p.scopes = make([]scope, len(files))
	for i := range files {
		p.scopes[i] = p.newScope(int32(i))
	}
	for s := range p.fileOf {
		p.own(symbol(s))
	}
	for s := range p.fileOf {
		p.derive(symbol(s))
	}
	lines := make(map[symbol][]step, len(p.bases))
	for s := range p.bases {
		lines[s] = p.line(s)
	}
	p.lines = lines
	names.Wait()
	return p
}

func (p *program) def(s symbol) *extract.Def {
	f := p.fileOf[s]
	return &p.files[f].Defs[s-p.first[f]]
}

func (p *program) file(s symbol) *extract.File { return p.files[p.fileOf[s]] }

func (p *program) lang(s symbol) syntax.Language { return p.file(s).Lang }

// typeKey is how a language finds a type or function outside of other
// definitions: PHP and Java by its full name, Go by folder and name, the others
// by bare name, which imports and places then choose from.
func typeKey(f *extract.File, d *extract.Def) string {
	switch f.Lang {
	case syntax.PHP:
		return strings.ToLower(d.Qualified)
	case syntax.Go:
		return goKey(path.Dir(f.Path), f.Package, d.Name)
	case syntax.Java:
		return d.Qualified
	default:
		return d.Name
	}
}

func goKey(dir, pkg, name string) string { return dir + "\x00" + pkg + "\x00" + name }

// memberName is the key of a member: PHP tells properties, constants and methods
// apart and does not mind the case of methods.
func memberName(l syntax.Language, d *extract.Def) string {
	if l != syntax.PHP {
		return d.Name
	}
	switch d.Kind {
	case graph.Field:
		return "$" + d.Name
	case graph.Const:
		return "::" + d.Name
	default:
		return strings.ToLower(d.Name)
	}
}

// index puts a definition into the tables by name.
func (p *program) index(s symbol) {
	f, d := p.file(s), p.def(s)
	family := f.Lang.Family()
	local := d.Parent >= 0 && isFunction(&f.Defs[d.Parent])
	switch d.Kind {
	case graph.Type:
		if !local || f.Lang != syntax.Go {
			k := nameKey{family, typeKey(f, d)}
			p.types[k] = append(p.types[k], s)
		}
	case graph.Function, graph.Const:
		if !local && (d.Parent < 0 || f.Defs[d.Parent].Kind != graph.Type) {
			k := nameKey{family, typeKey(f, d)}
			p.functions[k] = append(p.functions[k], s)
		}
	}
}

// indexNames puts functions and methods into the table by bare name.
func (p *program) indexNames() {
	p.byName = make(map[nameKey][]symbol, len(p.fileOf)/3)
	for i, f := range p.files {
		family := f.Lang.Family()
		for d := range f.Defs {
			if isFunction(&f.Defs[d]) {
				k := nameKey{family, foldName(f.Lang, f.Defs[d].Name)}
				p.byName[k] = append(p.byName[k], p.first[i]+symbol(d))
			}
		}
	}
}

func foldName(l syntax.Language, name string) string {
	if l == syntax.PHP {
		return strings.ToLower(name)
	}
	return name
}

func isFunction(d *extract.Def) bool { return d.Kind == graph.Function || d.Kind == graph.Method }

// own finds the type that a member belongs to.
func (p *program) own(s symbol) {
	f, d := p.file(s), p.def(s)
	owner := none
	switch {
	case d.Owner != "":
		owner = p.ownerNamed(s, d.Owner)
	case d.Parent >= 0 && f.Defs[d.Parent].Kind == graph.Type:
		owner = p.first[p.fileOf[s]] + d.Parent
	case d.Parent >= 0 && f.Lang.Family() == "javascript" && f.Defs[d.Parent].Kind == graph.Const:
		owner = p.first[p.fileOf[s]] + d.Parent
	}
	if owner == none || d.Kind == graph.Type {
		return
	}
	p.owner[s] = owner
	k := memberKey{owner, memberName(f.Lang, d)}
	p.members[k] = append(p.members[k], s)
	if d.Kind == graph.Method {
		p.methods[owner] = append(p.methods[owner], s)
	}
}

// ownerNamed finds the type that a method standing apart names as its own.
func (p *program) ownerNamed(s symbol, name string) symbol {
	f := p.file(s)
	if f.Lang == syntax.Go {
		return one(p.types[nameKey{"go", goKey(path.Dir(f.Path), f.Package, name)}])
	}
	if f.Lang.Family() == "javascript" {
		for i := range f.Defs {
			if d := &f.Defs[i]; d.Parent < 0 && d.Name == name && d.Kind != graph.Method {
				return p.first[p.fileOf[s]] + symbol(i)
			}
		}
		return none
	}
	return one(p.nearest(p.fileOf[s], p.types[nameKey{f.Lang.Family(), lastPart(name)}]))
}

// lastPart is what follows the last separator of a qualified name.
func lastPart(name string) string {
	if i := strings.LastIndexAny(name, `.:\`); i >= 0 {
		return name[i+1:]
	}
	return name
}

func one(found []symbol) symbol {
	if len(found) == 0 {
		return none
	}
	return found[0]
}

// derive resolves the bases of a type.
func (p *program) derive(s symbol) {
	d := p.def(s)
	if d.Kind != graph.Type {
		return
	}
	for _, b := range d.Bases {
		found, _ := p.typeNamed(p.fileOf[s], s, b.Name)
		if len(found) == 0 {
			p.bases[s] = append(p.bases[s], base{relation: b.Relation, symbol: none, name: b.Name, line: b.Line})
			continue
		}
		relation := b.Relation
		if relation == graph.Inherits && p.def(found[0]).Form == "interface" && d.Form != "interface" {
			relation = graph.Implements
		}
		if found[0] == s {
			continue
		}
		p.bases[s] = append(p.bases[s], base{relation: relation, symbol: found[0], name: b.Name, line: b.Line})
	}
}

// maxAncestors bounds the walk up a hierarchy, which sources may make circular.
const maxAncestors = 200

// step is a type on the way up a hierarchy; outside says that a base of one
// before it is outside of the tree.
type step struct {
	symbol  symbol
	outside bool
}

// line is a type and all it is derived from, nearest first, and none at the end.
func (p *program) line(s symbol) []step {
	line := []step{{symbol: s}}
	seen := map[symbol]bool{s: true}
	outside := false
	for i := 0; i < len(line) && i < maxAncestors; i++ {
		line[i].outside = outside
		for _, mixed := range []bool{true, false} { // what is mixed in comes before what is inherited
			for _, b := range p.bases[line[i].symbol] {
				if (b.relation == graph.MixesIn) != mixed {
					continue
				}
				switch {
				case b.symbol == none:
					outside = true
				case !seen[b.symbol]:
					seen[b.symbol] = true
					line = append(line, step{symbol: b.symbol})
				}
			}
		}
	}
	return append(line[:min(len(line), maxAncestors)], step{none, outside})
}

// ancestors calls visit with a type and all it is derived from, nearest first,
// until visit answers false. It reports whether some base is outside of the tree.
func (p *program) ancestors(s symbol, visit func(symbol) bool) (outside bool) {
	line, ok := p.lines[s]
	if !ok && p.lines == nil {
		line = p.line(s)
	} else if !ok {
		line = []step{{s, false}, {none, false}}
	}
	for _, at := range line {
		if at.symbol == none || !visit(at.symbol) {
			return at.outside
		}
	}
	return false
}

// member finds the members of a name of a type or of what it is derived from;
// known says that the type is in the tree as a whole, so that what is not found
// is not there.
func (p *program) member(s symbol, name string) (found []symbol, known bool) {
	if p.lang(s) == syntax.PHP && name != "" && name[0] != '$' && name[0] != ':' {
		name = strings.ToLower(name)
	}
	outside := p.ancestors(s, func(t symbol) bool {
		found = p.members[memberKey{t, name}]
		return len(found) == 0
	})
	if d := p.def(s); len(found) == 0 && d.Form == "alias" && d.Type != "" {
		if target, _ := p.typeNamed(p.fileOf[s], s, string(d.Type)); len(target) > 0 && p.def(target[0]).Form != "alias" {
			return p.member(target[0], name)
		}
		return nil, false
	}
	return found, !outside
}
