package syntax

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// DefKind is what a definition defines.
type DefKind string

// The kinds of definitions.
const (
	DefNamespace DefKind = "namespace" // a package, namespace or module with a body
	DefClass     DefKind = "class"
	DefInterface DefKind = "interface"
	DefTrait     DefKind = "trait"
	DefEnum      DefKind = "enum"
	DefStruct    DefKind = "struct"
	DefAlias     DefKind = "alias" // another name for a type, or a named type of no other kind
	DefFunction  DefKind = "function"
	DefMethod    DefKind = "method"
	DefField     DefKind = "field"
	DefConst     DefKind = "const" // a constant, an enum case, a variable outside of functions
	DefMacro     DefKind = "macro"
)

// IsType reports whether definitions of the kind are types.
func (k DefKind) IsType() bool {
	switch k {
	case DefClass, DefInterface, DefTrait, DefEnum, DefStruct, DefAlias:
		return true
	default:
		return false
	}
}

// IsFunction reports whether definitions of the kind can be called.
func (k DefKind) IsFunction() bool { return k == DefFunction || k == DefMethod || k == DefMacro }

// Definition is a name that a source defines.
type Definition struct {
	Kind DefKind
	// Name is the bare name; Qualified has the names around it as the language
	// writes them: "App\Charge::run", "pgx.Conn.Query". The names of modules that
	// only a file's path tells are not in it.
	Name, Qualified string
	// Owner names the type of a method or field that is defined apart from it: a Go
	// receiver, "Charge" of "void Charge::run()"; else "".
	Owner string
	// Parent is the position, in the slice of Definitions, of the definition
	// around this one, or -1.
	Parent int
	// Start and End are its bytes as [start, end), Line and EndLine its lines from
	// 1, with the comment, attributes and decorators directly before it.
	Start, End    int
	Line, EndLine int
	// NameLine is the line of the name itself.
	NameLine int
	// Signature is the text before the body on one line, at most MaxSignature bytes.
	Signature string
	// Doc is the comment directly before the definition, or its docstring, without
	// the marks of comments, at most MaxDoc bytes.
	Doc string
	// Static says that a method or field belongs to the type, not to its objects.
	Static bool
	// Declared says that this is a declaration without a body whose definition is
	// elsewhere: a prototype, an abstract method.
	Declared bool
	// Node is the definition's node, Body that of its body or None.
	Node, Body NodeID
}

// Anonymous is the name of a class that has none.
const Anonymous = "(anonymous)"

// Bounds of texts that definitions carry.
const (
	MaxSignature = 240
	MaxDoc       = 1000
)

// Definitions returns what a source defines, in source order with parents before
// what they contain.
func Definitions(t *Tree) []Definition {
	w := &definer{t: t, separator: "."}
	switch t.Lang {
	case PHP, C, CPP, Rust:
		w.separator = "::"
	case Ruby:
		w.separator = "::"
	}
	w.classify = classifierOf(t.Lang)
	w.prefix = packageName(t)
	w.block(Root, -1, None, None)
	return w.found
}

// match is what a classifier says about one node.
type match struct {
	kind     DefKind
	name     string
	nameNode NodeID
	owner    string
	body     NodeID
	static   bool
	declared bool
}

// classifier returns the definitions that a node makes itself, not those below
// it. inside is the kind of the definition around it, "" at the top.
type classifier func(w *definer, n NodeID, inside DefKind) []match

// definer walks a tree and collects definitions.
type definer struct {
	t         *Tree
	classify  classifier
	separator string
	prefix    string // package or namespace of what follows
	found     []Definition
}

