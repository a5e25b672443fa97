package exttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

// An upheaval is something after which a map that was part of the table's own
// file lost or misread rows.
type upheaval struct {
	name, persistence string
	column            string // type of the key
	key               string // the key of an int $i
	statements        []string
	crash             bool
}

const (
	intKey  = "$i"
	textKey = "lpad(($i)::text, 6, '0')"
	timeKey = "timestamp '2000-01-01' + $i * interval '1 minute'"
)

var upheavals = []upheaval{
	{name: "all rows deleted", column: "int", key: intKey, statements: []string{`DELETE FROM @`, `VACUUM @`}},
	{name: "first half deleted", column: "int", key: intKey, statements: []string{`DELETE FROM @ WHERE id <= 2000`, `VACUUM @`}},
	{name: "last half deleted", column: "int", key: intKey, statements: []string{`DELETE FROM @ WHERE id > 2000`, `VACUUM @`}},
	{name: "vacuum full", column: "int", key: intKey, statements: []string{`DELETE FROM @ WHERE id % 3 = 0`, `VACUUM FULL @`}},
	{name: "on commit delete rows", persistence: "TEMP", column: "int", key: intKey},
	{name: "unlogged crash", persistence: "UNLOGGED", column: "int", key: intKey, crash: true},
	{name: "tablespace", column: "int", key: intKey, statements: []string{`ALTER TABLE @ SET TABLESPACE losses`}},
	{name: "tablespace of both", column: "int", key: intKey, statements: []string{`ALTER TABLE @ SET TABLESPACE losses`, `ALTER INDEX @_zone SET TABLESPACE losses`}},
	{name: "another primary key", column: "int", key: intKey, statements: []string{`ALTER TABLE @ DROP CONSTRAINT @_pkey, ADD PRIMARY KEY (pad, id)`}},
	{name: "another primary key on sorted heap", column: "int", key: intKey, statements: []string{
		`ALTER TABLE @ SET ACCESS METHOD sorted_heap`, `ALTER TABLE @ DROP CONSTRAINT @_pkey, ADD PRIMARY KEY (pad, id)`, `SELECT sorted_heap_compact('@')`}},
	{name: "another timestamp type, file kept", column: "timestamp", key: timeKey, statements: []string{`SET TimeZone = 'UTC'`, `ALTER TABLE @ ALTER a TYPE timestamptz`}},
	{name: "another timestamp type, rewritten", column: "timestamp", key: timeKey, statements: []string{`SET TimeZone = 'Asia/Tokyo'`, `ALTER TABLE @ ALTER a TYPE timestamptz`}},
	{name: "another collation", column: `text COLLATE "C"`, key: textKey, statements: []string{`ALTER TABLE @ ALTER a TYPE text COLLATE "POSIX"`}},
	{name: "varchar to text", column: `varchar(20) COLLATE "C"`, key: textKey, statements: []string{`ALTER TABLE @ ALTER a TYPE text COLLATE "C"`}},
	{name: "text to int", column: `text COLLATE "C"`, key: textKey, statements: []string{`ALTER TABLE @ ALTER a TYPE int USING a::int`}},
}

// After each of these, rows that are added are found by the map, with those
// that were there.
func TestZoneMapUpheavals(t *testing.T) {
	c := pgtest.Start(t)
	pgtest.Exec(t, pgtest.Connect(t, c, "postgres"), `CREATE TABLESPACE losses LOCATION ''`)
	for i, u := range upheavals {
		for _, am := range []string{"heap", "sorted_heap"} {
			t.Run(u.name+" "+am, func(t *testing.T) {
				u.run(t, c, am, fmt.Sprintf("t%d_%s", i, am))
			})
		}
	}
}

