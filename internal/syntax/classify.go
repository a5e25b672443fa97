package syntax

// classifierOf returns the classifier of a language.
func classifierOf(l Language) classifier {
	switch l {
	case C, CPP:
		return classifyC
	case Go:
		return classifyGo
	case Java:
		return classifyJava
	case JavaScript, TypeScript, TSX:
		return classifyJS
	case PHP:
		return classifyPHP
	case Python:
		return classifyPython
	case Ruby:
		return classifyRuby
	case Rust:
		return classifyRust
	default:
		return func(*definer, NodeID, DefKind) []match { return nil }
	}
}

// packageName returns the name that a file gives to all it defines, or "".
func packageName(t *Tree) string {
	switch t.Lang {
	case Go:
		return t.Text(t.ChildOf(t.ChildOf(Root, "package_clause"), "package_identifier"))
	case Java:
		return t.Text(t.ChildOf(t.ChildOf(Root, "package_declaration"), "scoped_identifier", "identifier"))
	default:
		return ""
	}
}

// named returns a match of a node by the text of its fields name and body.
func (w *definer) named(n NodeID, kind DefKind) []match {
	name := w.t.Child(n, "name")
	if name == None {
		return nil
	}
	return []match{{kind: kind, name: w.t.Text(name), nameNode: name, body: w.t.Child(n, "body")}}
}

// methodOr returns kind, or DefMethod inside of a type.
func methodOr(kind, inside DefKind) DefKind {
	if inside.IsType() {
		return DefMethod
	}
	return kind
}

// fieldOr returns kind, or DefField inside of a type.
func fieldOr(kind, inside DefKind) DefKind {
	if inside.IsType() {
		return DefField
	}
	return kind
}

func classifyGo(w *definer, n NodeID, inside DefKind) []match {
	t := w.t
	switch t.Kind(n) {
	case "function_declaration":
		return w.named(n, DefFunction)
	case "method_declaration":
		m := w.named(n, DefMethod)
		if len(m) == 1 {
			m[0].owner = goReceiver(t, n)
		}
		return m
	case "method_elem":
		m := w.named(n, DefMethod)
		if len(m) == 1 {
			m[0].declared = true
		}
		return m
	case "type_spec":
		kind := DefAlias
		switch t.Kind(t.Child(n, "type")) {
		case "struct_type":
			kind = DefStruct
		case "interface_type":
			kind = DefInterface
		}
		m := w.named(n, kind)
		if len(m) == 1 && kind != DefAlias {
			m[0].body = t.First(t.Child(n, "type"))
			for m[0].body != None && !t.Named(m[0].body) {
				m[0].body = t.Next(m[0].body)
			}
		}
		return m
	case "type_alias":
		return w.named(n, DefAlias)
	case "field_declaration":
		return w.fieldNames(n, DefField, "field_identifier")
	case "const_spec", "var_spec":
		if inside != "" {
			return nil
		}
		return w.fieldNames(n, DefConst, "identifier")
	}
	return nil
}

// goReceiver returns the name of the type of a method's receiver.
func goReceiver(t *Tree, n NodeID) string {
	name := ""
	t.Within(t.Child(n, "receiver"), func(c NodeID) bool {
		if name == "" && t.Kind(c) == "type_identifier" {
			name = t.Text(c)
		}
		return name == ""
	})
	return name
}

// fieldNames returns a match for each child of a kind in field name. A Go struct
// field without a name is called as its type.
func (w *definer) fieldNames(n NodeID, kind DefKind, nameKind string) []match {
	var found []match
	for c := range w.t.Children(n) {
		if w.t.Kind(c) == nameKind && w.t.Field(c) == "name" {
			found = append(found, match{kind: kind, name: w.t.Text(c), nameNode: c, body: None})
		}
	}
	if len(found) == 0 && w.t.Kind(n) == "field_declaration" {
		if name, node := lastTypeName(w.t, w.t.Child(n, "type")); name != "" {
			found = append(found, match{kind: kind, name: name, nameNode: node, body: None})
		}
	}
	return found
}

