package extract

import (
	"bytes"
	"strings"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/syntax"
)

// walker reads one file. The tree is walked once; entering a definition's node
// makes its body the current one.
type walker struct {
	t       *syntax.Tree
	f       *File
	defs    []syntax.Definition
	at      map[syntax.NodeID]int32 // first definition made by a node
	lang    language
	context string // in which types are named now
	body    *body
	// scope holds what a language tracks while walking: PHP's namespace and uses.
	scope phpScope
}

// language is what differs between languages. All methods get nodes of the tree.
type language struct {
	// define completes a definition from its node: types, parameters, bases.
	define func(w *walker, d *Def, n syntax.NodeID)
	// enter does what a function's start means for its variables: parameters.
	enter func(w *walker, d *Def, n syntax.NodeID)
	// visit handles a node on the way down and says whether it has walked what is
	// below it.
	visit func(w *walker, n syntax.NodeID) (done bool)
	// expr builds the expression of a node.
	expr func(w *walker, n syntax.NodeID) int32
}

// Extract returns the facts of a parsed file at a path.
func Extract(t *syntax.Tree, path string) *File {
	f := &File{
		Path: path, Lang: t.Lang, Test: isTestPath(path, t.Lang), Errors: t.Errors, Cut: t.Cut,
		Lines: bytes.Count(t.Source(), []byte("\n")) + 1, Imports: syntax.Imports(t),
	}
	w := &walker{t: t, f: f, defs: syntax.Definitions(t), at: map[syntax.NodeID]int32{}, lang: languageOf(t.Lang)}
	w.scope.imports(f.Imports)
	f.Defs = make([]Def, len(w.defs))
	for i := range w.defs {
		f.Defs[i] = w.def(&w.defs[i])
		if _, ok := w.at[w.defs[i].Node]; !ok {
			w.at[w.defs[i].Node] = int32(i)
		}
	}
	f.Package = packageOf(t)
	top := w.newBody(-1)
	w.body = top
	w.children(syntax.Root)
	top.close(w)
	w.exports()
	inferFields(f)
	return f
}

func packageOf(t *syntax.Tree) string {
	switch t.Lang {
	case syntax.Go:
		return t.Text(t.ChildOf(t.ChildOf(syntax.Root, "package_clause"), "package_identifier"))
	case syntax.Java:
		return t.Text(t.ChildOf(t.ChildOf(syntax.Root, "package_declaration"), "scoped_identifier", "identifier"))
	default:
		return ""
	}
}

func languageOf(l syntax.Language) language {
	switch l {
	case syntax.Go:
		return goLanguage()
	case syntax.PHP:
		return phpLanguage()
	default:
		return genericLanguage(l)
	}
}

// def copies what syntax tells of a definition.
func (w *walker) def(d *syntax.Definition) Def {
	out := Def{
		Name: d.Name, Qualified: d.Qualified, Owner: d.Owner, Parent: int32(d.Parent), Line: int32(d.NameLine), EndLine: int32(d.EndLine),
		Static: d.Static, Declared: d.Declared, Signature: d.Signature, Doc: d.Doc, Test: w.f.Test, Form: string(d.Kind),
	}
	switch {
	case d.Kind.IsType():
		out.Kind = graph.Type
	case d.Kind == syntax.DefMethod:
		out.Kind = graph.Method
	case d.Kind == syntax.DefField:
		out.Kind = graph.Field
	case d.Kind == syntax.DefConst:
		out.Kind = graph.Const
	case d.Kind == syntax.DefNamespace:
		out.Kind = graph.Package
	default:
		out.Kind = graph.Function
	}
	if d.Parent >= 0 && w.f.Defs[d.Parent].Test {
		out.Test = true
	}
	if w.t.Lang == syntax.Rust && d.Kind == syntax.DefNamespace && strings.HasPrefix(d.Name, "test") {
		out.Test = true
	}
	return out
}

// children walks what is below a node.
func (w *walker) children(n syntax.NodeID) {
	for c := range w.t.Children(n) {
		w.walk(c)
	}
}

func (w *walker) walk(n syntax.NodeID) {
	i, ok := w.at[n]
	if !ok {
		if !w.lang.visit(w, n) {
			w.children(n)
		}
		return
	}
	outer, context := w.body, w.context
	w.context = ""
	for j := i; int(j) < len(w.defs) && w.defs[j].Node == n; j++ {
		w.lang.define(w, &w.f.Defs[j], n)
	}
	d := &w.f.Defs[i]
	inner := w.newBody(i)
	w.body = inner
	if d.Kind == graph.Function || d.Kind == graph.Method {
		w.lang.enter(w, d, n)
	}
	if !w.lang.visit(w, n) {
		w.children(n)
	}
	inner.close(w)
	w.body, w.context = outer, context
}

