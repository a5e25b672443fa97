package syntax

// javascript handles ES modules, require and import().
func (i *importer) javascript(n NodeID) bool {
	t := i.t
	switch t.Kind(n) {
	case "import_statement":
		i.jsImport(n)
		return false
	case "export_statement":
		if t.Child(n, "source") != None {
			i.jsExport(n)
			return false
		}
	case "call_expression":
		i.jsCall(n)
	}
	return true
}

func jsString(t *Tree, n NodeID) string { return t.Text(t.ChildOf(n, "string_fragment")) }

func (i *importer) jsImport(n NodeID) {
	t := i.t
	from := jsString(t, t.Child(n, "source"))
	clause := t.ChildOf(n, "import_clause")
	if clause == None {
		if require := t.ChildOf(n, "import_require_clause"); require != None {
			i.add(n, Import{Path: jsString(t, t.Child(require, "source")), Name: "*", Alias: t.Text(t.ChildOf(require, "identifier"))})
			return
		}
		i.add(n, Import{Path: from})
		return
	}
	for c := range t.Children(clause) {
		switch t.Kind(c) {
		case "identifier":
			i.add(c, Import{Path: from, Name: "default", Alias: t.Text(c)})
		case "namespace_import":
			i.add(c, Import{Path: from, Name: "*", Alias: t.Text(t.ChildOf(c, "identifier"))})
		case "named_imports":
			for s := range t.Children(c) {
				if t.Kind(s) == "import_specifier" {
					i.add(s, Import{Path: from, Name: t.Text(t.Child(s, "name")), Alias: t.Text(t.Child(s, "alias"))})
				}
			}
		}
	}
}

func (i *importer) jsExport(n NodeID) {
	t := i.t
	from := jsString(t, t.Child(n, "source"))
	clause := t.ChildOf(n, "export_clause")
	if clause == None {
		i.add(n, Import{Kind: ImportExport, Path: from, Name: "*", Alias: t.Text(t.ChildOf(t.ChildOf(n, "namespace_export"), "identifier"))})
		return
	}
	for s := range t.Children(clause) {
		if t.Kind(s) == "export_specifier" {
			i.add(s, Import{Kind: ImportExport, Path: from, Name: t.Text(t.Child(s, "name")), Alias: t.Text(t.Child(s, "alias"))})
		}
	}
}

// jsCall handles require("x"), by what holds its value, and import("x").
func (i *importer) jsCall(n NodeID) {
	t := i.t
	from := jsString(t, t.ChildOf(t.Child(n, "arguments"), "string"))
	function := t.Child(n, "function")
	switch {
	case from == "":
	case t.Kind(function) == "import":
		i.add(n, Import{Kind: ImportDynamic, Path: from})
	case t.Text(function) == "require":
		holder := t.Parent(n)
		name := t.Child(holder, "name")
		switch {
		case t.Kind(holder) == "variable_declarator" && t.Kind(name) == "identifier":
			i.add(n, Import{Path: from, Name: "*", Alias: t.Text(name)})
		case t.Kind(holder) == "variable_declarator" && t.Kind(name) == "object_pattern":
			for c := range t.Children(name) {
				switch t.Kind(c) {
				case "shorthand_property_identifier_pattern":
					i.add(c, Import{Path: from, Name: t.Text(c)})
				case "pair_pattern":
					i.add(c, Import{Path: from, Name: t.Text(t.Child(c, "key")), Alias: t.Text(t.Child(c, "value"))})
				}
			}
		default:
			i.add(n, Import{Path: from})
		}
	}
}
