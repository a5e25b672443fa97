package extract

import (
	"slices"
	"strconv"
	"strings"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/syntax"
)

// Changes says what changes of files' definitions mean for other files.
type Changes struct {
	// All says that every file is to be bound again.
	All bool
	// Names are the names, in lower case, of definitions that came, went or
	// changed.
	Names map[string]bool

	types    map[string]bool // names, in lower case, of types that came or went
	defs     map[*Def]bool   // that came or changed
	imported map[*File]names // files with other imports than before, and the names of those
}

// names are in lower case.
type names map[string]bool

// implied are names that sources mean without mentioning them.
var implied = []string{
	"__construct", "__init__", "__new__", "constructor", "initialize", "current", "getiterator", "__iter__", "iterator", "__next__", "next",
}

// Compare finds what changed between two versions of a file's definitions, apart
// from where they stand.
func (c *Changes) Compare(before, after *File) {
	if c.Names == nil {
		c.Names, c.types, c.defs, c.imported = map[string]bool{}, map[string]bool{}, map[*Def]bool{}, map[*File]names{}
	}
	imports, known := otherImports(before, after)
	if before.Lang != after.Lang || before.Package != after.Package || before.Test != after.Test || !known {
		c.All = true
		return
	}
	if len(imports) > 0 {
		c.imported[after] = imports
	}
	was, is := before.prints(), after.prints()
	count := make(map[string]int, len(was))
	for _, print := range was {
		count[print]++
	}
	for i, print := range is {
		if count[print]--; count[print] < 0 {
			c.changed(after, i, before)
			c.defs[&after.Defs[i]] = true
		}
	}
	for i, print := range was {
		if count[print] > 0 {
			count[print]--
			c.changed(before, i, after)
		}
	}
}

// changed notes a definition of a version of a file that the other has not.
func (c *Changes) changed(f *File, i int, other *File) {
	d := &f.Defs[i]
	name := strings.ToLower(d.Name)
	switch {
	case f.hasAlone(i, other) && !d.Default: // which others may call otherwise
		c.types[name] = true
	case d.Kind == graph.Type, d.Kind == graph.Package, d.Parent < 0 && d.Kind == graph.Const:
		c.All = true
	case slices.Contains(implied, name):
		// Who makes one of a type names the type, or a definition that does.
		c.All = c.All || d.Parent < 0 || !f.hasAlone(int(d.Parent), other)
	}
	c.Names[name] = true
	if d.Default { // which other modules import by this word
		c.Names["default"] = true
	}
}

// hasAlone reports whether a definition is a type that another version of the file
// has not, whatever it has of it.
func (f *File) hasAlone(i int, other *File) bool {
	d := &f.Defs[i]
	return d.Kind == graph.Type && !slices.ContainsFunc(other.Defs, func(o Def) bool {
		return o.Kind == graph.Type && o.Qualified == d.Qualified
	})
}

// otherImports returns the names, in lower case, of imports that only one version
// of a file has. It knows them where nobody gets at a file's imports but the file
// itself; elsewhere it only knows that there are none.
func otherImports(before, after *File) (names, bool) {
	count := map[syntax.Import]int{}
	for by, f := range map[int]*File{-1: before, 1: after} {
		for _, i := range f.Imports {
			i.Line = 0
			count[i] += by
		}
	}
	found := names{}
	for i, n := range count {
		if n != 0 {
			local := strings.ToLower(i.Local(after.Lang))
			if local == "" || i.Kind != syntax.ImportPlain || after.Lang != syntax.PHP && after.Lang != syntax.Java {
				return nil, false
			}
			found[local] = true
		}
	}
	return found, true
}

// Spread adds what follows for other files from types that came or went and from
// other imports: they mean something for who names them, which Names is for, and
// through definitions that name them and did not change. Files are those of the
// whole tree, among them those that Compare was given as they are now.
func (c *Changes) Spread(files []*File) {
	if c.All || len(c.types) == 0 && len(c.imported) == 0 {
		return
	}
	namesakes := map[string]int{} // of which an import may make another the nearest
	if len(c.imported) > 0 {
		for _, f := range files {
			for i := range f.Defs {
				if f.Defs[i].Kind == graph.Type {
					namesakes[foundBy(f.Lang, f.Defs[i].Qualified, f.Defs[i].Name)]++
				}
			}
		}
	}
	for _, f := range files {
		imports := c.imported[f]
		for _, i := range f.Imports {
			if c.types[lastName(i.Path)] && !imports[strings.ToLower(i.Local(f.Lang))] || c.types[strings.ToLower(i.Name)] {
				c.All = true // what the file finds near by is other than before
				return
			}
		}
		for i := range f.Defs {
			d := &f.Defs[i]
			if c.defs[d] {
				continue
			}
			for name := range d.typeNames() {
				byType, byImport := false, imports != nil && namesakes[foundBy(f.Lang, name, lastName(name))] > 1
				for part := range strings.FieldsFuncSeq(name, isBetweenNames) {
					byType, byImport = byType || c.types[part], byImport || imports[part]
				}
				switch {
				case byType, byImport && d.Kind == graph.Type:
					c.All = true
					return
				case byImport:
					c.Names[strings.ToLower(d.Name)] = true
				}
			}
		}
	}
}

// foundBy is what a language finds a type by, in lower case: PHP by its full name.
func foundBy(l syntax.Language, full, last string) string {
	if l == syntax.PHP {
		return strings.ToLower(strings.TrimPrefix(full, `\`))
	}
	return strings.ToLower(last)
}

// typeNames yields the names of types that a definition has for others, in lower
// case.
func (d *Def) typeNames() func(yield func(string) bool) {
	return func(yield func(string) bool) {
		texts := []string{string(d.Type), d.Owner}
		if d.Kind == graph.Type {
			for _, b := range d.Bases {
				texts = append(texts, b.Name)
			}
			for _, p := range d.Params {
				texts = append(texts, string(p.Type))
			}
		}
		for _, text := range texts {
			for name := range strings.FieldsFuncSeq(text, isBetweenTypes) {
				if !yield(strings.ToLower(name)) {
					return
				}
			}
		}
	}
}

// isBetweenTypes is for what stands between types, and isBetweenNames for what
// stands between the names of one.
func isBetweenTypes(c rune) bool { return isBetweenNames(c) && !strings.ContainsRune(`.:\`, c) }

func isBetweenNames(c rune) bool { return c < 0x80 && c != '_' && !isWordByte(byte(c)) }

func isWordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// lastName is the last name of a path, in lower case.
func lastName(path string) string {
	return strings.ToLower(path[strings.LastIndexAny(path, `.:\/`)+1:])
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
