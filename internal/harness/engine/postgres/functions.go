package postgres

import (
	"fmt"

	"sortedheap/internal/harness/engine"
)

// This file writes calls of the extension's graph functions.

// expandIDs is a call that returns the rows of a hop, unranked.
func (b *builder) expandIDs(hop int) string {
	return fmt.Sprintf("sorted_heap_expand_ids('%s'::regclass, %s, %d)", b.table, b.expandedArray(hop), b.task.Hops[hop])
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
	return b.answer(fmt.Sprintf("sorted_heap_expand_twohop%s_rerank('%s'::regclass, %s, %s, %d, %d, %d)",
		b.path(), b.table, b.seedArray(), b.query(), b.task.TopK, b.task.Hops[0], b.task.Hops[1])), nil
}

func (b *builder) oneCall() (string, error) {
	if b.task.Seeding != engine.SeedSearch {
		return "", fmt.Errorf("task %s: one call finds its own seeds", b.task)
	}
	head := fmt.Sprintf("('%s'::regclass, %s, %d, %d", b.table, b.query(), b.task.AnnK, b.task.TopK)
	switch {
	case len(b.task.Hops) == 1 && b.task.SeedBy == engine.SeedByTarget:
		return b.answer(fmt.Sprintf("sorted_heap_graph_rag_scan%s, %d)", head, b.task.Hops[0])), nil
	case len(b.task.Hops) == 2 && b.task.SeedBy == engine.SeedByEntity:
		return b.answer(fmt.Sprintf("sorted_heap_graph_rag_twohop%s_scan%s, %d, %d)",
			b.path(), head, b.task.Hops[0], b.task.Hops[1])), nil
	}
	return "", fmt.Errorf("task %s: no function seeds by %s over %d hops", b.task, b.task.SeedBy, len(b.task.Hops))
}
