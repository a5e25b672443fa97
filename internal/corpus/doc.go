// Package corpus generates and loads the fact graphs that the scenarios query.
//
// A corpus is a pure function of its options (and of the files it reads): the
// same options give the same rows and queries, bit for bit, on every machine.
//
// Vocabulary:
//
//   - fact: one edge of a graph, entity -relation-> target, with the text that
//     states it and the text's embedding.
//   - facts: a whole graph in memory, in generator order, with its queries.
//   - source: a graph that hands out its rows one by one, any number of times,
//     for corpora too large to hold with their vectors.
//   - query: a text with its embedding and the relations that each hop follows.
//   - question set: which questions are asked, the original ones of published
//     results or fair ones, spread over the corpus and none of them a row.
//   - answer: the target id of the one fact that answers a query; corpora
//     without an answer key measure latency and agreement, not hit rates.
//   - chain: in the multihop corpus, person -> parent -> city.
//   - butler: seven facts of an assistant's memory, two chains of two among them.
//   - paragraph graph: in the Gutenberg corpus, book -> paragraph (relation 1)
//     and paragraph -> next paragraph (relation 2).
//   - source tree: in the code corpus, files with their chunks (relation 1), the
//     files they require (relation 2) and their summaries (relation 3).
//   - question file: what is asked about a source tree, with the keywords that a
//     right answer shows.
//   - written vector: a vector rounded to six decimals; see package embed.
//   - vectors: rows without facts, for nearest neighbour search alone; query
//     sets are queries of different kinds over the same rows.
//   - bucket: a number of a row that filters go by.
//   - digest: the SHA-256 of a corpus's canonical dump, its fingerprint.
//
// Rows that state the same text may share one Embedding slice. Rows, queries
// and their vectors are read-only once handed out.
package corpus
