package extract

import (
	"strings"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/syntax"
)

// rules say what the nodes of a grammar mean, by their kinds. Fields of nodes are
// named in the order of the comment.
type rules struct {
	calls    map[string][2]string // function; or object and name
	members  map[string][2]string // object, name
	scoped   map[string][2]string // type or module, name
	news     map[string]string    // type
	assigns  map[string][2]string // left, right
	declares map[string][3]string // name, type, value
	loops    map[string][2]string // variable, what is gone over
	params   map[string][2]string // name, type
	names    string               // kinds of identifiers, between spaces
	this     string               // kinds that are the object itself
	super    string
	unwrap   string // kinds that are what is in them
	branches string
	typeRefs string // kinds that name a type
	result   string // field of a function's result type
	self     string // identifier that is the object itself
	define   func(w *walker, r *rules, d *Def, n syntax.NodeID)
}

func has(list, kind string) bool { return kind != "" && strings.Contains(list, " "+kind+" ") }

func genericLanguage(l syntax.Language) language {
	r := rulesOf(l)
	return language{
		define: func(w *walker, d *Def, n syntax.NodeID) { r.complete(w, d, n) },
		enter:  func(w *walker, d *Def, n syntax.NodeID) { r.enter(w, n) },
		visit:  r.visit,
		expr:   r.expr,
	}
}

// complete adds types, parameters and bases to a definition.
func (r *rules) complete(w *walker, d *Def, n syntax.NodeID) {
	t := w.t
	if isCallable(d.Kind) {
		d.Type = r.typ(w, t.Child(n, r.result))
		r.eachParam(w, n, func(name, kind syntax.NodeID) {
			d.Params = append(d.Params, Param{Name: r.plainName(w, name), Type: r.typ(w, kind)})
		})
	} else if d.Kind == graph.Field || d.Kind == graph.Const {
		d.Type = r.typ(w, t.Child(n, "type"))
		if value := t.Child(n, "value"); d.Type == "" && value != syntax.None {
			d.Type = r.made(w, value)
		}
		if right := t.Child(n, "right"); d.Type == "" && right != syntax.None {
			d.Type = r.made(w, right)
		}
	}
	if r.define != nil {
		r.define(w, r, d, n)
	}
}

func isCallable(k graph.Kind) bool { return k == graph.Function || k == graph.Method }

// made is the type of an object that an expression plainly makes.
func (r *rules) made(w *walker, n syntax.NodeID) Type {
	if field, ok := r.news[w.t.Kind(n)]; ok {
		return r.typ(w, w.t.Child(n, field)).Commented()
	}
	return ""
}

// eachParam calls each with the name and type of every parameter of a function.
func (r *rules) eachParam(w *walker, n syntax.NodeID, each func(name, kind syntax.NodeID)) {
	t := w.t
	list := t.Child(n, "parameters")
	if list == syntax.None {
		t.Within(n, func(c syntax.NodeID) bool {
			if list == syntax.None && t.Field(c) == "parameters" {
				list = c
			}
			return list == syntax.None && t.Field(c) != "body"
		})
	}
	for c := range t.Children(list) {
		if fields, ok := r.params[t.Kind(c)]; ok {
			name := t.Child(c, fields[0])
			if fields[0] == "" {
				name = firstNamed(t, c)
			}
			each(name, t.Child(c, fields[1]))
		} else if has(r.names, t.Kind(c)) {
			each(c, syntax.None)
		}
	}
}

// plainName is the name of a variable that a pattern or declarator binds, "" for
// one that takes things apart.
func (r *rules) plainName(w *walker, n syntax.NodeID) string {
	t := w.t
	for depth := 0; n != syntax.None && depth < 5; depth++ {
		if has(r.names, t.Kind(n)) {
			return t.Text(n)
		}
		switch t.Kind(n) {
		case "pointer_declarator", "reference_declarator", "init_declarator", "array_declarator", "function_declarator":
			if d := t.Child(n, "declarator"); d != syntax.None {
				n = d
				continue
			}
			n = firstNamed(t, n)
		case "mut_pattern", "ref_pattern", "parenthesized_declarator":
			next := syntax.None
			for c := range t.Children(n) {
				if t.Named(c) {
					next = c
				}
			}
			n = next
		default:
			return ""
		}
	}
	return ""
}

