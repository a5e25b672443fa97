package syntax

import "strings"

func (i *importer) php(n NodeID) bool {
	t := i.t
	switch t.Kind(n) {
	case "namespace_use_declaration":
		i.phpUse(n)
		return false
	case "include_expression", "include_once_expression", "require_expression", "require_once_expression":
		i.add(n, Import{Kind: ImportInclude, Path: phpPathTail(t, n)})
		return false
	}
	return true
}

// phpUse handles "use A\B as C, D;" and "use A\{B, function c};".
func (i *importer) phpUse(n NodeID) {
	t := i.t
	prefix := t.Text(t.ChildOf(n, "namespace_name"))
	outer := phpUseKind(t, n)
	clauses := n
	if group := t.Child(n, "body"); group != None {
		clauses = group
	}
	for c := range t.Children(clauses) {
		if t.Kind(c) != "namespace_use_clause" && t.Kind(c) != "namespace_use_group_clause" {
			continue
		}
		kind := phpUseKind(t, c)
		if kind == ImportPlain {
			kind = outer
		}
		name := strings.TrimPrefix(t.Text(t.ChildOf(c, "qualified_name", "namespace_name", "name")), `\`)
		if prefix != "" {
			name = strings.TrimPrefix(prefix, `\`) + `\` + name
		}
		alias := t.Text(t.Child(c, "alias"))
		if old := t.ChildOf(c, "namespace_aliasing_clause"); old != None {
			alias = t.Text(t.ChildOf(old, "name"))
		}
		i.add(c, Import{Kind: kind, Path: name, Alias: alias})
	}
}

func phpUseKind(t *Tree, n NodeID) ImportKind {
	switch {
	case hasWord(t, n, "function"):
		return ImportFunction
	case hasWord(t, n, "const"):
		return ImportConst
	default:
		return ImportPlain
	}
}

// phpPathTail returns the last string literal of an include's expression, which
// is the file's path after some directory: __DIR__ . '/x.php'.
func phpPathTail(t *Tree, n NodeID) string {
	tail := ""
	t.Within(n, func(c NodeID) bool {
		switch t.Kind(c) {
		case "string_content":
			tail = t.Text(c)
		case "variable_name":
			tail = ""
		}
		return true
	})
	return strings.TrimPrefix(tail, "/")
}
