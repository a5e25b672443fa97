package extract

import (
	"strings"

	"sortedheap/internal/syntax"
)

// phpScope resolves names as PHP does: by the namespace and the use declarations
// of the file alone.
type phpScope struct {
	namespace string
	classes   map[string]string // by lower-case alias
	functions map[string]string
}

func (s *phpScope) imports(imports []syntax.Import) {
	s.classes, s.functions = map[string]string{}, map[string]string{}
	for _, i := range imports {
		switch i.Kind {
		case syntax.ImportPlain:
			s.classes[strings.ToLower(i.Local(syntax.PHP))] = i.Path
		case syntax.ImportFunction:
			s.functions[strings.ToLower(i.Local(syntax.PHP))] = i.Path
		}
	}
}

// Marks of types that only the class around them tells.
const (
	phpSelf   = "self"
	phpStatic = "static"
	phpParent = "parent"
)

// class returns the full name of a class as written, "" for a scalar type.
func (s *phpScope) class(name string) string {
	if full, ok := strings.CutPrefix(name, `\`); ok {
		return full
	}
	lower := strings.ToLower(name)
	switch lower {
	case phpSelf, phpStatic, phpParent:
		return lower
	case "$this":
		return phpStatic
	case "", "int", "integer", "float", "double", "string", "bool", "boolean", "array", "callable", "iterable", "object", "mixed",
		"void", "null", "never", "false", "true", "resource", "scalar", "numeric", "class-string", "list", "callback", "number", "non-empty-string":
		return ""
	}
	if rest, ok := strings.CutPrefix(lower, `namespace\`); ok {
		return s.in(name[len(name)-len(rest):])
	}
	first, rest, qualified := strings.Cut(name, `\`)
	if full, ok := s.classes[strings.ToLower(first)]; ok {
		if qualified {
			return full + `\` + rest
		}
		return full
	}
	return s.in(name)
}

func (s *phpScope) in(name string) string {
	if s.namespace == "" {
		return name
	}
	return s.namespace + `\` + name
}

// function returns the full name of a function. An unqualified name that no use
// declaration has may be in the namespace or global: it gets the namespace, and
// whoever looks it up tries its last part too.
func (s *phpScope) function(name string) string {
	if full, ok := strings.CutPrefix(name, `\`); ok {
		return full
	}
	if full, ok := s.functions[strings.ToLower(name)]; ok {
		return full
	}
	if first, rest, ok := strings.Cut(name, `\`); ok {
		if full, ok := s.classes[strings.ToLower(first)]; ok {
			return full + `\` + rest
		}
	}
	return s.in(name)
}

// phpType reduces the node of a declared type.
func phpType(w *walker, n syntax.NodeID) Type {
	t := w.t
	switch t.Kind(n) {
	case "named_type", "name", "qualified_name":
		return Type(w.scope.class(t.Text(n)))
	case "optional_type", "union_type", "intersection_type", "disjunctive_normal_form_type", "type_list":
		var all []Type
		for c := range t.Children(n) {
			all = append(all, phpType(w, c))
		}
		return union(all)
	case "primitive_type":
		if text := strings.ToLower(t.Text(n)); text == phpStatic || text == phpSelf {
			return Type(text)
		}
	case phpSelf, phpStatic:
		return Type(t.Kind(n))
	}
	return ""
}

// phpDocType reads a type of a comment: Foo, Foo|null, Foo[], array<int, Foo>,
// Foo::class is no type. What it cannot read is unknown.
func phpDocType(s *phpScope, text string) Type {
	var all []Type
	for _, part := range splitTop(text, "|&") {
		part = strings.Trim(part, "?()")
		switch {
		case part == "":
		case strings.HasSuffix(part, "[]"):
			all = append(all, elements(phpDocType(s, strings.TrimSuffix(part, "[]"))))
		case strings.ContainsAny(part, "<"):
			head, args, _ := strings.Cut(strings.TrimSuffix(part, ">"), "<")
			parts := splitTop(args, ",")
			switch strings.ToLower(head) {
			case "array", "iterable", "list", "generator", "traversable", "iterator", "arrayiterator", "non-empty-array", "non-empty-list":
				i := len(parts) - 1
				if strings.EqualFold(head, "generator") && len(parts) > 1 {
					i = 1
				}
				all = append(all, elements(phpDocType(s, strings.TrimSpace(parts[i]))))
			case "class-string":
			default:
				all = append(all, phpDocType(s, head))
			}
		case strings.ContainsAny(part, "{}:'\"-$*") && part != "$this":
		default:
			if name := s.class(part); name != "" {
				all = append(all, Type(name))
			}
		}
	}
	return union(all)
}

// splitTop splits a text at any of the separators outside of brackets.
func splitTop(s, separators string) []string {
	var parts []string
	depth, start := 0, 0
	for i, c := range s {
		switch {
		case strings.ContainsRune("<({[", c):
			depth++
		case strings.ContainsRune(">)}]", c):
			depth--
		case depth == 0 && strings.ContainsRune(separators, c):
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}

// phpTag is one line of a comment that says a type.
type phpTag struct {
	tag, name string // "param", "$x"
	kind      Type
}

// phpTags reads the types that a comment says.
func phpTags(s *phpScope, comment string) []phpTag {
	var tags []phpTag
	for line := range strings.SplitSeq(comment, "\n") {
		line = strings.TrimLeft(strings.TrimSpace(line), "/*# \t")
		line = strings.TrimSuffix(line, "*/")
		rest, ok := strings.CutPrefix(line, "@")
		if !ok {
			continue
		}
		tag, rest, _ := strings.Cut(rest, " ")
		tag = strings.TrimPrefix(strings.TrimPrefix(tag, "phan-"), "psalm-")
		tag = strings.TrimPrefix(tag, "phpstan-")
		switch tag {
		case "var", "param", "return", "property", "property-read", "method":
		default:
			continue
		}
		one, rest := cutType(strings.TrimSpace(rest))
		name, _ := cutType(rest)
		if strings.HasPrefix(one, "$") && one != "$this" { // the name came first
			one, name = name, one
		}
		if tag == "method" {
			if one == "static" && name != "" && !strings.Contains(name, "(") {
				one, rest = cutType(strings.TrimPrefix(rest, "static"))
				name, _ = cutType(strings.TrimSpace(rest))
			}
			name, _, _ = strings.Cut(name, "(")
		}
		if tag == "var" && !strings.HasPrefix(name, "$") {
			name = "" // prose, not the variable that is meant
		}
		name = strings.TrimLeft(name, "&.$")
		if kind := phpDocType(s, one).Commented(); kind != "" {
			tags = append(tags, phpTag{tag: tag, name: strings.TrimRight(name, ",;"), kind: kind})
		}
	}
	return tags
}

// cutType cuts the first word, which may hold spaces within brackets.
func cutType(s string) (word, rest string) {
	depth := 0
	for i, c := range s {
		switch {
		case strings.ContainsRune("<({", c):
			depth++
		case strings.ContainsRune(">)}", c):
			depth--
		case depth <= 0 && (c == ' ' || c == '\t'):
			return s[:i], strings.TrimSpace(s[i:])
		}
	}
	return s, ""
}
