package report

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"sortedheap/internal/harness/result"
)

// writeCSV writes every row of every file, missing values empty.
func writeCSV(out *strings.Builder, files []*result.File) {
	w := csv.NewWriter(out)
	lines := [][]string{{"scenario", "corpus", "engine", "engine_version", "case", "queries", "samples",
		"client_p50_ms", "client_p95_ms", "client_p99_ms", "client_mean_ms",
		"server_p50_ms", "server_p95_ms", "server_p99_ms", "server_mean_ms", "planning_mean_ms",
		"buffers_hit", "buffers_read", "hit_at_1", "hit_at_k", "recall_at_k", "seed_coverage", "answer_rank_p50",
		"rows_mean", "plan", "error"}}
	for _, f := range files {
		for _, r := range f.Rows {
			lines = append(lines, csvRow(r))
		}
	}
	// A strings.Builder takes every write.
	_ = w.WriteAll(lines)
}

func csvRow(r result.Row) []string {
	line := []string{r.Scenario, r.Corpus, r.Engine, r.EngineVersion, r.Case, strconv.Itoa(r.Queries), strconv.Itoa(r.Samples)}
	line = append(line, csvLatency(r.ClientMS)...)
	line = append(line, csvLatency(r.ServerMS)...)
	line = append(line, csvLatency(r.PlanningMS)[3])
	if r.Buffers != nil {
		line = append(line, exactly(&r.Buffers.Hit), exactly(&r.Buffers.Read))
	} else {
		line = append(line, "", "")
	}
	q := quality(r)
	for _, v := range []*float64{q.HitAt1, q.HitAtK, q.RecallAtK, q.SeedCoverage, q.AnswerRankP50} {
		line = append(line, exactly(v))
	}
	return append(line, exactly(&r.RowsMean), r.Plan, r.Error)
}

func csvLatency(l *result.Latency) []string {
	if l == nil {
		return []string{"", "", "", ""}
	}
	return []string{exactly(&l.P50), exactly(&l.P95), exactly(&l.P99), exactly(&l.Mean)}
}

func exactly(v *float64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf("%g", *v)
}
