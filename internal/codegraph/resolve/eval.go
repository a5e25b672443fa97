package resolve

import (
	"strings"

	"sortedheap/internal/codegraph/extract"
	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/syntax"
)

// evaluator follows one body.
type evaluator struct {
	p    *program
	file int32
	at   symbol // the definition, none for a file's own body
	lang syntax.Language
	body *extract.Body
	env  map[string][]value
	pins map[string][]value
	memo [][]value
	done []bool
	// changed has, for each open branch, what variables were before it.
	changed []map[string]before
}

// before is a variable at the start of a branch.
type before struct {
	values []value
	known  bool
	fresh  bool // the branch declared another of the name
}

func newEvaluator(p *program, file int32, b *extract.Body) *evaluator {
	e := &evaluator{p: p, file: file, at: none, lang: p.files[file].Lang, body: b, env: map[string][]value{}, pins: map[string][]value{}}
	if b.Def >= 0 {
		e.at = p.first[file] + b.Def
	}
	e.memo, e.done = make([][]value, len(b.Exprs)), make([]bool, len(b.Exprs))
	return e
}

// run follows the operations and calls site with every call and value.
func (e *evaluator) run(site func(op extract.Op)) {
	for _, op := range e.body.Ops {
		switch op.Kind {
		case extract.OpAssign:
			values := e.expr(op.Expr)
			if pinned, ok := e.pins[op.Var]; ok {
				values = pinned
				delete(e.pins, op.Var)
			}
			e.set(op.Var, values, op.Fresh)
		case extract.OpPin:
			values := e.expr(op.Expr)
			e.set(op.Var, values, false)
			e.pins[op.Var] = values
		case extract.OpBranch:
			e.changed = append(e.changed, map[string]before{})
		case extract.OpJoin:
			e.join()
		default:
			site(op)
		}
	}
}

func (e *evaluator) set(name string, values []value, fresh bool) {
	if n := len(e.changed); n > 0 {
		if _, ok := e.changed[n-1][name]; !ok {
			old, known := e.env[name]
			e.changed[n-1][name] = before{values: old, known: known, fresh: fresh}
		}
	}
	e.env[name] = values
}

// join ends a branch: a variable that it assigned is what it was or what it
// became; one that it declared is gone.
func (e *evaluator) join() {
	n := len(e.changed) - 1
	if n < 0 {
		return
	}
	ended := e.changed[n]
	e.changed = e.changed[:n]
	for name, old := range ended {
		switch {
		case old.fresh && old.known:
			e.set(name, old.values, false)
		case old.fresh:
			delete(e.env, name)
		default:
			e.set(name, join(old.values, e.env[name]), false)
		}
	}
}

// expr returns what an expression may be; it is evaluated once, at its first use.
func (e *evaluator) expr(i int32) []value {
	if i < 0 || int(i) >= len(e.body.Exprs) {
		return nil
	}
	if !e.done[i] {
		e.done[i] = true
		e.memo[i] = e.eval(e.body.Exprs[i])
	}
	return e.memo[i]
}

func (e *evaluator) eval(x extract.Expr) []value {
	p := e.p
	switch x.Kind {
	case extract.ExprThis:
		var values []value
		for _, t := range p.enclosing(e.at) {
			values = append(values, value{kind: anObject, symbol: t, why: "own object"})
		}
		return values
	case extract.ExprSuper:
		var values []value
		for _, t := range p.parents(e.at) {
			values = append(values, value{kind: anObject, symbol: t, why: "base"})
		}
		return values
	case extract.ExprVar:
		if values, ok := e.env[x.Name]; ok {
			return values
		}
		return p.identifier(e.file, e.at, x.Name)
	case extract.ExprMember:
		return e.member(x)
	case extract.ExprStatic:
		return e.static(x)
	case extract.ExprNew, extract.ExprTyped:
		why := "declared type"
		if x.Kind == extract.ExprNew {
			why = "new object"
		}
		return p.typeValues(e.file, e.at, x.Type, why)
	case extract.ExprElem:
		var values []value
		for _, v := range e.expr(x.X) {
			values = join(values, p.element(v))
		}
		return values
	case extract.ExprEither:
		return join(e.expr(x.X), e.expr(x.Index))
	case extract.ExprName:
		return e.functionNamed(x.Name)
	case extract.ExprCall:
		return e.result(x.X, 0)
	case extract.ExprResult:
		if x.X >= 0 && e.body.Exprs[x.X].Kind == extract.ExprCall {
			return e.result(e.body.Exprs[x.X].X, int(x.Index))
		}
	}
	return nil
}

