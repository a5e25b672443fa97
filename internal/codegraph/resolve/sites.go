package resolve

import (
	"slices"

	"sortedheap/internal/codegraph/extract"
	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/syntax"
)

// link is an edge whose ends are symbols; a source of none is the file.
type link struct {
	source, target symbol
	relation       graph.Relation
	context        string
	confidence     graph.Confidence
	score          float32
	line           int32
	why            string
}

// open is a site that was not bound.
type open struct {
	source     symbol
	name       string
	receiver   string
	line       int32
	candidates []symbol
	total      int
}

// sites is what the bodies and references of a file say.
type sites struct {
	links []link
	open  []open
	// calls counts what became of the calls.
	calls CallCounts
}

// CallCounts says what became of calls.
type CallCounts struct {
	Extracted  int `json:"extracted"`  // bound by scope, import or declared type
	Inferred   int `json:"inferred"`   // bound by a rule that can be wrong
	Ambiguous  int `json:"ambiguous"`  // bound to several definitions of equal rank
	Unresolved int `json:"unresolved"` // kept with candidates
	Outside    int `json:"outside"`    // known to leave the tree, or of a name that nothing in it has
}

// Add sums up counts.
func (c *CallCounts) Add(o CallCounts) {
	c.Extracted += o.Extracted
	c.Inferred += o.Inferred
	c.Ambiguous += o.Ambiguous
	c.Unresolved += o.Unresolved
	c.Outside += o.Outside
}

// bindFile binds the sites of a file.
func (p *program) bindFile(file int32) sites {
	b := &binder{p: p, file: file}
	f := p.files[file]
	for _, r := range f.Refs {
		b.reference(r)
	}
	for i := range f.Bodies {
		e := newEvaluator(p, file, &f.Bodies[i])
		e.run(func(op extract.Op) { b.site(e, op) })
	}
	return b.out
}

type binder struct {
	p    *program
	file int32
	out  sites
}

func (b *binder) link(l link) {
	if l.source == l.target && l.relation != graph.Calls {
		return
	}
	b.out.links = append(b.out.links, l)
}

// reference binds a place that names a type, or a constant or method of it.
func (b *binder) reference(r extract.Ref) {
	p := b.p
	source := none
	if r.Def >= 0 {
		source = p.first[b.file] + r.Def
	}
	found, weak := p.typeNamed(b.file, source, r.Name)
	confidence, score := weak.confidence()
	why := "name in scope"
	if len(found) > 1 {
		confidence, score, why = graph.Ambiguous, 1/float32(len(found)), "one of several"
	}
	for _, t := range found {
		l := link{
			source: source, target: t, relation: r.Relation, context: r.Context, confidence: confidence, score: score, line: r.Line, why: why,
		}
		if r.Member == "" {
			b.link(l)
			continue
		}
		members, _ := p.member(t, "::"+r.Member)
		for _, m := range members {
			l.target = m
			b.link(l)
		}
		if r.Name != phpSelf && r.Name != phpStatic {
			l.target, l.relation, l.context = t, graph.Uses, ""
			b.link(l)
		}
	}
}

// site binds a call or a value.
func (b *binder) site(e *evaluator, op extract.Op) {
	p := b.p
	source := e.at
	x := e.body.Exprs[op.Expr]
	if op.Kind == extract.OpValue {
		b.value(e, op, x)
		return
	}
	if x.Kind == extract.ExprNew {
		b.construct(e, op, e.expr(op.Expr), false)
		return
	}
	if x.Kind != extract.ExprCall || x.X < 0 {
		return
	}
	callee := e.body.Exprs[x.X]
	values := e.expr(x.X)
	var functions, classes []value
	leaves := false
	for _, v := range values {
		switch v.kind {
		case aFunction:
			functions = append(functions, v)
		case aClass:
			classes = append(classes, v)
		case outside:
			leaves = true
		case aType, anObject:
			leaves = leaves || v.typ.Returns() != "" || v.kind == anObject && callee.Kind != extract.ExprMember
		}
	}
	switch {
	case len(functions) > 0:
		b.bind(source, op.Line, graph.ContextCall, functions)
	case len(classes) > 0:
		b.construct(e, op, classes, true)
	case leaves:
		b.out.calls.Outside++
	default:
		b.unbound(e, op, callee)
	}
	_ = p
}

// bind links a call with the functions that it may mean.
func (b *binder) bind(source symbol, line int32, context string, functions []value) {
	for i, v := range functions {
		if i > 0 && slices.ContainsFunc(functions[:i], func(o value) bool { return o.symbol == v.symbol }) {
			continue
		}
		confidence, score := v.weak.confidence()
		why := v.why
		if len(functions) > 1 {
			// Namesakes of one place are alternatives; those of several types of a
			// union are each meant at some time.
			if b.sameName(functions) {
				confidence, score, why = graph.Ambiguous, 1/float32(len(functions)), "one of several"
			} else if confidence == graph.Extracted {
				confidence, score = graph.Inferred, 0.8
			}
		}
		b.link(link{
			source: source, target: v.symbol, relation: graph.Calls, context: context, confidence: confidence, score: score, line: line, why: why,
		})
		if i == 0 {
			b.count(confidence)
		}
	}
}

func (b *binder) sameName(functions []value) bool {
	p := b.p
	for _, v := range functions[1:] {
		if p.def(v.symbol).Qualified != p.def(functions[0].symbol).Qualified {
			return false
		}
	}
	return true
}

