package exttest

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

// Rows leave and enter sorted_heap tables by logical replication: the initial
// copy, changes, truncation, and rewrites on either side.
func TestLogicalReplication(t *testing.T) {
	// The launcher pauses this long between starts of one worker.
	c := pgtest.Start(t, pgtest.WithSettings(map[string]string{"wal_retrieve_retry_interval": "100ms"}))
	for _, pair := range [][2]string{{"sorted_heap", "heap"}, {"heap", "sorted_heap"}, {"sorted_heap", "sorted_heap"}} {
		t.Run(pair[0]+" to "+pair[1], func(t *testing.T) {
			replicate(t, c, pair[0], pair[1])
		})
	}
}

func replicate(t *testing.T, c *cluster.Cluster, from, to string) {
	publisher, subscriber := pgtest.Database(t, c), pgtest.Database(t, c)
	slot := "slot_" + publisher.Config().Database
	create := `CREATE TABLE facts (id int PRIMARY KEY, n int, big text) USING `
	pgtest.Exec(t, publisher, create+from, `ALTER TABLE facts ALTER big SET STORAGE EXTERNAL`,
		`INSERT INTO facts SELECT (i * 617) % 3001, i, repeat(i::text, CASE WHEN i % 100 = 0 THEN 1000 ELSE 1 END) FROM generate_series(1, 3000) i`,
		`CREATE PUBLICATION pub FOR TABLE facts`)
	pgtest.Exec(t, subscriber, create+to)
	pgtest.One[string](t, publisher, `SELECT lsn::text FROM pg_create_logical_replication_slot($1::text, 'pgoutput')`, slot)
	pgtest.Exec(t, subscriber, fmt.Sprintf(
		`CREATE SUBSCRIPTION sub_%s CONNECTION '%s' PUBLICATION pub WITH (create_slot = false, slot_name = %s)`,
		slot, c.DSN(publisher.Config().Database), slot))
	waitSame(t, publisher, subscriber, "initial copy")

	for _, step := range []string{
		`INSERT INTO facts SELECT -i, i, 'new' FROM generate_series(1, 500) i`,
		`UPDATE facts SET n = n + 1 WHERE id % 3 = 0`,
		`UPDATE facts SET id = id + 100000 WHERE id % 10 = 0`,
		`DELETE FROM facts WHERE id % 7 = 0`,
		`COPY facts FROM PROGRAM 'for i in 9009 9003 9007; do printf "$i\t1\tcopied\n"; done'`,
	} {
		pgtest.Exec(t, publisher, step)
	}
	waitSame(t, publisher, subscriber, "changes")

	for _, side := range []struct {
		conn *pgx.Conn
		am   string
	}{{publisher, from}, {subscriber, to}} {
		if side.am == "sorted_heap" {
			pgtest.Exec(t, side.conn, `SELECT sorted_heap_compact('facts')`)
		}
	}
	pgtest.Exec(t, publisher, `UPDATE facts SET n = -n WHERE id % 2 = 0`, `VACUUM FULL facts`, `DELETE FROM facts WHERE id % 11 = 0`)
	waitSame(t, publisher, subscriber, "changes around rewrites")
	checkIndexes(t, subscriber, "facts")

	pgtest.Exec(t, publisher, `TRUNCATE facts`, `INSERT INTO facts VALUES (2, 2, 'x'), (1, 1, 'x')`)
	waitSame(t, publisher, subscriber, "truncate")
	pgtest.Exec(t, subscriber, `DROP SUBSCRIPTION sub_`+slot)
}

// waitSame waits until the subscriber has the rows of the publisher.
func waitSame(t *testing.T, publisher, subscriber *pgx.Conn, what string) {
	t.Helper()
	want := checksum(t, publisher, "facts")
	t.Logf("%s: waiting for %s", what, want)
	pgtest.WaitFor(t, subscriber, `SELECT count(*) || ' rows, ' || coalesce(sum(hashtext(r::text)::bigint), 0) = $1 FROM facts r`, want)
}
