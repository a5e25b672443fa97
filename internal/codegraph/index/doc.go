// Package index makes the code graph of a folder: it finds the sources, reads
// what changed since the last run, and binds the facts of all files.
//
// A run keeps its facts in one file beside the graph (StateFile). A file whose
// size and time are as before is not read; one whose content hash is as before is
// not parsed; a source is bound again only when it changed or when a definition
// changed that it mentions (extract.Changes). The graph is the same as that of a
// run that starts with nothing.
//
// Nothing that a tree can hold ends a run: what cannot be read or parsed is
// counted in the Summary with its path.
package index
