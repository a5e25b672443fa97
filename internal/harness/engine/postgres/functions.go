package postgres

import (
	"fmt"

	"sortedheap/internal/harness/engine"
)

// This file writes calls of the extension's graph functions.

// filter is a hop's relation filter as an argument.
func (b *builder) filter(hop int) string {
	switch b.task.Hops[hop] {
	case engine.AnyRelation:
		return "NULL"
	case engine.QueryRelation:
		return b.param(argRelation+arg(hop)) + "::int2"
	}
	return fmt.Sprint(b.task.Hops[hop])
}

// expandIDs is a call that returns the rows of a hop, unranked.
func (b *builder) expandIDs(hop int) string {
	return fmt.Sprintf("sorted_heap_expand_ids('%s'::regclass, %s, %s)", b.table, b.expandedArray(hop), b.filter(hop))
}

// expandedArray is an int4[] of the ids that a hop starts from.
func (b *builder) expandedArray(hop int) string {
	if hop == 0 {
		return b.seedArray()
	}
	return "ARRAY(SELECT f.target_id FROM " + b.expandIDs(hop-1) + " AS f)"
}

// answer selects the columns of a reranking function, which come in order.
func (b *builder) answer(call string) string {
	return "SELECT f.entity_id, f.relation_id, f.target_id, f.payload, f.distance FROM " + call + " AS f"
}

// path is the infix of function names that score by path.
func (b *builder) path() string {
	if b.task.Score == engine.ScorePath {
		return "_path"
	}
	return ""
}

func (b *builder) fused() (string, error) {
	if len(b.task.Hops) != 2 {
		return "", fmt.Errorf("task %s: the fused helper takes two hops", b.task)
	}
	return b.answer(fmt.Sprintf("sorted_heap_expand_twohop%s_rerank('%s'::regclass, %s, %s, %d, %s, %s)",
		b.path(), b.table, b.seedArray(), b.query(), b.task.TopK, b.filter(0), b.filter(1))), nil
}

func (b *builder) oneCall() (string, error) {
	if b.task.Seeding != engine.SeedSearch {
		return "", fmt.Errorf("task %s: one call finds its own seeds", b.task)
	}
	head := fmt.Sprintf("('%s'::regclass, %s, %d, %d", b.table, b.query(), b.task.AnnK, b.task.TopK)
	switch {
	case len(b.task.Hops) == 1 && b.task.SeedBy == engine.SeedByTarget:
		return b.answer(fmt.Sprintf("sorted_heap_graph_rag_scan%s, %s)", head, b.filter(0))), nil
	case len(b.task.Hops) == 2 && b.task.SeedBy == engine.SeedByEntity:
		return b.answer(fmt.Sprintf("sorted_heap_graph_rag_twohop%s_scan%s, %s, %s)",
			b.path(), head, b.filter(0), b.filter(1))), nil
	}
	return "", fmt.Errorf("task %s: no function seeds by %s over %d hops", b.task, b.task.SeedBy, len(b.task.Hops))
}
