package exttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

// cacheServer has a shared cache of so many kB. Before PostgreSQL 17 that takes
// the library from the start.
func cacheServer(t *testing.T, kilobytes int, preload bool) *cluster.Cluster {
	t.Helper()
	settings := map[string]string{"sorted_hnsw.cache_size": fmt.Sprint(kilobytes)}
	if preload {
		settings["shared_preload_libraries"] = "sorted_heap"
	}
	return pgtest.Start(t, pgtest.WithSettings(settings))
}

type versionRow struct {
	Source, State       string
	Nodes, Bytes, Scans int64
	Pins                int32
}

// versions tells what the cache has of an index.
func versions(t *testing.T, conn *pgx.Conn, index string) []versionRow {
	t.Helper()
	rows, err := conn.Query(t.Context(), `SELECT source, state, nodes, bytes, scans, pins
		FROM sorted_hnsw_cache_stats() WHERE index = to_regclass($1)`, index)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[versionRow])
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// awaitVersion scans until a scan is answered from a version of a source.
func awaitVersion(t *testing.T, conn *pgx.Conn, table, source string) {
	t.Helper()
	walk(t, conn)
	scans := func() (sum int64) {
		for _, v := range versions(t, conn, table+"_v") {
			if v.Source == source && v.State == "ready" {
				sum += v.Scans
			}
		}
		return sum
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		before := scans()
		pgtest.Exec(t, conn, fmt.Sprintf(`SELECT id FROM %s ORDER BY v <-> vec(-1, 16) LIMIT 1`, table))
		if before > 0 && scans() > before {
			return
		}
	}
	t.Fatalf("no scan of %s is answered from a %s version: %+v", table, source, versions(t, conn, table+"_v"))
}

// answers are the ten nearest to some queries, with their distances.
func answers(t *testing.T, conn *pgx.Conn, table, where string) []string {
	t.Helper()
	var all []string
	for q := range 20 {
		all = append(all, pgtest.Column[string](t, conn, fmt.Sprintf(
			`SELECT id || ' ' || (v <-> vec(-%[2]d, 16)) FROM %[1]s %[3]s ORDER BY v <-> vec(-%[2]d, 16) LIMIT 10`,
			table, q+1, where))...)
	}
	return all
}

// uncached runs something with the cache off.
func uncached(t *testing.T, conn *pgx.Conn, run func()) {
	t.Helper()
	pgtest.Exec(t, conn, `SET sorted_hnsw.shared_cache = off`, `SET sorted_hnsw.local_cache_size = 0`)
	run()
	pgtest.Exec(t, conn, `RESET sorted_hnsw.shared_cache`, `RESET sorted_hnsw.local_cache_size`)
}

// sameAnswers fails unless scans give the same rows by the cache as by pages.
func sameAnswers(t *testing.T, conn *pgx.Conn, table, where string) {
	t.Helper()
	for _, mode := range []string{"graph", "flat"} {
		pgtest.Exec(t, conn, `SET enable_seqscan = off`, `SET sorted_hnsw.scan_mode = `+mode)
		cached := answers(t, conn, table, where)
		var paged []string
		uncached(t, conn, func() { paged = answers(t, conn, table, where) })
		if len(paged) != 200 || !slices.Equal(cached, paged) {
			t.Errorf("%s %s, %s: %d rows by the cache and %d by pages are not the same", table, where, mode, len(cached), len(paged))
		}
	}
	walk(t, conn)
}

// complete fails unless a scan without limit gives every row once.
func complete(t *testing.T, conn *pgx.Conn, table string) {
	t.Helper()
	want := pgtest.One[int64](t, conn, `SELECT count(*) FROM `+table)
	for _, mode := range []string{"graph", "flat"} {
		walk(t, conn)
		pgtest.Exec(t, conn, `SET sorted_hnsw.scan_mode = `+mode)
		got := pgtest.One[string](t, conn, fmt.Sprintf(`SELECT count(*) || ' ' || count(DISTINCT ctid) FROM (
			SELECT ctid FROM %s ORDER BY v <-> vec(-3, 16) LIMIT 10000000) s`, table))
		if got != fmt.Sprintf("%d %[1]d", want) {
			t.Errorf("%s, %s: rows and different rows are %s of %d", table, mode, got, want)
		}
	}
	walk(t, conn)
}

