package extract

import "strings"

// Type is a type as a source writes it, reduced to what binding needs:
//
//	Name        a type by its name: Conn, pgconn.Config, App\Order
//	[]T         something whose elements are T: array, slice, map, channel, iterator
//	()T         a function that returns T
//	A|B         one of several
//	A,B         several results
//
// A mark before a name says where it is from: "?" a comment said so. Marks of
// languages that resolve names by file alone are resolved already: PHP names are
// in full. The empty type is unknown.
type Type string

// Alternatives returns the types that a type stands for.
func (t Type) Alternatives() []Type {
	if t == "" {
		return nil
	}
	if strings.IndexByte(string(t), '|') < 0 {
		return []Type{t}
	}
	var all []Type
	for part := range strings.SplitSeq(string(t), "|") {
		if part != "" {
			all = append(all, Type(part))
		}
	}
	return all
}

// Elem returns what the elements of a type are, "" when it has none.
func (t Type) Elem() Type { return t.inside("[]") }

// Returns returns what a function type returns, "" for any other type.
func (t Type) Returns() Type { return t.inside("()") }

func (t Type) inside(prefix string) Type {
	var out []string
	for _, alt := range t.Alternatives() {
		mark := ""
		if strings.HasPrefix(string(alt), "?") {
			mark, alt = "?", alt[1:]
		}
		if rest, ok := strings.CutPrefix(string(alt), prefix); ok {
			out = append(out, mark+rest)
		}
	}
	return Type(strings.Join(out, "|"))
}

// Result returns result number i of several.
func (t Type) Result(i int) Type {
	parts := strings.Split(string(t), ",")
	if i < 0 || i >= len(parts) {
		return ""
	}
	return Type(parts[i])
}

// First returns the first of several results, the type itself when it is one.
func (t Type) First() Type { return t.Result(0) }

// Commented returns the type marked as said by a comment.
func (t Type) Commented() Type {
	alternatives := t.Alternatives()
	for i, a := range alternatives {
		if !strings.HasPrefix(string(a), "?") {
			alternatives[i] = "?" + a
		}
	}
	return union(alternatives)
}

// Name splits a type that is a name into the name and whether only a comment says
// so; the name is "" for anything else.
func (t Type) Name() (name string, commented bool) {
	s := string(t)
	if strings.HasPrefix(s, "?") {
		s, commented = s[1:], true
	}
	if strings.ContainsAny(s, "[](),|") {
		return "", commented
	}
	return s, commented
}

// Names returns all names in a type, in order, each once.
func (t Type) Names() []string {
	var names []string
	for part := range strings.FieldsFuncSeq(string(t), func(c rune) bool { return strings.ContainsRune("[]()|,?", c) }) {
		known := false
		for _, n := range names {
			known = known || n == part
		}
		if !known {
			names = append(names, part)
		}
	}
	return names
}

func union(types []Type) Type {
	var b strings.Builder
	seen := map[Type]bool{}
	for _, t := range types {
		if t == "" || seen[t] {
			continue
		}
		seen[t] = true
		if b.Len() > 0 {
			b.WriteByte('|')
		}
		b.WriteString(string(t))
	}
	return Type(b.String())
}
