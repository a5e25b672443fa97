package code_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
	"sortedheap/internal/harness/scenario/code"
	"sortedheap/internal/harness/scenario/code/codetest"
)

// asked is how many questions of the lighthouse these tests ask.
const asked = 2

// TestRun runs scenario code on one server.
func TestRun(t *testing.T) {
	server := codetest.Server(t)
	t.Run("all cases", func(t *testing.T) { allCases(t, server) })
	t.Run("case of another package", func(t *testing.T) { caseOfAnotherPackage(t, server) })
	t.Run("liar", func(t *testing.T) { liarIsFound(t, server) })
}

// environment asks the first questions.
func environment(t *testing.T, dsn string, engineNames []string, cases ...code.Case) (code.Params, code.Env) {
	t.Helper()
	env := codetest.Environment(t, dsn, engineNames...)
	env.Cases, env.Corpus.Asked = cases, env.Corpus.Asked[:asked]
	return code.Params{Bounds: code.Bounds{AnnK: 12, TopK: 4, Budget: 2000}, Passes: 1, WarmUp: 1}, env
}

func find(t *testing.T, rows []result.Row, engineName, name string) result.Row {
	t.Helper()
	i := slices.IndexFunc(rows, func(r result.Row) bool { return r.Engine == engineName && r.Case == name })
	if i < 0 {
		t.Fatalf("no row %s of %s", name, engineName)
	}
	return rows[i]
}

// Every published case runs on every engine that it is for, helpers equal their SQL,
// and what can be told of a tree of eleven files is so.
func allCases(t *testing.T, dsn string) {
	p, env := environment(t, dsn, []string{"heap", "sorted_heap", "pgvector"}, code.Cases()...)
	rows, _, err := code.Run(t.Context(), p, env)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Case == "" {
			continue // an engine that is not installed
		}
		if r.Error != "" || r.ServerMS == nil || r.Plan == "" || r.Samples != asked || r.RowsMean > 4 || len(r.AnswerRows) != asked {
			t.Errorf("%s of %s: error %q, server %v, plan %q, %d samples, %g rows", r.Case, r.Engine, r.Error, r.ServerMS, r.Plan, r.Samples, r.RowsMean)
		}
		if q := r.Quality; q == nil || *q.KeywordPct < *q.KeywordBudget || *q.FullPct < *q.FullBudget || *q.TokensMean <= 0 {
			t.Errorf("%s of %s: quality %+v", r.Case, r.Engine, r.Quality)
		}
		if q := r.Quality; strings.HasPrefix(r.Case, "oracle_prompt") && *q.FullPct != 1 {
			t.Errorf("%s of %s: the files with the keywords do not show them: %v", r.Case, r.Engine, r.Params["questions"])
		}
		if parts := r.PartsMS; strings.Contains(r.Case, "snippet") != (parts["snippet"] != nil && parts["sql"] != nil) {
			t.Errorf("%s of %s has parts %v", r.Case, r.Engine, parts)
		}
	}
	for _, c := range []struct{ name, of string }{
		{"prompt_summary_rerank_in", "prompt_summary_snippet_py"}, {"seed_file_expand_in", "oracle_keyword_rerank_in"},
	} {
		if plain, better := find(t, rows, "heap", c.name), find(t, rows, "heap", c.of); *plain.Quality.KeywordPct > *better.Quality.KeywordPct {
			t.Errorf("%s shows more keywords than %s: %g, %g", c.name, c.of, *plain.Quality.KeywordPct, *better.Quality.KeywordPct)
		}
	}
	for _, name := range []string{"direct_ann", "summary_seed_expand_in", "prompt_summary_seed_rerank_in"} {
		if o, ok := result.CompareAnswers(find(t, rows, "heap", name), find(t, rows, "sorted_heap", name)); !ok || o.SameOrder != asked {
			t.Errorf("%s: engines agree on %d of %d answers", name, o.SameOrder, asked)
		}
	}
}

