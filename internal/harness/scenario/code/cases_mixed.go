package code

import (
	"fmt"
	"strings"
)

// This file has the cases that put rows of two kinds or from two sources into one
// answer.

// hybrid mixes summaries and chunks: of the seeds' files the candidates with the most
// hits give summaries, and chunks of them or of the first of them fill the answer.
type hybrid struct {
	name       string
	seeds      ids
	candidates func(topK int) int // files, by hits
	summaries  func(topK int) int // of them that give their summary
	firstFile  bool               // chunks of the first file only
	byDistance bool               // its chunks by distance, not by hits
	window     bool               // the best chunk and its nearest neighbour
	merged     bool               // summaries and chunks by hits, not summaries first
}

func hybrids() []hybrid {
	half := func(k int) int { return (k + 1) / 2 }
	one := func(int) int { return 1 }
	less := func(n int) func(int) int { return func(k int) int { return max(1, k-n) } }
	return []hybrid{
		{name: "prompt_summary_chunk_hybrid_in", seeds: (*builder).nearest, candidates: half, summaries: half, merged: true},
		{name: "prompt_summary_seed_chunk_hybrid_in", seeds: (*builder).nearestSummaries, candidates: half, summaries: half, merged: true},
		{name: "prompt_summary_chunk_hybrid_s1_in", seeds: (*builder).nearest, candidates: less(1), summaries: one},
		{name: "prompt_summary_chunk_hybrid_s3_in", seeds: (*builder).nearest, candidates: less(1), summaries: less(1), firstFile: true},
		{name: "prompt_summary_seed_chunk_hybrid_s3_in", seeds: (*builder).nearestSummaries, candidates: less(1), summaries: less(1), firstFile: true},
		{name: "prompt_summary_chunk_semantic_s3_in", seeds: (*builder).nearest, candidates: less(1), summaries: less(1), firstFile: true, byDistance: true},
		{name: "prompt_summary_chunk_local2_in", seeds: (*builder).nearest, candidates: less(2), summaries: less(2), firstFile: true, window: true},
	}
}

func (h hybrid) query(b *builder) string {
	files := fmt.Sprintf("SELECT f.*, row_number() OVER (ORDER BY f.hits DESC, f.distance, f.entity_id) AS place FROM %s AS f ORDER BY place LIMIT %d",
		b.scored(summary, array(h.seeds(b)), valueTerms), h.candidates(b.TopK))
	of := "SELECT s.entity_id FROM files AS s"
	if h.firstFile {
		of += " WHERE s.place = 1"
	}
	order := "f.hits DESC, f.distance, f.target_id"
	if h.byDistance {
		order = "f.distance, f.target_id"
	}
	chunks := fmt.Sprintf("SELECT f.*, row_number() OVER (PARTITION BY f.entity_id ORDER BY %s) AS place FROM %s AS f",
		order, b.scored(chunk, array(of), valueTerms))
	ctes := []string{"files AS MATERIALIZED (" + files + ")", "chunks AS MATERIALIZED (" + chunks + ")"}
	picked, keep := "chunks", 1
	if h.window {
		ctes = append(ctes, fmt.Sprintf(`near AS MATERIALIZED (SELECT f.entity_id, f.relation_id, f.target_id, f.payload, f.distance, f.hits,
	row_number() OVER (ORDER BY abs(f.target_id - (SELECT a.target_id FROM chunks AS a WHERE a.place = 1)), %s) AS place FROM chunks AS f)`, order))
		picked, keep = "near", 2
	}
	mixed := fmt.Sprintf("(SELECT 0 AS kind, s.* FROM files AS s WHERE s.place <= %d UNION ALL SELECT 1, c.* FROM %s AS c WHERE c.place <= %d)",
		h.summaries(b.TopK), picked, keep)
	first := "r.kind, r.hits DESC, "
	if h.merged {
		first = "r.hits DESC, "
	}
	return "WITH " + strings.Join(ctes, ", ") + " " + b.best(mixed, first)
}

// rescuedSeeds is how many files are chosen by words over all.
const rescuedSeeds = 2

// lexicalSummaries are the files whose summaries have the most hits of all.
func (b *builder) lexicalSummaries() string {
	return fmt.Sprintf("SELECT s.entity_id FROM %s AS s ORDER BY s.hits DESC, s.distance, s.entity_id LIMIT %d",
		b.scored(summary, "", valueTerms), rescuedSeeds)
}

// lexicalSeeds are the files whose lexical seeds have the most hits of all.
func (b *builder) lexicalSeeds() string {
	return fmt.Sprintf("SELECT s.entity_id FROM (SELECT f.entity_id, %s AS distance, %s AS hits FROM %s AS f OFFSET 0) AS s ORDER BY s.hits DESC, s.distance, s.entity_id LIMIT %d",
		b.distance("f"), b.hits("f", valueTerms), b.Seeds, rescuedSeeds)
}

// rescue puts the summaries of the nearest files, at most half an answer, beside
// those of lexical seeds and of what these require; a file that both have counts as
// a nearest one.
func rescue(seeds ids) query {
	return func(b *builder) string {
		const lexical = "SELECT l.entity_id FROM lexical AS l"
		part := func(source int, files string, limit int) string {
			return fmt.Sprintf("(SELECT %d AS source, s.* FROM %s AS s ORDER BY s.hits DESC, s.distance, s.entity_id LIMIT %d)",
				source, b.scored(summary, array(files), valueTerms), limit)
		}
		near := part(0, b.nearest(), max(1, b.TopK/2))
		rescued := part(1, lexical+" UNION "+b.requiredFiles(array(lexical)), b.TopK)
		return fmt.Sprintf("WITH lexical AS MATERIALIZED (%s) %s", seeds(b),
			b.best(fmt.Sprintf("(SELECT DISTINCT ON (u.entity_id) u.* FROM (%s UNION ALL %s) AS u ORDER BY u.entity_id, u.source)", near, rescued),
				"r.hits DESC, r.source, "))
	}
}