// within walks a node with another context for the types in it.
func (w *walker) within(context string, n syntax.NodeID) {
	if n == syntax.None {
		return
	}
	outer := w.context
	w.context = context
	w.walk(n)
	w.context = outer
}

// ref records that the current definition names a type.
func (w *walker) ref(relation graph.Relation, context, name, member string, n syntax.NodeID) {
	if name == "" {
		return
	}
	w.f.Refs = append(w.f.Refs, Ref{
		Def: w.body.def, Relation: relation, Context: context, Name: name, Member: member, Line: int32(w.t.Line(n)),
	})
}

// exports marks what a file exports without a name.
func (w *walker) exports() {
	if w.t.Lang.Family() != "javascript" {
		return
	}
	for i := range w.defs {
		for p := w.t.Parent(w.defs[i].Node); p != syntax.None; p = w.t.Parent(p) {
			if w.t.Kind(p) == "export_statement" && w.t.ChildOf(p, "default") != syntax.None && w.defs[i].Parent < 0 {
				w.f.Defs[i].Default = true
			}
		}
	}
}

// body collects the expressions and operations of one definition.
type body struct {
	def  int32
	made map[syntax.NodeID]int32
	out  Body
}

func (w *walker) newBody(def int32) *body {
	return &body{def: def, made: map[syntax.NodeID]int32{}, out: Body{Def: def}}
}

// close keeps the body when it says something.
func (b *body) close(w *walker) {
	for _, op := range b.out.Ops {
		if op.Kind == OpCall || op.Kind == OpValue {
			w.f.Bodies = append(w.f.Bodies, b.out)
			return
		}
	}
}

// add appends an expression and returns its number.
func (b *body) add(e Expr) int32 {
	if e.Kind == ExprUnknown {
		return -1
	}
	b.out.Exprs = append(b.out.Exprs, e)
	return int32(len(b.out.Exprs) - 1)
}

// expr returns the number of a node's expression, -1 when nothing is known of it.
func (w *walker) expr(n syntax.NodeID) int32 {
	if n == syntax.None {
		return -1
	}
	if e, ok := w.body.made[n]; ok {
		return e
	}
	e := w.lang.expr(w, n)
	w.body.made[n] = e
	return e
}

func (w *walker) typed(t Type) int32 {
	if t == "" {
		return -1
	}
	return w.body.add(Expr{Kind: ExprTyped, Type: t, X: -1})
}

// assign records that a variable gets an expression's type. An expression that
// nothing is known of matters too: the variable is no longer what it was.
func (w *walker) assign(name string, e int32, n syntax.NodeID) {
	if name == "" || name == "_" {
		return
	}
	w.body.out.Ops = append(w.body.out.Ops, Op{Kind: OpAssign, Var: name, Expr: e, Line: int32(w.t.Line(n))})
}

// declare is assign for a variable that the innermost branch declares.
func (w *walker) declare(name string, e int32, n syntax.NodeID) {
	if name == "" || name == "_" {
		return
	}
	w.body.out.Ops = append(w.body.out.Ops, Op{Kind: OpAssign, Fresh: true, Var: name, Expr: e, Line: int32(w.t.Line(n))})
}

// call records a site; the line is that of at, the name called.
func (w *walker) call(kind OpKind, e int32, at syntax.NodeID) {
	if e < 0 {
		return
	}
	w.body.out.Ops = append(w.body.out.Ops, Op{Kind: kind, Expr: e, Line: int32(w.t.Line(at))})
}

// inBranch walks a node whose assignments may not happen.
func (w *walker) inBranch(n syntax.NodeID) {
	ops := &w.body.out.Ops
	start := len(*ops)
	*ops = append(*ops, Op{Kind: OpBranch, Expr: -1})
	w.children(n)
	if len(*ops) == start+1 {
		*ops = (*ops)[:start]
		return
	}
	*ops = append(*ops, Op{Kind: OpJoin, Expr: -1})
}

// firstNamed returns the first named child of a node.
func firstNamed(t *syntax.Tree, n syntax.NodeID) syntax.NodeID {
	for c := range t.Children(n) {
		if t.Named(c) && t.Kind(c) != "comment" {
			return c
		}
	}
	return syntax.None
}
