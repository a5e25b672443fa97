package extract

import (
	"strings"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/syntax"
)

// phpStatement handles what gives variables their types, and branches.
func phpStatement(w *walker, n syntax.NodeID) bool {
	t := w.t
	switch t.Kind(n) {
	case "assignment_expression", "reference_assignment_expression":
		w.walk(t.Child(n, "right"))
		left := t.Child(n, "left")
		w.walk(left)
		phpAssign(w, left, w.expr(t.Child(n, "right")))
		return true
	case "augmented_assignment_expression":
		// $x ??= new Foo
		w.children(n)
		if left := t.Child(n, "left"); t.Kind(left) == "variable_name" {
			if e := w.expr(t.Child(n, "right")); e >= 0 {
				before := w.body.add(Expr{Kind: ExprVar, Name: phpVariable(t, left), X: -1})
				w.assign(phpVariable(t, left), w.body.add(Expr{Kind: ExprEither, X: before, Index: e}), left)
			}
		}
		return true
	case "foreach_statement":
		phpForeach(w, n)
		return true
	case "catch_clause":
		w.walk(t.Child(n, "type"))
		w.assign(phpVariable(t, t.Child(n, "name")), w.typed(phpType(w, t.Child(n, "type"))), n)
		w.walk(t.Child(n, "body"))
		return true
	case "anonymous_function", "anonymous_function_creation_expression", "arrow_function":
		phpParams(t, n, func(p, name syntax.NodeID) {
			w.declare(phpVariable(t, name), w.typed(phpParamType(w, p, name, nil)), p)
		})
		w.children(n)
		return true
	case "binary_expression":
		phpInstanceof(w, n)
		return true
	case "if_statement", "else_clause", "else_if_clause", "while_statement", "do_statement", "for_statement", "try_statement",
		"case_statement", "default_statement", "finally_clause", "conditional_expression", "match_conditional_expression":
		w.inBranch(n)
		return true
	case "compound_statement":
		switch t.Kind(t.Parent(n)) {
		case "if_statement", "while_statement", "do_statement", "for_statement", "foreach_statement", "try_statement", "catch_clause":
			w.inBranch(n)
			return true
		}
	}
	return false
}

// phpAssign gives a variable, or the variables of a list, the type of an
// expression. A property whose type nothing says gets one from what its class
// assigns to it.
func phpAssign(w *walker, left syntax.NodeID, e int32) {
	t := w.t
	switch t.Kind(left) {
	case "variable_name":
		w.assign(phpVariable(t, left), e, left)
	case "member_access_expression":
		if t.Text(t.Child(left, "object")) == "$this" {
			w.assign("->"+t.Text(t.Child(left, "name")), e, left)
		}
	case "scoped_property_access_expression":
		if scope := t.Text(t.Child(left, "scope")); scope == phpSelf || scope == phpStatic {
			w.assign("->"+phpVariable(t, t.Child(left, "name")), e, left)
		}
	case "list_literal", "array_creation_expression":
		elem := int32(-1)
		if e >= 0 {
			elem = w.body.add(Expr{Kind: ExprElem, X: e})
		}
		t.Within(left, func(c syntax.NodeID) bool {
			if t.Kind(c) == "variable_name" {
				w.assign(phpVariable(t, c), elem, c)
			}
			return t.Kind(c) != "member_access_expression" && t.Kind(c) != "subscript_expression"
		})
	}
}

func phpForeach(w *walker, n syntax.NodeID) {
	t := w.t
	over := syntax.None
	for c := range t.Children(n) {
		if !t.Named(c) {
			continue
		}
		switch {
		case over == syntax.None:
			over = c
			w.walk(c)
		case t.Field(c) == "body" || strings.HasSuffix(t.Kind(c), "statement") || t.Kind(c) == "colon_block":
			w.walk(c)
		default:
			value := c
			if t.Kind(c) == "pair" {
				for v := range t.Children(c) {
					value = v
				}
			}
			if t.Kind(value) == "by_ref" {
				value = firstNamed(t, value)
			}
			e := w.expr(over)
			if e >= 0 {
				e = w.body.add(Expr{Kind: ExprElem, X: e})
			}
			phpAssign(w, value, e)
		}
	}
}

// phpInstanceof takes a test of a variable's class for its type: it is that, or
// what it was.
func phpInstanceof(w *walker, n syntax.NodeID) {
	t := w.t
	w.children(n)
	left, right := t.Child(n, "left"), t.Child(n, "right")
	if t.ChildOf(n, "instanceof") == syntax.None {
		return
	}
	class := w.scope.class(t.Text(right))
	if kind := t.Kind(right); kind != "name" && kind != "qualified_name" {
		return
	}
	w.ref(graph.References, graph.ContextType, class, "", right)
	if t.Kind(left) == "variable_name" && t.Text(left) != "$this" {
		w.assign(phpVariable(t, left), w.typed(Type(class)), left)
	}
}

