// Package resolve binds the facts of files to each other: it makes nodes of
// definitions and edges of what they say of each other.
//
// A call binds to a definition only where the sources give a reason: scope,
// import, or the type of what stands before it. Without a reason it stays
// unresolved, with the definitions of that name as candidates. The edge says the
// reason (Why) and how sure it is:
//
//	EXTRACTED  scope, import, declared types
//	INFERRED   a type that a comment or an assignment tells; one of the types of
//	           a union; a name that one definition of the tree has
//	AMBIGUOUS  the name found has several definitions of equal rank
//
// Languages that cannot call each other are kept apart (syntax.Language.Family),
// and names that a language brings along are never targets.
//
// The facts of a file matter to other files only through its definitions; what
// its bodies say matters to its own edges. Incremental runs rely on this.
package resolve
