package report_test

import (
	"encoding/csv"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	"sortedheap/internal/harness/report"
	"sortedheap/internal/harness/result"
)

// What benchstat reads is what the file holds: a value for each part of a run, in
// seconds, under a name that tells rows apart.
func TestGoBenchIsReadByBenchstat(t *testing.T) {
	f := read(t, "a.json")
	blocks := make([]float64, 20)
	for i := range blocks {
		blocks[i] = 2 + float64(i)/100
	}
	f.Rows[0].ClientMS.Blocks, f.Rows[0].Samples = blocks, 1000
	f.Rows[1].Point = "m=16 ef_search=64"
	var out strings.Builder
	if err := report.Write(&out, []*result.File{f, read(t, "ann.json"), read(t, "storage.json")}, report.GoBench); err != nil {
		t.Fatal(err)
	}
	reader := benchfmt.NewReader(strings.NewReader(out.String()), "report")
	var first []float64
	names := map[string]bool{}
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(r)
		case *benchfmt.Result:
			name := string(r.Name.Full())
			names[name] = true
			if r.GetConfig("cpu") != "Test CPU" || r.GetConfig("postgres") != "15.1" {
				t.Errorf("%s has cpu %q, postgres %q", name, r.GetConfig("cpu"), r.GetConfig("postgres"))
			}
			if v, ok := r.Value("sec/op"); ok && strings.HasSuffix(name, "engine=heap/case=seed_expand2_rerank_rel_pathsum_in") {
				first = append(first, v)
			}
		}
	}
	if err := reader.Err(); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	summary := benchmath.AssumeNothing.Summary(benchmath.NewSample(first, &benchmath.DefaultThresholds), 0.95)
	if len(first) != 20 || math.Abs(summary.Center-0.002095) > 1e-9 || len(summary.Warnings) > 0 {
		t.Errorf("%d values, summary %+v, want 20 around 2.095 ms", len(first), summary)
	}
	if want := "Multihop/corpus=multihop/engine=heap/case=seed_expand2_rerank_rel_pathsum_join/m=16/ef_search=64"; !names[want] {
		t.Errorf("no benchmark is called %s", want)
	}
	if units := reader.Units(); units.GetBetter("recall") != 1 || units.GetBetter("server-sec/op") != -1 {
		t.Error("benchstat does not know which way is better")
	}
}

// benchstat itself sets two runs side by side, whatever their commits and times, and
// finds the engine that became slower, with its certainty.
func TestBenchstatComparesTwoRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles benchstat")
	}
	const changed, unchanged = "pgvector", "sorted_heap"
	before, after := read(t, "a.json"), read(t, "a.json")
	after.Env.Commit, after.Env.Time = "bbbb", "2026-02-03T04:05:06Z"
	for _, f := range []*result.File{before, after} {
		for i := range f.Rows {
			r := &f.Rows[i]
			if r.ClientMS == nil {
				continue
			}
			r.Samples = 1000
			for part := range 20 {
				v := 2 + float64(part%7)/1000
				if f == after && r.Engine == changed {
					v *= 1.5
				}
				r.ClientMS.Blocks = append(r.ClientMS.Blocks, v)
			}
		}
	}
	dir := t.TempDir()
	args := []string{"run", "golang.org/x/perf/cmd/benchstat", "-format", "csv", "-filter", ".unit:sec/op"}
	for name, f := range map[string]*result.File{"before": before, "after": after} {
		var out strings.Builder
		if err := report.Write(&out, []*result.File{f}, report.GoBench); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", append(args, filepath.Join(dir, "before"), filepath.Join(dir, "after"))...)
	var said, complaints strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &complaints
	if err := cmd.Run(); err != nil {
		t.Fatalf("benchstat: %v\n%s", err, complaints.String())
	}
	lines := csv.NewReader(strings.NewReader(said.String()))
	lines.FieldsPerRecord = -1
	table, err := lines.ReadAll()
	if err != nil {
		t.Fatalf("%v in\n%s", err, said.String())
	}
	seen := map[string]int{}
	for _, line := range table {
		for engine, want := range map[string]string{changed: "+50.00%", unchanged: "~"} {
			if !strings.Contains(line[0], "/engine="+engine+"/") {
				continue
			}
			seen[engine]++
			if !slices.Contains(line, want) {
				t.Errorf("benchstat says %q, want %s", line, want)
			}
		}
	}
	if seen[changed] == 0 || seen[unchanged] == 0 {
		t.Errorf("benchstat compared nothing:\n%s%s", said.String(), complaints.String())
	}
}