func (r *rules) enter(w *walker, n syntax.NodeID) {
	r.eachParam(w, n, func(name, kind syntax.NodeID) {
		if text := r.plainName(w, name); text != r.self {
			w.declare(text, w.typed(r.typ(w, kind)), name)
		}
	})
}

func (r *rules) visit(w *walker, n syntax.NodeID) bool {
	t := w.t
	kind := t.Kind(n)
	if fields, ok := r.calls[kind]; ok {
		r.call(w, n, fields)
		return true
	}
	if field, ok := r.news[kind]; ok {
		if name, _ := r.typ(w, t.Child(n, field)).Name(); name != "" {
			w.ref(graph.Instantiates, graph.ContextNew, name, "", n)
			w.call(OpCall, w.expr(n), n)
		}
		for c := range t.Children(n) {
			if t.Field(c) != field {
				w.walk(c)
			}
		}
		return true
	}
	if fields, ok := r.assigns[kind]; ok {
		w.walk(t.Child(n, fields[1]))
		left := t.Child(n, fields[0])
		w.walk(left)
		r.assign(w, left, w.expr(t.Child(n, fields[1])), false)
		return true
	}
	if fields, ok := r.declares[kind]; ok {
		w.children(n)
		r.declare(w, n, fields)
		return true
	}
	if fields, ok := r.loops[kind]; ok {
		r.loop(w, n, fields)
		return true
	}
	if has(r.branches, kind) {
		w.inBranch(n)
		return true
	}
	return r.mention(w, n)
}

// mention records types that are named and functions given to others.
func (r *rules) mention(w *walker, n syntax.NodeID) bool {
	t := w.t
	kind := t.Kind(n)
	if has(r.typeRefs, kind) && t.Field(n) != "name" {
		if name, _ := r.typ(w, n).Name(); name != "" {
			w.ref(graph.References, r.typeContext(w, n), name, "", n)
		}
		return kind == "type_identifier"
	}
	if has(r.names, kind) || r.members[kind][1] != "" {
		switch parent := t.Kind(t.Parent(n)); parent {
		case "body_statement", "then", "else", "block_body", "program":
			// Ruby calls a method without a mark where it is a statement.
			if t.Lang == syntax.Ruby && kind == "identifier" {
				w.call(OpCall, w.body.add(Expr{Kind: ExprCall, X: w.expr(n)}), n)
			}
		case "arguments", "argument_list", "argument", "keyword_argument", "pair", "array", "list":
			if t.Field(t.Parent(n)) == "superclasses" {
				return true
			}
			w.call(OpValue, w.expr(n), n)
		}
	}
	return false
}

// typeContext says where a type stands: in a parameter, a result, a field.
func (r *rules) typeContext(w *walker, n syntax.NodeID) string {
	t := w.t
	for depth, c := 0, n; depth < 6 && c != syntax.None; depth, c = depth+1, t.Parent(c) {
		p := t.Parent(c)
		if r.result != "" && t.Field(c) == r.result && t.Child(p, "parameters") != syntax.None {
			return graph.ContextReturnType
		}
		if _, ok := r.params[t.Kind(c)]; ok {
			return graph.ContextParameterType
		}
		switch t.Kind(c) {
		case "field_declaration", "public_field_definition", "property_signature":
			return graph.ContextField
		case "type_arguments", "template_argument_list":
			return graph.ContextGenericArg
		}
	}
	return graph.ContextType
}

