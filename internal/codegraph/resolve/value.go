package resolve

import (
	"slices"

	"sortedheap/internal/codegraph/extract"
	"sortedheap/internal/codegraph/graph"
)

// strength is how well something is known, best first.
type strength uint8

const (
	sure       strength = iota // the source says so
	commented                  // a comment says so
	inferred                   // follows by a rule that can be wrong
	byNameOnly                 // nothing but the name, which only one definition has
)

// confidence is what an edge says of a strength.
func (w strength) confidence() (graph.Confidence, float32) {
	switch w {
	case sure:
		return graph.Extracted, 1
	case commented:
		return graph.Inferred, 0.9
	case inferred:
		return graph.Inferred, 0.8
	default:
		return graph.Inferred, 0.6
	}
}

// valueKind is what an expression may be.
type valueKind uint8

const (
	anObject  valueKind = iota // an object of the type symbol
	aType                      // a type of file's terms that is no single name: elements, a function
	aClass                     // the type symbol itself
	aFunction                  // the function symbol
	aModule                    // what an import leads to
	outside                    // something known to be outside of the tree
)

// value is one of the things that an expression may be.
type value struct {
	kind   valueKind
	weak   strength
	symbol symbol
	file   int32        // whose terms typ is in
	typ    extract.Type // of aType
	// receiver is the type on which a method was found, for results that depend on it.
	receiver symbol
	module   target
	why      string
}

// maxValues is how many values an expression keeps.
const maxValues = 6

// typeValues are the values of an expression of a type in a file's terms, within
// definition s.
func (p *program) typeValues(file int32, s symbol, t extract.Type, why string) []value {
	var values []value
	for _, alt := range t.Alternatives() {
		name, isComment := alt.Name()
		weak := sure
		if isComment {
			weak = commented
		}
		if name == "" {
			if alt != "" {
				values = append(values, value{kind: aType, weak: weak, symbol: none, file: file, typ: alt, receiver: s, why: why})
			}
			continue
		}
		found, how := p.typeNamed(file, s, name)
		if len(found) == 0 {
			values = append(values, value{kind: outside, symbol: none, why: why})
		}
		for _, one := range found {
			values = append(values, value{kind: anObject, weak: max(weak, how), symbol: one, why: why})
		}
	}
	return values[:min(len(values), maxValues)]
}

// weaken marks values as known no better than w.
func weaken(values []value, w strength) []value {
	out := slices.Clone(values)
	for i := range out {
		out[i].weak = max(out[i].weak, w)
	}
	return out
}

// join unites two sets of values.
func join(a, b []value) []value {
	if len(a) == 0 {
		return b
	}
	out := slices.Clone(a)
	for _, v := range b {
		known := slices.ContainsFunc(out, func(o value) bool {
			return o.kind == v.kind && o.symbol == v.symbol && o.file == v.file && o.typ == v.typ
		})
		if !known {
			out = append(out, v)
		}
	}
	return out[:min(len(out), maxValues)]
}

// resultOf is what the call of a function returns when it is found on a receiver.
func (p *program) resultOf(f symbol, receiver symbol) []value {
	d := p.def(f)
	t := d.Type
	at := f
	if t == "" && p.owner[f] != none {
		// What overrides without saying a type has that of what it overrides.
		p.ancestors(p.owner[f], func(base symbol) bool {
			for _, m := range p.members[memberKey{base, memberName(p.lang(f), d)}] {
				if p.def(m).Type != "" {
					t, at = p.def(m).Type, m
				}
			}
			return t == ""
		})
	}
	var values []value
	for _, alt := range t.Alternatives() {
		if name, isComment := alt.Name(); name == phpStatic && receiver != none {
			weak := sure
			if isComment {
				weak = commented
			}
			values = append(values, value{kind: anObject, weak: weak, symbol: receiver, why: "returns static"})
			continue
		}
		values = join(values, p.typeValues(p.fileOf[at], at, alt, "return type"))
	}
	return values
}

// element is what the elements of a value are.
func (p *program) element(v value) []value {
	switch v.kind {
	case aType:
		return weaken(p.typeValues(v.file, v.receiver, v.typ.Elem(), "element type"), v.weak)
	case aFunction:
		return []value{v} // a generic function made one of a type
	case anObject:
		d := p.def(v.symbol)
		if d.Form == "alias" {
			if e := d.Type.Elem(); e != "" {
				return weaken(p.typeValues(p.fileOf[v.symbol], v.symbol, e, "element type"), v.weak)
			}
		}
		for _, name := range []string{"current", "getIterator", "__iter__", "iterator", "__next__", "Next"} {
			found, _ := p.member(v.symbol, name)
			if len(found) == 0 {
				continue
			}
			values := p.resultOf(found[0], v.symbol)
			if name != "current" && name != "__next__" {
				var inner []value
				for _, o := range values {
					if o.kind == aType || o.symbol != v.symbol && name != "Next" {
						inner = join(inner, p.element(o))
					}
				}
				values = inner
			}
			return weaken(values, inferred)
		}
	}
	return nil
}
