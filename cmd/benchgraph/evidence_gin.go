package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/corpus"
	"sortedheap/internal/evidence"
	"sortedheap/internal/harness/measure"
)

// lexicalRace times the lexical stage alone: by the lists of an index, and by
// PostgreSQL's text search over the same terms.
type lexicalRace struct {
	conn  *pgx.Conn
	index *evidence.Index
	runs  int // of each question by each way
	out   io.Writer
}

// A question is asked so often that the server keeps its plans and moments even out,
// but where that takes too long, no more than a few times.
const (
	minGinRuns  = 20
	fewGinRuns  = 3
	longSeconds = 1.0
)

// lexicalWays are the two with what tells their statements and tables.
var lexicalWays = [2]struct{ name, table string }{{"lists", "evidence_postings"}, {"GIN", "evidence_text"}}

// run makes the table of text search, asks both ways in turn, and drops it again.
func (r *lexicalRace) run(ctx context.Context, fragments []evidence.Fragment, files []*corpus.QuestionFile) (err error) {
	text, err := evidence.BuildTextSearch(ctx, r.conn, fragments)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, text.Drop(context.WithoutCancel(ctx))) }()
	var times [len(lexicalWays)][]float64
	shared, asked := 0.0, 0
	for _, file := range files {
		for i := range file.Questions {
			byLists, byText, ms, err := r.question(ctx, text, file.Questions[i].Prompt)
			if err != nil {
				return fmt.Errorf("question %s: %w", file.Questions[i].Label, err)
			}
			for way := range ms {
				times[way] = append(times[way], ms[way])
			}
			shared += overlap(byLists, byText)
			asked++
		}
	}
	for way, w := range lexicalWays {
		var bytes int64
		if err := r.conn.QueryRow(ctx, "SELECT pg_total_relation_size($1::regclass)", w.table).Scan(&bytes); err != nil {
			return fmt.Errorf("size of %s: %w", w.table, err)
		}
		slices.Sort(times[way])
		fmt.Fprintf(r.out, "terms by %-5s %3d questions: server p50 %.3f ms, most %.3f, %.1f MB\n",
			w.name, asked, times[way][asked/2], times[way][asked-1], float64(bytes)/1e6)
	}
	_, err = fmt.Fprintf(r.out, "both have %.1f %% of the fragments found in common\n", 100*shared/float64(asked))
	return err
}

// question asks both ways, and returns what they found and the mean time in the server.
func (r *lexicalRace) question(ctx context.Context, text *evidence.TextSearch, question string) (byLists, byText []int32, ms [2]float64, err error) {
	if _, err := r.conn.Exec(ctx, "SELECT pg_stat_statements_reset()"); err != nil {
		return nil, nil, ms, fmt.Errorf("reset statistics: %w", err)
	}
	watch := measure.Start()
	for n := 0; n < r.runs && (n < fewGinRuns || watch.Seconds() < longSeconds); n++ {
		if byLists, err = r.index.ByTerms(ctx, question); err != nil {
			return nil, nil, ms, err
		}
		if byText, err = text.Best(ctx, question); err != nil {
			return nil, nil, ms, err
		}
	}
	for way, w := range lexicalWays {
		err := r.conn.QueryRow(ctx, `SELECT sum(total_exec_time + total_plan_time) / sum(calls) FROM pg_stat_statements
			WHERE query ~ ('^SELECT .*\sFROM ' || $1)`, w.table).Scan(&ms[way])
		if err != nil {
			return nil, nil, ms, fmt.Errorf("read statistics of %s: %w", w.table, err)
		}
	}
	return byLists, byText, ms, nil
}

// overlap is the share of the fragments of either that both have.
func overlap(a, b []int32) float64 {
	common := 0
	for _, id := range a {
		if slices.Contains(b, id) {
			common++
		}
	}
	return float64(common) / float64(max(len(a), len(b), 1))
}
