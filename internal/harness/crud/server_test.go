package crud_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/harness/crud"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/pgtest"
)

type quiet struct{}

func (quiet) Step(string, int)    {}
func (quiet) Done(int)            {}
func (quiet) Note(string, ...any) {}

// A whole run on small tables: every case has both rows, the tables end up
// equal, and what the server counts is there.
func TestRun(t *testing.T) {
	server := pgtest.Start(t, pgtest.WithSettings(map[string]string{"shared_preload_libraries": "pg_stat_statements"}))
	p := crud.Default()
	p.Rows, p.CopyRows, p.WideCopyRows, p.Dim, p.Pairs, p.Seconds = 8000, 2000, 100, 8, 2, 1e-9
	rows, warnings, err := crud.Run(t.Context(), server.DSN(""), p, quiet{})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 20 || len(warnings) != 0 {
		t.Errorf("%d rows, warnings %v; want two rows for each of ten cases", len(rows), warnings)
	}
	for _, r := range rows {
		if r.Error != "" || r.Throughput == nil || r.ClientMS == nil {
			t.Errorf("%s of %s: %+v", r.Case, r.Engine, r)
			continue
		}
		if (r.Engine == "sorted_heap") != (r.Throughput.CPURatio != nil) || *r.Throughput.CPUMicros <= 0 || *r.Throughput.Buffers <= 0 {
			t.Errorf("%s of %s: %+v", r.Case, r.Engine, r.Throughput)
		}
		if writes := !slices.Contains([]string{"point", "range_5000"}, r.Case); writes && r.Throughput.WALBytes < 10 {
			t.Errorf("%s of %s writes %g bytes of WAL a row", r.Case, r.Engine, r.Throughput.WALBytes)
		}
	}
	i := slices.IndexFunc(rows, func(r result.Row) bool { return r.Case == "range_5000" })
	if perCall := rows[i].RowsMean; perCall != 5000 {
		t.Errorf("a range has %g rows", perCall)
	}
	insert := slices.IndexFunc(rows, func(r result.Row) bool { return r.Case == "insert" && r.Engine == "sorted_heap" })
	if state, ok := rows[insert].Params["map"].(map[string]any); !ok || state["blocks"] == int64(0) {
		t.Errorf("state of the map: %v", rows[insert].Params["map"])
	}
}

func TestWithoutStatistics(t *testing.T) {
	server := pgtest.Start(t)
	p := crud.Default()
	p.Rows, p.Pairs, p.Seconds, p.Cases = 1000, 1, 1e-9, regexp.MustCompile("^insert$")
	rows, warnings, err := crud.Run(t.Context(), server.DSN(""), p, quiet{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(warnings, "\n"), "no buffer counts") || rows[0].Throughput.Buffers != nil {
		t.Errorf("warnings %v, buffers %v", warnings, rows[0].Throughput.Buffers)
	}
}
