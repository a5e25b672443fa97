// Package result is the file that a run leaves behind: schema, writing and
// strict reading. It imports no engine; reports read nothing else.
//
// Times are milliseconds, sizes bytes, quality values fractions of 1. A value
// that was not measured is absent, not zero.
package result

import (
	"math"

	"sortedheap/internal/harness/stats"
)

// Schema is the version that this package writes and reads.
const Schema = "benchgraph/1"

// File is one run.
type File struct {
	Schema   string         `json:"schema"`
	Env      Env            `json:"env"`
	Params   map[string]any `json:"params"`
	Rows     []Row          `json:"rows"`
	Warnings []string       `json:"warnings"`
}

// Env is where and when the run took place. A run without it is not written.
type Env struct {
	Time       string            `json:"time"` // start, RFC 3339, UTC
	Commit     string            `json:"commit"`
	GoVersion  string            `json:"go_version"`
	OS         string            `json:"os"`
	Arch       string            `json:"arch"`
	Kernel     string            `json:"kernel"`
	CPU        string            `json:"cpu"`
	Cores      int               `json:"cores"`
	MemoryMB   int64             `json:"memory_mb"`
	Load1      float64           `json:"load1"` // load average of the last minute, before the run
	Postgres   string            `json:"postgres"`
	Settings   map[string]string `json:"settings"`   // of the server, other than its defaults
	Extensions map[string]string `json:"extensions"` // name to version
	Seed       int64             `json:"seed"`
}

// Row is one case of one engine, or the reason why there is none.
type Row struct {
	Scenario      string `json:"scenario"`
	Corpus        string `json:"corpus"`
	Engine        string `json:"engine"`
	EngineVersion string `json:"engine_version"`
	Case          string `json:"case"`
	// Point tells rows of one case apart in a file of many runs: the varied
	// parameters, as "name=value" separated by spaces, or "build=N". Empty in
	// the file of one run.
	Point      string         `json:"point,omitempty"`
	Plan       string         `json:"plan"` // root and how relations are read
	Params     map[string]any `json:"params"`
	Queries    int            `json:"queries"`
	Samples    int            `json:"samples"`
	ClientMS   *Latency       `json:"client_ms,omitempty"`
	ServerMS   *Latency       `json:"server_ms,omitempty"` // plan + exec
	PlanningMS *Latency       `json:"planning_ms,omitempty"`
	// PartsMS are parts of the client's time, where an engine consists of several
	// systems: search (way to a vector store and back), inside (as that store
	// itself reports, within search), sql.
	PartsMS    map[string]*Latency `json:"parts_ms,omitempty"`
	Buffers    *Buffers            `json:"buffers,omitempty"`
	Quality    *Quality            `json:"quality,omitempty"`
	Build      *Build              `json:"build,omitempty"`
	Throughput *Throughput         `json:"throughput,omitempty"` // of rows that ran statements in a stream
	Load       *Load               `json:"load,omitempty"`       // of rows that ran clients at once
	RowsMean   float64             `json:"rows_mean"`
	// Answers has a fingerprint of the ordered answer per query, so that two
	// files can be compared without the rows.
	Answers []string `json:"answers,omitempty"`
	// AnswerRows names the rows of each ordered answer, 24 bits each in base64 of
	// the URL alphabet, best first, so that files can be compared row by row.
	AnswerRows []string `json:"answer_rows,omitempty"`
	Error      string   `json:"error,omitempty"`
}

// Latency summarizes a sample of times in ms. P50Lo and P50Hi bound the
// median's 95 % interval; they are nil where there are too few samples for one.
type Latency struct {
	P50   float64  `json:"p50"`
	P95   float64  `json:"p95"`
	P99   float64  `json:"p99"`
	Mean  float64  `json:"mean"`
	P50Lo *float64 `json:"p50_lo,omitempty"`
	P50Hi *float64 `json:"p50_hi,omitempty"`
	// Blocks are medians of consecutive parts of the run, in their order, as
	// stats.Blocks cuts them: what comparisons of two files rest on. Absent for
	// small samples and in files from before there were blocks.
	Blocks []float64 `json:"blocks,omitempty"`
}

// NewLatency takes a summary of times in ms.
func NewLatency(s stats.Summary) *Latency {
	l := &Latency{P50: s.P50, P95: s.P95, P99: s.P99, Mean: s.Mean, Blocks: s.Blocks}
	if !math.IsInf(s.Lo, 0) && !math.IsInf(s.Hi, 0) {
		l.P50Lo, l.P50Hi = &s.Lo, &s.Hi
	}
	return l
}