// twoStep is a case of another package: it makes a table, asks two statements and
// tells how long each took.
func twoStep(lie bool) code.Case {
	return code.Case{
		Name: "two_step", Equals: "direct_ann", Engines: []string{"sorted_heap"},
		Load: func(ctx context.Context, s *code.Store) error {
			_, err := s.Conn.Exec(ctx, fmt.Sprintf("CREATE TEMP TABLE chunks_of_%[1]s AS SELECT * FROM %[1]s WHERE relation_id = 1", s.Table))
			return err
		},
		Open: func(ctx context.Context, s *code.Store, b code.Bounds) (code.Asker, error) {
			nearest, err := s.Prepare(ctx, "two_step_1", fmt.Sprintf(`SELECT entity_id, relation_id, target_id, payload, embedding <=> $1::%[1]s AS distance
FROM chunks_of_%[2]s ORDER BY 5, 1, 2, 3 LIMIT %[3]d`, s.Vector, s.Table, b.TopK),
				[]code.Param{{Type: s.Vector, Value: func(q *corpus.AskedQuestion) any { return q.Embedding }}})
			if err != nil {
				return nil, err
			}
			hits, err := s.Prepare(ctx, "two_step_2", "SELECT count(*) FROM unnest($1::text[])",
				[]code.Param{{Type: "text[]", Value: func(q *corpus.AskedQuestion) any { return append([]string{`it's "quoted\`}, q.Terms...) }}})
			return &twoStepAsker{nearest, hits, lie}, err
		},
	}
}

type twoStepAsker struct {
	nearest, hits *code.Statement
	lie           bool
}

func (a *twoStepAsker) Ask(ctx context.Context, q *corpus.AskedQuestion) (code.Answer, error) {
	rows, err := a.nearest.Rows(ctx, q)
	if err != nil {
		return code.Answer{}, err
	}
	more, err := a.hits.Query(ctx, q)
	if err != nil {
		return code.Answer{}, err
	}
	more.Close()
	if a.lie {
		rows[0].Payload += "!"
	}
	return code.Answer{Rows: rows, Stages: []engine.Stage{{Name: "ann", MS: 3}, {Name: "pack", MS: 4}}}, more.Err()
}

func (a *twoStepAsker) Plans(ctx context.Context, q *corpus.AskedQuestion) ([]engine.Plan, error) {
	first, err := a.nearest.Plan(ctx, q)
	if err != nil {
		return nil, err
	}
	second, err := a.hits.Plan(ctx, q)
	return []engine.Plan{first, second}, err
}

func (a *twoStepAsker) Text() string { return a.nearest.Text() + ";\n" + a.hits.Text() }

func caseOfAnotherPackage(t *testing.T, dsn string) {
	p, env := environment(t, dsn, []string{"heap", "sorted_heap"}, append(code.Cases(), twoStep(false))...)
	p.Filter = regexp.MustCompile("^(direct_ann|two_step)$")
	rows, _, err := code.Run(t.Context(), p, env)
	if err != nil {
		t.Fatal(err)
	}
	r := find(t, rows, "sorted_heap", "two_step")
	if r.PartsMS["ann"].P50 != 3 || r.PartsMS["pack"].P50 != 4 || r.ServerMS == nil || strings.Count(r.Plan, ";") != 1 {
		t.Errorf("row %+v", r)
	}
	if slices.ContainsFunc(rows, func(r result.Row) bool { return r.Engine == "heap" && r.Case == "two_step" }) {
		t.Error("a case runs on an engine that it is not for")
	}
}

// Rows that differ from those of the case they must equal end the run untimed.
func liarIsFound(t *testing.T, dsn string) {
	p, env := environment(t, dsn, []string{"heap", "sorted_heap"}, append(code.Cases(), twoStep(true))...)
	p.Filter = regexp.MustCompile("^(direct_ann|two_step)$")
	rows, _, err := code.Run(t.Context(), p, env)
	var disagree *scenario.EquivalenceError
	if !errors.As(err, &disagree) || !strings.Contains(err.Error(), "two_step") {
		t.Errorf("error %v", err)
	}
	if slices.ContainsFunc(rows, func(r result.Row) bool { return r.ClientMS != nil }) {
		t.Error("something was timed")
	}
}