func (r *rules) call(w *walker, n syntax.NodeID, fields [2]string) {
	t := w.t
	at := n
	for c := range t.Children(n) {
		switch {
		case t.Field(c) == fields[0] && fields[1] == "" && has(r.names, t.Kind(c)):
			at = c
		case t.Field(c) == fields[0] && fields[1] == "":
			// The receiver is walked, the name called is not a value.
			if m, ok := r.members[t.Kind(c)]; ok {
				at = t.Child(c, m[1])
				w.walk(t.Child(c, m[0]))
			} else if _, ok := r.scoped[t.Kind(c)]; !ok {
				w.walk(c)
			}
		case t.Field(c) == fields[1] && fields[1] != "":
			at = c
		default:
			w.walk(c)
		}
	}
	if at == syntax.None {
		at = n
	}
	e := w.expr(n)
	if e >= 0 && w.body.out.Exprs[e].Kind == ExprNew {
		w.ref(graph.Instantiates, graph.ContextNew, string(w.body.out.Exprs[e].Type), "", n)
	}
	w.call(OpCall, e, at)
}

// assign gives a variable, or a field of the object itself, a type.
func (r *rules) assign(w *walker, left syntax.NodeID, e int32, fresh bool) {
	t := w.t
	if name := r.plainName(w, left); name != "" {
		if fresh {
			w.declare(name, e, left)
		} else {
			w.assign(name, e, left)
		}
		return
	}
	if m, ok := r.members[t.Kind(left)]; ok && r.isThis(w, t.Child(left, m[0])) {
		name := t.Text(t.Child(left, m[1]))
		r.field(w, name, left)
		w.assign("->"+name, e, left)
	} else if t.Kind(left) == "instance_variable" {
		r.field(w, t.Text(left), left)
		w.assign("->"+t.Text(left), e, left)
	}
}

// field adds a field that only an assignment to the object itself tells of.
func (r *rules) field(w *walker, name string, n syntax.NodeID) {
	class := w.body.def
	for class >= 0 && w.f.Defs[class].Kind != graph.Type {
		class = w.f.Defs[class].Parent
	}
	if class < 0 || name == "" {
		return
	}
	for i := range w.f.Defs {
		if d := &w.f.Defs[i]; d.Parent == class && d.Name == name {
			return
		}
	}
	line := int32(w.t.Line(n))
	w.f.Defs = append(w.f.Defs, Def{
		Kind: graph.Field, Form: "field", Name: name, Qualified: w.f.Defs[class].Qualified + "." + name, Parent: class, Line: line, EndLine: line,
		Test: w.f.Defs[class].Test,
	})
}

func (r *rules) declare(w *walker, n syntax.NodeID, fields [3]string) {
	t := w.t
	if t.Kind(t.Child(n, fields[0])) == "init_declarator" {
		return // which was seen as one
	}
	kind := r.typ(w, t.Child(n, fields[1]))
	if kind == "" {
		kind = r.typ(w, t.Child(t.Parent(n), fields[1]))
	}
	e := w.typed(kind)
	if value := t.Child(n, fields[2]); value != syntax.None && (kind == "" || kind == "auto" || kind == "var") {
		e = w.expr(value)
	}
	if name := t.Child(n, fields[0]); name != syntax.None {
		// Python has no variables of blocks.
		r.assign(w, name, e, t.Lang != syntax.Python)
	}
}

func (r *rules) loop(w *walker, n syntax.NodeID, fields [2]string) {
	t := w.t
	over := t.Child(n, fields[1])
	w.walk(over)
	e := w.typed(r.typ(w, t.Child(n, "type")))
	if e < 0 {
		if x := w.expr(over); x >= 0 {
			e = w.body.add(Expr{Kind: ExprElem, X: x})
		}
	}
	r.assign(w, t.Child(n, fields[0]), e, true)
	for c := range t.Children(n) {
		if c != over {
			w.walk(c)
		}
	}
}

