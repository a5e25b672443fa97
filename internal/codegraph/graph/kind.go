package graph

import "fmt"

// Kind is what a node is. The zero value is no kind.
type Kind uint8

// The kinds. Their numbers are stored: add at the end.
const (
	NoKind   Kind = iota
	File          // a source file or document
	Type          // a class, struct, interface, trait, enum or named type; Form says which
	Function      // a function that belongs to no type
	Method        // a function of a type
	Field         // a field or property of a type
	Const         // a constant, an enum case, a variable of a package or module
	Package       // a package, namespace or module
	Section       // a section of a document
	Prose         // a text without a name of its own, such as a comment
	External      // something referred to that the tree does not define
	kindEnd
)

var kindNames = [kindEnd]string{
	"", "file", "type", "function", "method", "field", "const", "package", "section", "prose", "external",
}

// String returns the lower-case name of the kind.
func (k Kind) String() string {
	if k >= kindEnd {
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// MarshalText implements encoding.TextMarshaler.
func (k Kind) MarshalText() ([]byte, error) {
	if k >= kindEnd {
		return nil, fmt.Errorf("no kind has number %d", uint8(k))
	}
	return []byte(kindNames[k]), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Kind) UnmarshalText(text []byte) error {
	for i, name := range kindNames {
		if name == string(text) {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("unknown kind %q", text)
}

// FileType is the class of source a node comes from.
type FileType string

// The file types.
const (
	Code      FileType = "code"
	Document  FileType = "document"
	Paper     FileType = "paper"
	Image     FileType = "image"
	Rationale FileType = "rationale"
	Concept   FileType = "concept"
)

// Confidence is how sure an edge is.
type Confidence uint8

// The levels, surest first. Their numbers are stored.
const (
	Extracted Confidence = iota // the source says so: by scope, import or declared type
	Inferred                    // follows by a rule that can be wrong
	Ambiguous                   // one of several that the source allows
	confidenceEnd
)

var confidenceNames = [confidenceEnd]string{"EXTRACTED", "INFERRED", "AMBIGUOUS"}

// String returns the upper-case name of the level.
func (c Confidence) String() string {
	if c >= confidenceEnd {
		return fmt.Sprintf("confidence(%d)", uint8(c))
	}
	return confidenceNames[c]
}

// DefaultScore is the score of an edge of which nothing more is known.
func (c Confidence) DefaultScore() float32 {
	switch c {
	case Extracted:
		return 1
	case Inferred:
		return 0.5
	default:
		return 0.2
	}
}

// MarshalText implements encoding.TextMarshaler.
func (c Confidence) MarshalText() ([]byte, error) {
	if c >= confidenceEnd {
		return nil, fmt.Errorf("no confidence has number %d", uint8(c))
	}
	return []byte(confidenceNames[c]), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *Confidence) UnmarshalText(text []byte) error {
	for i, name := range confidenceNames {
		if name == string(text) {
			*c = Confidence(i)
			return nil
		}
	}
	return fmt.Errorf("unknown confidence %q", text)
}
