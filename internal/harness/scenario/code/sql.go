package code

import (
	"fmt"
	"slices"
	"strings"

	"sortedheap/internal/corpus"
)

// builder writes one statement. Numbers of the case stand in the text, so that the
// planner sees them; what a question brings is bound.
type builder struct {
	*Store
	Bounds
	values []value
	// helpers lets the extension's functions read files' rows instead of SQL.
	helpers bool
}

// value is what a question brings.
type value string

const (
	valueEmbedding value = "embedding"
	valueTerms     value = "terms"
	valueSymbols   value = "symbols"
	valueKeywords  value = "keywords"
	valueOracle    value = "oracle"
)

// param is the placeholder of a value with its type.
func (b *builder) param(v value) string {
	i := slices.Index(b.values, v)
	if i < 0 {
		i = len(b.values)
		b.values = append(b.values, v)
	}
	return fmt.Sprintf("$%d::%s", i+1, b.typeOf(v))
}

func (b *builder) typeOf(v value) string {
	switch v {
	case valueEmbedding:
		return b.Vector
	case valueOracle:
		return "int4[]"
	}
	return "text[]"
}

// params are the parameters of the statement that was written.
func (b *builder) params() []Param {
	var out []Param
	for _, v := range b.values {
		out = append(out, Param{Type: b.typeOf(v), Value: b.bind(v)})
	}
	return out
}

func (b *builder) bind(v value) func(*corpus.AskedQuestion) any {
	switch v {
	case valueEmbedding:
		return func(q *corpus.AskedQuestion) any { return q.Embedding }
	case valueTerms:
		return func(q *corpus.AskedQuestion) any { return lower(q.Terms) }
	case valueSymbols:
		return func(q *corpus.AskedQuestion) any { return lower(q.Symbols) }
	case valueKeywords:
		return func(q *corpus.AskedQuestion) any { return lower(q.Keywords) }
	}
	known := map[string][]int32{} // by label; reading all files again would be timed
	for _, q := range b.Corpus.Asked {
		known[q.Label] = oracleFiles(b.Corpus.Files, q.Keywords, b.AnnK)
	}
	return func(q *corpus.AskedQuestion) any { return known[q.Label] }
}

// lower returns texts in lower case; never nil, which would be bound as NULL.
func lower(texts []string) []string {
	out := make([]string, 0, len(texts))
	for _, text := range texts {
		out = append(out, strings.ToLower(text))
	}
	return out
}

// oracleFiles are the files with the most keywords, at most limit, the first files
// first among equals.
func oracleFiles(files []corpus.CodeFile, keywords []string, limit int) []int32 {
	hits := map[int32]int{}
	ids := []int32{}
	for i, f := range files {
		id, text := int32(i+1), strings.ToLower(f.Text)
		for _, k := range keywords {
			if strings.Contains(text, strings.ToLower(k)) {
				hits[id]++
			}
		}
		if hits[id] > 0 {
			ids = append(ids, id)
		}
	}
	slices.SortStableFunc(ids, func(a, b int32) int { return hits[b] - hits[a] })
	return ids[:min(len(ids), limit)]
}

// Expressions over a row of facts.

func (b *builder) distance(alias string) string {
	return alias + ".embedding <=> " + b.param(valueEmbedding)
}

// hits counts the words that a row's text contains. OFFSET 0 has the text put into
// small letters once a row, not once a word.
func (b *builder) hits(alias string, words value) string {
	return fmt.Sprintf("(SELECT count(*) FROM (SELECT lower(%s.payload) AS low OFFSET 0) AS p, unnest(%s) AS w WHERE position(w IN p.low) > 0)",
		alias, b.param(words))
}

// Queries that return entity ids.

// nearest are the entities of the nearest rows of all relations, with duplicates:
// the search that an index serves.
func (b *builder) nearest() string {
	order := b.distance("f")
	if !b.Approximate {
		order += ", f.entity_id, f.relation_id, f.target_id"
	}
	return fmt.Sprintf("SELECT f.entity_id FROM %s AS f ORDER BY %s LIMIT %d", b.Table, order, b.AnnK)
}

// nearestSummaries are the entities of the nearest summaries. Adding zero makes an
// order that no index serves: the filter would leave too few of what one returns.
func (b *builder) nearestSummaries() string {
	return fmt.Sprintf("SELECT f.entity_id FROM %s AS f WHERE f.relation_id = %d ORDER BY (%s) + 0, f.entity_id LIMIT %d",
		b.Table, corpus.RelationSummary, b.distance("f"), b.AnnK)
}

func array(query string) string { return "ARRAY(" + query + ")" }

// Queries that return rows, with their scores.

// from is a FROM item f: the rows of a relation of the entities in an array, or of
// the whole table, where the array is empty.
func (b *builder) from(relation int16, ids string) string {
	switch {
	case ids == "":
		return fmt.Sprintf("%s AS f WHERE f.relation_id = %d", b.Table, relation)
	case b.helpers:
		return fmt.Sprintf("sorted_heap_expand_ids('%s'::regclass, %s, %d) AS f", b.Table, ids, relation)
	}
	return fmt.Sprintf("%s AS f WHERE f.entity_id = ANY (%s) AND f.relation_id = %d", b.Table, ids, relation)
}

// scored is a FROM item: rows as from has them, with distance and the hits of words
// computed once a row, which OFFSET 0 sees to. No words: no column hits.
func (b *builder) scored(relation int16, ids string, words ...value) string {
	columns := "f.entity_id, f.relation_id, f.target_id, f.payload, " + b.distance("f") + " AS distance"
	for i, w := range words {
		name := "hits"
		if i > 0 {
			name = fmt.Sprintf("hits%d", i+1)
		}
		columns += ", " + b.hits("f", w) + " AS " + name
	}
	return "(SELECT " + columns + " FROM " + b.from(relation, ids) + " OFFSET 0)"
}

const answerColumns = "r.entity_id, r.relation_id, r.target_id, r.payload, r.distance"

// best returns the first rows of a FROM item in an order, then of nearness and keys.
func (b *builder) best(from, order string) string {
	return fmt.Sprintf("SELECT %s FROM %s AS r ORDER BY %sr.distance, r.entity_id, r.relation_id, r.target_id LIMIT %d",
		answerColumns, from, order, b.TopK)
}
