package syntax

import (
	"fmt"

	ts "github.com/tree-sitter/go-tree-sitter"
	tsc "github.com/tree-sitter/tree-sitter-c/bindings/go"
	tscpp "github.com/tree-sitter/tree-sitter-cpp/bindings/go"
	tsgo "github.com/tree-sitter/tree-sitter-go/bindings/go"
	tsjava "github.com/tree-sitter/tree-sitter-java/bindings/go"
	tsjs "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
	tsphp "github.com/tree-sitter/tree-sitter-php/bindings/go"
	tspy "github.com/tree-sitter/tree-sitter-python/bindings/go"
	tsruby "github.com/tree-sitter/tree-sitter-ruby/bindings/go"
	tsrust "github.com/tree-sitter/tree-sitter-rust/bindings/go"
	tstypes "github.com/tree-sitter/tree-sitter-typescript/bindings/go"
)

// grammar is a language's parse table with its names in Go, so that walking a
// tree asks C for numbers only.
type grammar struct {
	language *ts.Language
	kinds    []string // by symbol; "" for punctuation and hidden symbols
	named    []bool
	fields   []string
}

// load builds the grammar of a language.
func load(l Language) (*grammar, error) {
	var language *ts.Language
	switch l {
	case C:
		language = ts.NewLanguage(tsc.Language())
	case CPP:
		language = ts.NewLanguage(tscpp.Language())
	case Go:
		language = ts.NewLanguage(tsgo.Language())
	case Java:
		language = ts.NewLanguage(tsjava.Language())
	case JavaScript:
		language = ts.NewLanguage(tsjs.Language())
	case PHP:
		language = ts.NewLanguage(tsphp.LanguagePHP())
	case Python:
		language = ts.NewLanguage(tspy.Language())
	case Ruby:
		language = ts.NewLanguage(tsruby.Language())
	case Rust:
		language = ts.NewLanguage(tsrust.Language())
	case TypeScript:
		language = ts.NewLanguage(tstypes.LanguageTypescript())
	case TSX:
		language = ts.NewLanguage(tstypes.LanguageTSX())
	default:
		return nil, fmt.Errorf("no grammar for language %q", l)
	}
	g := &grammar{
		language: language,
		kinds:    make([]string, language.NodeKindCount()),
		named:    make([]bool, language.NodeKindCount()),
		fields:   make([]string, language.FieldCount()+1),
	}
	for id := range g.kinds {
		name := language.NodeKindForId(uint16(id))
		g.named[id] = language.NodeKindIsNamed(uint16(id))
		if g.named[id] || isWord(name) {
			g.kinds[id] = name
		}
	}
	for id := 1; id < len(g.fields); id++ {
		g.fields[id] = language.FieldNameForId(uint16(id))
	}
	return g, nil
}

// errorKind is the symbol of text that did not parse.
const errorKind = 0xffff

// kind returns the name of a symbol, "" for one that trees leave out.
func (g *grammar) kind(symbol uint16) string {
	if symbol == errorKind {
		return "ERROR"
	}
	return g.kinds[symbol]
}

func (g *grammar) isNamed(symbol uint16) bool {
	return symbol == errorKind || g.named[symbol]
}

// isWord reports whether a token is a keyword rather than punctuation.
func isWord(name string) bool {
	for _, c := range name {
		if (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return name != ""
}
