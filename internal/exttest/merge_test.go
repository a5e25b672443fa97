package exttest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/pgtest"
)

// strayTable makes a table of some 1,500 blocks in key order, of which many hold
// a stray row.
func strayTable(t *testing.T, conn *pgx.Conn, name string) {
	t.Helper()
	pgtest.Exec(t, conn,
		fmt.Sprintf(`CREATE TABLE %s (id int PRIMARY KEY, n int, pad text) USING sorted_heap WITH (autovacuum_enabled = off)`, name),
		fmt.Sprintf(`INSERT INTO %s SELECT 10 * i, i, repeat('x', 200) FROM generate_series(1, 50000) i`, name),
		fmt.Sprintf(`CREATE INDEX %[1]s_zone ON %[1]s USING sorted_zone (id)`, name),
		fmt.Sprintf(`CREATE INDEX ON %s (n)`, name),
		fmt.Sprintf(`DELETE FROM %s WHERE n %% 50 = 7`, name),
		fmt.Sprintf(`VACUUM %s`, name),
		fmt.Sprintf(`INSERT INTO %s SELECT 1 + 10 * (i * 7919 %% 50000), -i, repeat('y', 200) FROM generate_series(1, 1000) i`, name))
}

// mergeMethod merges a table and tells how.
func mergeMethod(t *testing.T, conn *pgx.Conn, table string) string {
	t.Helper()
	return pgtest.One[string](t, conn, fmt.Sprintf(`SELECT string_agg(DISTINCT method, ',') FROM sorted_heap_merge('%s')`, table))
}

// sealedMap fails the test if a block of the table would be searched by every
// lookup.
func sealedMap(t *testing.T, conn *pgx.Conn, table string) {
	t.Helper()
	if n := pgtest.One[int64](t, conn, fmt.Sprintf(`SELECT sum(open + loose + tried + gathering)::int8 FROM sorted_heap_zonemap_stats('%s')`, table)); n != 0 {
		t.Errorf("%s: %d blocks are not sealed", table, n)
	}
}

// A server killed in the middle of a merge, or right after one, has every row
// once, in the table and in all indexes.
func TestMergeCrash(t *testing.T) {
	c := pgtest.Start(t, pgtest.WithSettings(map[string]string{"wal_level": "replica"}))
	conn := pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, conn, `CREATE EXTENSION amcheck`)
	strayTable(t, conn, "done")
	strayTable(t, conn, "begun")
	want := checksum(t, conn, "begun")

	pgtest.Exec(t, conn, `CHECKPOINT`)
	if method := mergeMethod(t, conn, "done"); method != "move" {
		t.Fatalf("merge by %s, want move", method)
	}

	// Killed with the merge's pages and WAL on disk, but not its commit.
	open := pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, open, `BEGIN`)
	if method := mergeMethod(t, open, "begun"); method != "move" {
		t.Fatalf("merge by %s, want move", method)
	}
	pgtest.Exec(t, conn, `CHECKPOINT`)
	if err := c.Crash(); err != nil {
		t.Fatal(err)
	}
	if err := c.StartServer(t.Context()); err != nil {
		t.Fatal(err)
	}

	conn = pgtest.Connect(t, c, "postgres")
	for _, table := range []string{"done", "begun"} {
		if got := checksum(t, conn, table); got != want {
			t.Errorf("%s after the crash: %s, want %s", table, got, want)
		}
		soundMap(t, conn, table)
		checkIndexes(t, conn, table)
	}
	pgtest.Exec(t, conn, `VACUUM done`)
	sealedMap(t, conn, "done")
	if method := mergeMethod(t, conn, "begun"); method != "move" {
		t.Errorf("merge after the crash by %s, want move", method)
	}
	pgtest.Exec(t, conn, `VACUUM begun`)
	sealedMap(t, conn, "begun")
	checkIndexes(t, conn, "begun")
}

// A server killed while it merges, at some moment of it, loses nothing.
func TestMergeCrashUnderWay(t *testing.T) {
	c := pgtest.Start(t, pgtest.WithSettings(map[string]string{"wal_level": "replica"}))
	conn := pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, conn, `CREATE EXTENSION amcheck`)
	strayTable(t, conn, "facts")
	want := checksum(t, conn, "facts")

	for round := range 3 {
		pgtest.Exec(t, conn, `CHECKPOINT`)
		size := pgtest.One[int64](t, conn, `SELECT pg_relation_size('facts')`)
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
		merger := pgtest.Connect(t, c, "postgres")
		done := make(chan struct{})
		go func() {
			defer close(done)
			// Ends with the server, or before it.
			_, _ = merger.Exec(ctx, `SELECT sorted_heap_merge('facts')`)
		}()
		// The run of moved rows has begun: the table has grown. Its size can be
		// asked under the merge's lock.
		pgtest.WaitFor(t, conn, fmt.Sprintf(`SELECT size > %d OR NOT EXISTS (SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT sorted_heap_merge%%' AND state = 'active')
			FROM pg_stat_file((SELECT setting FROM pg_settings WHERE name = 'data_directory') || '/' || (SELECT 'base/' || d.oid || '/' || c.relfilenode FROM pg_database d, pg_class c WHERE datname = 'postgres' AND relname = 'facts'))`, size))
		if err := c.Crash(); err != nil {
			t.Fatal(err)
		}
		<-done
		cancel()
		if err := c.StartServer(t.Context()); err != nil {
			t.Fatal(err)
		}
		conn = pgtest.Connect(t, c, "postgres")
		if got := checksum(t, conn, "facts"); got != want {
			t.Fatalf("round %d: %s, want %s", round, got, want)
		}
		soundMap(t, conn, "facts")
		checkIndexes(t, conn, "facts")
	}
	mergeMethod(t, conn, "facts")
	pgtest.Exec(t, conn, `VACUUM facts`)
	sealedMap(t, conn, "facts")
}

// Logical decoding sees nothing of a merge: on a server that could decode it,
// the table is rewritten.
func TestMergeIsNotDecoded(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Database(t, c)
	strayTable(t, conn, "facts")
	pgtest.Exec(t, conn, `ALTER TABLE facts REPLICA IDENTITY FULL`)
	slot := "merge_slot"
	pgtest.One[string](t, conn, `SELECT lsn::text FROM pg_create_logical_replication_slot($1::text, 'pgoutput')`, slot)
	pgtest.Exec(t, conn, `CREATE PUBLICATION inserts FOR TABLE facts WITH (publish = 'insert')`)
	want := checksum(t, conn, "facts")
	if method := mergeMethod(t, conn, "facts"); method != "rewrite" {
		t.Errorf("merge by %s, want rewrite", method)
	}
	if n := pgtest.One[int64](t, conn, `SELECT count(*) FROM pg_logical_slot_peek_binary_changes($1::text, NULL, NULL, 'proto_version', '1', 'publication_names', 'inserts') WHERE get_byte(data, 0) = ascii('I')`, slot); n != 0 {
		t.Errorf("%d rows decoded of a merge, want none", n)
	}
	if got := checksum(t, conn, "facts"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	soundMap(t, conn, "facts")
	sealedMap(t, conn, "facts")
}