func cachedTable(t *testing.T, conn *pgx.Conn, name string, rows int) {
	t.Helper()
	hnswTable(t, conn, name, rows, 16, "m = 8, ef_construction = 40")
}

// What a version shows is what pages show, through every kind of change.
func TestHnswCacheTruth(t *testing.T) {
	for _, shared := range []bool{true, false} {
		t.Run(map[bool]string{true: "shared", false: "local"}[shared], func(t *testing.T) {
			c := cacheServer(t, 16*1024, shared)
			conn := pgtest.Connect(t, c, "postgres")
			source := "shared"
			if !shared {
				source = "local"
				pgtest.Exec(t, conn, `ALTER DATABASE postgres SET sorted_hnsw.shared_cache = off`)
				conn = pgtest.Connect(t, c, "postgres")
			}
			cachedTable(t, conn, "kept", 3000)
			awaitVersion(t, conn, "kept", source)
			sameAnswers(t, conn, "kept", "")
			complete(t, conn, "kept")

			// What is added is found before there is another version.
			pgtest.Exec(t, conn, `INSERT INTO kept SELECT i, vec(i, 16) FROM generate_series(3001, 3100) i`,
				`INSERT INTO kept SELECT i + 10000, vec(i, 16) FROM generate_series(1, 50) i`)
			scans := versions(t, conn, "kept_v")[0].Scans
			lost := pgtest.One[int64](t, conn, `SELECT count(*) FROM generate_series(3001, 3100) i
				WHERE i <> (SELECT id FROM kept ORDER BY v <-> vec(i, 16) LIMIT 1)`)
			twins := pgtest.One[int64](t, conn, `SELECT count(*) FROM generate_series(1, 50) i WHERE 2 <>
				(SELECT count(*) FROM (SELECT v <-> vec(i, 16) AS d FROM kept ORDER BY d LIMIT 2) s WHERE d = 0)`)
			if lost != 0 || twins != 0 {
				t.Errorf("%d rows and %d twins that were added are not found", lost, twins)
			}
			if now := versions(t, conn, "kept_v"); len(now) == 0 || now[0].Scans < scans+150 {
				t.Errorf("scans after inserts did not use the version: %d, then %+v", scans, now)
			}
			complete(t, conn, "kept")

			// Rows that are rolled back, deleted, moved: their places are filled
			// again by others.
			pgtest.Exec(t, conn, `BEGIN`, `INSERT INTO kept SELECT i, vec(i, 16) FROM generate_series(5001, 5100) i`)
			complete(t, conn, "kept")
			pgtest.Exec(t, conn, `ROLLBACK`)
			complete(t, conn, "kept")
			pgtest.Exec(t, conn, `DELETE FROM kept WHERE id % 3 = 0`)
			complete(t, conn, "kept")
			pgtest.Exec(t, conn, `VACUUM (INDEX_CLEANUP on) kept`)
			complete(t, conn, "kept")
			awaitVersion(t, conn, "kept", source)
			sameAnswers(t, conn, "kept", "")
			pgtest.Exec(t, conn, `INSERT INTO kept SELECT -i, vec(-i, 16) FROM generate_series(1, 700) i`)
			complete(t, conn, "kept")
			lost = pgtest.One[int64](t, conn, `SELECT count(*) FROM generate_series(1, 700) i
				WHERE -i <> (SELECT id FROM kept ORDER BY v <-> vec(-i, 16) LIMIT 1)`)
			if lost != 0 {
				t.Errorf("%d rows in places used again are not found", lost)
			}

			pgtest.Exec(t, conn, `REINDEX TABLE kept`)
			complete(t, conn, "kept")
			awaitVersion(t, conn, "kept", source)
			sameAnswers(t, conn, "kept", "")
			pgtest.Exec(t, conn, `BEGIN`, `TRUNCATE kept`)
			complete(t, conn, "kept")
			pgtest.Exec(t, conn, `INSERT INTO kept SELECT i, vec(i, 16) FROM generate_series(1, 300) i`)
			complete(t, conn, "kept")
			pgtest.Exec(t, conn, `ROLLBACK`)
			sameAnswers(t, conn, "kept", "")
			pgtest.Exec(t, conn, `TRUNCATE kept`, `INSERT INTO kept SELECT i, vec(i, 16) FROM generate_series(1, 300) i`)
			complete(t, conn, "kept")
			awaitVersion(t, conn, "kept", source)
			sameAnswers(t, conn, "kept", "")
			pgtest.Exec(t, conn, `DROP INDEX kept_v`)
			if left := pgtest.One[int64](t, conn, `SELECT count(*) FROM sorted_hnsw_cache_stats() WHERE state = 'ready'`); left != 0 {
				t.Errorf("%d versions are left of an index that is dropped", left)
			}
		})
	}
}

