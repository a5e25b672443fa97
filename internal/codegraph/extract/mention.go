package extract

import (
	"slices"
	"strconv"
	"strings"

	"sortedheap/internal/codegraph/graph"
)

// Mentions returns the names that the bodies, references and imports of a file
// depend on, in lower case, sorted, each once: whatever they bind to has one of
// these names or is found on the way to one.
func (f *File) Mentions() []string {
	set := map[string]bool{}
	add := func(names ...string) {
		for _, n := range names {
			n = strings.Trim(n, "$:>-")
			set[strings.ToLower(n[strings.LastIndexAny(n, `.:\`)+1:])] = true
		}
	}
	for _, i := range f.Imports {
		add(i.Path, i.Name, i.Alias)
	}
	for _, r := range f.Refs {
		add(r.Name, r.Member)
	}
	for i := range f.Bodies {
		for _, e := range f.Bodies[i].Exprs {
			add(e.Name)
			add(e.Type.Names()...)
		}
	}
	names := make([]string, 0, len(set))
	for n := range set {
		if n != "" {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names
}

// Changes says what a change of a file's definitions means for other files.
type Changes struct {
	// All says that every file is to be bound again.
	All bool
	// Names are the names, in lower case, of definitions that came, went or
	// changed.
	Names map[string]bool
}

// implied are names that sources mean without mentioning them.
var implied = []string{
	"__construct", "__init__", "__new__", "constructor", "initialize", "current", "getiterator", "__iter__", "iterator", "__next__", "next",
}

// Compare finds what changed between two versions of a file's definitions, apart
// from where they stand.
func (c *Changes) Compare(before, after *File) {
	if c.Names == nil {
		c.Names = map[string]bool{}
	}
	if before.Lang != after.Lang || before.Package != after.Package || before.Test != after.Test || !sameImports(before, after) {
		c.All = true
		return
	}
	was, is := before.prints(), after.prints()
	count := make(map[string]int, len(was))
	for _, print := range was {
		count[print]++
	}
	for i, print := range is {
		if count[print]--; count[print] < 0 {
			c.changed(&after.Defs[i])
		}
	}
	for i, print := range was {
		if count[print] > 0 {
			count[print]--
			c.changed(&before.Defs[i])
		}
	}
	for _, name := range implied {
		c.All = c.All || c.Names[name]
	}
}

func (c *Changes) changed(d *Def) {
	if d.Kind == graph.Type || d.Kind == graph.Package || d.Parent < 0 && d.Kind == graph.Const {
		c.All = true
	}
	c.Names[strings.ToLower(d.Name)] = true
	if d.Default { // which other modules import by this word
		c.Names["default"] = true
	}
}

// sameImports ignores lines.
func sameImports(a, b *File) bool {
	if len(a.Imports) != len(b.Imports) {
		return false
	}
	for i := range a.Imports {
		x, y := a.Imports[i], b.Imports[i]
		x.Line, y.Line = 0, 0
		if x != y {
			return false
		}
	}
	return true
}

// prints are those of all definitions, each with its place among the namesakes of
// the file, which ids have.
func (f *File) prints() []string {
	list := make([]string, len(f.Defs))
	place := make(map[string]int, len(f.Defs))
	for i := range f.Defs {
		name := f.Defs[i].Qualified
		place[name]++
		list[i] = f.print(i)
		if n := place[name]; n > 1 {
			list[i] += "\x00#" + strconv.Itoa(n)
		}
	}
	return list
}

// print is everything of a definition that others may depend on besides its place.
func (f *File) print(i int) string {
	d := &f.Defs[i]
	var b strings.Builder
	for _, s := range []string{d.Kind.String(), d.Form, d.Qualified, d.Owner, string(d.Type), d.Shape} {
		b.WriteString(s)
		b.WriteByte(0)
	}
	for _, flag := range []bool{d.Static, d.Declared, d.Default, d.Test, d.Parent < 0} {
		if flag {
			b.WriteByte(1)
		} else {
			b.WriteByte(2)
		}
	}
	if d.Kind == graph.Type {
		for _, p := range d.Params {
			b.WriteString(p.Name + " " + string(p.Type) + "\x00")
		}
		for _, base := range d.Bases {
			b.WriteString(base.Relation.String() + " " + base.Name + "\x00")
		}
	}
	return b.String()
}
