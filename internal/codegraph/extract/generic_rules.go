package extract

import (
	"strings"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/syntax"
)

// rulesOf returns the rules of a language's grammar.
func rulesOf(l syntax.Language) *rules {
	switch l {
	case syntax.JavaScript, syntax.TypeScript, syntax.TSX:
		return &rules{
			calls:    map[string][2]string{"call_expression": {"function", ""}},
			members:  map[string][2]string{"member_expression": {"object", "property"}},
			news:     map[string]string{"new_expression": "constructor"},
			assigns:  map[string][2]string{"assignment_expression": {"left", "right"}},
			declares: map[string][3]string{"variable_declarator": {"name", "type", "value"}},
			loops:    map[string][2]string{"for_in_statement": {"left", "right"}},
			params:   map[string][2]string{"required_parameter": {"pattern", "type"}, "optional_parameter": {"pattern", "type"}},
			names:    " identifier shorthand_property_identifier ", this: " this ", super: " super ",
			unwrap:   " parenthesized_expression await_expression non_null_expression expression_statement ",
			branches: " statement_block else_clause switch_case switch_default ", typeRefs: " type_identifier nested_type_identifier ",
			result: "return_type", define: jsDefine,
		}
	case syntax.Python:
		return &rules{
			calls:    map[string][2]string{"call": {"function", ""}},
			members:  map[string][2]string{"attribute": {"object", "attribute"}},
			assigns:  map[string][2]string{},
			declares: map[string][3]string{"assignment": {"left", "type", "right"}},
			loops:    map[string][2]string{"for_statement": {"left", "right"}, "for_in_clause": {"left", "right"}},
			params: map[string][2]string{
				"typed_parameter": {"", "type"}, "typed_default_parameter": {"name", "type"}, "default_parameter": {"name", "type"},
			},
			names: " identifier ", self: "self", super: " super ", unwrap: " parenthesized_expression await ",
			branches: " if_statement elif_clause else_clause for_statement while_statement try_statement except_clause with_statement case_clause ",
			result:   "return_type", typeRefs: " type ", define: pythonDefine,
		}
	case syntax.Java:
		return &rules{
			calls:    map[string][2]string{"method_invocation": {"object", "name"}},
			members:  map[string][2]string{"field_access": {"object", "field"}},
			news:     map[string]string{"object_creation_expression": "type"},
			assigns:  map[string][2]string{"assignment_expression": {"left", "right"}},
			declares: map[string][3]string{"variable_declarator": {"name", "type", "value"}, "resource": {"name", "type", "value"}},
			loops:    map[string][2]string{"enhanced_for_statement": {"name", "value"}},
			params: map[string][2]string{
				"formal_parameter": {"name", "type"}, "spread_parameter": {"name", "type"}, "catch_formal_parameter": {"name", "type"},
			},
			names: " identifier ", this: " this ", super: " super ", unwrap: " parenthesized_expression ",
			branches: " block switch_block_statement_group ", typeRefs: " type_identifier scoped_type_identifier ", result: "type", define: javaDefine,
		}
	case syntax.Ruby:
		return &rules{
			calls:   map[string][2]string{"call": {"receiver", "method"}},
			assigns: map[string][2]string{"assignment": {"left", "right"}, "operator_assignment": {"left", "right"}},
			names:   " identifier constant ", this: " self ",
			scoped:   map[string][2]string{"scope_resolution": {"scope", "name"}},
			branches: " if unless case when while rescue else elsif ", unwrap: " parenthesized_statements ", define: rubyDefine,
		}
	case syntax.Rust:
		return &rules{
			calls:    map[string][2]string{"call_expression": {"function", ""}},
			members:  map[string][2]string{"field_expression": {"value", "field"}},
			scoped:   map[string][2]string{"scoped_identifier": {"path", "name"}},
			news:     map[string]string{"struct_expression": "name"},
			assigns:  map[string][2]string{"assignment_expression": {"left", "right"}},
			declares: map[string][3]string{"let_declaration": {"pattern", "type", "value"}},
			loops:    map[string][2]string{"for_expression": {"pattern", "value"}},
			params:   map[string][2]string{"parameter": {"pattern", "type"}},
			names:    " identifier ", this: " self ", unwrap: " reference_expression try_expression await_expression parenthesized_expression unary_expression ",
			branches: " block match_arm ", typeRefs: " type_identifier scoped_type_identifier ", result: "return_type", define: rustDefine,
		}
	default:
		return &rules{
			calls:    map[string][2]string{"call_expression": {"function", ""}},
			members:  map[string][2]string{"field_expression": {"argument", "field"}},
			scoped:   map[string][2]string{"qualified_identifier": {"scope", "name"}},
			news:     map[string]string{"new_expression": "type"},
			assigns:  map[string][2]string{"assignment_expression": {"left", "right"}},
			declares: map[string][3]string{"init_declarator": {"declarator", "type", "value"}, "declaration": {"declarator", "type", ""}},
			loops:    map[string][2]string{"for_range_loop": {"declarator", "right"}},
			params:   map[string][2]string{"parameter_declaration": {"declarator", "type"}, "optional_parameter_declaration": {"declarator", "type"}},
			names:    " identifier field_identifier ", this: " this ", unwrap: " parenthesized_expression pointer_expression ",
			branches: " compound_statement case_statement ", typeRefs: " type_identifier ", result: "type", define: cDefine,
		}
	}
}

