package resolve

import (
	"strings"

	"sortedheap/internal/syntax"
)

// isBuiltin reports names that a language brings along: a call of one through an
// unknown receiver, or of no import, says nothing about the tree.
func isBuiltin(l syntax.Language, name string) bool {
	list := ""
	switch l.Family() {
	case "go":
		list = goBuiltins
	case "javascript":
		list = javascriptBuiltins
	case "python":
		list = pythonBuiltins
	case "ruby":
		list = rubyBuiltins
	case "java":
		list = javaBuiltins
	case "rust":
		list = rustBuiltins
	case "c":
		list = cBuiltins
	}
	return strings.Contains(list, " "+name+" ")
}

// isBuiltinMethod is isBuiltin for methods, of which Go and C have none.
func isBuiltinMethod(l syntax.Language, name string) bool {
	return l != syntax.Go && l != syntax.C && isBuiltin(l, name)
}

const (
	goBuiltins = ` append cap clear close complex copy delete imag len make max min new panic print println real recover
		bool byte error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr any Error String `
	javascriptBuiltins = ` Array Boolean Date Error JSON Map Math Number Object Promise RegExp Set String Symbol console fetch isNaN parseFloat
		parseInt require setTimeout setInterval clearTimeout clearInterval push pop shift unshift map filter forEach reduce join split
		slice splice concat indexOf includes find some every keys values entries has get set add delete then catch finally apply call
		bind toString replace match test exec trim toLowerCase toUpperCase charAt substring substr hasOwnProperty log warn error length
		on off emit append remove sort reverse `
	pythonBuiltins = ` abs all any bool bytes callable chr dict dir enumerate eval filter float format frozenset getattr hasattr hash id
		input int isinstance issubclass iter len list map max min next object open ord print property range repr reversed round set
		setattr sorted str sum super tuple type vars zip append extend insert pop keys values items get update join split strip
		startswith endswith format encode decode lower upper replace read write close sort copy add remove index count find `
	rubyBuiltins = ` puts print p require require_relative raise new each map select reject inject reduce join split first last push pop
		size length empty? nil? to_s to_i to_sym to_a to_h freeze dup is_a? respond_to? send include extend attr_reader attr_writer
		attr_accessor private public protected lambda proc loop merge keys values key? include? any? all? sort sort_by `
	javaBuiltins = ` toString equals hashCode getClass println print get set add put remove size isEmpty contains length charAt append
		format valueOf stream map filter collect forEach next hasNext iterator close run `
	rustBuiltins = ` println print format vec panic assert assert_eq assert_ne write writeln unwrap expect clone iter into_iter collect map
		filter push pop len is_empty to_string to_owned into from as_str as_ref as_mut unwrap_or ok err and_then insert get contains Some
		None Ok Err Box Vec String new default `
	cBuiltins = ` printf fprintf sprintf snprintf malloc calloc realloc free memcpy memset memmove memcmp strlen strcmp strncmp strcpy
		strncpy strcat strchr strstr assert abort exit sizeof push_back begin end size empty clear find insert erase c_str str at front
		back data `
)