// result is what a call of an expression returns, result number i of it.
func (e *evaluator) result(callee int32, i int) []value {
	var values []value
	for _, v := range e.expr(callee) {
		switch v.kind {
		case aFunction:
			values = join(values, weaken(e.p.numbered(v, i), v.weak))
		case aClass: // a conversion, or a language that makes objects by calling types
			values = join(values, []value{{kind: anObject, symbol: v.symbol, weak: v.weak, why: "new object"}})
		case aType:
			values = join(values, weaken(e.p.typeValues(v.file, v.receiver, v.typ.Returns(), "function type"), v.weak))
		case anObject:
			if d := e.p.def(v.symbol); d.Form == "alias" {
				values = join(values, e.p.typeValues(e.p.fileOf[v.symbol], v.symbol, d.Type.Returns(), "function type"))
			}
		case outside:
			values = join(values, []value{{kind: outside, symbol: none}})
		}
	}
	return values
}

// numbered is result number i of a function.
func (p *program) numbered(v value, i int) []value {
	d := p.def(v.symbol)
	if strings.IndexByte(string(d.Type), ',') < 0 {
		if i > 0 {
			return nil
		}
		return p.resultOf(v.symbol, v.receiver)
	}
	return p.typeValues(p.fileOf[v.symbol], v.symbol, d.Type.Result(i), "return type")
}

// functionNamed finds a function by its full name; one that is in no namespace
// stands in for one that is not in the namespace named.
func (e *evaluator) functionNamed(name string) []value {
	p := e.p
	family := e.lang.Family()
	for _, key := range []string{strings.ToLower(name), strings.ToLower(lastPart(name))} {
		var values []value
		for _, s := range p.nearest(e.file, p.functions[nameKey{family, key}]) {
			if isFunction(p.def(s)) {
				values = append(values, value{kind: aFunction, symbol: s, receiver: none, why: "name"})
			}
		}
		if len(values) > 0 {
			return values
		}
	}
	return []value{{kind: outside, symbol: none}}
}

// static is a member of a type that is named.
func (e *evaluator) static(x extract.Expr) []value {
	p := e.p
	name, _ := x.Type.Name()
	found, weak := p.typeNamed(e.file, e.at, name)
	if len(found) == 0 {
		if values := p.inNamespace(e.file, name, x.Name); len(values) > 0 {
			return values
		}
		return []value{{kind: outside, symbol: none}}
	}
	var values []value
	for _, t := range found {
		why := "class named"
		receiver := t
		switch name {
		case phpSelf, phpStatic:
			why = "own class"
		case phpParent:
			why = "base"
			if own := p.enclosing(e.at); len(own) > 0 {
				receiver = own[0]
			}
		}
		values = join(values, p.memberValues(t, x.Name, weak, receiver, why))
	}
	return values
}