func (b *binder) count(c graph.Confidence) {
	switch c {
	case graph.Extracted:
		b.out.calls.Extracted++
	case graph.Inferred:
		b.out.calls.Inferred++
	default:
		b.out.calls.Ambiguous++
	}
}

// construct links the making of an object with the type's constructor, or with
// the type where it has none. A language that makes objects by calling types has
// no other mark of it, so the type is linked as well.
func (b *binder) construct(e *evaluator, op extract.Op, values []value, called bool) {
	p := b.p
	bound := false
	for _, v := range values {
		if v.symbol == none {
			continue
		}
		confidence, score := v.weak.confidence()
		l := link{source: e.at, target: v.symbol, context: graph.ContextNew, confidence: confidence, score: score, line: op.Line, why: v.why}
		if called {
			l.relation = graph.Instantiates
			if e.lang == syntax.Go || p.def(v.symbol).Kind != graph.Type {
				l.relation, l.context = graph.References, graph.ContextType
			}
			b.link(l)
		}
		if constructor := p.constructor(v.symbol); constructor != none {
			l.target, l.relation, l.context = constructor, graph.Calls, graph.ContextNew
			b.link(l)
		}
		if !bound {
			b.count(confidence)
			bound = true
		}
	}
	if !bound {
		b.out.calls.Outside++
	}
}

// constructor is the method that makes objects of a type.
func (p *program) constructor(t symbol) symbol {
	var names []string
	switch p.lang(t) {
	case syntax.PHP:
		names = []string{"__construct"}
	case syntax.Python:
		names = []string{"__init__", "__new__"}
	case syntax.JavaScript, syntax.TypeScript, syntax.TSX:
		names = []string{"constructor"}
	case syntax.Ruby:
		names = []string{"initialize"}
	case syntax.Java, syntax.CPP, syntax.C:
		names = []string{p.def(t).Name}
	}
	for _, name := range names {
		if found, _ := p.member(t, name); len(found) > 0 {
			return p.nearest(p.fileOf[t], found)[0]
		}
	}
	return none
}

// value links a function, constant or type that is named but not called.
func (b *binder) value(e *evaluator, op extract.Op, x extract.Expr) {
	p := b.p
	l := link{source: e.at, relation: graph.References, context: graph.ContextValue, line: op.Line, why: "named"}
	for _, s := range e.constants(x) {
		l.target, l.confidence, l.score = s, graph.Extracted, 1
		b.link(l)
		return
	}
	for _, v := range e.expr(op.Expr) {
		if v.kind == aFunction || v.kind == aClass {
			l.target = v.symbol
			l.confidence, l.score = v.weak.confidence()
			b.link(l)
		}
	}
	_ = p
}

// constants finds the constant that an expression names.
func (e *evaluator) constants(x extract.Expr) []symbol {
	p := e.p
	var found []symbol
	switch x.Kind {
	case extract.ExprVar:
		if _, local := e.env[x.Name]; local || e.lang != syntax.Go {
			return nil
		}
		found = p.goNamed(e.file, x.Name, p.functions)
	case extract.ExprMember:
		for _, v := range e.expr(x.X) {
			if v.kind == aModule && v.module.isDir {
				found = p.functions[nameKey{"go", goKey(v.module.dir, p.modules.goPackage[v.module.dir], x.Name)}]
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(found), func(s symbol) bool { return p.def(s).Kind != graph.Const })
}

// unbound keeps a call of an unknown receiver with the functions of its name.
func (b *binder) unbound(e *evaluator, op extract.Op, callee extract.Expr) {
	p := b.p
	if callee.Kind != extract.ExprMember && callee.Kind != extract.ExprVar || callee.Name == "" ||
		callee.Kind == extract.ExprVar && isBuiltin(e.lang, callee.Name) || callee.Kind == extract.ExprMember && isBuiltinMethod(e.lang, callee.Name) {
		b.out.calls.Outside++
		return
	}
	var candidates []symbol
	for _, s := range p.byName[nameKey{e.lang.Family(), foldName(e.lang, callee.Name)}] {
		member := p.owner[s] != none
		if member != (callee.Kind == extract.ExprMember) || p.def(s).Test && !p.files[b.file].Test {
			continue
		}
		candidates = append(candidates, s)
	}
	if len(candidates) == 0 {
		b.out.calls.Outside++
		return
	}
	b.out.calls.Unresolved++
	// What a file imports, and what is near, comes first.
	slices.SortStableFunc(candidates, func(x, y symbol) int { return p.rank(b.file, x) - p.rank(b.file, y) })
	b.out.open = append(b.out.open, open{
		source: e.at, name: callee.Name, receiver: e.written(callee.X), line: op.Line,
		candidates: candidates[:min(len(candidates), graph.MaxCandidates)], total: len(candidates),
	})
}

// written is an expression as text, for a reader.
func (e *evaluator) written(i int32) string {
	if i < 0 {
		return ""
	}
	x := e.body.Exprs[i]
	switch x.Kind {
	case extract.ExprThis:
		return "this"
	case extract.ExprVar, extract.ExprName:
		return x.Name
	case extract.ExprMember:
		return e.written(x.X) + "." + x.Name
	case extract.ExprCall:
		return e.written(x.X) + "()"
	case extract.ExprElem:
		return e.written(x.X) + "[]"
	case extract.ExprStatic:
		return string(x.Type) + "::" + x.Name
	default:
		return ""
	}
}