// lastTypeName returns the last component of a possibly qualified type's name.
func lastTypeName(t *Tree, n NodeID) (string, NodeID) {
	switch t.Kind(n) {
	case "type_identifier":
		return t.Text(n), n
	case "qualified_type":
		return lastTypeName(t, t.Child(n, "name"))
	case "generic_type", "pointer_type":
		for c := range t.Children(n) {
			if name, node := lastTypeName(t, c); name != "" {
				return name, node
			}
		}
	}
	return "", None
}

func classifyPHP(w *definer, n NodeID, inside DefKind) []match {
	t := w.t
	switch t.Kind(n) {
	case "class_declaration":
		return w.named(n, DefClass)
	case "interface_declaration":
		return w.named(n, DefInterface)
	case "trait_declaration":
		return w.named(n, DefTrait)
	case "enum_declaration":
		return w.named(n, DefEnum)
	case "anonymous_class":
		return []match{{kind: DefClass, name: Anonymous, nameNode: None, body: t.Child(n, "body")}}
	case "function_definition":
		return w.named(n, DefFunction)
	case "method_declaration":
		m := w.named(n, DefMethod)
		if len(m) == 1 {
			m[0].static = t.ChildOf(n, "static_modifier") != None
			m[0].declared = m[0].body == None
		}
		return m
	case "enum_case":
		return w.named(n, DefConst)
	case "property_declaration":
		return phpProperties(t, n)
	case "property_promotion_parameter":
		name := t.Child(n, "name")
		return []match{{kind: DefField, name: trimDollar(t.Text(name)), nameNode: name, body: None}}
	case "const_declaration":
		var found []match
		for c := range t.Children(n) {
			if t.Kind(c) == "const_element" {
				name := t.ChildOf(c, "name")
				found = append(found, match{kind: DefConst, name: t.Text(name), nameNode: name, body: None, static: inside != ""})
			}
		}
		return found
	}
	return nil
}

func phpProperties(t *Tree, n NodeID) []match {
	var found []match
	static := t.ChildOf(n, "static_modifier") != None
	for c := range t.Children(n) {
		if t.Kind(c) == "property_element" {
			name := t.ChildOf(c, "variable_name")
			found = append(found, match{kind: DefField, name: trimDollar(t.Text(name)), nameNode: name, body: None, static: static})
		}
	}
	return found
}

func trimDollar(s string) string {
	if s != "" && s[0] == '$' {
		return s[1:]
	}
	return s
}

func classifyPython(w *definer, n NodeID, inside DefKind) []match {
	t := w.t
	switch t.Kind(n) {
	case "class_definition":
		return w.named(n, DefClass)
	case "function_definition":
		m := w.named(n, methodOr(DefFunction, inside))
		if len(m) == 1 && t.Kind(t.Parent(n)) == "decorated_definition" {
			for c := range t.Children(t.Parent(n)) {
				if text := t.Text(c); t.Kind(c) == "decorator" && (text == "@staticmethod" || text == "@classmethod") {
					m[0].static = true
				}
			}
		}
		return m
	case "assignment":
		name := t.Child(n, "left")
		if inside.IsFunction() || t.Kind(name) != "identifier" {
			return nil
		}
		return []match{{kind: fieldOr(DefConst, inside), name: t.Text(name), nameNode: name, body: None, static: inside.IsType()}}
	}
	return nil
}

