// Package syntax reads source text: which language it is in, its syntax tree,
// what it defines and what it imports. It is the only package that knows the
// tree-sitter grammars; what it returns is plain Go data that holds no C memory.
//
// A tree is a flat array of nodes (see Tree). Everything above it works with
// numbers into that array, so a tree may be kept, copied and read by several
// goroutines.
package syntax

import (
	"bytes"
	"path"
	"strings"
)

// Language is a language that this package parses. The zero value is none.
type Language uint8

// The languages.
const (
	NoLanguage Language = iota
	C
	CPP
	Go
	Java
	JavaScript
	PHP
	Python
	Ruby
	Rust
	TypeScript
	TSX
	languageEnd
)

var languageNames = [languageEnd]string{
	"", "c", "cpp", "go", "java", "javascript", "php", "python", "ruby", "rust", "typescript", "tsx",
}

// String returns the lower-case name of the language, "" for none.
func (l Language) String() string {
	if l >= languageEnd {
		return ""
	}
	return languageNames[l]
}

// LanguageNamed returns the language with a name as String gives it.
func LanguageNamed(name string) (Language, bool) {
	for l := NoLanguage + 1; l < languageEnd; l++ {
		if languageNames[l] == name {
			return l, true
		}
	}
	return NoLanguage, false
}

// Languages returns all languages in order.
func Languages() []Language {
	all := make([]Language, 0, languageEnd-1)
	for l := NoLanguage + 1; l < languageEnd; l++ {
		all = append(all, l)
	}
	return all
}

// Family names the group of languages whose sources call each other directly:
// C and C++, the dialects of JavaScript; any other language by itself.
func (l Language) Family() string {
	switch l {
	case C, CPP:
		return "c"
	case JavaScript, TypeScript, TSX:
		return "javascript"
	default:
		return l.String()
	}
}

// Detect tells the language of a file by its name and, when that says nothing,
// by the interpreter that its first line names. head is the file's beginning;
// a header file (.h) is C++ when head has a class, a namespace or a template.
func Detect(name string, head []byte) (Language, bool) {
	base := strings.ToLower(path.Base(name))
	ext := path.Ext(base)
	if ext == ".h" && looksLikeCPP(head) {
		return CPP, true
	}
	if l := byExtension(ext); l != NoLanguage {
		return l, true
	}
	switch base {
	case "rakefile", "gemfile", "vagrantfile":
		return Ruby, true
	}
	if l := byInterpreter(head); l != NoLanguage && (ext == "" || ext == base) {
		return l, true
	}
	return NoLanguage, false
}

func byExtension(ext string) Language {
	switch ext {
	case ".c", ".h":
		return C
	case ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".inl":
		return CPP
	case ".go":
		return Go
	case ".java":
		return Java
	case ".js", ".jsx", ".mjs", ".cjs":
		return JavaScript
	case ".php", ".phtml", ".php3", ".php4", ".php5", ".php7", ".phps", ".inc":
		return PHP
	case ".py", ".pyi", ".pyw":
		return Python
	case ".rb", ".rake", ".gemspec":
		return Ruby
	case ".rs":
		return Rust
	case ".ts", ".mts", ".cts":
		return TypeScript
	case ".tsx":
		return TSX
	default:
		return NoLanguage
	}
}

// byInterpreter reads a line such as "#!/usr/bin/env python3".
func byInterpreter(head []byte) Language {
	if !bytes.HasPrefix(head, []byte("#!")) {
		return NoLanguage
	}
	line, _, _ := bytes.Cut(head[2:], []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) > 0 && path.Base(words[0]) == "env" {
		words = words[1:]
		for len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")) {
			words = words[1:]
		}
	}
	if len(words) == 0 {
		return NoLanguage
	}
	switch name := strings.TrimRight(path.Base(words[0]), "0123456789."); name {
	case "php":
		return PHP
	case "python", "pypy":
		return Python
	case "ruby", "jruby":
		return Ruby
	case "node", "nodejs":
		return JavaScript
	case "deno", "bun", "ts-node":
		return TypeScript
	default:
		return NoLanguage
	}
}

func looksLikeCPP(head []byte) bool {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		for _, word := range []string{"class ", "namespace ", "template<", "template <", "public:", "private:", "using namespace"} {
			if bytes.HasPrefix(line, []byte(word)) {
				return true
			}
		}
	}
	return false
}