// inNamespace finds a function by the namespace or module before it: one that is
// in a definition of that name, or in a file or folder of that name.
func (p *program) inNamespace(file int32, namespace, name string) []value {
	f := p.files[file]
	if f.Lang == syntax.PHP || f.Lang == syntax.Go {
		return nil
	}
	module := lastPart(namespace)
	if t, ok := p.scopes[file].names[module]; ok && !t.outside() {
		return p.moduleMember(file, t, name)
	}
	var kept []symbol
	for _, s := range p.functions[nameKey{f.Lang.Family(), name}] {
		d := p.def(s)
		if strings.HasSuffix(d.Qualified, module+"::"+name) || f.Lang == syntax.Rust && p.modules.inRustModule(s, module) {
			kept = append(kept, s)
		}
	}
	return p.namedValues(p.nearest(file, kept), sure, "namespace")
}

// member is a member of what an expression may be.
func (e *evaluator) member(x extract.Expr) []value {
	p := e.p
	if name, ok := strings.CutPrefix(x.Name, "$"); ok && x.X >= 0 && e.body.Exprs[x.X].Kind == extract.ExprThis {
		if values, known := e.env["->"+name]; known && len(values) > 0 {
			if declared := p.declaredField(e.at, x.Name); len(declared) == 0 {
				return weaken(values, inferred)
			}
		}
	}
	var values []value
	for _, v := range e.expr(x.X) {
		switch v.kind {
		case anObject, aClass:
			values = join(values, p.memberValues(v.symbol, x.Name, v.weak, v.symbol, v.why))
		case aModule:
			values = join(values, p.moduleMember(e.file, v.module, x.Name))
		case outside:
			values = join(values, []value{{kind: outside, symbol: none}})
		}
	}
	return values
}

// declaredField is what the declaration of a field of one's own class says.
func (p *program) declaredField(at symbol, name string) []value {
	var values []value
	for _, t := range p.enclosing(at) {
		values = join(values, p.memberValues(t, name, sure, t, ""))
	}
	return values
}

// memberValues are the values of a member of a type: a method itself, or what a
// field holds. A member that is not there is outside when a base is.
func (p *program) memberValues(t symbol, name string, weak strength, receiver symbol, why string) []value {
	found, known := p.member(t, name)
	if len(found) == 0 {
		if magic, ok := p.magic(t, name); ok {
			return weaken(magic, weak)
		}
		if !known {
			return []value{{kind: outside, symbol: none}}
		}
		return nil
	}
	var values []value
	for _, m := range p.nearest(p.fileOf[t], found) {
		d := p.def(m)
		if isFunction(d) {
			values = append(values, value{kind: aFunction, weak: weak, symbol: m, receiver: receiver, why: why})
			continue
		}
		if d.Kind == graph.Type {
			values = append(values, value{kind: aClass, weak: weak, symbol: m, why: why})
			continue
		}
		values = join(values, weaken(p.typeValues(p.fileOf[m], m, d.Type, "field type"), weak))
	}
	return values
}

// magic finds members that only the comment of a PHP class declares.
func (p *program) magic(t symbol, name string) (values []value, ok bool) {
	if p.lang(t) != syntax.PHP {
		return nil, false
	}
	p.ancestors(t, func(s symbol) bool {
		for _, param := range p.def(s).Params {
			if param.Name != name && !strings.EqualFold(param.Name, name) {
				continue
			}
			ok = true
			if strings.HasPrefix(name, "$") {
				values = p.typeValues(p.fileOf[s], s, param.Type, "property of a comment")
			}
			return false
		}
		return true
	})
	return values, ok
}

// identifier is what a bare name means outside of variables.
func (p *program) identifier(file int32, at symbol, name string) []value {
	f := p.files[file]
	switch f.Lang {
	case syntax.PHP:
		return nil
	case syntax.Go:
		if t, ok := p.scopes[file].names[name]; ok {
			return []value{{kind: aModule, symbol: none, module: t, why: "import"}}
		}
		values := p.namedValues(p.goNamed(file, name, p.functions), sure, "package scope")
		return append(values, p.namedValues(p.goNamed(file, name, p.types), sure, "package scope")...)
	}
	return p.genericIdentifier(file, at, name)
}

