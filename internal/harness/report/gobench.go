package report

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/perf/benchfmt"

	"sortedheap/internal/harness/result"
)

// benchUnits say what benchstat cannot know of our units. Quality is counted, not
// sampled.
var benchUnits = []struct{ unit, better, assume string }{
	{"server-sec/op", "lower", ""}, {"queries/s", "higher", ""}, {"rows/s", "higher", ""},
	{"build-sec", "lower", "exact"}, {"index-B", "lower", "exact"}, {"table-B", "lower", "exact"}, {"wal-B", "lower", "exact"},
	{"hit-at-1", "higher", "exact"}, {"hit-at-k", "higher", "exact"}, {"recall", "higher", "exact"},
	{"full-counts", "higher", "exact"}, {"seed-coverage", "higher", "exact"},
	{"keywords", "higher", "exact"}, {"full-keywords", "higher", "exact"}, {"keywords-paid", "higher", "exact"}, {"full-keywords-paid", "higher", "exact"},
	{"ndcg", "higher", "exact"}, {"tokens", "lower", "exact"},
}

// writeGoBench writes rows as Go benchmarks, in base units, for benchstat: a line
// for each part of a run, or one for rows whose samples were too few to have
// parts, then a line with what was counted once. Rows that were not measured are
// left out.
func writeGoBench(out io.Writer, files []*result.File) error {
	w := benchfmt.NewWriter(out)
	for _, u := range benchUnits {
		line := "Unit " + u.unit + " better=" + u.better
		if u.assume != "" {
			line += " assume=" + u.assume
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	for _, f := range files {
		config := benchConfig(f.Env)
		if len(files) > 1 {
			config = append(config, benchKeys(f.Env)...)
		} else if _, err := fmt.Fprintf(out, "# commit %s, measured %s\n", f.Env.Commit, f.Env.Time); err != nil {
			return err
		}
		for _, r := range f.Rows {
			if r.Error != "" {
				continue
			}
			for _, record := range benchRecords(r) {
				record.Config, record.Name = config, benchName(r)
				if err := w.Write(&record); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// benchConfig is the environment in the words of Go's benchmarks: what must be equal
// for benchstat to compare two files.
func benchConfig(e result.Env) []benchfmt.Config {
	return fileConfig([][2]string{{"goos", e.OS}, {"goarch", e.Arch}, {"pkg", "sortedheap"}, {"cpu", e.CPU},
		{"cores", fmt.Sprint(e.Cores)}, {"postgres", e.Postgres}})
}

// benchKeys tell runs in one file apart. In files of their own benchstat would take
// them for different environments and set nothing side by side.
func benchKeys(e result.Env) []benchfmt.Config {
	return fileConfig([][2]string{{"commit", e.Commit}, {"time", e.Time}})
}

func fileConfig(pairs [][2]string) []benchfmt.Config {
	var config []benchfmt.Config
	for _, c := range pairs {
		if c[1] != "" {
			config = append(config, benchfmt.Config{Key: c[0], Value: []byte(c[1]), File: true})
		}
	}
	return config
}

// benchName carries the row's identity as /key=value.
func benchName(r result.Row) benchfmt.Name {
	name := strings.ToUpper(r.Scenario[:1]) + r.Scenario[1:] + "/corpus=" + r.Corpus + "/engine=" + r.Engine + "/case=" + r.Case
	for _, point := range strings.Fields(r.Point) {
		name += "/" + point
	}
	return benchfmt.Name(strings.ReplaceAll(name, " ", "_"))
}

func benchRecords(r result.Row) []benchfmt.Result {
	var records []benchfmt.Result
	client, server := samplesOf(r.ClientMS), samplesOf(r.ServerMS)
	for i := range client {
		record := benchfmt.Result{Iters: max(1, r.Samples/len(client)), Values: []benchfmt.Value{{Value: client[i] / 1e3, Unit: "sec/op"}}}
		if i < len(server) {
			record.Values = append(record.Values, benchfmt.Value{Value: server[i] / 1e3, Unit: "server-sec/op"})
		}
		records = append(records, record)
	}
	if once := countedOnce(r); len(once) > 0 {
		records = append(records, benchfmt.Result{Iters: 1, Values: once})
	}
	return records
}

// samplesOf are the medians of a run's parts, or the one of all.
func samplesOf(l *result.Latency) []float64 {
	switch {
	case l == nil:
		return nil
	case len(l.Blocks) > 0:
		return l.Blocks
	}
	return []float64{l.P50}
}

// countedOnce is what a run has one value of.
func countedOnce(r result.Row) []benchfmt.Value {
	var values []benchfmt.Value
	add := func(unit string, v *float64) {
		if v != nil {
			values = append(values, benchfmt.Value{Value: *v, Unit: unit})
		}
	}
	q := quality(r)
	add("hit-at-1", q.HitAt1)
	add("hit-at-k", q.HitAtK)
	add("recall", q.RecallAtK)
	add("full-counts", q.FullCounts)
	add("seed-coverage", q.SeedCoverage)
	add("keywords", q.KeywordPct)
	add("full-keywords", q.FullPct)
	add("keywords-paid", q.KeywordBudget)
	add("full-keywords-paid", q.FullBudget)
	add("ndcg", q.NDCG)
	add("tokens", q.TokensMean)
	if r.Load != nil {
		add("queries/s", &r.Load.QueriesPerSecond)
	}
	if r.Throughput != nil {
		add("rows/s", &r.Throughput.RowsPerSecond)
	}
	if b := r.Build; b != nil {
		index, table, wal := float64(b.IndexBytes), float64(b.TableBytes), float64(b.WALBytes)
		add("build-sec", &b.Seconds)
		add("index-B", &index)
		add("table-B", &table)
		add("wal-B", &wal)
	}
	return values
}