// block walks the children of a node. wrapper is the outermost node that only
// wraps what it holds (an export, decorators), doc the first node of the comment
// before it; both None where there are none.
func (w *definer) block(n NodeID, parent int, wrapper, doc NodeID) {
	t := w.t
	run := doc       // first comment of a run that touches what comes next
	end := 0         // last line of the sibling before
	if doc != None { // the wrapper's comment belongs to its first definition
		end = t.Line(n) - 1
	}
	first := true
	for c := range t.Children(n) {
		if isComment(t.Kind(c)) {
			line := t.Line(c)
			if (run == None || line > end+1) && !first && line == end {
				continue // a remark behind the line before
			}
			if run == None || line > end+1 {
				run = c
			}
			end, first = commentEndLine(t, c), false
			continue
		}
		if run != None && run != doc && t.Line(c) > end+1 {
			run = None
		}
		w.one(c, parent, wrapper, run)
		end, first = t.EndLine(c), false
		if t.Named(c) && !isModifier(t.Kind(c)) {
			run, doc = None, None
		}
	}
}

// one handles a node: the definitions it makes, then what is below it.
func (w *definer) one(n NodeID, parent int, wrapper, doc NodeID) {
	t := w.t
	if t.First(n) == None {
		return
	}
	inside := DefKind("")
	if parent >= 0 {
		inside = w.found[parent].Kind
	}
	if t.Lang == PHP && t.Kind(n) == "namespace_definition" {
		w.namespace(n, parent)
		return
	}
	matches := w.classify(w, n, inside)
	if len(matches) == 0 {
		if isWrapper(t.Kind(n)) && w.holdsOne(n) {
			if wrapper == None {
				wrapper = n
			}
			w.block(n, parent, wrapper, doc)
			return
		}
		w.block(n, parent, None, None)
		return
	}
	at := parent
	for i, m := range matches {
		number, holder := len(w.found), parent
		if m.kind == DefField && inside.IsFunction() {
			holder = w.found[parent].Parent // promoted by a constructor's parameter
		}
		w.found = append(w.found, w.definition(n, m, holder, wrapper, doc))
		if i == 0 && m.kind != DefAlias {
			at = number
		}
	}
	w.block(n, at, None, None)
}

// holdsOne reports whether a node holds one thing besides comments and modifiers.
func (w *definer) holdsOne(n NodeID) bool {
	count := 0
	for c := range w.t.Children(n) {
		if kind := w.t.Kind(c); w.t.Named(c) && !isComment(kind) && !isModifier(kind) {
			count++
		}
	}
	return count == 1
}

// namespace handles a PHP namespace, which has a body or lasts until the next.
func (w *definer) namespace(n NodeID, parent int) {
	name := w.t.Text(w.t.Child(n, "name"))
	body := w.t.Child(n, "body")
	if body == None {
		w.prefix = name
		return
	}
	outer := w.prefix
	w.prefix = name
	w.block(body, parent, None, None)
	w.prefix = outer
}

func (w *definer) definition(n NodeID, m match, parent int, wrapper, doc NodeID) Definition {
	t := w.t
	outer := n
	if wrapper != None {
		outer = wrapper
	}
	start, end := t.Span(outer)
	line := t.Line(outer)
	if doc != None {
		start, _ = t.Span(doc)
		line = t.Line(doc)
	}
	nameLine := t.Line(n)
	if m.nameNode != None {
		nameLine = t.Line(m.nameNode)
	}
	d := Definition{
		Kind: m.kind, Name: clean(m.name), Owner: clean(m.owner), Parent: parent, Start: start, End: end, Line: line,
		EndLine: t.EndLine(outer), NameLine: nameLine, Static: m.static, Declared: m.declared, Node: n, Body: m.body,
	}
	d.Signature = w.signature(n, m.body)
	d.Doc = w.docText(m, doc, outer)
	d.Qualified = w.qualified(d)
	return d
}

