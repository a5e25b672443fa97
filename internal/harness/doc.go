// Package harness is the home of the benchmark; its sub-packages do the work.
//
// The words they share:
//
//   - corpus: fact rows and queries, a pure function of its options.
//   - engine: one way to store a corpus and answer questions about it.
//   - task: what is asked of an engine, in engine-neutral words: how seeds are
//     found, which hops are taken, how answers are scored, and in which form.
//   - store: a vector database outside of PostgreSQL; an engine is made of it and
//     of SQL over a table.
//   - part: a part of a call with a clock of its own.
//   - case: a named task of one engine; one row of the report.
//   - scenario: a corpus, parameters and cases, as data.
//   - sample: one timed call of one case, on both clocks.
//   - trial: all samples of one case.
//   - result: the versioned file that a run leaves behind.
//   - report: text made from result files only, never from a database.
//
// Imports go one way: measure, stats and result know nothing of engines;
// engines know nothing of scenarios or of each other; only engine/all names
// them; the command line sits on top.
package harness
