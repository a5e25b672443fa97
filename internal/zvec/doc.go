// Package zvec searches collections of vectors in this process through zvec's
// C interface.
//
// The library is found and loaded at run time; nothing links with it. Only the
// Python wheels of version 0.5 ship the C interface. A collection lies in a
// directory of its own, has one vector per row and one hnsw index on it, and is
// searched by cosine distance. Keys are numbers that the caller counts.
//
// Memory: every object of the library lives within one call, but collections
// and the queries kept with them, which Close releases. The library itself stays
// loaded until the process ends: it has threads of its own.
package zvec
