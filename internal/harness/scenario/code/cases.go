package code

import (
	"context"
	"fmt"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
)

const (
	chunk    = corpus.RelationChunk
	requires = corpus.RelationRequires
	summary  = corpus.RelationSummary
)

// Cases are the published ones, in the order in which they came about. Those that
// end in _in are SQL, those in _fn use the extension's functions and come after the
// SQL that they must equal, and those in _py add snippets of the source, which the
// client cuts.
func Cases() []Case {
	cases := []Case{
		exact(plain("direct_ann", (*builder).directNearest)),
		plain("seed_file_expand_in", expand((*builder).nearest)),
		helper("seed_file_expand_fn", "seed_file_expand_in", rerank((*builder).nearest)),
		plain("seed_require_twohop_in", (*builder).requiredChunks),
		helper("seed_require_twohop_fn", "seed_require_twohop_in", (*builder).requiredChunksFused),
		plain("seed_file_plus_require_in", (*builder).ownAndRequiredChunks),
		exact(plain("summary_seed_expand_in", expand((*builder).nearestSummaries))),
		helper("summary_seed_expand_fn", "summary_seed_expand_in", rerank((*builder).nearestSummaries)),
		exact(plain("oracle_seed_expand_in", expand((*builder).oracle))),
		helper("oracle_seed_expand_fn", "oracle_seed_expand_in", rerank((*builder).oracle)),
		plain("oracle_keyword_rerank_in", byWords(chunk, valueKeywords, (*builder).nearest)),
		plain("prompt_lexical_rerank_in", byWords(chunk, valueTerms, (*builder).nearest)),
		plain("prompt_diverse_rerank_in", (*builder).diverse),
		plain("seed_file_summary_output_in", summaries((*builder).nearest)),
		plain("prompt_summary_rerank_in", byWords(summary, valueTerms, (*builder).nearest)),
		exact(plain("summary_seed_summary_output_in", summaries((*builder).nearestSummaries))),
		exact(plain("prompt_summary_seed_rerank_in", byWords(summary, valueTerms, (*builder).nearestSummaries))),
	}
	for _, h := range hybrids() {
		cases = append(cases, plain(h.name, h.query))
	}
	return append(cases,
		withSnippets("prompt_summary_snippet_py", byWords(summary, valueTerms, (*builder).nearest)),
		withSnippets("prompt_symbol_summary_snippet_py", (*builder).symbols),
		exact(withSnippets("oracle_prompt_summary_snippet_py", byWords(summary, valueTerms, (*builder).oracle))),
		withSnippets("prompt_lexseed_require_summary_snippet_py", rescue((*builder).lexicalSummaries)),
		rescueHelper("prompt_lexseed_require_summary_snippet", rescue((*builder).lexicalSummaries)),
		withSnippets("prompt_compactseed_require_summary_snippet_py", rescue((*builder).lexicalSeeds)),
		rescueHelper("prompt_compactseed_require_summary_snippet", rescue((*builder).lexicalSeeds)))
}

// query writes the statement of a case.
type query func(b *builder) string

// ids writes a query that returns entity ids.
type ids func(b *builder) string

// ourEngines have the extension's functions on tables made for them.
var ourEngines = []string{"sorted_heap"}

func plain(name string, q query) Case {
	return Case{Name: name, Open: opener(name, q, false, false)}
}

// exact marks a case that searches by no index.
func exact(c Case) Case {
	c.Exact = true
	return c
}

// helper is a case that the extension's functions answer.
func helper(name, equals string, q query) Case {
	return Case{Name: name, Equals: equals, Engines: ourEngines, Open: opener(name, q, true, false)}
}

func withSnippets(name string, q query) Case {
	return Case{Name: name, Open: opener(name, q, false, true)}
}

// rescueHelper is a case with snippets whose rows our functions find.
func rescueHelper(name string, q query) Case {
	return Case{Name: name + "_fn", Equals: name + "_py", Engines: ourEngines, Open: opener(name+"_fn", q, true, true)}
}

// opener prepares one statement, and its snippets.
func opener(name string, q query, helpers, snippets bool) func(context.Context, *Store, Bounds) (Asker, error) {
	return func(ctx context.Context, s *Store, bounds Bounds) (Asker, error) {
		b := &builder{Store: s, Bounds: bounds, helpers: helpers}
		sql := q(b)
		statement, err := s.Prepare(ctx, fmt.Sprintf("code_%s_%d_%d", name, bounds.AnnK, bounds.TopK), sql, b.params())
		if err != nil {
			return nil, err
		}
		if snippets {
			return newSnippetAsker(statement, s.Corpus), nil
		}
		return &sqlAsker{statement}, nil
	}
}

