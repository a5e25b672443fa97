package scenario_test

import (
	"slices"
	"testing"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/scenario"
)

// The names under which results were published before must not change, and no
// two tasks may share one.
func TestCaseNames(t *testing.T) {
	for _, c := range []struct {
		scenario scenario.Scenario
		want     []string
	}{
		{scenario.Multihop(), []string{
			"seed_expand2_rerank_rel_in", "seed_expand2_rerank_rel_topk_fn", "seed_expand2_rerank_rel_twohop_fn",
			"seed_graph_rag_twohop_scan_fn", "seed_expand2_rerank_rel_pathsum_in", "seed_expand2_rerank_rel_twohop_path_fn",
			"seed_graph_rag_twohop_path_scan_fn", "seed_expand2_rerank_rel_in_exact_seed",
			"expand2_rerank_rel_twohop_path_fn_given_seeds", "expand_rel_fn_given_seeds_count"}},
		{scenario.Gutenberg(), []string{
			"seed_expand_rel_in", "seed_expand_rel_fn", "seed_expand_rerank_rel_in", "seed_expand_rerank_rel_fn",
			"seed_expand_rerank_rel_topk_fn", "seed_graph_rag_rel_scan_fn", "seed_expand2_rerank_rel_twohop_fn",
			"seed_graph_rag_twohop_scan_fn_by_entity"}},
		{scenario.Synthetic(), []string{
			"expand_in_1_seed_count", "expand_fn_64_seeds", "expand_rel_fn_1_seed", "expand_rerank_in_64_seeds",
			"expand_rerank_rel_topk_fn_1_seed", "expand2_rerank_rel_twohop_path_fn_64_seeds"}},
		{scenario.SyntheticSearch(), []string{
			"seed_expand_in", "seed_expand_join", "seed_expand_fn", "seed_expand_rerank_in", "seed_expand_rerank_join",
			"seed_expand_rerank_fn", "seed_expand_rerank_topk_fn", "seed_graph_rag_scan_fn", "seed_expand_rel_in", "seed_expand_rel_fn",
			"seed_expand_rerank_rel_in", "seed_expand_rerank_rel_topk_fn", "seed_graph_rag_rel_scan_fn",
			"expand_in_1_seed", "expand2_in_1_seed", "expand2_join_1_seed"}},
		{scenario.Butler(), []string{
			"seed_expand2_rerank_rel_in", "seed_expand2_rerank_rel_twohop_fn", "seed_graph_rag_twohop_scan_fn"}},
	} {
		seen := map[string]bool{}
		for _, task := range c.scenario.Tasks(8, 4) {
			if err := task.Validate(); err != nil {
				t.Errorf("%s: %v", c.scenario.Name, err)
			}
			name := c.scenario.CaseName("sorted_heap", task)
			if seen[name] {
				t.Errorf("%s: two tasks are called %s", c.scenario.Name, name)
			}
			seen[name] = true
			if got := c.scenario.CaseName("pgvector", task); got != name+"_pgv" {
				t.Errorf("pgvector's name of %s is %s", name, got)
			}
		}
		for _, name := range c.want {
			if !seen[name] {
				t.Errorf("%s: no task is called %s", c.scenario.Name, name)
			}
		}
	}
}

// Every helper comes with the plain SQL that it must agree with.
func TestHelpersHaveBaselines(t *testing.T) {
	for _, s := range append(scenario.All(), scenario.SyntheticSearch()) {
		tasks := s.Tasks(8, 4)
		for _, task := range tasks {
			baseline := task.Baseline()
			if task.Form != engine.FormIn && !slices.ContainsFunc(tasks, func(other engine.Task) bool { return other.String() == baseline.String() }) {
				t.Errorf("%s: %s has no baseline", s.Name, s.CaseName("sorted_heap", task))
			}
		}
	}
}