// A cursor that is held open keeps its version while the index changes under it,
// and an error gives it up.
func TestHnswCachePins(t *testing.T) {
	c := cacheServer(t, 16*1024, true)
	conn := pgtest.Connect(t, c, "postgres")
	other := pgtest.Connect(t, c, "postgres")
	cachedTable(t, conn, "held", 2000)
	awaitVersion(t, conn, "held", "shared")
	awaitVersion(t, other, "held", "shared")

	pgtest.Exec(t, conn, `BEGIN`, `DECLARE rows CURSOR FOR SELECT id FROM held ORDER BY v <-> vec(-1, 16) LIMIT 100000`)
	first := pgtest.Column[int32](t, conn, `FETCH 100 FROM rows`)
	if pins := versions(t, other, "held_v")[0].Pins; pins != 1 {
		t.Errorf("%d pins while a cursor is open", pins)
	}
	pgtest.Exec(t, other, `DELETE FROM held WHERE id % 2 = 0`, `VACUUM (INDEX_CLEANUP on) held`,
		`INSERT INTO held SELECT i, vec(i, 16) FROM generate_series(3001, 4000) i`)
	pgtest.WaitFor(t, other, `WITH scan AS MATERIALIZED (SELECT id FROM held ORDER BY v <-> vec(-1, 16) LIMIT 1)
		SELECT (SELECT count(*) FROM scan) = 1 AND 'ready retired' = (SELECT string_agg(state, ' ' ORDER BY state)
			FROM sorted_hnsw_cache_stats() WHERE index = 'held_v'::regclass)`)
	rest := pgtest.Column[int32](t, conn, `FETCH ALL FROM rows`)
	all := append(first, rest...)
	slices.Sort(all)
	if len(all) != 2000 || len(slices.Compact(all)) != 2000 || all[1999] != 2000 {
		t.Errorf("a cursor gave %d rows of the 2000 that it sees", len(all))
	}
	pgtest.Exec(t, conn, `COMMIT`)
	if n := len(versions(t, other, "held_v")); n != 1 {
		t.Errorf("%d versions when the cursor is closed", n)
	}

	// Errors: of a statement, in a subtransaction, of a cursor's transaction.
	for _, statement := range []string{
		`SELECT 1 / (id - id) FROM held ORDER BY v <-> vec(-1, 16) LIMIT 3`,
		`BEGIN; SAVEPOINT s; SELECT 1 / (id - id) FROM held ORDER BY v <-> vec(-1, 16) LIMIT 3`,
		`BEGIN; DECLARE rows CURSOR FOR SELECT id FROM held ORDER BY v <-> vec(-1, 16) LIMIT 99; FETCH 3 FROM rows; SELECT 1 / 0`,
	} {
		if _, err := conn.Exec(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "division by zero") {
			t.Fatalf("%s: %v", statement, err)
		}
		pgtest.Exec(t, conn, `ROLLBACK`)
		if pins := versions(t, other, "held_v")[0].Pins; pins != 0 {
			t.Errorf("%d pins after %s", pins, statement)
		}
	}
	pgtest.Exec(t, conn, `DO $$ BEGIN
		FOR i IN 1 .. 20 LOOP
			BEGIN
				PERFORM 1 / (id - id) FROM held ORDER BY v <-> vec(-1, 16) LIMIT 3;
			EXCEPTION WHEN division_by_zero THEN NULL;
			END;
			PERFORM id FROM held ORDER BY v <-> vec(-i, 16) LIMIT 3;
		END LOOP; END $$`)
	if pins := versions(t, other, "held_v")[0].Pins; pins != 0 {
		t.Errorf("%d pins after subtransactions that failed", pins)
	}
}

