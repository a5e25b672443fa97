// Package embed turns text into vectors.
//
// Vocabulary:
//
//   - token: a maximal run of ASCII letters, digits and apostrophes, in lower
//     case; the tokeniser splits at everything else, underscores included.
//   - mode: how a text becomes weighted tokens. Lexical gives every token the
//     weight 1. Multihop mutes question words, strengthens the words that name
//     the relations of the person-parent-city corpus and cuts a trailing 's.
//     CodeAware reads identifiers whole and word by word.
//   - sign hash: a token's SHA-256 read as one sign per dimension.
//   - written vector: a vector rounded to six decimals, as a loader that
//     prints "%.6f" and a server that parses it would store it.
//
// Hashes are pure functions of mode, dimension and text: the same on every
// machine, bit for bit. HTTP asks a server, package minilm runs a model; Cached
// keeps what these have computed.
package embed

import "context"

// Embedder turns texts into vectors of one dimension. Implementations are safe
// for concurrent use.
type Embedder interface {
	// Name identifies the embedder in results, such as "hash-lexical".
	Name() string
	// Dim is the number of components of every vector, at least 1.
	Dim() int
	// Embed returns one vector per text, in order. It fails when ctx ends
	// or a text cannot be embedded.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}