// namedValues are the values of definitions that are named.
func (p *program) namedValues(found []symbol, weak strength, why string) []value {
	var values []value
	for _, s := range found {
		switch d := p.def(s); {
		case isFunction(d):
			values = append(values, value{kind: aFunction, weak: weak, symbol: s, receiver: none, why: why})
		case d.Kind == graph.Type:
			values = append(values, value{kind: aClass, weak: weak, symbol: s, why: why})
		default:
			if held := p.typeValues(p.fileOf[s], s, d.Type, why); len(held) > 0 {
				values = join(values, weaken(held, weak))
			} else {
				values = append(values, value{kind: aClass, weak: weak, symbol: s, why: why})
			}
		}
	}
	return values
}

// moduleMember is a name of what an import leads to.
func (p *program) moduleMember(file int32, t target, name string) []value {
	if t.isDir {
		key := nameKey{"go", goKey(t.dir, p.modules.goPackage[t.dir], name)}
		return append(p.namedValues(p.functions[key], sure, "import"), p.namedValues(p.types[key], sure, "import")...)
	}
	if t.outside() {
		return []value{{kind: outside, symbol: none}}
	}
	var values []value
	for _, s := range t.symbols {
		values = join(values, p.memberValues(s, name, sure, s, "import"))
	}
	if len(t.files) > 0 {
		found := p.modules.topLevel(t.files, name)
		values = join(values, p.namedValues(p.nearest(file, found), sure, "import"))
	}
	return values
}

// genericIdentifier finds a name in the definitions around it, of the file, by
// import, and by place.
func (p *program) genericIdentifier(file int32, at symbol, name string) []value {
	f := p.files[file]
	for outer := at; outer != none; {
		d := p.def(outer)
		if d.Kind == graph.Type {
			implicit := f.Lang == syntax.Java || f.Lang.Family() == "c" || f.Lang == syntax.Ruby
			if found, _ := p.member(outer, name); len(found) > 0 && implicit {
				return p.memberValues(outer, name, sure, outer, "own class")
			}
		}
		if p.owner[outer] != none {
			if found, _ := p.member(p.owner[outer], name); len(found) > 0 && f.Lang.Family() == "c" {
				return p.memberValues(p.owner[outer], name, sure, p.owner[outer], "own class")
			}
		}
		if found := p.nested(outer, name); len(found) > 0 {
			return p.namedValues(found, sure, "scope")
		}
		if d.Parent < 0 {
			break
		}
		outer = p.first[file] + d.Parent
	}
	if t, ok := p.scopes[file].names[name]; ok {
		if len(t.symbols) > 0 {
			return p.namedValues(t.symbols, sure, "import")
		}
		return []value{{kind: aModule, symbol: none, module: t, why: "import"}}
	}
	var found []symbol
	family := f.Lang.Family()
	found = append(found, p.functions[nameKey{family, name}]...)
	if f.Lang == syntax.Java {
		return p.namedValues(p.javaType(file, at, name), sure, "scope")
	}
	found = append(found, p.types[nameKey{family, name}]...)
	kept, weak := p.byPlace(file, found)
	if weak >= inferred && isBuiltin(f.Lang, name) {
		return []value{{kind: outside, symbol: none}}
	}
	return p.namedValues(kept, weak, "name")
}

// nested finds what a definition defines inside of itself.
func (p *program) nested(outer symbol, name string) []symbol {
	file := p.fileOf[outer]
	f := p.files[file]
	if !isFunction(p.def(outer)) && p.def(outer).Kind != graph.Package {
		return nil
	}
	for s := outer + 1; s < p.first[file+1]; s++ {
		d := &f.Defs[s-p.first[file]]
		if d.EndLine > p.def(outer).EndLine {
			break
		}
		if p.first[file]+d.Parent == outer && d.Parent >= 0 && d.Name == name {
			return []symbol{s}
		}
	}
	return nil
}
