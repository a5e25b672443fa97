package extract

import (
	"fmt"
	"math"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/packed"
	"sortedheap/internal/syntax"
)

// FactsVersion changes whenever the same source may give other facts, so that
// facts kept from before are not used.
const FactsVersion = 3

// PackDefinitions writes what other files may need of a file: all but its bodies
// and references.
func (f *File) PackDefinitions(w *packed.Writer) {
	w.String(f.Path)
	w.Uint(uint64(f.Lang))
	w.Bool(f.Test)
	w.Uint(uint64(f.Lines))
	w.Uint(uint64(f.Errors))
	w.Bool(f.Cut)
	w.String(f.Package)
	w.Uint(uint64(len(f.Imports)))
	for _, i := range f.Imports {
		w.String(string(i.Kind))
		w.String(i.Path)
		w.String(i.Name)
		w.String(i.Alias)
		w.Bool(i.System)
		w.Uint(uint64(i.Line))
	}
	w.Uint(uint64(len(f.Defs)))
	for i := range f.Defs {
		f.Defs[i].pack(w)
	}
}

func (d *Def) pack(w *packed.Writer) {
	w.Uint(uint64(d.Kind))
	w.String(d.Form)
	w.String(d.Name)
	w.String(d.Qualified)
	w.String(d.Owner)
	w.Int(int64(d.Parent))
	w.Int(int64(d.Line))
	w.Int(int64(d.EndLine))
	for _, flag := range []bool{d.Static, d.Declared, d.Default, d.Test} {
		w.Bool(flag)
	}
	w.String(d.Signature)
	w.String(d.Doc)
	w.String(string(d.Type))
	w.Uint(uint64(len(d.Params)))
	for _, p := range d.Params {
		w.String(p.Name)
		w.String(string(p.Type))
	}
	w.Uint(uint64(len(d.Bases)))
	for _, b := range d.Bases {
		w.Uint(uint64(b.Relation))
		w.String(b.Name)
		w.Int(int64(b.Line))
	}
	w.String(d.Shape)
}

// UnpackDefinitions reads what PackDefinitions wrote.
func UnpackDefinitions(data []byte) (*File, error) {
	r := packed.NewReader(data)
	f := &File{
		Path: r.String(), Lang: syntax.Language(r.Byte(64)), Test: r.Bool(), Lines: count(r), Errors: count(r), Cut: r.Bool(), Package: r.String(),
	}
	f.Imports = make([]syntax.Import, r.Len())
	for i := range f.Imports {
		f.Imports[i] = syntax.Import{
			Kind: syntax.ImportKind(r.String()), Path: r.String(), Name: r.String(), Alias: r.String(), System: r.Bool(), Line: count(r),
		}
	}
	f.Defs = make([]Def, r.Len())
	for i := range f.Defs {
		unpackDef(r, &f.Defs[i])
		if p := f.Defs[i].Parent; p < -1 || int(p) >= i {
			return nil, fmt.Errorf("%w: definition %d is in %d", packed.ErrDamaged, i, p)
		}
	}
	return f, r.Err()
}

func count(r *packed.Reader) int { return int(min(r.Uint(), math.MaxInt32)) }

func unpackDef(r *packed.Reader, d *Def) {
	d.Kind = graph.Kind(r.Byte(64))
	d.Form, d.Name, d.Qualified, d.Owner = r.String(), r.String(), r.String(), r.String()
	d.Parent, d.Line, d.EndLine = r.Int32(), r.Int32(), r.Int32()
	d.Static, d.Declared, d.Default, d.Test = r.Bool(), r.Bool(), r.Bool(), r.Bool()
	d.Signature, d.Doc, d.Type = r.String(), r.String(), Type(r.String())
	if n := r.Len(); n > 0 {
		d.Params = make([]Param, n)
		for i := range d.Params {
			d.Params[i] = Param{Name: r.String(), Type: Type(r.String())}
		}
	}
	if n := r.Len(); n > 0 {
		d.Bases = make([]Base, n)
		for i := range d.Bases {
			d.Bases[i] = Base{Relation: graph.Relation(r.Byte(64)), Name: r.String(), Line: r.Int32()}
		}
	}
	d.Shape = r.String()
}

// PackSites writes the bodies and references of a file.
func (f *File) PackSites(w *packed.Writer) {
	w.Uint(uint64(len(f.Refs)))
	for _, x := range f.Refs {
		w.Int(int64(x.Def))
		w.Uint(uint64(x.Relation))
		w.String(x.Context)
		w.String(x.Name)
		w.String(x.Member)
		w.Int(int64(x.Line))
	}
	w.Uint(uint64(len(f.Bodies)))
	for i := range f.Bodies {
		b := &f.Bodies[i]
		w.Int(int64(b.Def))
		w.Uint(uint64(len(b.Exprs)))
		for _, e := range b.Exprs {
			w.Uint(uint64(e.Kind))
			w.String(e.Name)
			w.String(string(e.Type))
			w.Int(int64(e.X))
			w.Int(int64(e.Index))
		}
		w.Uint(uint64(len(b.Ops)))
		for _, o := range b.Ops {
			w.Uint(uint64(o.Kind))
			w.Bool(o.Fresh)
			w.String(o.Var)
			w.Int(int64(o.Expr))
			w.Int(int64(o.Line))
		}
	}
}

// UnpackSites reads what PackSites wrote into a file that has its definitions.
func (f *File) UnpackSites(data []byte) error {
	r := packed.NewReader(data)
	f.Refs = make([]Ref, r.Len())
	for i := range f.Refs {
		f.Refs[i] = Ref{
			Def: r.Int32(), Relation: graph.Relation(r.Byte(64)), Context: r.String(), Name: r.String(), Member: r.String(), Line: r.Int32(),
		}
		if !f.holds(f.Refs[i].Def) {
			return fmt.Errorf("%w: a reference in definition %d", packed.ErrDamaged, f.Refs[i].Def)
		}
	}
	f.Bodies = make([]Body, r.Len())
	for i := range f.Bodies {
		b := &f.Bodies[i]
		b.Def = r.Int32()
		if !f.holds(b.Def) {
			return fmt.Errorf("%w: a body of definition %d", packed.ErrDamaged, b.Def)
		}
		b.Exprs = make([]Expr, r.Len())
		for j := range b.Exprs {
			b.Exprs[j] = Expr{Kind: ExprKind(r.Byte(64)), Name: r.String(), Type: Type(r.String()), X: r.Int32(), Index: r.Int32()}
			// What an expression is made of comes before it.
			if e := b.Exprs[j]; e.X < -1 || int(e.X) >= j || e.Kind == ExprEither && (e.Index < 0 || int(e.Index) >= j) {
				return fmt.Errorf("%w: expression %d is made of %d and %d", packed.ErrDamaged, j, e.X, e.Index)
			}
		}
		b.Ops = make([]Op, r.Len())
		for j := range b.Ops {
			b.Ops[j] = Op{Kind: OpKind(r.Byte(64)), Fresh: r.Bool(), Var: r.String(), Expr: r.Int32(), Line: r.Int32()}
			if e := b.Ops[j].Expr; e < -1 || int(e) >= len(b.Exprs) {
				return fmt.Errorf("%w: an operation on expression %d", packed.ErrDamaged, e)
			}
		}
	}
	return r.Err()
}

func (f *File) holds(def int32) bool { return def >= -1 && int(def) < len(f.Defs) }
