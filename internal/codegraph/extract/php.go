package extract

import (
	"strings"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/syntax"
)

func phpLanguage() language {
	return language{define: phpDefine, enter: phpEnter, visit: phpVisit, expr: phpExpr}
}

// phpComment returns the comment before the definition made by a node.
func phpComment(w *walker, n syntax.NodeID) []phpTag {
	i, ok := w.at[n]
	if !ok {
		return nil
	}
	start, _ := w.t.Span(n)
	if w.defs[i].Start >= start {
		return nil
	}
	return phpTags(&w.scope, string(w.t.Source()[w.defs[i].Start:start]))
}

func phpDefine(w *walker, d *Def, n syntax.NodeID) {
	t := w.t
	switch t.Kind(n) {
	case "class_declaration", "interface_declaration", "trait_declaration", "enum_declaration", "anonymous_class":
		phpBases(w, d, n)
		for _, tag := range phpComment(w, n) {
			switch {
			case tag.name == "":
			case strings.HasPrefix(tag.tag, "property"):
				d.Params = append(d.Params, Param{Name: "$" + tag.name, Type: tag.kind})
			case tag.tag == "method":
				d.Params = append(d.Params, Param{Name: tag.name, Type: tag.kind})
			}
		}
	case "function_definition", "method_declaration":
		d.Type = phpType(w, t.Child(n, "return_type"))
		tags := phpComment(w, n)
		for _, tag := range tags {
			if tag.tag == "return" && useful(d.Type, tag.kind) {
				d.Type = tag.kind
			}
		}
		phpParams(t, n, func(p, name syntax.NodeID) {
			d.Params = append(d.Params, Param{Name: phpVariable(t, name), Type: phpParamType(w, p, name, tags)})
		})
	case "property_declaration":
		d.Type = phpType(w, t.Child(n, "type"))
		for _, tag := range phpComment(w, n) {
			if tag.tag == "var" && useful(d.Type, tag.kind) && (tag.name == "" || tag.name == d.Name) {
				d.Type = tag.kind
			}
		}
	case "property_promotion_parameter":
		var tags []phpTag
		if list := t.Parent(n); list != syntax.None {
			tags = phpComment(w, t.Parent(list))
		}
		d.Type = phpParamType(w, n, t.Child(n, "name"), tags)
	}
}

// useful reports whether a comment says more than the declaration does: the
// declared type is unknown, or nothing but "self" where the comment is finer.
func useful(declared, commented Type) bool {
	return declared == "" || commented.Elem() != "" && declared.Elem() == ""
}

func phpBases(w *walker, d *Def, n syntax.NodeID) {
	t := w.t
	add := func(relation graph.Relation, list syntax.NodeID) {
		for c := range t.Children(list) {
			if kind := t.Kind(c); kind == "name" || kind == "qualified_name" {
				d.Bases = append(d.Bases, Base{Relation: relation, Name: w.scope.class(t.Text(c)), Line: int32(t.Line(c))})
			}
		}
	}
	add(graph.Inherits, t.ChildOf(n, "base_clause"))
	add(graph.Implements, t.ChildOf(n, "class_interface_clause"))
	body := t.Child(n, "body")
	if body == syntax.None {
		body = t.ChildOf(n, "declaration_list", "enum_declaration_list")
	}
	for c := range t.Children(body) {
		if t.Kind(c) == "use_declaration" {
			add(graph.MixesIn, c)
		}
	}
}

// phpParams calls each with every parameter and the node of its name.
func phpParams(t *syntax.Tree, n syntax.NodeID, each func(p, name syntax.NodeID)) {
	for c := range t.Children(t.Child(n, "parameters")) {
		switch t.Kind(c) {
		case "simple_parameter", "variadic_parameter", "property_promotion_parameter":
			each(c, t.Child(c, "name"))
		}
	}
}

func phpParamType(w *walker, p, name syntax.NodeID, tags []phpTag) Type {
	declared := phpType(w, w.t.Child(p, "type"))
	for _, tag := range tags {
		if tag.tag == "param" && tag.name == phpVariable(w.t, name) && useful(declared, tag.kind) {
			return tag.kind
		}
	}
	if w.t.Kind(p) == "variadic_parameter" {
		return elements(declared)
	}
	return declared
}

// phpVariable is a variable's name without the dollar.
func phpVariable(t *syntax.Tree, n syntax.NodeID) string {
	return strings.TrimLeft(t.Text(n), "&.$")
}

func phpEnter(w *walker, d *Def, n syntax.NodeID) {
	for _, p := range d.Params {
		w.declare(p.Name, w.typed(p.Type), n)
	}
}

