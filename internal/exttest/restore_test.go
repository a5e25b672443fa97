package exttest

import (
	"path/filepath"
	"testing"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

func run(t *testing.T, c *cluster.Cluster, name string, args ...string) {
	t.Helper()
	if out, err := c.Command(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// A dump restored with several jobs builds indexes of one table at the same
// time, while its toasted values are read; nothing may fail or be lost.
func TestParallelRestore(t *testing.T) {
	c := pgtest.Start(t)
	source := pgtest.Database(t, c)
	tables := []string{"facts", "more"}
	for _, name := range tables {
		factsTable(t, source, name)
	}
	for _, column := range []string{"word", "n, word", "big", "upper(big)", "length(big)", "id, n"} {
		pgtest.Exec(t, source, `CREATE INDEX ON facts (`+column+`) WHERE length(big) < 1000`)
		pgtest.Exec(t, source, `CREATE INDEX ON facts (md5(`+firstColumn(column)+`::text))`)
	}
	pgtest.Exec(t, source,
		`ALTER TABLE more ADD FOREIGN KEY (id) REFERENCES facts`,
		`CREATE MATERIALIZED VIEW facts_by_word USING sorted_heap AS SELECT word, count(*) FROM facts GROUP BY 1`,
		`CREATE UNIQUE INDEX ON facts_by_word (word)`,
		`CREATE TABLE parted (id int PRIMARY KEY, v text) PARTITION BY RANGE (id)`,
		`CREATE TABLE part1 PARTITION OF parted FOR VALUES FROM (0) TO (500) USING sorted_heap`,
		`CREATE TABLE part2 PARTITION OF parted FOR VALUES FROM (500) TO (1000) USING heap`,
		`INSERT INTO parted SELECT (i * 617) % 1000, i FROM generate_series(0, 999) i`,
		`SELECT sorted_heap_compact('facts')`)
	tables = append(tables, "facts_by_word", "part1", "part2")

	dump := filepath.Join(c.Dir(), "dump")
	run(t, c, "pg_dump", "-Fd", "-j", "2", "-f", dump, source.Config().Database)
	for _, database := range []string{"restored1", "restored2", "restored3"} {
		run(t, c, "createdb", database)
		run(t, c, "pg_restore", "--exit-on-error", "-j", "4", "-d", database, dump)
		restored := pgtest.Connect(t, c, database)
		for _, name := range tables {
			if got, want := checksum(t, restored, name), checksum(t, source, name); got != want {
				t.Errorf("%s, table %s: %s, want %s", database, name, got, want)
			}
			if got, want := accessMethod(t, restored, name), accessMethod(t, source, name); got != want {
				t.Errorf("%s, table %s: access method %s, want %s", database, name, got, want)
			}
			checkIndexes(t, restored, name)
		}
		if n := descents(t, restored, "facts"); n != 0 {
			t.Errorf("%s: %d descents in a table that was in order", database, n)
		}
	}
}

func firstColumn(columns string) string {
	for i, r := range columns {
		if r == ',' {
			return columns[:i]
		}
	}
	return columns
}