// phpInlineVar reads a comment such as /** @var Foo $x */ among statements.
func phpInlineVar(w *walker, n syntax.NodeID) {
	if !strings.Contains(w.t.Text(n), "@var") {
		return
	}
	for _, tag := range phpTags(&w.scope, w.t.Text(n)) {
		if tag.tag == "var" && tag.name != "" {
			// The comment may stand before the assignment that it is about.
			w.body.out.Ops = append(w.body.out.Ops, Op{Kind: OpPin, Var: tag.name, Expr: w.typed(tag.kind), Line: int32(w.t.Line(n))})
		}
	}
}

func phpExpr(w *walker, n syntax.NodeID) int32 {
	t, b := w.t, w.body
	switch t.Kind(n) {
	case "variable_name":
		if t.Text(n) == "$this" {
			return b.add(Expr{Kind: ExprThis, X: -1})
		}
		return b.add(Expr{Kind: ExprVar, Name: phpVariable(t, n), X: -1})
	case "member_access_expression", "nullsafe_member_access_expression":
		return phpMember(w, n, "$")
	case "member_call_expression", "nullsafe_member_call_expression":
		if x := phpMember(w, n, ""); x >= 0 {
			return b.add(Expr{Kind: ExprCall, X: x})
		}
	case "scoped_call_expression":
		return phpScopedCall(w, n)
	case "scoped_property_access_expression":
		return b.add(Expr{Kind: ExprStatic, Type: phpScopeType(w, t.Child(n, "scope")), Name: "$" + phpVariable(t, t.Child(n, "name")), X: -1})
	case "function_call_expression":
		function := t.Child(n, "function")
		switch t.Kind(function) {
		case "name", "qualified_name":
			x := b.add(Expr{Kind: ExprName, Name: w.scope.function(t.Text(function)), X: -1})
			return b.add(Expr{Kind: ExprCall, X: x})
		}
		if x := w.expr(function); x >= 0 {
			return b.add(Expr{Kind: ExprCall, X: x})
		}
	case "object_creation_expression":
		if class := t.ChildOf(n, "name", "qualified_name", "relative_scope"); class != syntax.None {
			return b.add(Expr{Kind: ExprNew, Type: Type(w.scope.class(t.Text(class))), X: -1})
		}
	case "assignment_expression":
		return w.expr(t.Child(n, "right"))
	case "parenthesized_expression", "clone_expression", "argument":
		return w.expr(firstNamed(t, n))
	case "subscript_expression":
		if x := w.expr(firstNamed(t, n)); x >= 0 {
			return b.add(Expr{Kind: ExprElem, X: x})
		}
	case "conditional_expression":
		return phpEither(w, t.Child(n, "body"), t.Child(n, "alternative"))
	case "binary_expression":
		return phpEither(w, t.Child(n, "left"), t.Child(n, "right"))
	}
	return -1
}

func phpEither(w *walker, left, right syntax.NodeID) int32 {
	x, y := w.expr(left), w.expr(right)
	if x < 0 || y < 0 {
		return max(x, y)
	}
	return w.body.add(Expr{Kind: ExprEither, X: x, Index: y})
}

// phpMember builds object->name; properties carry a dollar so that they are not
// taken for methods.
func phpMember(w *walker, n syntax.NodeID, mark string) int32 {
	name := w.t.Child(n, "name")
	if w.t.Kind(name) != "name" {
		return -1 // a computed name
	}
	return w.body.add(Expr{Kind: ExprMember, Name: mark + w.t.Text(name), X: w.expr(w.t.Child(n, "object"))})
}

func phpScopeType(w *walker, scope syntax.NodeID) Type {
	switch w.t.Kind(scope) {
	case "name", "qualified_name", "relative_scope":
		return Type(w.scope.class(w.t.Text(scope)))
	default:
		return ""
	}
}

func phpScopedCall(w *walker, n syntax.NodeID) int32 {
	t, b := w.t, w.body
	if t.Kind(t.Child(n, "name")) != "name" {
		return -1
	}
	name := t.Text(t.Child(n, "name"))
	scope := t.Child(n, "scope")
	var x int32
	if class := phpScopeType(w, scope); class != "" {
		x = b.add(Expr{Kind: ExprStatic, Type: class, Name: name, X: -1})
	} else {
		x = b.add(Expr{Kind: ExprMember, Name: name, X: w.expr(scope)})
	}
	return b.add(Expr{Kind: ExprCall, X: x})
}
