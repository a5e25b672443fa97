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
	lines := [][]string{{"scenario", "corpus", "engine", "engine_version", "case", "point", "queries", "samples",
		"client_p50_ms", "client_p95_ms", "client_p99_ms", "client_mean_ms",
		"server_p50_ms", "server_p95_ms", "server_p99_ms", "server_mean_ms", "planning_mean_ms",
		"search_p50_ms", "inside_p50_ms", "sql_p50_ms",
		"buffers_hit", "buffers_read", "hit_at_1", "hit_at_k", "recall_at_k", "seed_coverage", "answer_rank_p50", "answer_rank_mean", "answer_rank_p95", "answer_rank_max",
		"rows_mean", "rows_per_second", "cpu_us_per_row", "cpu_ratio", "cpu_ratio_lo", "cpu_ratio_hi",
		"speed_ratio", "wal_bytes_per_row", "buffers_per_row", "widens_per_row", "full_counts", "clients", "queries_per_second",
		"keyword_pct", "full_pct", "keyword_pct_budget", "full_pct_budget", "tokens_mean", "ndcg",
		"build_seconds", "index_bytes", "build_wal_bytes", "plan", "error"}}
	for _, f := range files {
		for _, r := range f.Rows {
			lines = append(lines, csvRow(r))
		}
	}
	// A strings.Builder takes every write.
	_ = w.WriteAll(lines)
}

func csvRow(r result.Row) []string {
	line := []string{r.Scenario, r.Corpus, r.Engine, r.EngineVersion, r.Case, r.Point, strconv.Itoa(r.Queries), strconv.Itoa(r.Samples)}
	line = append(line, csvLatency(r.ClientMS)...)
	line = append(line, csvLatency(r.ServerMS)...)
	line = append(line, csvLatency(r.PlanningMS)[3])
	for _, part := range outsideParts {
		line = append(line, csvLatency(r.PartsMS[part])[0])
	}
	if r.Buffers != nil {
		line = append(line, exactly(&r.Buffers.Hit), exactly(&r.Buffers.Read))
	} else {
		line = append(line, "", "")
	}
	q := quality(r)
	for _, v := range []*float64{q.HitAt1, q.HitAtK, q.RecallAtK, q.SeedCoverage, q.AnswerRankP50, q.AnswerRankMean, q.AnswerRankP95, q.AnswerRankMax} {
		line = append(line, exactly(v))
	}
	line = append(line, exactly(&r.RowsMean))
	line = append(line, csvThroughput(r.Throughput)...)
	line = append(line, exactly(q.FullCounts))
	line = append(line, csvLoad(r.Load)...)
	for _, v := range []*float64{q.KeywordPct, q.FullPct, q.KeywordBudget, q.FullBudget, q.TokensMean, q.NDCG} {
		line = append(line, exactly(v))
	}
	line = append(line, csvBuild(r.Build)...)
	return append(line, r.Plan, r.Error)
}

func csvLoad(l *result.Load) []string {
	if l == nil {
		return []string{"", ""}
	}
	return []string{strconv.Itoa(l.Clients), exactly(&l.QueriesPerSecond)}
}

func csvBuild(b *result.Build) []string {
	if b == nil {
		return []string{"", "", ""}
	}
	return []string{exactly(&b.Seconds), strconv.FormatInt(b.IndexBytes, 10), strconv.FormatInt(b.WALBytes, 10)}
}

func csvThroughput(t *result.Throughput) []string {
	if t == nil {
		return make([]string, 9)
	}
	line := []string{exactly(&t.RowsPerSecond), exactly(t.CPUMicros), "", "", "", "", exactly(&t.WALBytes), exactly(t.Buffers), exactly(t.Widens)}
	if t.CPURatio != nil {
		line[2], line[3], line[4] = exactly(&t.CPURatio.Value), exactly(t.CPURatio.Lo), exactly(t.CPURatio.Hi)
	}
	if t.SpeedRatio != nil {
		line[5] = exactly(&t.SpeedRatio.Value)
	}
	return line
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