// typ reduces the node of a type.
func (r *rules) typ(w *walker, n syntax.NodeID) Type {
	t := w.t
	switch t.Kind(n) {
	case "type_identifier", "identifier", "constant":
		return named(t.Text(n))
	case "qualified_identifier", "scoped_type_identifier", "nested_type_identifier", "scope_resolution", "member_expression", "attribute":
		return named(strings.Join(strings.Fields(t.Text(n)), ""))
	case "type_annotation", "type", "parenthesized_type", "reference_type", "pointer_type", "type_descriptor", "nullable_type", "superclass":
		if t.Kind(n) == "reference_type" || t.Kind(n) == "pointer_type" {
			if inner := t.Child(n, "type"); inner != syntax.None {
				return r.typ(w, inner)
			}
		}
		return r.typ(w, firstNamed(t, n))
	case "array_type", "slice_type":
		return elements(r.typ(w, firstNamed(t, n)))
	case "union_type", "binary_operator":
		var all []Type
		for c := range t.Children(n) {
			all = append(all, r.typ(w, c))
		}
		return union(all)
	case "struct_specifier", "class_specifier", "enum_specifier", "union_specifier":
		return named(t.Text(t.Child(n, "name")))
	case "string": // a type of Python that is not known yet
		return named(t.Text(t.ChildOf(n, "string_content")))
	case "generic_type", "template_type", "subscript":
		return r.generic(w, n)
	}
	return ""
}

// named makes a type of a name; what is none, such as a number, is unknown.
func named(s string) Type {
	if s == "" || len(s) > maxName || strings.ContainsAny(s, "[](),|?<>{}\"' \n\x00") || !isLetter(rune(s[0])) && s[0] != ':' {
		return ""
	}
	switch s {
	case "str", "int", "float", "bool", "bytes", "None", "Any", "object", "self", "string", "number", "boolean", "any", "void", "unknown", "null",
		"undefined", "never", "String", "Integer", "Long", "Boolean", "Object", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "usize",
		"isize", "f32", "f64", "size_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "int8_t", "int16_t", "int32_t", "int64_t":
		return ""
	}
	return Type(s)
}

func isLetter(c rune) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

// generic reduces a type with arguments: what only wraps its argument is the
// argument, what holds many is a list of it.
func (r *rules) generic(w *walker, n syntax.NodeID) Type {
	t := w.t
	head := firstNamed(t, n)
	var arguments []syntax.NodeID
	for c := range t.Children(n) {
		if c == head || !t.Named(c) {
			continue
		}
		if strings.HasSuffix(t.Kind(c), "arguments") || t.Kind(c) == "type_parameter" || t.Kind(c) == "template_argument_list" {
			for a := range t.Children(c) {
				if t.Named(a) {
					arguments = append(arguments, a)
				}
			}
		} else {
			arguments = append(arguments, c)
		}
	}
	name := t.Text(head)
	name = name[strings.LastIndexAny(name, ".:")+1:]
	if len(arguments) == 0 {
		return r.typ(w, head)
	}
	switch name {
	case "Optional", "Promise", "Awaitable", "Readonly", "Partial", "Option", "Result", "Box", "Rc", "Arc", "RefCell", "Mutex", "RwLock", "Cow",
		"unique_ptr", "shared_ptr", "weak_ptr", "Annotated", "ClassVar", "Final", "CompletableFuture", "Future", "Type":
		return r.typ(w, arguments[0])
	case "Array", "ReadonlyArray", "Set", "Iterable", "Iterator", "List", "list", "Sequence", "set", "Collection", "ArrayList", "Stream", "Vec",
		"vector", "deque", "Tuple", "tuple", "Generator", "FrozenSet", "VecDeque", "HashSet":
		return elements(r.typ(w, arguments[0]))
	case "Map", "Record", "Dict", "dict", "HashMap", "BTreeMap", "map", "unordered_map", "Mapping":
		return elements(r.typ(w, arguments[len(arguments)-1]))
	case "Union":
		var all []Type
		for _, a := range arguments {
			all = append(all, r.typ(w, a))
		}
		return union(all)
	}
	return r.typ(w, head)
}

