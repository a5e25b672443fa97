// Package evidence finds the right lines of a source tree for a question, in a
// budget of tokens.
//
// Vocabulary:
//
//   - fragment: a function, a type or a run of lines, cut at load and stored as a
//     row, so that an answer reads no file. Fragments of one file overlap
//     nowhere and hold every line that is not blank.
//   - term: what the lexical index counts: words and identifiers in lower case,
//     the parts of identifiers, stemmed; and symbols, exact names of definitions.
//   - posting list: the fragments that hold a term, those it tells most of first,
//     each with its share of the fragment's BM25F score.
//   - seed: a fragment found by a symbol, by terms, or near the question's vector.
//   - rescue: fragments that seeds refer to, or that refer to them.
//   - pack: choice of at most so many files and lines that a budget pays for.
//
// An Index answers from the tables of a database in three round trips; see Ask.
package evidence
