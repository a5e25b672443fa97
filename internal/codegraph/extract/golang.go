package extract

import (
	"strings"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/syntax"
)

func goLanguage() language {
	return language{define: goDefine, enter: goEnter, visit: goVisit, expr: goExpr}
}

// goType reduces a type's node.
func goType(t *syntax.Tree, n syntax.NodeID) Type {
	switch t.Kind(n) {
	case "type_identifier":
		return Type(t.Text(n))
	case "qualified_type":
		return Type(t.Text(t.Child(n, "package")) + "." + t.Text(t.Child(n, "name")))
	case "pointer_type", "parenthesized_type", "type_elem":
		return goType(t, firstNamed(t, n))
	case "generic_type":
		return goType(t, t.Child(n, "type"))
	case "slice_type", "array_type", "implicit_length_array_type":
		return elements(goType(t, t.Child(n, "element")))
	case "map_type", "channel_type":
		return elements(goType(t, t.Child(n, "value")))
	case "function_type":
		return "()" + goResults(t, t.Child(n, "result")).First()
	default:
		return ""
	}
}

func elements(t Type) Type {
	if t == "" {
		return ""
	}
	var out []Type
	for _, alt := range t.Alternatives() {
		out = append(out, "[]"+alt)
	}
	return union(out)
}

// goResults is the type of what a function returns.
func goResults(t *syntax.Tree, n syntax.NodeID) Type {
	if t.Kind(n) != "parameter_list" {
		return goType(t, n)
	}
	var all []string
	for c := range t.Children(n) {
		if t.Kind(c) != "parameter_declaration" {
			continue
		}
		one := string(goType(t, t.Child(c, "type")))
		names := 0
		for name := range t.Children(c) {
			if t.Field(name) == "name" {
				names++
			}
		}
		for range max(names, 1) {
			all = append(all, one)
		}
	}
	return Type(strings.Join(all, ","))
}

// goParams calls each with the names and the type of every parameter.
func goParams(t *syntax.Tree, list syntax.NodeID, each func(name, kind syntax.NodeID, variadic bool)) {
	for c := range t.Children(list) {
		kind := t.Kind(c)
		if kind != "parameter_declaration" && kind != "variadic_parameter_declaration" {
			continue
		}
		named := false
		for name := range t.Children(c) {
			if t.Field(name) == "name" {
				each(name, t.Child(c, "type"), kind != "parameter_declaration")
				named = true
			}
		}
		if !named {
			each(syntax.None, t.Child(c, "type"), kind != "parameter_declaration")
		}
	}
}

func goDefine(w *walker, d *Def, n syntax.NodeID) {
	t := w.t
	switch t.Kind(n) {
	case "function_declaration", "method_declaration", "method_elem":
		d.Type = goResults(t, t.Child(n, "result"))
		d.Shape = goShape(t, n)
		goParams(t, t.Child(n, "parameters"), func(name, kind syntax.NodeID, variadic bool) {
			one := goType(t, kind)
			if variadic {
				one = elements(one)
			}
			d.Params = append(d.Params, Param{Name: t.Text(name), Type: one})
		})
		if strings.HasSuffix(w.f.Path, "_test.go") {
			d.Test = true
		}
	case "field_declaration", "const_spec", "var_spec":
		d.Type = goType(t, t.Child(n, "type"))
		if value := firstNamed(t, t.Child(n, "value")); d.Type == "" && value != syntax.None {
			d.Type = goLiteralType(t, value)
		}
		if t.Kind(n) == "field_declaration" && t.ChildOf(n, "field_identifier") == syntax.None && d.Parent >= 0 {
			goEmbed(w, d, t.Child(n, "type"))
		}
	case "type_spec", "type_alias":
		d.Type = goType(t, t.Child(n, "type"))
		if body := t.Child(n, "type"); t.Kind(body) == "interface_type" {
			for c := range t.Children(body) {
				if t.Kind(c) == "type_elem" && t.Next(t.First(c)) == syntax.None {
					if name, _ := goType(t, c).Name(); name != "" {
						d.Bases = append(d.Bases, Base{Relation: graph.Embeds, Name: name, Line: int32(t.Line(c))})
					}
				}
			}
		}
	}
}

// goEmbed records that a struct takes over the members of a field's type.
func goEmbed(w *walker, d *Def, n syntax.NodeID) {
	if name, _ := goType(w.t, n).Name(); name != "" {
		outer := &w.f.Defs[d.Parent]
		outer.Bases = append(outer.Bases, Base{Relation: graph.Embeds, Name: name, Line: int32(w.t.Line(n))})
	}
}

// goLiteralType is the type of a variable by the form of its value.
func goLiteralType(t *syntax.Tree, n syntax.NodeID) Type {
	switch t.Kind(n) {
	case "unary_expression":
		return goLiteralType(t, t.Child(n, "operand"))
	case "composite_literal", "type_conversion_expression", "type_assertion_expression":
		return goType(t, t.Child(n, "type"))
	default:
		return ""
	}
}

// goShape is the types of parameters and results without names and packages.
func goShape(t *syntax.Tree, n syntax.NodeID) string {
	var b strings.Builder
	goParams(t, t.Child(n, "parameters"), func(_, kind syntax.NodeID, variadic bool) {
		if variadic {
			b.WriteString("...")
		}
		b.WriteString(bareType(t.Text(kind)))
		b.WriteByte(',')
	})
	b.WriteString(")")
	result := t.Child(n, "result")
	if t.Kind(result) == "parameter_list" {
		goParams(t, result, func(_, kind syntax.NodeID, _ bool) {
			b.WriteString(bareType(t.Text(kind)))
			b.WriteByte(',')
		})
	} else if result != syntax.None {
		b.WriteString(bareType(t.Text(result)))
		b.WriteByte(',')
	}
	return b.String()
}