func (u upheaval) run(t *testing.T, c *cluster.Cluster, am, table string) {
	conn := pgtest.Connect(t, c, "postgres")
	exec := func(statements ...string) {
		for _, sql := range statements {
			pgtest.Exec(t, conn, strings.ReplaceAll(sql, "@", table))
		}
	}
	onCommit := ""
	if u.persistence == "TEMP" {
		onCommit = "ON COMMIT DELETE ROWS"
	}
	exec(fmt.Sprintf(`CREATE %s TABLE @ (id int, a %s, b smallint, pad text, PRIMARY KEY (id)) USING %s WITH (fillfactor = 70) %s`, u.persistence, u.column, am, onCommit),
		`CREATE INDEX @_zone ON @ USING sorted_zone (a, b)`)
	fill := fmt.Sprintf(`INSERT INTO @ SELECT i, %s, i %% 5, repeat('x', 200) FROM generate_series(1, 4000) i`, keyOf(u.key, "i"))
	if onCommit != "" { // rows are gone with each transaction, sealed or not
		exec(`BEGIN`, fill, `SELECT sorted_heap_rebuild_zonemap('@')`, `COMMIT`, `BEGIN`)
		u.addRows(t, conn, table)
		exec(`SELECT sorted_heap_rebuild_zonemap('@')`)
		compareByMap(t, conn, table, u.key)
		exec(`COMMIT`)
		return
	}
	exec(fill, `VACUUM @`)
	if u.crash {
		if err := c.Crash(); err != nil {
			t.Fatal(err)
		}
		if err := c.StartServer(t.Context()); err != nil {
			t.Fatal(err)
		}
		conn = pgtest.Connect(t, c, "postgres")
	}
	exec(u.statements...)
	compareByMap(t, conn, table, u.key)
	u.addRows(t, conn, table)
	compareByMap(t, conn, table, u.key)
	exec(`DELETE FROM @ WHERE id % 4 = 1`, `VACUUM @`)
	compareByMap(t, conn, table, u.key)
	u.addRows(t, conn, table)
	exec(`UPDATE @ SET b = b + 10 WHERE id % 9 = 0`, `VACUUM @`)
	compareByMap(t, conn, table, u.key)
	exec(`DROP TABLE @`)
}

// addRows adds rows before, among and after those of the table: single ones and
// a batch. What fills the column may be of its type before it was changed.
func (u upheaval) addRows(t *testing.T, conn *pgx.Conn, table string) {
	t.Helper()
	column := keyColumnType(t, conn, table)
	for _, series := range []string{"generate_series(3999, 3999)", "generate_series(2, 2)", "generate_series(9000, 9000)", "generate_series(1500, 2500)", "generate_series(3000, 1, -37)"} {
		pgtest.Exec(t, conn, fmt.Sprintf(`INSERT INTO %[1]s SELECT (SELECT coalesce(max(id), 0) FROM %[1]s) + row_number() OVER (), (%[2]s)::%[3]s, i %% 7, 'added' FROM %[4]s i`,
			table, keyOf(u.key, "i"), column, series))
	}
}

// compareByMap asks random questions with the map and without.
func compareByMap(t *testing.T, conn *pgx.Conn, table, expression string) {
	t.Helper()
	soundMap(t, conn, table)
	rng := rand.New(rand.NewPCG(1, 2))
	column := keyColumnType(t, conn, table)
	key := func() string { return "(" + keyOf(expression, fmt.Sprint(rng.IntN(9100))) + ")::" + column }
	for range 25 {
		condition := []string{
			"a = " + key(), "a < " + key(), "a >= " + key() + " AND b = 3", "a IN (" + key() + ", " + key() + ", " + key() + ")",
			"a BETWEEN " + key() + " AND " + key(), "a > " + key() + " AND b IN (1, 4)",
		}[rng.IntN(6)]
		query := fmt.Sprintf(`SELECT format('%%s rows %%s', count(*), sum(id)) FROM %s WHERE %s`, table, condition)
		pgtest.Exec(t, conn, `SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_seqscan = off; SET enable_bitmapscan = on`)
		if plan := plan(t, conn, query); !strings.Contains(plan, table+"_zone") {
			t.Fatalf("%s: the map is not used:\n%s", query, plan)
		}
		byMap := pgtest.One[string](t, conn, query)
		pgtest.Exec(t, conn, `SET enable_seqscan = on; SET enable_bitmapscan = off`)
		if all := pgtest.One[string](t, conn, query); byMap != all {
			t.Errorf("%s: %s by the map, %s without", query, byMap, all)
		}
	}
}

func keyOf(expression, i string) string { return strings.ReplaceAll(expression, "$i", i) }

func keyColumnType(t *testing.T, conn *pgx.Conn, table string) string {
	t.Helper()
	return pgtest.One[string](t, conn, fmt.Sprintf(`SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '%s'::regclass AND attname = 'a'`, table))
}
