package evidence

import "slices"

// leastMethods is how many methods an interface must have for a type with methods
// of these names to count as an implementation.
const leastMethods = 2

// implement notes which methods of interfaces and base types the methods of other
// types stand for, so that "Rows.Scan" finds what a value of Rows runs: where
// a type's first line names the other type, or where it has all methods of an
// interface, as languages in which no type says so have it.
func implement(fragments []Fragment) {
	t := collectTypes(fragments)
	for owner, methods := range t.methods {
		for _, base := range t.basesOf(owner) {
			for name := range t.known(base) {
				for _, i := range methods[name] {
					fragments[i].Implements = append(fragments[i].Implements, base+"."+name)
				}
			}
		}
	}
	for i := range fragments {
		slices.Sort(fragments[i].Implements)
		fragments[i].Implements = slices.Compact(fragments[i].Implements)
	}
}

// typesFound are the types of a tree, by their plain names.
type typesFound struct {
	heads    map[string][]string           // names on the line that a type is defined on
	declared map[string]map[string]bool    // methods that an interface or a base type asks for
	methods  map[string]map[string][]int32 // fragments of a type's methods, by name
	asking   map[string][]string           // interfaces that ask for a method
}

func collectTypes(fragments []Fragment) *typesFound {
	t := &typesFound{
		heads: map[string][]string{}, declared: map[string]map[string]bool{},
		methods: map[string]map[string][]int32{}, asking: map[string][]string{},
	}
	for i := range fragments {
		f := &fragments[i]
		if len(f.Names) == 0 || f.Symbol == "" {
			continue
		}
		if f.isType() {
			t.addType(f)
			continue
		}
		if owner := lastName(f.qualifier()); owner != "" && f.Kind == "method" {
			if t.methods[owner] == nil {
				t.methods[owner] = map[string][]int32{}
			}
			t.methods[owner][f.Names[0]] = append(t.methods[owner][f.Names[0]], int32(i))
		}
	}
	for base, names := range t.declared {
		if len(names) >= leastMethods {
			for name := range names {
				t.asking[name] = append(t.asking[name], base)
			}
		}
	}
	return t
}

func (t *typesFound) addType(f *Fragment) {
	name := f.Names[0]
	if f.Head == "" && f.Lead > 0 {
		lead, _ := f.split()
		lines := sourceLines(lead)
		identifiers(lines[len(lines)-1], func(_ int, word string) {
			if word != name {
				t.heads[name] = append(t.heads[name], word)
			}
		})
	}
	if f.Kind != "interface" && f.Kind != "trait" {
		return
	}
	if t.declared[name] == nil {
		t.declared[name] = map[string]bool{}
	}
	for _, declared := range f.Declares {
		t.declared[name][declared] = true
	}
}

// known are the methods of a type that another can stand for.
func (t *typesFound) known(base string) map[string]bool {
	out := map[string]bool{}
	for name := range t.declared[base] {
		out[name] = true
	}
	for name := range t.methods[base] {
		out[name] = true
	}
	return out
}

// basesOf are the types whose methods those of a type stand for.
func (t *typesFound) basesOf(owner string) []string {
	var out []string
	for _, word := range t.heads[owner] {
		if t.declared[word] != nil || t.methods[word] != nil {
			out = append(out, word)
		}
	}
	tried := map[string]bool{owner: true}
	for name := range t.methods[owner] {
		for _, base := range t.asking[name] {
			if tried[base] {
				continue
			}
			tried[base] = true
			all := true
			for asked := range t.declared[base] {
				all = all && t.methods[owner][asked] != nil
			}
			if all {
				out = append(out, base)
			}
		}
	}
	return out
}
