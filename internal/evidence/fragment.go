package evidence

import "strings"

// Fragment is a part of a file that can be evidence.
type Fragment struct {
	File      string // path in the tree, with slashes
	StartLine int    // of Text, from 1
	EndLine   int    // of Text, inclusive
	Symbol    string // qualified name of what it defines; empty for a run of lines
	Kind      string // function, method, type, ... as the cutter calls it; "lines" or "notes" for a run of lines
	Cut       string // CutSyntax or CutWindow
	// Head is the signature of a definition that is cut in several fragments, on
	// all but the first of them; empty elsewhere.
	Head string
	// Lead is how many lines of Text tell what is defined: comment and signature.
	Lead int
	Text string
	// Names are the definitions in it, the fragment's own first, without qualifiers.
	Names []string
	// Members are those of Names that are fields, which other code names only after
	// a value that has them.
	Members []string
	// Declares are names in it whose definitions are elsewhere, as prototypes do.
	Declares []string
	// Implements are methods of interfaces and base types that it is an
	// implementation of, "Type.Method"; see implement.
	Implements []string
	// Tokens is the number of tokens of each line of Text, its end included.
	Tokens []int
}

// How a fragment was cut.
const (
	CutSyntax = "syntax" // by the syntax tree
	CutWindow = "window" // by counting lines: there is no grammar for the file, or it did not parse
)

// kindNotes is the kind of a run of lines between definitions that defines nothing:
// comments, licences, imports.
const kindNotes = "notes"

// Limits of a fragment.
const (
	maxLines     = 40   // of a run of lines, and of a part of a long definition
	wholeLines   = 60   // up to which a function is one fragment
	maxLineBytes = 800  // of a line; what is longer is cut and marked
	maxTextBytes = 6000 // of a fragment, so that its row stays in line
)

// File is a file of the tree.
type File struct {
	Path string // with slashes, relative to the root of the tree
	Text string // valid UTF-8 without NUL
}

// Counter counts tokens. A text cut in two has at least as many in its parts.
type Counter interface {
	Count(text string) (int, error)
}

// lines are the lines of Text.
func (f *Fragment) lines() []string { return strings.Split(f.Text, "\n") }
