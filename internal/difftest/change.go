package difftest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A change is a transaction, to be run on both twins.
type change struct {
	begin      string   // the statement that opens it
	lock       bool     // both twins, against everybody else, before anything
	statements []string // with @ for the table
	prepare    bool     // in two phases
	rollback   bool
}

// writer makes the transactions of one connection.
type writer struct {
	rng  *rand.Rand
	mark int    // rows made by this connection carry it
	keys int    // keys are made of 1..keys, and a little beyond
	next int    // ascending keys come from here on, up to last
	dir  string // where the server may write files

	compacts bool // the mapped twin is of access method sorted_heap
	discards bool // caches, now and then
}

// last key of all that is ever made, given the number of rows to begin with.
func last(rows int) int { return 2 * rows }

func newWriter(cfg Config, mark int, dir string) *writer {
	return &writer{
		dir: dir, rng: rand.New(rand.NewPCG(cfg.Seed, uint64(mark))), mark: mark, keys: cfg.Rows, next: cfg.Rows,
		compacts: cfg.AccessMethod == "sorted_heap", discards: cfg.Discard,
	}
}

func (w *writer) key() int { return w.rng.IntN(w.keys + w.keys/20) }

// statement is one random statement.
func (w *writer) statement() string {
	from := w.key()
	own := fmt.Sprintf("w = %d AND id %% 7 = %d", w.mark, w.rng.IntN(7))
	near := fmt.Sprintf("k BETWEEN difftest_key(%d) AND difftest_key(%d)", from, from+1+w.rng.IntN(200))
	switch w.rng.IntN(13) {
	case 0, 1: // strays, one by one
		return w.insert(w.key(), 1+w.rng.IntN(3), w.rng.IntN(400))
	case 2: // ascending, at the end of the key space
		n := 1 + w.rng.IntN(300)
		if w.next += n; w.next > last(w.keys) {
			w.next = w.keys
		}
		return w.insert(w.next-n, n, 1)
	case 3: // a dense run somewhere
		return w.insert(from, 1+w.rng.IntN(100), 1)
	case 4: // one key many times
		return w.insert(from, 1+w.rng.IntN(150), 0)
	case 5:
		return fmt.Sprintf(`UPDATE @ SET pad = repeat('y', %d) WHERE %s AND w = %d`, w.rng.IntN(120), near, w.mark)
	case 6: // the key moves, the row may stay on its block
		return fmt.Sprintf(`UPDATE @ SET k = difftest_key(%d) WHERE %s AND %s`, w.key(), near, own)
	case 7:
		return fmt.Sprintf(`UPDATE @ SET r = %s WHERE %s AND w = %d`, []string{"NULL", "(r + 1) % 5", "32767", "-32768"}[w.rng.IntN(4)], near, w.mark)
	case 8:
		return fmt.Sprintf(`UPDATE @ SET k = NULL WHERE %s AND %s`, near, own)
	case 9, 10:
		return fmt.Sprintf(`DELETE FROM @ WHERE %s AND w = %d`, near, w.mark)
	case 11: // rows that are there already get another second column
		return fmt.Sprintf(`INSERT INTO @ (id, w, k, r, pad) SELECT id, w, k, %d, pad FROM @ WHERE %s AND w = %d
			ON CONFLICT ON CONSTRAINT @_pkey DO UPDATE SET r = EXCLUDED.r`, w.rng.IntN(6), near, w.mark)
	default:
		return fmt.Sprintf(`DELETE FROM @ WHERE %s`, own)
	}
}

// insert adds n rows with keys from, from + step and so on: by INSERT, or by
// COPY through a file of the server's. Ids are the same in both twins.
func (w *writer) insert(from, n, step int) string {
	base := w.rng.Int64N(1<<46)*4096 + int64(w.mark)<<58
	rows := fmt.Sprintf(`SELECT %d + n, %d, difftest_key(%d + n * %d), nullif(n %% 4, 3), repeat('z', %d) FROM generate_series(0, %d) n`,
		base, w.mark, from, step, w.rng.IntN(90), n-1)
	if w.rng.IntN(3) == 0 {
		return fmt.Sprintf(`COPY (%[1]s) TO '%[2]s/rows%[3]d'; COPY @ (id, w, k, r, pad) FROM '%[2]s/rows%[3]d'`, rows, w.dir, w.mark)
	}
	return "INSERT INTO @ (id, w, k, r, pad) " + rows
}