// Ten indexes, more than the cache holds: all answers are right, and no more
// memory is used than was allowed.
func TestHnswCacheBounds(t *testing.T) {
	const kilobytes, tables = 2048, 10
	c := cacheServer(t, kilobytes, true)
	conn := pgtest.Connect(t, c, "postgres")
	for i := range tables {
		cachedTable(t, conn, fmt.Sprintf("many%d", i), 2000)
	}
	awaitVersion(t, conn, "many0", "shared")
	for range 3 {
		for i := range tables {
			sameAnswers(t, conn, fmt.Sprintf("many%d", i), "")
		}
		used := pgtest.One[int64](t, conn, `SELECT sum(bytes)::bigint FROM sorted_hnsw_cache_stats()`)
		if used > kilobytes*1024 {
			t.Errorf("%d bytes are used of %d kB", used, kilobytes)
		}
	}
	if ready := pgtest.One[int64](t, conn, `SELECT count(*) FROM sorted_hnsw_cache_stats() WHERE state = 'ready'`); ready < 2 || ready >= tables {
		t.Errorf("%d of %d indexes have a version in a cache that holds some of them", ready, tables)
	}

	// One's own memory is bounded, too.
	pgtest.Exec(t, conn, `SET sorted_hnsw.shared_cache = off`, `SET sorted_hnsw.local_cache_size = '2MB'`)
	for range 30 {
		for i := range tables {
			pgtest.Exec(t, conn, fmt.Sprintf(`SELECT id FROM many%d ORDER BY v <-> vec(-1, 16) LIMIT 1`, i))
		}
	}
	local := pgtest.One[string](t, conn, `SELECT CASE WHEN sum(bytes) > 2097152 THEN 'too many bytes'
		WHEN count(*) < 2 THEN 'too few' ELSE '' END FROM sorted_hnsw_cache_stats() WHERE source = 'local'`)
	if local != "" {
		t.Errorf("versions of the session: %s", local)
	}
}

// Versions are made and used on a standby, stay right while it replays, and go on
// after promotion; a crash forgets them.
func TestHnswCacheStandbyAndCrash(t *testing.T) {
	c := cacheServer(t, 16*1024, true)
	primary := pgtest.Connect(t, c, "postgres")
	cachedTable(t, primary, "copied", 2000)
	awaitVersion(t, primary, "copied", "shared")
	standby, err := c.Standby(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	replica := pgtest.Connect(t, standby, "postgres")
	awaitVersion(t, replica, "copied", "shared")
	sameAnswers(t, replica, "copied", "")
	for round := range 3 {
		pgtest.Exec(t, primary, fmt.Sprintf(`DELETE FROM copied WHERE id %% 5 = %d`, round),
			`VACUUM (INDEX_CLEANUP on) copied`,
			fmt.Sprintf(`INSERT INTO copied SELECT i, vec(i, 16) FROM generate_series(%d, %[1]d + 399) i`, 10000*(round+1)))
		if err := c.WaitReplay(t.Context(), standby); err != nil {
			t.Fatal(err)
		}
		complete(t, replica, "copied")
		awaitVersion(t, replica, "copied", "shared")
		complete(t, replica, "copied")
		sameAnswers(t, replica, "copied", "")
	}
	pgtest.Exec(t, primary, `REINDEX TABLE copied`)
	if err := c.WaitReplay(t.Context(), standby); err != nil {
		t.Fatal(err)
	}
	complete(t, replica, "copied")

	if err := c.Crash(); err != nil {
		t.Fatal(err)
	}
	if err := c.StartServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	primary = pgtest.Connect(t, c, "postgres")
	complete(t, primary, "copied")
	awaitVersion(t, primary, "copied", "shared")
	sameAnswers(t, primary, "copied", "")

	if err := standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, replica, `DELETE FROM copied WHERE id % 7 = 0`, `VACUUM (INDEX_CLEANUP on) copied`,
		`INSERT INTO copied SELECT i, vec(i, 16) FROM generate_series(90001, 90200) i`)
	complete(t, replica, "copied")
	awaitVersion(t, replica, "copied", "shared")
	sameAnswers(t, replica, "copied", "")
}

