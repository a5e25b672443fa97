package resolve

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"sortedheap/internal/codegraph/extract"
	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/syntax"
)

// isExtending reports the relations by which a type gets the members of another
// as a base.
func isExtending(r graph.Relation) bool {
	switch r {
	case graph.Inherits, graph.Extends, graph.Embeds:
		return true
	default:
		return false
	}
}

// overrides calls each with every method of a file and the nearest method of a
// base that it replaces.
func (p *program) overrides(file int32, each func(method, of symbol)) {
	for s := p.first[file]; s < p.first[file+1]; s++ {
		owner := p.owner[s]
		d := p.def(s)
		if owner == none || d.Kind != graph.Method || len(p.bases[owner]) == 0 {
			continue
		}
		if p.constructor(owner) == s {
			continue
		}
		key := memberName(p.lang(s), d)
		p.ancestors(owner, func(base symbol) bool {
			if base == owner {
				return true
			}
			for _, m := range p.members[memberKey{base, key}] {
				if p.def(m).Kind == graph.Method {
					each(s, m)
					return false
				}
			}
			return true
		})
	}
}

// goMethod is a method by what makes it fit an interface.
type goMethod struct{ name, shape string }

// goImplements calls each with the types of Go whose methods fit an interface of
// the tree. It goes by names and by types without their packages, so a pair may
// be wrong where two packages name different types alike.
func (p *program) goImplements(each func(t, iface symbol)) {
	holders := map[goMethod][]symbol{}
	var interfaces []symbol
	for s := range p.fileOf {
		d := p.def(symbol(s))
		if d.Kind != graph.Type || p.lang(symbol(s)) != syntax.Go {
			continue
		}
		if d.Form == "interface" {
			interfaces = append(interfaces, symbol(s))
			continue
		}
		for m := range p.goMethods(symbol(s)) {
			holders[m] = append(holders[m], symbol(s))
		}
	}
	for _, i := range interfaces {
		need := p.goMethods(i)
		if len(need) == 0 || p.outsideBase(i) {
			continue
		}
		var rarest []symbol
		first := true
		for m := range need {
			if have := holders[m]; first || len(have) < len(rarest) {
				rarest, first = have, false
			}
		}
		rarest = slices.Clone(rarest)
		slices.Sort(rarest)
		for _, t := range rarest {
			if p.def(t).Test && !p.def(i).Test && len(need) == 1 {
				continue
			}
			have := p.goMethods(t)
			fits := true
			for m := range need {
				fits = fits && have[m]
			}
			if fits {
				each(t, i)
			}
		}
	}
}

// goMethods is the method set of a pointer to a type, with what is embedded.
func (p *program) goMethods(t symbol) map[goMethod]bool {
	set := map[goMethod]bool{}
	p.ancestors(t, func(s symbol) bool {
		for _, m := range p.methods[s] {
			set[goMethod{p.def(m).Name, p.def(m).Shape}] = true
		}
		return true
	})
	return set
}

func (p *program) outsideBase(t symbol) bool {
	return p.ancestors(t, func(symbol) bool { return true })
}

// identities gives every symbol its node's id, file by file as they are asked for.
type identities struct {
	p    *program
	file []atomic.Pointer[[]string]
}

func newIdentities(p *program) *identities {
	return &identities{p: p, file: make([]atomic.Pointer[[]string], len(p.files))}
}

// of returns the id of a symbol.
func (ids *identities) of(s symbol) string {
	file := ids.p.fileOf[s]
	names := ids.file[file].Load()
	if names == nil { // what others make of it at the same time is the same
		made := nameAll(ids.p.files[file])
		names = &made
		ids.file[file].Store(names)
	}
	return (*names)[s-ids.p.first[file]]
}

// nameAll names definitions by file and qualified name, namesakes of a file by
// their order.
func nameAll(f *extract.File) []string {
	names := make([]string, len(f.Defs))
	seen := make(map[string]int, len(f.Defs))
	for d := range f.Defs {
		id := f.Path + "::" + f.Defs[d].Qualified
		seen[id]++
		for n := seen[id]; n > 1; n++ {
			// A name may be written as that of a namesake.
			numbered := id + "#" + strconv.Itoa(n)
			if seen[numbered] == 0 {
				seen[numbered]++
				id = numbered
				break
			}
		}
		names[d] = id
	}
	return names
}

// node makes the node of a symbol.
func (p *program) node(s symbol, id string) graph.Node {
	f, d := p.file(s), p.def(s)
	return graph.Node{
		ID: id, Label: d.Name, Qualified: d.Qualified, Kind: p.kind(d, s), Form: d.Form, Lang: f.Lang.String(), FileType: fileType(f),
		File: f.Path, Line: int(d.Line), EndLine: int(d.EndLine), Test: d.Test, Signature: d.Signature, Doc: d.Doc,
	}
}

// kind is Method only for what belongs to a type.
func (p *program) kind(d *extract.Def, s symbol) graph.Kind {
	if d.Kind == graph.Method && p.owner[s] == none && d.Owner == "" {
		return graph.Function
	}
	return d.Kind
}

func fileType(f *extract.File) graph.FileType {
	if f.Lang == syntax.NoLanguage {
		return graph.Document
	}
	return graph.Code
}

func fileNode(f *extract.File) graph.Node {
	return graph.Node{
		ID: f.Path, Label: path.Base(f.Path), Qualified: f.Path, Kind: graph.File, Lang: f.Lang.String(), FileType: fileType(f),
		File: f.Path, Line: 1, EndLine: f.Lines, Test: f.Test,
	}
}

// holder is the relation from what holds a definition.
func holder(d *extract.Def, owned bool) graph.Relation {
	switch {
	case owned && isFunction(d):
		return graph.HasMethod
	case owned && (d.Kind == graph.Field || d.Kind == graph.Const):
		return graph.Defines
	default:
		return graph.Contains
	}
}

func baseName(name string) string { return strings.TrimPrefix(name, `\`) }
