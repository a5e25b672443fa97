package ann

import (
	"testing"

	"sortedheap/internal/pgtest"
)

// Every type and metric of both extensions, with no index in the way: what the
// table holds after COPY and what its operator computes is what the truth is
// made of.
func TestExactSearchAgrees(t *testing.T) {
	server := pgtest.Start(t)
	control := pgtest.Connect(t, server, "postgres")
	for _, sys := range systems() {
		if !pgtest.One[bool](t, control, "SELECT count(*) > 0 FROM pg_available_extensions WHERE name = $1", sys.extension) {
			t.Logf("%s is not installed on the server", sys.extension)
			continue
		}
		pgtest.Exec(t, control, "CREATE EXTENSION IF NOT EXISTS pg_prewarm", "CREATE EXTENSION IF NOT EXISTS "+sys.extension)
		for _, element := range []string{"float", "half"} {
			for _, metric := range metricNames() {
				t.Run(sys.types[element]+" "+metric, func(t *testing.T) {
					b := newBench(t, 600, 12, 20)
					b.env.DSN, b.control = server.DSN(""), control
					b.params.Element, b.params.Metric = element, metric
					checkExact(t, b, &store{system: sys, vector: sys.types[element], half: element == "half"})
				})
			}
		}
	}
}

func checkExact(t *testing.T, b *bench, s *store) {
	t.Helper()
	if s.half {
		roundHalves(b.vectors)
	}
	var err error
	if s.admin, err = s.connect(t.Context(), b.env.DSN); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.admin.close(t.Context()) }()
	if err := b.fill(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	set := b.vectors.Queries[0]
	for _, selectivity := range []float64{100, 10} {
		keep := func(row int) bool { return b.buckets[row] < int32(bucketLimit(selectivity)) }
		truth, err := b.exactly(t.Context(), set, keep)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := s.searcher(t.Context(), b, selectivity, withoutIndex())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.gradeExact(t.Context(), opened, set, truth, 20, keep); err != nil {
			t.Error(err)
		}
		if _, err := b.grade(t.Context(), opened, set, truth, 20, func(int) bool { return false }); err == nil {
			t.Error("rows that do not pass the filter are taken")
		}
		if err := opened.close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