// bases adds the types named directly below a node.
func (r *rules) bases(w *walker, d *Def, list syntax.NodeID, relation graph.Relation) {
	for c := range w.t.Children(list) {
		if name, _ := r.typ(w, c).Name(); name != "" && w.t.Named(c) {
			d.Bases = append(d.Bases, Base{Relation: relation, Name: name, Line: int32(w.t.Line(c))})
		}
	}
}

func jsDefine(w *walker, r *rules, d *Def, n syntax.NodeID) {
	t := w.t
	switch d.Kind {
	case graph.Type:
		if heritage := t.ChildOf(n, "class_heritage"); heritage != syntax.None {
			extends := t.ChildOf(heritage, "extends_clause")
			if extends == syntax.None {
				r.bases(w, d, heritage, graph.Inherits)
			}
			r.bases(w, d, extends, graph.Inherits)
			r.bases(w, d, t.ChildOf(heritage, "implements_clause"), graph.Implements)
		}
		r.bases(w, d, t.ChildOf(n, "extends_type_clause"), graph.Inherits)
		if d.Form == "alias" {
			d.Type = r.typ(w, t.Child(n, "value"))
		}
	case graph.Method:
		if d.Name != "constructor" || d.Parent < 0 {
			return
		}
		for p := range t.Children(t.Child(n, "parameters")) {
			if t.ChildOf(p, "accessibility_modifier", "readonly") == syntax.None {
				continue
			}
			outer, name := &w.f.Defs[d.Parent], t.Child(p, "pattern")
			w.f.Defs = append(w.f.Defs, Def{
				Kind: graph.Field, Form: "field", Name: t.Text(name), Qualified: outer.Qualified + "." + t.Text(name), Parent: d.Parent,
				Line: int32(t.Line(name)), EndLine: int32(t.Line(name)), Type: r.typ(w, t.Child(p, "type")), Test: outer.Test,
			})
		}
	}
}

func pythonDefine(w *walker, r *rules, d *Def, n syntax.NodeID) {
	if d.Kind == graph.Type {
		r.bases(w, d, w.t.Child(n, "superclasses"), graph.Inherits)
	}
}

func javaDefine(w *walker, r *rules, d *Def, n syntax.NodeID) {
	if d.Kind != graph.Type {
		return
	}
	t := w.t
	r.bases(w, d, t.Child(n, "superclass"), graph.Inherits)
	for _, list := range []syntax.NodeID{t.Child(n, "interfaces"), t.ChildOf(n, "extends_interfaces")} {
		relation := graph.Implements
		if d.Form == "interface" {
			relation = graph.Inherits
		}
		r.bases(w, d, t.ChildOf(list, "type_list"), relation)
	}
	if t.Kind(n) == "object_creation_expression" {
		if name, _ := r.typ(w, t.Child(n, "type")).Name(); name != "" {
			d.Bases = append(d.Bases, Base{Relation: graph.Inherits, Name: name, Line: d.Line})
		}
	}
}

func rubyDefine(w *walker, r *rules, d *Def, n syntax.NodeID) {
	if d.Kind != graph.Type {
		return
	}
	t := w.t
	r.bases(w, d, t.Child(n, "superclass"), graph.Inherits)
	for c := range t.Children(t.Child(n, "body")) {
		if t.Kind(c) == "call" {
			switch t.Text(t.Child(c, "method")) {
			case "include", "prepend", "extend":
				r.bases(w, d, t.Child(c, "arguments"), graph.MixesIn)
			}
		}
	}
}

// rustDefine takes what a type implements from the impl around a method.
func rustDefine(w *walker, r *rules, d *Def, n syntax.NodeID) {
	t := w.t
	if d.Kind == graph.Type {
		r.bases(w, d, t.Child(n, "bounds"), graph.Inherits)
		return
	}
	impl := t.Parent(t.Parent(n))
	trait := t.Child(impl, "trait")
	if d.Owner == "" || trait == syntax.None {
		return
	}
	name, _ := r.typ(w, trait).Name()
	for i := range w.f.Defs {
		outer := &w.f.Defs[i]
		if outer.Kind != graph.Type || outer.Name != d.Owner || name == "" {
			continue
		}
		for _, b := range outer.Bases {
			if b.Name == name {
				return
			}
		}
		outer.Bases = append(outer.Bases, Base{Relation: graph.Implements, Name: name, Line: int32(t.Line(impl))})
	}
}

func cDefine(w *walker, r *rules, d *Def, n syntax.NodeID) {
	if d.Kind == graph.Type {
		r.bases(w, d, w.t.ChildOf(n, "base_class_clause"), graph.Inherits)
		if d.Form == "alias" {
			d.Type = r.typ(w, w.t.Child(n, "type"))
		}
	}
}
