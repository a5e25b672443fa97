package exttest

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"sortedheap/internal/pgtest"
)

// A streaming standby replays everything a sorted_heap table goes through,
// answers the same, and carries on when promoted.
func TestStandby(t *testing.T) {
	c := pgtest.Start(t)
	primary := pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, primary, `CREATE EXTENSION amcheck`)
	factsTable(t, primary, "facts")
	pgtest.Exec(t, primary, `CREATE UNLOGGED TABLE unlogged_facts (entity_id int4 PRIMARY KEY, relation_id int2,
		target_id int4, embedding svec, payload text) USING sorted_heap`)
	standby, err := c.Standby(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	replica := pgtest.Connect(t, standby, "postgres")

	for _, step := range []string{
		`UPDATE facts SET n = n + 1 WHERE id % 3 = 0`,
		`COPY facts (id, n, big) FROM PROGRAM 'for i in 2009 2003 2007 2001; do printf "$i\t1\tx\n"; done'`,
		`CREATE INDEX CONCURRENTLY late ON facts (md5(big), word)`,
		`DELETE FROM facts WHERE id % 5 = 0`,
		`VACUUM (FREEZE) facts`,
		`SELECT sorted_heap_compact('facts')`,
		`ALTER TABLE facts ALTER id TYPE bigint`,
		`VACUUM FULL facts`,
		`ALTER TABLE facts SET ACCESS METHOD heap`,
		`ALTER TABLE facts SET ACCESS METHOD sorted_heap`,
	} {
		pgtest.Exec(t, primary, step)
		if err := c.WaitReplay(t.Context(), standby); err != nil {
			t.Fatal(err)
		}
		if got, want := checksum(t, replica, "facts"), checksum(t, primary, "facts"); got != want {
			t.Fatalf("after %s: standby has %s, primary %s", step, got, want)
		}
		if got, want := descents(t, replica, "facts"), descents(t, primary, "facts"); got != want {
			t.Errorf("after %s: standby has %d descents, primary %d", step, got, want)
		}
	}
	verifyIndexes(t, replica, "facts")

	_, err = replica.Exec(t.Context(), `SELECT sorted_heap_compact('facts')`)
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || pgErr.Code != "25006" {
		t.Errorf("compact on a standby: %v, want SQLSTATE 25006", err)
	}

	_, err = replica.Exec(t.Context(), `SELECT sorted_heap_expand_ids('unlogged_facts', '{1}')`)
	if !errors.As(err, &pgErr) || pgErr.Code != "0A000" {
		t.Errorf("unlogged facts on a standby: %v, want SQLSTATE 0A000", err)
	}

	if err := standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, replica, `INSERT INTO facts (id) VALUES (-1)`, `SELECT sorted_heap_compact('facts')`)
	if n := descents(t, replica, "facts"); n != 0 {
		t.Errorf("after promotion: %d descents", n)
	}
	verifyIndexes(t, replica, "facts")
}
