package extract

import (
	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/syntax"
)

// File is what is known of one source file.
type File struct {
	Path    string // relative to the root of the tree, with slashes
	Lang    syntax.Language
	Test    bool // part of a test by its path
	Lines   int
	Errors  int  // places that did not parse
	Cut     bool // nesting deeper than the limit was left out
	Package string
	Imports []syntax.Import
	Defs    []Def
	Refs    []Ref
	Bodies  []Body
}

// Def is a definition.
type Def struct {
	Kind      graph.Kind
	Form      string
	Name      string
	Qualified string
	Owner     string // type that a method belongs to when it stands apart from it
	Parent    int32  // position in File.Defs, -1 for none
	Line      int32  // of the name
	EndLine   int32
	Static    bool
	Declared  bool // without a body
	Default   bool // what the file exports when no name is asked for
	Test      bool
	Signature string
	Doc       string
	// Type is the type of a field or constant, the result of a function, and what
	// a named type stands for.
	Type   Type
	Params []Param
	Bases  []Base
	// Shape is a function's parameters and results without names and packages, by
	// which methods are compared.
	Shape string
}

// Param is a parameter of a function.
type Param struct {
	Name string
	Type Type
}

// Base is a type that a type is derived from.
type Base struct {
	Relation graph.Relation
	Name     string
	Line     int32
}

// Ref is a place that names a type or a constant outside of a call.
type Ref struct {
	Def      int32 // the definition around it, -1 for the file
	Relation graph.Relation
	Context  string
	Name     string
	Member   string // the constant or method of Name that is meant, or ""
	Line     int32
}

// Body is what a function does. Def is -1 for what a file does outside of
// functions.
type Body struct {
	Def   int32
	Exprs []Expr
	Ops   []Op
}

// OpKind is the kind of an operation.
type OpKind uint8

// The kinds of operations.
const (
	OpAssign OpKind = iota // Var gets the type of Expr
	OpCall                 // Expr is a call, made on Line
	OpValue                // Expr is named but not called: a function given to another
	OpBranch               // what follows may not happen
	OpPin                  // Var has the type of Expr, also after the assignment that comes next
	OpJoin                 // end of the last branch: what it assigned may be or not
)

// Op is an operation of a body.
type Op struct {
	Kind  OpKind
	Fresh bool // of OpAssign: the variable is a new one that ends with the branch
	Var   string
	Expr  int32
	Line  int32
}

// ExprKind is the kind of an expression.
type ExprKind uint8

// The kinds of expressions.
const (
	ExprUnknown ExprKind = iota
	ExprThis             // the object whose method this is
	ExprSuper            // the same, seen as its base
	ExprVar              // Name is a variable or whatever the scope gives that name
	ExprMember           // member Name of X
	ExprCall             // the call of X, which is an ExprVar, ExprMember, ExprStatic or ExprName
	ExprStatic           // member Name of the type Type
	ExprNew              // a new object of Type
	ExprTyped            // any expression whose type Type the source says
	ExprElem             // an element of X
	ExprResult           // result number Index of X, of a call with several
	ExprName             // a function by its name in full
	ExprEither           // X or the expression at Index
)

// Expr is an expression.
type Expr struct {
	Kind  ExprKind
	Name  string
	Type  Type
	X     int32 // -1 for none
	Index int32
}