func (r *rules) isThis(w *walker, n syntax.NodeID) bool {
	return has(r.this, w.t.Kind(n)) || r.self != "" && w.t.Text(n) == r.self
}

func (r *rules) expr(w *walker, n syntax.NodeID) int32 {
	t, b := w.t, w.body
	kind := t.Kind(n)
	switch {
	case r.isThis(w, n):
		return b.add(Expr{Kind: ExprThis, X: -1})
	case has(r.super, kind):
		return b.add(Expr{Kind: ExprSuper, X: -1})
	case has(r.names, kind):
		return b.add(Expr{Kind: ExprVar, Name: clip(t.Text(n)), X: -1})
	case kind == "instance_variable":
		this := b.add(Expr{Kind: ExprThis, X: -1})
		return b.add(Expr{Kind: ExprMember, Name: t.Text(n), X: this})
	case has(r.unwrap, kind):
		return w.expr(firstNamed(t, n))
	case kind == "cast_expression" || kind == "as_expression" || kind == "type_cast_expression":
		return w.typed(r.typ(w, t.Child(n, "type")))
	}
	if fields, ok := r.calls[kind]; ok {
		return r.callExpr(w, n, fields)
	}
	if fields, ok := r.members[kind]; ok {
		return b.add(Expr{Kind: ExprMember, Name: clip(t.Text(t.Child(n, fields[1]))), X: w.expr(t.Child(n, fields[0]))})
	}
	if _, ok := r.scoped[kind]; ok {
		text := strings.Join(strings.Fields(t.Text(n)), "")
		i := strings.LastIndex(text, "::")
		if i < 0 {
			return -1
		}
		scope, _, _ := strings.Cut(text[:i], "<")
		return b.add(Expr{Kind: ExprStatic, Type: Type(clip(strings.TrimPrefix(scope, "::"))), Name: clip(text[i+2:]), X: -1})
	}
	if field, ok := r.news[kind]; ok {
		if name, _ := r.typ(w, t.Child(n, field)).Name(); name != "" {
			return b.add(Expr{Kind: ExprNew, Type: Type(name), X: -1})
		}
	}
	if kind == "subscript_expression" || kind == "subscript" || kind == "index_expression" || kind == "array_access" || kind == "element_reference" {
		if x := w.expr(firstNamed(t, n)); x >= 0 {
			return b.add(Expr{Kind: ExprElem, X: x})
		}
	}
	return -1
}

// maxName is how long a name may be that an expression keeps.
const maxName = 200

func clip(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	if len(s) > maxName {
		return strings.ToValidUTF8(s[:maxName], "")
	}
	return s
}

func (r *rules) callExpr(w *walker, n syntax.NodeID, fields [2]string) int32 {
	t, b := w.t, w.body
	if fields[1] == "" {
		function := t.Child(n, fields[0])
		if r.super != "" && t.Text(function) == "super" && t.Kind(function) != "super" {
			return b.add(Expr{Kind: ExprSuper, X: -1}) // Python's super()
		}
		if x := w.expr(function); x >= 0 {
			return b.add(Expr{Kind: ExprCall, X: x})
		}
		return -1
	}
	object, name := t.Child(n, fields[0]), t.Child(n, fields[1])
	if name == syntax.None {
		return -1
	}
	if w.t.Lang == syntax.Ruby && t.Text(name) == "new" && (t.Kind(object) == "constant" || t.Kind(object) == "scope_resolution") {
		return b.add(Expr{Kind: ExprNew, Type: Type(clip(t.Text(object))), X: -1})
	}
	x := int32(-1)
	if object == syntax.None {
		x = b.add(Expr{Kind: ExprVar, Name: clip(t.Text(name)), X: -1})
	} else {
		x = b.add(Expr{Kind: ExprMember, Name: clip(t.Text(name)), X: w.expr(object)})
	}
	return b.add(Expr{Kind: ExprCall, X: x})
}
