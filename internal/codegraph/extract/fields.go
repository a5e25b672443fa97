package extract

import (
	"strings"

	"sortedheap/internal/codegraph/graph"
)

// inferFields gives a field without a type the type of what a method of its class
// assigns to it, where the method alone tells it: a new object, a parameter.
func inferFields(f *File) {
	fields := map[[2]string]*Def{}
	for i := range f.Defs {
		if d := &f.Defs[i]; d.Kind == graph.Field && d.Type == "" && d.Parent >= 0 {
			fields[[2]string{f.Defs[d.Parent].Qualified, d.Name}] = d
		}
	}
	if len(fields) == 0 {
		return
	}
	for i := range f.Bodies {
		b := &f.Bodies[i]
		if b.Def < 0 {
			continue
		}
		d := &f.Defs[b.Def]
		if d.Parent < 0 {
			continue
		}
		for _, op := range b.Ops {
			name, ok := strings.CutPrefix(op.Var, "->")
			if !ok || op.Kind != OpAssign || op.Expr < 0 {
				continue
			}
			field := fields[[2]string{f.Defs[d.Parent].Qualified, name}]
			if field == nil {
				continue
			}
			if t := localType(d, b, op.Expr); t != "" {
				field.Type = union(append(field.Type.Alternatives(), t.Commented()))
			}
		}
	}
}

// localType is the type of an expression as far as its function alone tells.
func localType(d *Def, b *Body, e int32) Type {
	switch x := b.Exprs[e]; x.Kind {
	case ExprCall:
		// Python makes objects by calling types, which begin with a capital.
		if f := b.Exprs[x.X]; f.Kind == ExprVar && f.Name[0] >= 'A' && f.Name[0] <= 'Z' {
			return Type(f.Name)
		}
	case ExprNew, ExprTyped:
		return x.Type
	case ExprEither:
		return union([]Type{localType(d, b, x.X), localType(d, b, x.Index)})
	case ExprVar:
		for _, p := range d.Params {
			if p.Name == x.Name {
				return p.Type
			}
		}
	}
	return ""
}