// Buffers are shared buffer accesses per call, means.
type Buffers struct {
	Hit  float64 `json:"hit"`
	Read float64 `json:"read"`
}

// Quality is what the answers are worth. Fields that a scenario does not
// measure are nil.
type Quality struct {
	HitAt1    *float64 `json:"hit_at_1,omitempty"`    // first row is the right answer
	HitAtK    *float64 `json:"hit_at_k,omitempty"`    // right answer among the rows
	RecallAtK *float64 `json:"recall_at_k,omitempty"` // rows at least as near as the true k-th; of questions over code, true rows shown
	// LeadPrecision is the share of true rows among those up to the last true one.
	LeadPrecision *float64 `json:"lead_precision,omitempty"`
	FullCounts    *float64 `json:"full_counts,omitempty"` // queries that got as many rows as there are to get
	// SeedCoverage counts queries whose seeds reach the right answer; of a bare
	// search, whose rows are about the right entity.
	SeedCoverage *float64 `json:"seed_coverage,omitempty"`
	// The answer's rank among everything expanded, of reachable queries only.
	AnswerRankMean *float64 `json:"answer_rank_mean,omitempty"`
	AnswerRankP50  *float64 `json:"answer_rank_p50,omitempty"`
	AnswerRankP95  *float64 `json:"answer_rank_p95,omitempty"`
	AnswerRankMax  *float64 `json:"answer_rank_max,omitempty"`
	// Of questions with keywords: the share of them that an answer's texts contain,
	// and the share of questions whose answers contain all; the same within a budget
	// of tokens; and how many tokens the answers have.
	KeywordPct    *float64 `json:"keyword_pct,omitempty"`
	FullPct       *float64 `json:"full_pct,omitempty"`
	KeywordBudget *float64 `json:"keyword_pct_budget,omitempty"`
	FullBudget    *float64 `json:"full_pct_budget,omitempty"`
	TokensMean    *float64 `json:"tokens_mean,omitempty"`
	// NDCG grades the order of answers against spans of the source that people have
	// graded, within the budget.
	NDCG *float64 `json:"ndcg,omitempty"`
}

// Build is what loading and indexing cost.
type Build struct {
	Seconds    float64 `json:"seconds"`
	IndexBytes int64   `json:"index_bytes"`
	TableBytes int64   `json:"table_bytes"`
	WALBytes   int64   `json:"wal_bytes"`
	Rows       int64   `json:"rows"`
	// The parts of Seconds and IndexBytes that a vector store outside of the
	// server took.
	StoreSeconds float64 `json:"store_seconds,omitempty"`
	StoreBytes   int64   `json:"store_bytes,omitempty"`
}

// Throughput is what a stream of statements cost, per row they wrote or read,
// over pairs of runs in turns with a reference. Ratios above 1 are better than
// the reference. A row of the reference itself has none.
type Throughput struct {
	Pairs         int      `json:"pairs"`
	Rows          int64    `json:"rows"`
	RowsPerSecond float64  `json:"rows_per_second"` // wall clock, one client
	CPUMicros     *float64 `json:"cpu_us,omitempty"`
	WALBytes      float64  `json:"wal_bytes"`
	Buffers       *float64 `json:"buffers,omitempty"` // shared buffer accesses
	Widens        *float64 `json:"widens,omitempty"`  // of zone map entries
	CPURatio      *Ratio   `json:"cpu_ratio,omitempty"`
	SpeedRatio    *Ratio   `json:"speed_ratio,omitempty"`
}

// Load is what clients got that asked at once, each as soon as it had its last
// answer, over rounds in turns with a reference.
type Load struct {
	Clients          int     `json:"clients"`
	Rounds           int     `json:"rounds"`
	QueriesPerSecond float64 `json:"queries_per_second"`
	SpeedRatio       *Ratio  `json:"speed_ratio,omitempty"` // over the reference's; above 1 is better
}

// Ratio is a mean over pairs; Lo and Hi bound its 95 % interval and are nil for
// a single pair.
type Ratio struct {
	Value float64  `json:"value"`
	Lo    *float64 `json:"lo,omitempty"`
	Hi    *float64 `json:"hi,omitempty"`
}