// Filters, INCLUDE columns and twins by the cache.
func TestHnswCacheColumns(t *testing.T) {
	c := cacheServer(t, 16*1024, true)
	conn := pgtest.Connect(t, c, "postgres")
	cachedTable(t, conn, "filtered", 1)
	pgtest.Exec(t, conn, `DROP INDEX filtered_v`, `ALTER TABLE filtered ADD kind int2, ADD note int8`,
		`INSERT INTO filtered SELECT i, vec(i / 3, 16), CASE WHEN i % 7 > 0 THEN i % 50 END, i FROM generate_series(2, 5000) i`,
		`CREATE INDEX filtered_v ON filtered USING sorted_hnsw (v svec_l2_ops, kind) INCLUDE (note) WITH (m = 8, refine = f16)`)
	awaitVersion(t, conn, "filtered", "shared")
	for _, where := range []string{"WHERE kind < 25", "WHERE kind = 3", "WHERE kind IS NULL", "WHERE kind IN (1, 2, 40)"} {
		sameAnswers(t, conn, "filtered", where)
	}
	complete(t, conn, "filtered")
	pgtest.Exec(t, conn, `INSERT INTO filtered SELECT i, vec(i / 3, 16), i % 50, i FROM generate_series(2500, 2700) i`)
	for _, where := range []string{"kind = 3", "kind < 2", "kind IS NULL"} {
		want := pgtest.One[int64](t, conn, `SELECT count(*) FROM filtered WHERE `+where)
		got := pgtest.One[string](t, conn, fmt.Sprintf(`SELECT count(*) || ' ' || count(DISTINCT ctid) FROM (
			SELECT ctid FROM filtered WHERE %s ORDER BY v <-> vec(1, 16) LIMIT 10000000) s`, where))
		if got != fmt.Sprintf("%d %[1]d", want) {
			t.Errorf("where %s: rows and different rows are %s of %d", where, got, want)
		}
	}
}

// Who may see which versions.
func TestHnswCacheStatsRights(t *testing.T) {
	c := cacheServer(t, 16*1024, true)
	conn := pgtest.Connect(t, c, "postgres")
	cachedTable(t, conn, "secret", 500)
	awaitVersion(t, conn, "secret", "shared")
	pgtest.Exec(t, conn, `CREATE ROLE nobody LOGIN`, `CREATE ROLE watcher LOGIN IN ROLE pg_monitor`,
		`CREATE ROLE owner LOGIN`, `CREATE DATABASE other`)
	seen := func(database, role string) int64 {
		return pgtest.One[int64](t, pgtest.ConnectAs(t, c, database, role), `SELECT count(*) FROM sorted_hnsw_cache_stats()`)
	}
	pgtest.Exec(t, pgtest.Connect(t, c, "other"), `CREATE EXTENSION sorted_heap`)
	for _, want := range []struct {
		database, role string
		rows           int64
	}{
		{"postgres", "nobody", 0}, {"postgres", "watcher", 1}, {"postgres", "owner", 0},
		{"other", "watcher", 1}, {"other", "nobody", 0},
	} {
		if got := seen(want.database, want.role); got != want.rows {
			t.Errorf("%s sees %d versions in %s, not %d", want.role, got, want.database, want.rows)
		}
	}
	pgtest.Exec(t, conn, `ALTER TABLE secret OWNER TO owner`)
	if got := seen("postgres", "owner"); got != 1 {
		t.Errorf("the owner sees %d versions", got)
	}
}
