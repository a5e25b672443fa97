package extract

import (
	"sortedheap/internal/syntax"
)

// goStatement handles what gives variables their types, and branches.
func goStatement(w *walker, n syntax.NodeID) bool {
	t := w.t
	switch t.Kind(n) {
	case "short_var_declaration":
		w.walk(t.Child(n, "right"))
		goAssign(w, t.Child(n, "left"), t.Child(n, "right"), w.declare)
		return true
	case "assignment_statement":
		w.walk(t.Child(n, "right"))
		w.walk(t.Child(n, "left"))
		goAssign(w, t.Child(n, "left"), t.Child(n, "right"), w.assign)
		return true
	case "var_spec":
		w.children(n)
		goVar(w, n)
		return true
	case "range_clause":
		w.walk(t.Child(n, "right"))
		goRange(w, n)
		return true
	case "type_switch_statement":
		goTypeSwitch(w, n)
		return true
	case "receive_statement":
		w.walk(t.Child(n, "right"))
		if left := firstNamed(t, t.Child(n, "left")); t.Kind(left) == "identifier" {
			w.declare(t.Text(left), w.expr(t.Child(n, "right")), left)
		}
		return true
	case "block", "if_statement", "for_statement", "expression_case", "communication_case", "default_case":
		w.inBranch(n)
		return true
	}
	return false
}

// goAssign pairs the left with the right side, or with the results of one call.
func goAssign(w *walker, left, right syntax.NodeID, assign func(string, int32, syntax.NodeID)) {
	t := w.t
	var values []syntax.NodeID
	for c := range t.Children(right) {
		values = append(values, c)
	}
	i := 0
	for c := range t.Children(left) {
		name := ""
		if t.Kind(c) == "identifier" {
			name = t.Text(c)
		}
		e := int32(-1)
		switch {
		case len(values) == 1 && i == 0:
			e = w.expr(values[0])
			if e >= 0 && t.Next(c) != syntax.None && w.body.out.Exprs[e].Kind == ExprCall {
				e = w.body.add(Expr{Kind: ExprResult, X: e})
			}
		case len(values) == 1:
			if call := w.expr(values[0]); call >= 0 && w.body.out.Exprs[call].Kind == ExprCall {
				e = w.body.add(Expr{Kind: ExprResult, X: call, Index: int32(i)})
			}
		case i < len(values):
			e = w.expr(values[i])
		}
		assign(name, e, c)
		i++
	}
}

func goVar(w *walker, n syntax.NodeID) {
	t := w.t
	kind := goType(t, t.Child(n, "type"))
	if kind == "" && t.Child(n, "value") != syntax.None {
		// The names are children of the node itself, one of them for each value.
		var names []syntax.NodeID
		for c := range t.Children(n) {
			if t.Field(c) == "name" {
				names = append(names, c)
			}
		}
		value := t.First(t.Child(n, "value"))
		for i, name := range names {
			e := w.expr(value)
			switch {
			case len(names) > 1 && t.Next(t.First(t.Child(n, "value"))) == syntax.None:
				if e >= 0 {
					e = w.body.add(Expr{Kind: ExprResult, X: e, Index: int32(i)})
				}
			case value != syntax.None:
				value = t.Next(value)
			}
			w.declare(t.Text(name), e, name)
		}
		return
	}
	for c := range t.Children(n) {
		if t.Field(c) == "name" {
			w.declare(t.Text(c), w.typed(kind), c)
		}
	}
}

func goRange(w *walker, n syntax.NodeID) {
	t := w.t
	over := w.expr(t.Child(n, "right"))
	i := 0
	for c := range t.Children(t.Child(n, "left")) {
		e := int32(-1)
		// The second variable holds the element; of a channel or an iterator of one
		// value it is the first.
		if over >= 0 && (i == 1 || t.Next(c) == syntax.None) {
			e = w.body.add(Expr{Kind: ExprElem, X: over})
		}
		if t.Kind(c) == "identifier" {
			w.declare(t.Text(c), e, c)
		}
		i++
	}
}

func goTypeSwitch(w *walker, n syntax.NodeID) {
	t := w.t
	name := t.Text(firstNamed(t, t.Child(n, "alias")))
	w.walk(t.Child(n, "initializer"))
	w.walk(t.Child(n, "value"))
	for c := range t.Children(n) {
		if t.Kind(c) != "type_case" && t.Kind(c) != "default_case" {
			continue
		}
		var kinds []Type
		for k := range t.Children(c) {
			if t.Field(k) == "type" {
				kinds = append(kinds, goType(t, k))
			}
		}
		ops := &w.body.out.Ops
		*ops = append(*ops, Op{Kind: OpBranch, Expr: -1})
		if name != "" {
			e := w.typed(union(kinds))
			if len(kinds) == 0 {
				e = w.expr(t.Child(n, "value"))
			}
			w.declare(name, e, c)
		}
		w.children(c)
		*ops = append(*ops, Op{Kind: OpJoin, Expr: -1})
	}
}

func goExpr(w *walker, n syntax.NodeID) int32 {
	t, b := w.t, w.body
	switch t.Kind(n) {
	case "identifier":
		return b.add(Expr{Kind: ExprVar, Name: t.Text(n), X: -1})
	case "selector_expression":
		x := w.expr(t.Child(n, "operand"))
		return b.add(Expr{Kind: ExprMember, Name: t.Text(t.Child(n, "field")), X: x})
	case "call_expression":
		return goCallExpr(w, n)
	case "composite_literal", "type_assertion_expression", "type_conversion_expression":
		return w.typed(goType(t, t.Child(n, "type")))
	case "func_literal":
		return w.typed("()" + goResults(t, t.Child(n, "result")).First())
	case "unary_expression":
		x := w.expr(t.Child(n, "operand"))
		if start, _ := t.Span(n); x >= 0 && t.Source()[start] == '<' {
			return b.add(Expr{Kind: ExprElem, X: x})
		}
		return x
	case "index_expression":
		x := w.expr(t.Child(n, "operand"))
		if x < 0 {
			return -1
		}
		return b.add(Expr{Kind: ExprElem, X: x})
	case "slice_expression":
		return w.expr(t.Child(n, "operand"))
	case "parenthesized_expression", "expression_list", "literal_element":
		return w.expr(firstNamed(t, n))
	}
	return -1
}

func goCallExpr(w *walker, n syntax.NodeID) int32 {
	t := w.t
	function, arguments := t.Child(n, "function"), t.Child(n, "arguments")
	if t.Kind(function) == "identifier" {
		switch t.Text(function) {
		case "new", "make":
			return w.typed(goType(t, firstNamed(t, arguments)))
		case "append":
			return w.expr(firstNamed(t, arguments))
		}
	}
	x := w.expr(function)
	if x < 0 {
		return -1
	}
	return w.body.add(Expr{Kind: ExprCall, X: x})
}