func phpVisit(w *walker, n syntax.NodeID) bool {
	t := w.t
	switch t.Kind(n) {
	case "namespace_definition":
		w.scope.namespace = t.Text(t.Child(n, "name"))
		w.walk(t.ChildOf(n, "compound_statement"))
		return true
	case "namespace_use_declaration", "use_declaration", "base_clause", "class_interface_clause", "text":
		return true
	case "comment":
		phpInlineVar(w, n)
		return true
	case "simple_parameter", "variadic_parameter", "property_promotion_parameter":
		w.within(graph.ContextParameterType, t.Child(n, "type"))
		w.within("", t.Child(n, "default_value"))
		w.within(graph.ContextAttribute, t.Child(n, "attributes"))
		return true
	case "property_declaration":
		w.within(graph.ContextField, t.Child(n, "type"))
		for c := range t.Children(n) {
			if t.Field(c) != "type" {
				w.walk(c)
			}
		}
		return true
	case "function_definition", "method_declaration":
		w.within("", t.Child(n, "parameters"))
		w.within(graph.ContextReturnType, t.Child(n, "return_type"))
		w.within("", t.Child(n, "body"))
		w.within(graph.ContextAttribute, t.Child(n, "attributes"))
		return true
	case "named_type":
		w.phpRef(graph.References, n, n)
		return true
	case "attribute":
		w.phpRef(graph.References, firstNamed(t, n), n)
		w.children(n)
		return true
	}
	return phpUse(w, n)
}

// phpRef records that a class is named.
func (w *walker) phpRef(relation graph.Relation, name, at syntax.NodeID) {
	context := w.context
	if context == "" {
		context = graph.ContextType
	}
	w.ref(relation, context, w.scope.class(w.t.Text(name)), "", at)
}

// phpUse handles the expressions that call or name something.
func phpUse(w *walker, n syntax.NodeID) bool {
	t := w.t
	switch t.Kind(n) {
	case "member_call_expression", "nullsafe_member_call_expression", "scoped_call_expression":
		w.children(n)
		if t.Kind(n) == "scoped_call_expression" {
			w.phpStatic(t.Child(n, "scope"))
		}
		w.call(OpCall, w.expr(n), t.Child(n, "name"))
		return true
	case "function_call_expression":
		if function := t.Child(n, "function"); t.Kind(function) != "name" && t.Kind(function) != "qualified_name" {
			w.walk(function)
		}
		w.walk(t.Child(n, "arguments"))
		w.call(OpCall, w.expr(n), n)
		return true
	case "object_creation_expression":
		w.children(n)
		if class := t.ChildOf(n, "name", "qualified_name", "relative_scope"); class != syntax.None {
			w.ref(graph.Instantiates, graph.ContextNew, w.scope.class(t.Text(class)), "", n)
			w.call(OpCall, w.expr(n), n)
		}
		return true
	case "class_constant_access_expression":
		phpConstant(w, n)
		return true
	case "scoped_property_access_expression":
		w.phpStatic(t.Child(n, "scope"))
		w.children(n)
		return true
	case "array_creation_expression":
		phpCallable(w, n)
		w.children(n)
		return true
	}
	return phpStatement(w, n)
}

// phpStatic records the class before "::".
func (w *walker) phpStatic(scope syntax.NodeID) {
	switch w.t.Kind(scope) {
	case "name", "qualified_name":
		if class := w.scope.class(w.t.Text(scope)); class != phpSelf && class != phpStatic && class != phpParent {
			w.ref(graph.Uses, "", class, "", scope)
		}
	}
}

func phpConstant(w *walker, n syntax.NodeID) {
	t := w.t
	scope := t.First(n)
	name := syntax.None
	for c := range t.Children(n) {
		name = c
	}
	switch t.Kind(scope) {
	case "name", "qualified_name", "relative_scope":
		class := w.scope.class(t.Text(scope))
		if t.Text(name) == "class" {
			w.ref(graph.References, graph.ContextValue, class, "", n)
			return
		}
		w.ref(graph.References, graph.ContextValue, class, t.Text(name), n)
	default:
		w.walk(scope)
	}
}

// phpCallable records [ $this, 'name' ] and [ Foo::class, 'name' ].
func phpCallable(w *walker, n syntax.NodeID) {
	t := w.t
	first := t.First(n)
	if first == syntax.None || t.Next(first) == syntax.None || t.Next(t.Next(first)) != syntax.None {
		return
	}
	object, method := firstNamed(t, first), firstNamed(t, t.Next(first))
	name := phpString(t, method)
	if name == "" || t.Next(object) != syntax.None || t.Next(method) != syntax.None {
		return
	}
	switch t.Kind(object) {
	case "variable_name", "member_access_expression":
		if x := w.expr(object); x >= 0 {
			w.call(OpValue, w.body.add(Expr{Kind: ExprMember, Name: name, X: x}), method)
		}
	case "class_constant_access_expression":
		class := w.scope.class(t.Text(t.First(object)))
		w.call(OpValue, w.body.add(Expr{Kind: ExprStatic, Type: Type(class), Name: name, X: -1}), method)
	}
}

// phpString is the content of a plain string.
func phpString(t *syntax.Tree, n syntax.NodeID) string {
	if kind := t.Kind(n); kind != "string" && kind != "encapsed_string" {
		return ""
	}
	content := t.ChildOf(n, "string_content")
	if content == syntax.None || t.Next(content) != syntax.None {
		return ""
	}
	return t.Text(content)
}
