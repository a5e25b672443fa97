package syntax

// classifyJS handles JavaScript and TypeScript.
func classifyJS(w *definer, n NodeID, inside DefKind) []match {
	t := w.t
	switch t.Kind(n) {
	case "class_declaration", "abstract_class_declaration":
		return w.named(n, DefClass)
	case "interface_declaration":
		return w.named(n, DefInterface)
	case "enum_declaration":
		return w.named(n, DefEnum)
	case "type_alias_declaration":
		return w.named(n, DefAlias)
	case "internal_module", "module":
		return w.named(n, DefNamespace)
	case "function_declaration", "generator_function_declaration":
		return w.named(n, DefFunction)
	case "function_signature":
		m := w.named(n, DefFunction)
		if len(m) == 1 {
			m[0].declared = true
		}
		return m
	case "method_definition", "method_signature", "abstract_method_signature":
		m := w.named(n, DefMethod)
		if len(m) == 1 {
			m[0].static = hasWord(t, n, "static")
			m[0].declared = m[0].body == None
		}
		return m
	case "field_definition", "public_field_definition", "property_signature":
		return jsField(t, n)
	case "enum_assignment":
		return w.named(n, DefConst)
	case "variable_declarator":
		return jsVariable(t, n, inside)
	case "assignment_expression":
		return jsAssignment(t, n)
	case "pair":
		return jsPair(t, n)
	}
	return nil
}

// isJSFunction reports whether a node is a function's text.
func isJSFunction(kind string) bool {
	switch kind {
	case "arrow_function", "function_expression", "generator_function":
		return true
	default:
		return false
	}
}

func jsField(t *Tree, n NodeID) []match {
	name := t.Child(n, "name")
	if name == None {
		name = t.Child(n, "property")
	}
	if name == None {
		return nil
	}
	m := match{kind: DefField, name: t.Text(name), nameNode: name, body: None, static: hasWord(t, n, "static")}
	if value := t.Child(n, "value"); isJSFunction(t.Kind(value)) {
		m.kind, m.body = DefMethod, t.Child(value, "body")
	}
	return []match{m}
}

// jsVariable takes functions and classes held by variables, and any variable
// that is not local to a function.
func jsVariable(t *Tree, n NodeID, inside DefKind) []match {
	name, value := t.Child(n, "name"), t.Child(n, "value")
	if t.Kind(name) != "identifier" {
		return nil
	}
	m := match{kind: DefConst, name: t.Text(name), nameNode: name, body: None}
	switch {
	case isJSFunction(t.Kind(value)):
		m.kind, m.body = DefFunction, t.Child(value, "body")
	case t.Kind(value) == "class":
		m.kind, m.body = DefClass, t.Child(value, "body")
	case inside.IsFunction() || inJSBlock(t, n):
		return nil
	}
	return []match{m}
}

// inJSBlock reports whether a variable is local to a block or an anonymous
// function.
func inJSBlock(t *Tree, n NodeID) bool {
	for p := t.Parent(n); p != None; p = t.Parent(p) {
		switch t.Kind(p) {
		case "statement_block":
			if kind := t.Kind(t.Parent(p)); kind != "internal_module" && kind != "module" {
				return true
			}
		case "for_statement", "for_in_statement":
			return true
		}
	}
	return false
}

// jsAssignment takes functions and classes assigned to a member: of exports, of a
// prototype, of any object.
func jsAssignment(t *Tree, n NodeID) []match {
	left, right := t.Child(n, "left"), t.Child(n, "right")
	if t.Kind(left) != "member_expression" {
		return nil
	}
	property := t.Child(left, "property")
	m := match{name: t.Text(property), nameNode: property, body: t.Child(right, "body")}
	switch {
	case isJSFunction(t.Kind(right)):
		m.kind = DefFunction
	case t.Kind(right) == "class":
		m.kind = DefClass
	default:
		return nil
	}
	object := t.Child(left, "object")
	text := t.Text(object)
	switch {
	case text == "exports" || text == "module.exports" || text == "this" || text == "window":
	case t.Kind(object) == "identifier":
		m.kind, m.owner, m.static = DefMethod, text, true
	case t.Kind(object) == "member_expression" && t.Text(t.Child(object, "property")) == "prototype":
		m.kind, m.owner = DefMethod, t.Text(t.Child(object, "object"))
	}
	return []match{m}
}

// jsPair takes functions in an object that a variable or a member holds.
func jsPair(t *Tree, n NodeID) []match {
	key, value := t.Child(n, "key"), t.Child(n, "value")
	if t.Kind(key) != "property_identifier" || !isJSFunction(t.Kind(value)) {
		return nil
	}
	m := match{kind: DefFunction, name: t.Text(key), nameNode: key, body: t.Child(value, "body")}
	switch holder := t.Parent(t.Parent(n)); t.Kind(holder) {
	case "variable_declarator":
		m.kind, m.static = DefMethod, true
	case "assignment_expression":
		left := t.Child(holder, "left")
		if t.Text(t.Child(left, "property")) == "prototype" {
			left = t.Child(left, "object")
		}
		if owner := t.Text(left); owner != "module.exports" && owner != "exports" {
			m.kind, m.owner = DefMethod, owner
		}
	}
	return []match{m}
}