// qualified joins the names around a definition with its own.
func (w *definer) qualified(d Definition) string {
	if d.Parent >= 0 && d.Owner == "" {
		outer := w.found[d.Parent]
		separator := w.separator
		if w.t.Lang == Ruby && d.Kind == DefMethod {
			separator = "#"
			if d.Static {
				separator = "."
			}
		}
		return outer.Qualified + separator + d.Name
	}
	name := d.Name
	if d.Owner != "" {
		name = d.Owner + w.separator + name
		if d.Parent >= 0 {
			return w.found[d.Parent].Qualified + w.separator + name
		}
	}
	if w.prefix == "" {
		return name
	}
	if w.t.Lang == PHP {
		return w.prefix + `\` + name
	}
	return w.prefix + w.separator + name
}

// signature is the text of a definition up to its body, on one line.
func (w *definer) signature(n, body NodeID) string {
	start, end := w.t.Span(n)
	if body != None {
		if s, _ := w.t.Span(body); s > start {
			end = s
		}
	}
	text := clean(string(w.t.source[start:min(end, start+4*MaxSignature)]))
	text = strings.Join(strings.Fields(text), " ")
	text = strings.TrimRight(text, "{:=;, ")
	return truncate(text, MaxSignature)
}

// docText is the comment before a definition without its marks, or a docstring.
func (w *definer) docText(m match, doc, outer NodeID) string {
	t := w.t
	if t.Lang == Python {
		if s := docstring(t, m.body); s != "" {
			return truncate(s, MaxDoc)
		}
	}
	if doc == None {
		return ""
	}
	start, _ := t.Span(doc)
	end, _ := t.Span(outer)
	if start >= end {
		return ""
	}
	return truncate(stripComment(t.source[start:end]), MaxDoc)
}

// stripComment removes the marks of comments and joins the lines.
func stripComment(text []byte) string {
	var lines []string
	for line := range bytes.Lines(text[:min(len(text), 4*MaxDoc)]) {
		s := strings.TrimSpace(clean(string(line)))
		if strings.HasPrefix(s, "#[") {
			continue // an attribute
		}
		s = strings.TrimLeft(s, "/*#!<")
		s = strings.TrimSuffix(s, "*/")
		if s = strings.TrimSpace(s); s != "" {
			lines = append(lines, s)
		}
	}
	return strings.Join(lines, " ")
}

// docstring returns the text with which a Python body begins.
func docstring(t *Tree, body NodeID) string {
	first := t.ChildOf(body, "expression_statement")
	if first == None || first != t.First(body) {
		return ""
	}
	s := t.ChildOf(first, "string")
	if s == None {
		return ""
	}
	var text strings.Builder
	for c := range t.Children(s) {
		if t.Kind(c) == "string_content" {
			text.WriteString(t.Text(c))
		}
	}
	return strings.Join(strings.Fields(clean(text.String())), " ")
}

// clean makes a source text storable: valid UTF-8 without NUL bytes.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// truncate cuts a text to at most n bytes between characters.
func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("...")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}

func isComment(kind string) bool {
	switch kind {
	case "comment", "line_comment", "block_comment", "attribute_item":
		return true
	default:
		return false
	}
}

// isModifier reports words and marks that stand before what they belong to, as
// siblings of it.
func isModifier(kind string) bool {
	switch kind {
	case "decorator", "modifiers", "attribute_list", "accessibility_modifier", "visibility_modifier", "template_parameter_list":
		return true
	default:
		return false
	}
}

// isWrapper reports nodes that hold one definition and belong to it.
func isWrapper(kind string) bool {
	switch kind {
	case "export_statement", "decorated_definition", "template_declaration", "type_declaration", "const_declaration",
		"var_declaration", "var_spec_list", "lexical_declaration", "variable_declaration", "ambient_declaration",
		"expression_statement":
		return true
	default:
		return false
	}
}

// commentEndLine is the last line with text of a comment; some grammars let a
// comment end after its line break.
func commentEndLine(t *Tree, n NodeID) int {
	start, end := t.Span(n)
	for end > start+1 && (t.source[end-1] == '\n' || t.source[end-1] == '\r') {
		end--
	}
	return t.lineAt(uint32(end - 1))
}