// transaction is a random transaction: savepoints, isolation levels and all
// ways to end.
func (w *writer) transaction() change {
	c := change{begin: "BEGIN"}
	switch w.rng.IntN(16) {
	case 0:
		c.begin = "BEGIN ISOLATION LEVEL SERIALIZABLE"
	case 1:
		c.begin = "BEGIN ISOLATION LEVEL REPEATABLE READ"
	}
	if w.rng.IntN(400) == 0 { // rows of others too: nobody has any under way
		c.lock = true
		c.statements = append(c.statements, "TRUNCATE @", w.insert(1, w.keys/2, 2))
	}
	for range 1 + w.rng.IntN(3) {
		sql := w.statement()
		switch w.rng.IntN(8) {
		case 0:
			c.statements = append(c.statements, "SAVEPOINT s", sql, "ROLLBACK TO s")
		case 1:
			c.statements = append(c.statements, "SAVEPOINT s", sql, "RELEASE s")
		default:
			c.statements = append(c.statements, sql)
		}
	}
	c.rollback = w.rng.IntN(8) == 0
	c.prepare = w.rng.IntN(12) == 0
	return c
}

// gid names the prepared transaction of a writer, of which there is one at most.
func (w *writer) gid() string { return fmt.Sprintf("'writer%d'", w.mark) }

// on gives the statement for a table.
func on(table, statement string) string { return strings.ReplaceAll(statement, "@", table) }

// dropLeftovers drops what a REINDEX CONCURRENTLY left behind that was ended by
// a deadlock or a crash. Rewrites make these indexes valid, the next REINDEX
// copies them again, and their number grows without end.
const dropLeftovers = `DO $$
DECLARE
	leftover text;
BEGIN
	FOR leftover IN
		SELECT indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = 'mapped'::regclass
		WHERE indrelid IN (c.oid, c.reltoastrelid) AND indexrelid::regclass::text ~ '_cc(new|old)'
	LOOP
		EXECUTE 'DROP INDEX IF EXISTS ' || leftover;
	END LOOP;
END $$`

// maintenance is a random command on the mapped twin alone, outside of a
// transaction. Some of these commands exclude everybody else; they are rarer.
func (w *writer) maintenance() []string {
	commands := [][]string{
		{"VACUUM (TRUNCATE off) mapped"}, {"VACUUM (TRUNCATE off) mapped"}, {"VACUUM (TRUNCATE off) mapped"}, {"VACUUM (TRUNCATE off) mapped"},
		{"VACUUM (FREEZE, TRUNCATE off) mapped"}, {"VACUUM (INDEX_CLEANUP off, TRUNCATE off) mapped"}, {"ANALYZE mapped"}, {"CHECKPOINT"},
		{"SELECT sorted_heap_rebuild_zonemap('mapped')"}, {"SELECT sorted_heap_rebuild_zonemap('mapped')"},
		{dropLeftovers, "REINDEX INDEX CONCURRENTLY mapped_zone"},
	}
	if w.rng.IntN(5) == 0 {
		commands = [][]string{
			{"VACUUM mapped"}, // waits up to 5 s for its turn to truncate
			{dropLeftovers, "REINDEX TABLE CONCURRENTLY mapped"}, {"VACUUM FULL mapped"}, {"CLUSTER mapped USING mapped_pkey"}, {"CLUSTER mapped USING mapped_pkey"},
			{"DROP INDEX IF EXISTS mapped_other", "CREATE INDEX CONCURRENTLY mapped_other ON mapped USING sorted_zone (k)"},
			{"DROP INDEX CONCURRENTLY IF EXISTS mapped_other"}, {"REINDEX INDEX mapped_zone"},
			{"ALTER TABLE mapped SET TABLESPACE difftest_space", "ALTER INDEX mapped_zone SET TABLESPACE difftest_space"},
			{"ALTER TABLE mapped SET TABLESPACE pg_default", "ALTER INDEX mapped_zone SET TABLESPACE pg_default"},
		}
		if w.compacts {
			commands = append(commands, []string{"SELECT sorted_heap_compact('mapped')"},
				[]string{"SELECT * FROM sorted_heap_merge('mapped')"}, []string{"SELECT * FROM sorted_heap_merge('mapped')"}, []string{"SELECT * FROM sorted_heap_merge('mapped')"})
		}
	}
	return commands[w.rng.IntN(len(commands))]
}
