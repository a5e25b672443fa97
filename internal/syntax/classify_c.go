package syntax

import "strings"

// classifyC handles C and C++, whose names hide inside declarators.
func classifyC(w *definer, n NodeID, inside DefKind) []match {
	t := w.t
	switch t.Kind(n) {
	case "struct_specifier", "union_specifier", "class_specifier", "enum_specifier":
		return cType(w, n)
	case "namespace_definition":
		return w.named(n, DefNamespace)
	case "enumerator":
		return w.named(n, DefConst)
	case "alias_declaration":
		return w.named(n, DefAlias)
	case "preproc_def":
		return cMacro(w, n, DefConst)
	case "preproc_function_def":
		return cMacro(w, n, DefMacro)
	case "type_definition":
		return cTypedef(t, n)
	case "function_definition":
		d := cDeclarator(t, t.Child(n, "declarator"))
		if d.name == "" || !d.function {
			return nil
		}
		m := d.match(t.Child(n, "body"), methodOr(DefFunction, inside), false)
		m.static = inside.IsType() && t.Text(t.ChildOf(n, "storage_class_specifier")) == "static"
		return []match{m}
	case "declaration", "field_declaration":
		return cDeclaration(t, n, inside)
	}
	return nil
}

func cType(w *definer, n NodeID) []match {
	body := w.t.Child(n, "body")
	if body == None {
		return nil // a use of the type, or a forward declaration
	}
	kind := DefStruct
	switch w.t.Kind(n) {
	case "class_specifier":
		kind = DefClass
	case "enum_specifier":
		kind = DefEnum
	}
	name := w.t.Child(n, "name")
	if name == None {
		if outer := w.t.Parent(n); w.t.Kind(outer) == "type_definition" {
			name = cTypedefName(w.t, outer)
		}
	}
	if name == None {
		return nil
	}
	return []match{{kind: kind, name: lastName(w.t.Text(name)), nameNode: name, body: body}}
}

// cMacro leaves out the guard of a header: a macro without a value.
func cMacro(w *definer, n NodeID, kind DefKind) []match {
	name, value := w.t.Child(n, "name"), w.t.Child(n, "value")
	if name == None || value == None {
		return nil
	}
	return []match{{kind: kind, name: w.t.Text(name), nameNode: name, body: None}}
}

// cTypedef names a type; one with a body and no other name is named by cType.
func cTypedef(t *Tree, n NodeID) []match {
	name := cTypedefName(t, n)
	if name == None {
		return nil
	}
	if c := t.Child(n, "type"); t.Child(c, "body") != None {
		if tag := t.Child(c, "name"); tag == None || t.Text(tag) == t.Text(name) {
			return nil
		}
	}
	return []match{{kind: DefAlias, name: t.Text(name), nameNode: name, body: None}}
}

func cTypedefName(t *Tree, n NodeID) NodeID {
	found := None
	look := func(c NodeID) bool {
		if t.Kind(c) == "type_identifier" && found == None {
			found = c
		}
		return found == None && t.Kind(c) != "parameter_list"
	}
	for c := range t.Children(n) {
		if t.Field(c) == "declarator" && look(c) {
			t.Within(c, look)
		}
	}
	return found
}

// declarator is what a C declarator declares.
type declarator struct {
	name     string
	owner    string // "A::B" of A::B::name
	node     NodeID
	function bool
}

func (d declarator) match(body NodeID, kind DefKind, declared bool) match {
	if d.owner != "" {
		kind = DefMethod
	}
	return match{kind: kind, name: d.name, owner: d.owner, nameNode: d.node, body: body, declared: declared}
}

// cDeclarator unwraps pointers, references, arrays and parentheses.
func cDeclarator(t *Tree, n NodeID) declarator {
	d := declarator{node: None}
	for n != None {
		switch t.Kind(n) {
		case "identifier", "field_identifier", "type_identifier", "destructor_name", "operator_name", "operator_cast":
			d.name, d.node = t.Text(n), n
			return d
		case "qualified_identifier":
			text := strings.Join(strings.Fields(t.Text(n)), "")
			d.name, d.node = lastName(text), n
			d.owner = strings.TrimPrefix(strings.TrimSuffix(strings.TrimSuffix(text, d.name), "::"), "::")
			if i := strings.IndexByte(d.owner, '<'); i >= 0 {
				d.owner = d.owner[:i]
			}
			return d
		case "template_function", "template_method":
			n = t.Child(n, "name")
		case "function_declarator":
			d.function = true
			inner := t.Child(n, "declarator")
			if t.Kind(inner) == "parenthesized_declarator" && t.ChildOf(inner, "pointer_declarator") != None {
				d.function = false // a pointer to a function
			}
			n = inner
		case "pointer_declarator", "array_declarator", "init_declarator":
			n = t.Child(n, "declarator")
		case "reference_declarator", "parenthesized_declarator", "attributed_declarator":
			n = firstNamed(t, n)
		default:
			return d
		}
	}
	return d
}

func firstNamed(t *Tree, n NodeID) NodeID {
	for c := range t.Children(n) {
		if t.Named(c) {
			return c
		}
	}
	return None
}

// lastName is what follows the last "::" outside of template arguments.
func lastName(s string) string {
	depth := 0
	for i := len(s) - 1; i > 0; i-- {
		switch {
		case s[i] == '>' && s[i-1] != '-':
			depth++
		case s[i] == '<':
			depth--
		case s[i] == ':' && s[i-1] == ':' && depth == 0:
			return s[i+1:]
		}
	}
	return s
}

// cDeclaration finds fields, variables of files and prototypes.
func cDeclaration(t *Tree, n NodeID, inside DefKind) []match {
	if inside.IsFunction() || inFunctionBody(t, n) {
		return nil
	}
	var found []match
	storage := t.Text(t.ChildOf(n, "storage_class_specifier"))
	for c := range t.Children(n) {
		if t.Field(c) != "declarator" {
			continue
		}
		d := cDeclarator(t, c)
		switch {
		case d.name == "":
		case d.function:
			m := d.match(None, methodOr(DefFunction, inside), true)
			m.static = inside.IsType() && storage == "static"
			found = append(found, m)
		default:
			m := d.match(None, DefField, storage == "extern")
			m.kind, m.static = fieldOr(DefConst, inside), inside.IsType() && storage == "static"
			found = append(found, m)
		}
	}
	return found
}

// inFunctionBody reports whether a declaration is local to a function that is no
// definition around it, as one of a macro that the grammar does not understand.
func inFunctionBody(t *Tree, n NodeID) bool {
	for p := t.Parent(n); p != None; p = t.Parent(p) {
		if t.Kind(p) == "compound_statement" {
			return true
		}
	}
	return false
}