// sqlAsker answers by one statement.
type sqlAsker struct{ *Statement }

func (a *sqlAsker) Ask(ctx context.Context, q *corpus.AskedQuestion) (Answer, error) {
	rows, err := a.Rows(ctx, q)
	return Answer{Rows: rows}, err
}

func (a *sqlAsker) Plans(ctx context.Context, q *corpus.AskedQuestion) ([]engine.Plan, error) {
	plan, err := a.Plan(ctx, q)
	return []engine.Plan{plan}, err
}

// oracle are the files with the most keywords, bound.
func (b *builder) oracle() string { return "SELECT unnest(" + b.param(valueOracle) + ")" }

// directNearest are the nearest chunks. Adding zero makes an order that no index
// serves, as of all filtered searches here.
func (b *builder) directNearest() string {
	return fmt.Sprintf("SELECT f.entity_id, f.relation_id, f.target_id, f.payload, %[1]s AS distance FROM %[2]s AS f WHERE f.relation_id = %[3]d ORDER BY (%[1]s) + 0, 1, 2, 3 LIMIT %[4]d",
		b.distance("f"), b.Table, chunk, b.TopK)
}

// expand are the nearest chunks of seeds.
func expand(seeds ids) query {
	return func(b *builder) string { return b.best(b.scored(chunk, array(seeds(b))), "") }
}

// rerank is expand as one call.
func rerank(seeds ids) query {
	return func(b *builder) string {
		return fmt.Sprintf("SELECT %s FROM sorted_heap_expand_rerank('%s'::regclass, %s, %s, %d, %d) AS r",
			answerColumns, b.Table, array(seeds(b)), b.param(valueEmbedding), b.TopK, chunk)
	}
}

// summaries are the nearest summaries of seeds.
func summaries(seeds ids) query {
	return func(b *builder) string { return b.best(b.scored(summary, array(seeds(b))), "") }
}

// byWords are the rows of seeds with the most hits of words.
func byWords(relation int16, words value, seeds ids) query {
	return func(b *builder) string {
		return b.best(b.scored(relation, array(seeds(b)), words), "r.hits DESC, ")
	}
}

// requiredFiles are the ids of what files of an array require.
func (b *builder) requiredFiles(of string) string {
	return "SELECT f.target_id FROM " + b.from(requires, of)
}

// requiredChunks are the nearest chunks of what seeds require.
func (b *builder) requiredChunks() string {
	return b.best(b.scored(chunk, array(b.requiredFiles(array(b.nearest())))), "")
}

func (b *builder) requiredChunksFused() string {
	return fmt.Sprintf("SELECT %s FROM sorted_heap_expand_twohop_rerank('%s'::regclass, %s, %s, %d, %d, %d) AS r",
		answerColumns, b.Table, array(b.nearest()), b.param(valueEmbedding), b.TopK, requires, chunk)
}

// ownAndRequiredChunks are the nearest chunks of seeds and of what they require.
func (b *builder) ownAndRequiredChunks() string {
	files := fmt.Sprintf("SELECT s.entity_id FROM seeds AS s UNION %s", b.requiredFiles(array("SELECT s.entity_id FROM seeds AS s")))
	return "WITH seeds AS MATERIALIZED (" + b.nearest() + ") " + b.best(b.scored(chunk, array(files)), "")
}

// diverse are the chunks of seeds with the most hits, the best of every file first.
func (b *builder) diverse() string {
	ranked := fmt.Sprintf("(SELECT f.*, row_number() OVER (PARTITION BY f.entity_id ORDER BY f.hits DESC, f.distance, f.target_id) AS place FROM %s AS f)",
		b.scored(chunk, array(b.nearest()), valueTerms))
	return b.best(ranked, "r.place, r.hits DESC, ")
}

// symbolSeeds is how many summaries are chosen by the question's symbols.
const symbolSeeds = 2

// symbols are the summaries of the nearest files and of those with the most symbols
// of the question, by symbols first.
func (b *builder) symbols() string {
	named := fmt.Sprintf("SELECT s.entity_id FROM %s AS s WHERE s.hits > 0 ORDER BY s.hits DESC, s.distance, s.entity_id LIMIT %d",
		b.scored(summary, "", valueSymbols), symbolSeeds)
	seeds := "(" + b.nearest() + ") UNION (" + named + ")"
	return b.best(b.scored(summary, array(seeds), valueSymbols, valueTerms), "r.hits DESC, r.hits2 DESC, ")
}
