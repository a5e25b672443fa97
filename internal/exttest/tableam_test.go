package exttest

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/pgtest"
)

// factsTable makes a sorted_heap table with a toasted column, several kinds of
// index and 2,000 rows in descending key order; every 40th value is out of
// line. The settings of the table leave room for HOT updates.
func factsTable(t *testing.T, conn *pgx.Conn, name string) {
	t.Helper()
	pgtest.Exec(t, conn,
		`CREATE TABLE `+name+` (id int PRIMARY KEY, n int, word text, big text) USING sorted_heap WITH (fillfactor = 70)`,
		`ALTER TABLE `+name+` ALTER big SET STORAGE EXTERNAL`,
		`INSERT INTO `+name+` SELECT i, i % 50, 'w' || i % 100,
			CASE WHEN i % 40 = 0 THEN repeat(md5(i::text), 200) ELSE 'short' || i END
			FROM generate_series(2000, 1, -1) i`,
		`CREATE INDEX ON `+name+` (n) INCLUDE (word)`,
		`CREATE INDEX ON `+name+` (md5(big)) WHERE n < 40`,
		`CREATE INDEX ON `+name+` USING hash (word)`,
		`CREATE INDEX ON `+name+` USING brin (id)`)
}

// checksum is the same for two tables with the same rows, in whatever order.
func checksum(t *testing.T, conn *pgx.Conn, name string) string {
	t.Helper()
	return pgtest.One[string](t, conn, `SELECT count(*) || ' rows, ' || coalesce(sum(hashtext(r::text)::bigint), 0) FROM `+name+` r`)
}

// descents counts rows stored behind a row with a larger id.
func descents(t *testing.T, conn *pgx.Conn, name string) int64 {
	t.Helper()
	return pgtest.One[int64](t, conn, `SELECT count(*) FROM
		(SELECT id, lag(id) OVER (ORDER BY ctid) AS prev FROM `+name+`) s WHERE prev > id`)
}

// checkIndexes proves that every index of the table is valid and that every
// btree holds exactly the rows of the table.
func checkIndexes(t *testing.T, conn *pgx.Conn, name string) {
	t.Helper()
	pgtest.Exec(t, conn, `CREATE EXTENSION IF NOT EXISTS amcheck`)
	verifyIndexes(t, conn, name)
}

// verifyIndexes is checkIndexes where amcheck is there already, as on a
// standby.
func verifyIndexes(t *testing.T, conn *pgx.Conn, name string) {
	t.Helper()
	for _, index := range pgtest.Column[string](t, conn, `SELECT indexrelid::regclass::text FROM pg_index
		WHERE indrelid = $1::text::regclass AND NOT (indisvalid AND indisready)`, name) {
		t.Errorf("index %s of %s is not valid", index, name)
	}
	checked := pgtest.One[int64](t, conn, `SELECT count(bt_index_check(c.oid, true)::text) FROM pg_class c
		JOIN pg_index i ON i.indexrelid = c.oid JOIN pg_am a ON a.oid = c.relam
		WHERE i.indrelid = $1::text::regclass AND a.amname = 'btree'`, name)
	if checked == 0 {
		t.Errorf("table %s has no btree to check", name)
	}
}

// accessMethod names the access method of a table.
func accessMethod(t *testing.T, conn *pgx.Conn, name string) string {
	t.Helper()
	return pgtest.One[string](t, conn, `SELECT amname::text FROM pg_class c JOIN pg_am a ON a.oid = c.relam
		WHERE c.oid = $1::text::regclass`, name)
}