// bareType removes packages and spaces from a type's text.
func bareType(s string) string {
	s = strings.Join(strings.Fields(s), "")
	s = strings.ReplaceAll(s, "interface{}", "any")
	var b strings.Builder
	start := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && (s[i] == '_' || s[i] >= 0x80 || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z' || s[i] >= '0' && s[i] <= '9') {
			continue
		}
		if i < len(s) && s[i] == '.' && i+1 < len(s) && s[i+1] != '.' && start < i {
			start = i + 1
			continue
		}
		b.WriteString(s[start:i])
		if i < len(s) {
			b.WriteByte(s[i])
		}
		start = i + 1
	}
	return b.String()
}

func goEnter(w *walker, _ *Def, n syntax.NodeID) {
	t := w.t
	for _, list := range []string{"receiver", "parameters", "result"} {
		goAssignParams(w, t.Child(n, list))
	}
}

func goAssignParams(w *walker, list syntax.NodeID) {
	goParams(w.t, list, func(name, kind syntax.NodeID, variadic bool) {
		if name == syntax.None {
			return
		}
		one := goType(w.t, kind)
		if variadic {
			one = elements(one)
		}
		w.declare(w.t.Text(name), w.typed(one), name)
	})
}

func goVisit(w *walker, n syntax.NodeID) bool {
	t := w.t
	switch t.Kind(n) {
	case "import_declaration", "package_clause", "comment":
		return true
	case "parameter_list":
		context := graph.ContextParameterType
		if t.Field(n) == "result" {
			context = graph.ContextReturnType
		} else if t.Field(n) == "receiver" {
			return true
		}
		w.typesIn(context, n)
		return true
	case "type_arguments":
		w.typesIn(graph.ContextGenericArg, n)
		return true
	case "type_identifier", "qualified_type":
		goTypeRef(w, n)
		return true
	case "field_declaration":
		w.typesIn(graph.ContextField, n)
		return true
	case "func_literal":
		goAssignParams(w, t.Child(n, "parameters"))
		goAssignParams(w, t.Child(n, "result"))
		w.children(n)
		return true
	case "call_expression":
		goCall(w, n)
		return true
	case "composite_literal":
		if name, _ := goType(t, t.Child(n, "type")).Name(); name != "" {
			w.ref(graph.Instantiates, graph.ContextNew, name, "", n)
		} else {
			w.walk(t.Child(n, "type"))
		}
		w.walk(t.Child(n, "body"))
		return true
	case "selector_expression", "identifier":
		return goValue(w, n)
	case "keyed_element":
		goKeyed(w, n)
		return true
	}
	return goStatement(w, n)
}

// typesIn walks the children of a node with a context for their types.
func (w *walker) typesIn(context string, n syntax.NodeID) {
	outer := w.context
	w.context = context
	w.children(n)
	w.context = outer
}

func goTypeRef(w *walker, n syntax.NodeID) {
	if w.t.Field(n) == "name" && w.t.Kind(w.t.Parent(n)) != "qualified_type" {
		return // the name of a definition
	}
	context := w.context
	if context == "" {
		context = graph.ContextType
	}
	w.ref(graph.References, context, string(goType(w.t, n)), "", n)
}

// goKeyed skips the key of a struct's literal, which names a field.
func goKeyed(w *walker, n syntax.NodeID) {
	first := true
	for c := range w.t.Children(n) {
		if first && w.t.Kind(firstNamed(w.t, c)) == "identifier" && w.t.Next(c) != syntax.None {
			first = false
			continue
		}
		first = false
		w.walk(c)
	}
}

// goValue records a name that is used without being called: a function given to
// another, a constant.
func goValue(w *walker, n syntax.NodeID) bool {
	t := w.t
	if field := t.Field(n); field == "name" || field == "label" || field == "left" {
		return true
	}
	if t.Kind(t.Parent(n)) == "expression_list" && t.Field(t.Parent(n)) == "left" {
		if t.Kind(n) == "selector_expression" {
			w.walk(t.Child(n, "operand"))
		}
		return true
	}
	at := n
	if t.Kind(n) == "selector_expression" {
		w.walk(t.Child(n, "operand"))
		at = t.Child(n, "field")
	}
	w.call(OpValue, w.expr(n), at)
	return true
}

func goCall(w *walker, n syntax.NodeID) {
	t := w.t
	function, arguments := t.Child(n, "function"), t.Child(n, "arguments")
	at := function
	switch t.Kind(function) {
	case "identifier":
		if name := t.Text(function); name == "new" || name == "make" {
			if kind, _ := goType(t, firstNamed(t, arguments)).Name(); kind != "" && name == "new" {
				w.ref(graph.Instantiates, graph.ContextNew, kind, "", n)
			} else {
				w.walk(firstNamed(t, arguments))
			}
		}
	case "selector_expression":
		at = t.Child(function, "field")
		w.walk(t.Child(function, "operand"))
	default:
		w.walk(function)
	}
	for c := range t.Children(n) {
		if c != function {
			w.walk(c)
		}
	}
	w.call(OpCall, w.expr(n), at)
}