func classifyRuby(w *definer, n NodeID, inside DefKind) []match {
	t := w.t
	switch t.Kind(n) {
	case "class":
		return w.named(n, DefClass)
	case "module":
		return w.named(n, DefTrait)
	case "method":
		m := w.named(n, methodOr(DefFunction, inside))
		if len(m) == 1 {
			m[0].static = t.Kind(t.Parent(t.Parent(n))) == "singleton_class"
		}
		return m
	case "singleton_method":
		m := w.named(n, DefMethod)
		if len(m) == 1 {
			m[0].static = true
			if object := t.Child(n, "object"); t.Kind(object) == "constant" {
				m[0].owner = t.Text(object)
			}
		}
		return m
	case "assignment":
		name := t.Child(n, "left")
		if t.Kind(name) != "constant" {
			return nil
		}
		return []match{{kind: DefConst, name: t.Text(name), nameNode: name, body: None}}
	}
	return nil
}

func classifyJava(w *definer, n NodeID, inside DefKind) []match {
	t := w.t
	switch t.Kind(n) {
	case "class_declaration", "record_declaration":
		return w.named(n, DefClass)
	case "interface_declaration", "annotation_type_declaration":
		return w.named(n, DefInterface)
	case "enum_declaration":
		return w.named(n, DefEnum)
	case "method_declaration", "constructor_declaration", "compact_constructor_declaration", "annotation_type_element_declaration":
		m := w.named(n, DefMethod)
		if len(m) == 1 {
			m[0].static = hasWord(t, t.ChildOf(n, "modifiers"), "static")
			m[0].declared = m[0].body == None
		}
		return m
	case "field_declaration", "constant_declaration":
		static := hasWord(t, t.ChildOf(n, "modifiers"), "static") || inside == DefInterface
		var found []match
		for c := range t.Children(n) {
			if name := t.Child(c, "name"); t.Kind(c) == "variable_declarator" && name != None {
				found = append(found, match{kind: DefField, name: t.Text(name), nameNode: name, body: None, static: static})
			}
		}
		return found
	case "enum_constant":
		return w.named(n, DefConst)
	case "object_creation_expression":
		if body := t.ChildOf(n, "class_body"); body != None {
			return []match{{kind: DefClass, name: Anonymous, nameNode: None, body: body}}
		}
	}
	return nil
}

// hasWord reports whether a node has a child that is a keyword.
func hasWord(t *Tree, n NodeID, word string) bool { return t.ChildOf(n, word) != None }

func classifyRust(w *definer, n NodeID, inside DefKind) []match {
	t := w.t
	switch t.Kind(n) {
	case "struct_item", "union_item":
		return w.named(n, DefStruct)
	case "enum_item":
		return w.named(n, DefEnum)
	case "enum_variant":
		return w.named(n, DefConst)
	case "trait_item":
		return w.named(n, DefTrait)
	case "type_item":
		return w.named(n, DefAlias)
	case "mod_item":
		if t.Child(n, "body") == None {
			return nil
		}
		return w.named(n, DefNamespace)
	case "const_item", "static_item":
		return w.named(n, fieldOr(DefConst, inside))
	case "macro_definition":
		return w.named(n, DefMacro)
	case "field_declaration":
		return w.named(n, DefField)
	case "function_item", "function_signature_item":
		kind, owner := methodOr(DefFunction, inside), ""
		if list := t.Parent(n); t.Kind(list) == "declaration_list" && t.Kind(t.Parent(list)) == "impl_item" {
			kind, owner = DefMethod, rustTypeName(t, t.Child(t.Parent(list), "type"))
		}
		m := w.named(n, kind)
		if len(m) == 1 {
			m[0].owner, m[0].declared = owner, m[0].body == None
			m[0].static = kind == DefMethod && t.ChildOf(t.Child(n, "parameters"), "self_parameter") == None
		}
		return m
	}
	return nil
}

// rustTypeName is the bare name of a type in an impl.
func rustTypeName(t *Tree, n NodeID) string {
	switch t.Kind(n) {
	case "type_identifier", "primitive_type":
		return t.Text(n)
	case "generic_type":
		return rustTypeName(t, t.Child(n, "type"))
	case "scoped_type_identifier":
		return t.Text(t.Child(n, "name"))
	case "reference_type":
		return rustTypeName(t, t.Child(n, "type"))
	}
	return ""
}
