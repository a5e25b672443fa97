package exttest

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

var cacheBuilds = flag.Int("cachebuilds", 200, "indexes that TestHnswCacheBuildsAndDrops builds and drops")

// A VACUUM that is broken off while it marks nodes leaves the index in change;
// whoever wants a version sees that there is no VACUUM, and gets one.
func TestHnswCacheAfterBrokenVacuum(t *testing.T) {
	c := cacheServer(t, 16*1024, true)
	for _, source := range []string{"shared", "local"} {
		t.Run(source, func(t *testing.T) {
			const m, dim = 2, 16
			table := "broken_" + source
			conn := pgtest.Connect(t, c, "postgres")
			hnswTable(t, conn, table, 3000, dim, "m = 2, ef_construction = 8")
			pgtest.Exec(t, conn, `SET sorted_hnsw.shared_cache = `+map[bool]string{true: "on", false: "off"}[source == "shared"])
			pgtest.Exec(t, conn, `DELETE FROM `+table+` WHERE id % 2 = 0`)
			markDying(t, c, table, m, dim, 200)
			awaitVersion(t, conn, table, source)
			complete(t, conn, table)
			pgtest.Exec(t, conn, fmt.Sprintf(`INSERT INTO %s SELECT i, vec(i, 16) FROM generate_series(10001, 10500) i`, table))
			complete(t, conn, table)
			pgtest.Exec(t, conn, `VACUUM (INDEX_CLEANUP on) `+table)
			awaitVersion(t, conn, table, source)
			complete(t, conn, table)
			spotlessGraph(t, conn, table)
		})
	}
}

// cacheWorkers are the processes that make versions now.
const cacheWorkers = `SELECT pid FROM pg_stat_activity WHERE backend_type = 'sorted_hnsw cache worker'`

// stopAtWork stops a worker while it copies the index, and returns what lets it go on.
func stopAtWork(t *testing.T, conn *pgx.Conn, table string) (goOn func()) {
	t.Helper()
	for range 200 {
		pgtest.Exec(t, conn, `REINDEX INDEX `+table+`_v`,
			fmt.Sprintf(`SELECT id FROM %s ORDER BY v <-> vec(-1, 16) LIMIT 1`, table))
		for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); {
			pids := pgtest.Column[int32](t, conn, cacheWorkers+` AND state = 'active'`)
			if len(pids) == 0 {
				continue
			}
			pid := int(pids[0])
			if syscall.Kill(pid, syscall.SIGSTOP) != nil {
				break
			}
			for _, v := range versions(t, conn, table+"_v") {
				if v.State == "building" && v.Bytes > 0 {
					goOn := func() { _ = syscall.Kill(pid, syscall.SIGCONT) }
					t.Cleanup(goOn)
					return goOn
				}
			}
			_ = syscall.Kill(pid, syscall.SIGCONT)
			break
		}
	}
	t.Fatal("no worker was caught while it copied an index")
	return nil
}

// Who wants to drop an index does not wait for its version: the worker gives it up. It
// may have been stopped after it looked for the last time who waits, so not every time.
func TestHnswCacheGivesWay(t *testing.T) {
	c := cacheServer(t, 64*1024, true)
	conn := pgtest.Connect(t, c, "postgres")
	hnswTable(t, conn, "wanted", 20000, 16, "m = 2, ef_construction = 8")
	walk(t, conn)
	given := false
	for round := 0; !given && round < 5; round++ {
		given = workerGivesWay(t, c, conn)
	}
	if !given {
		t.Error("the worker has ended its work every time although somebody waited")
	}
	awaitVersion(t, conn, "wanted", "shared")
}

// workerGivesWay tells whether no version is made of an index that is dropped meanwhile.
func workerGivesWay(t *testing.T, c *cluster.Cluster, conn *pgx.Conn) bool {
	t.Helper()
	dropper := pgtest.Connect(t, c, "postgres")
	goOn := stopAtWork(t, conn, "wanted")
	dropped := make(chan error, 1)
	go func() {
		_, err := dropper.Exec(t.Context(), `BEGIN; DROP INDEX wanted_v`)
		dropped <- err
	}()
	pgtest.WaitFor(t, conn, `SELECT count(*) = 1 FROM pg_locks WHERE relation = 'wanted_v'::regclass AND NOT granted`)
	goOn()
	if err := <-dropped; err != nil {
		t.Fatal(err)
	}
	pgtest.WaitFor(t, conn, `SELECT count(*) = 0 FROM (`+cacheWorkers+`) AS workers`)
	pgtest.Exec(t, dropper, `ROLLBACK`)
	return !slices.ContainsFunc(versions(t, conn, "wanted_v"), func(v versionRow) bool { return v.State == "ready" })
}

// What was asked for in a database that is gone is forgotten.
func TestHnswCacheForgetsDatabases(t *testing.T) {
	c := pgtest.Start(t, pgtest.WithSettings(map[string]string{
		"shared_preload_libraries": "sorted_heap", "max_worker_processes": "0",
	}))
	conn := pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, conn, `CREATE DATABASE brief`)
	inside := pgtest.Connect(t, c, "brief")
	pgtest.Exec(t, inside, `CREATE EXTENSION IF NOT EXISTS sorted_heap`,
		`CREATE TABLE t (v svec(2))`, `INSERT INTO t SELECT ARRAY[i, 1]::real[]::svec FROM generate_series(1, 100) i`,
		`CREATE INDEX ON t USING sorted_hnsw (v svec_l2_ops)`, `SET enable_seqscan = off`,
		`SELECT count(*) FROM (SELECT v FROM t ORDER BY v <-> '[1,1]' LIMIT 5) AS s`)
	const asked = `SELECT count(*) FROM sorted_hnsw_cache_stats()`
	if n := pgtest.One[int64](t, inside, asked); n != 1 {
		t.Fatalf("%d versions are known where one was asked for and no worker may come", n)
	}
	if err := inside.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	pgtest.WaitFor(t, conn, `SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = 'brief'`)
	pgtest.Exec(t, conn, `DROP DATABASE brief`)
	if n := pgtest.One[int64](t, conn, asked); n != 0 {
		t.Errorf("%d versions are known of a database that is dropped", n)
	}
}

var anonymousMemory = regexp.MustCompile(`RssAnon:\s+(\d+) kB`)

// memoryOf is the memory in kB that a process has for itself.
func memoryOf(t *testing.T, conn *pgx.Conn) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", conn.PgConn().PID()))
	if err != nil {
		t.Skip("no memory of processes to read here: ", err)
	}
	found := anonymousMemory.FindSubmatch(status)
	if found == nil {
		t.Skip("no RssAnon in the status of a process")
	}
	kilobytes, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes
}

// catalogMemory is what a session's caches of the catalog hold, in bytes. The
// server itself keeps about a kilobyte for every table that was dropped.
func catalogMemory(t *testing.T, conn *pgx.Conn) int64 {
	t.Helper()
	return pgtest.One[int64](t, conn, `SELECT sum(used_bytes)::bigint FROM pg_backend_memory_contexts WHERE name = 'CacheMemoryContext'`)
}

// dropGrowth is by how much a session's caches grow by each table that is made,
// asked by an index of the access method and dropped, in bytes.
func dropGrowth(t *testing.T, conn *pgx.Conn, index, query string) float64 {
	t.Helper()
	const warm, rounds = 30, 100
	var before int64
	for i := range warm + rounds {
		if i == warm {
			before = catalogMemory(t, conn)
		}
		pgtest.Exec(t, conn, `CREATE TABLE passing AS SELECT i AS id, ARRAY[i, i % 7, i % 11]::real[]::svec(3) AS v FROM generate_series(1, 50) i`,
			`CREATE INDEX passing_v ON passing USING `+index, query, `DROP TABLE passing`)
	}
	return float64(catalogMemory(t, conn)-before) / rounds
}

// A session remembers no more of a vector index that is gone than of a btree.
func TestHnswCacheRemembersNoDropped(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, conn, `SET enable_seqscan = off`)
	btree := dropGrowth(t, conn, `btree (id)`, `SELECT id FROM passing WHERE id = 3`)
	hnsw := dropGrowth(t, conn, `sorted_hnsw (v svec_l2_ops)`, `SELECT id FROM passing ORDER BY v <-> '[1,1,1]' LIMIT 1`)
	t.Logf("%.0f bytes a btree, %.0f a vector index", btree, hnsw)
	if hnsw > btree+48 {
		t.Errorf("each dropped index leaves %.0f bytes, a btree %.0f", hnsw, btree)
	}
}

// Indexes that are built, scanned and dropped leave nothing: no entry of the
// session's, no version, no memory. By the flag as many as in an hour.
func TestHnswCacheBuildsAndDrops(t *testing.T) {
	const kilobytes = 1024
	c := cacheServer(t, kilobytes, true)
	conn := pgtest.Connect(t, c, "postgres")
	walk(t, conn)
	known := func() int64 {
		return pgtest.One[int64](t, conn, `SELECT coalesce(sum(used_bytes), 0)::bigint FROM pg_backend_memory_contexts WHERE name = 'sorted_hnsw cache'`)
	}
	var entries, catalog int64
	var memory, published int
	for i := range *cacheBuilds {
		pgtest.Exec(t, conn, `CREATE TABLE passing AS SELECT i AS id, ARRAY[i, i % 7, i % 11]::real[]::svec(3) AS v FROM generate_series(1, 500) i`,
			`CREATE INDEX passing_v ON passing USING sorted_hnsw (v svec_l2_ops)`)
		for range 1 + i%3*6 {
			pgtest.Exec(t, conn, `SELECT id FROM passing ORDER BY v <-> '[1,1,1]' LIMIT 3`)
		}
		if i%20 == 19 {
			pgtest.WaitFor(t, conn, `WITH scan AS MATERIALIZED (SELECT id FROM passing ORDER BY v <-> '[1,1,1]' LIMIT 1)
				SELECT (SELECT count(*) FROM scan) = 1 AND count(*) = 1 FROM sorted_hnsw_cache_stats()
				WHERE index = 'passing_v'::regclass AND state = 'ready'`)
			published++
		}
		if i%2 == 0 {
			pgtest.Exec(t, conn, `DROP TABLE passing`)
		} else {
			pgtest.Exec(t, conn, `DROP INDEX passing_v`, `DROP TABLE passing`)
		}
		if used := pgtest.One[int64](t, conn, `SELECT coalesce(sum(bytes), 0)::bigint FROM sorted_hnsw_cache_stats()`); used > kilobytes*1024 {
			t.Fatalf("%d bytes are used of %d kB", used, kilobytes)
		}
		if i == *cacheBuilds/3 {
			entries, memory, catalog = known(), memoryOf(t, conn), catalogMemory(t, conn)
		}
	}
	left := pgtest.One[int64](t, conn, `SELECT count(*) FROM sorted_hnsw_cache_stats() WHERE state IN ('ready', 'retired')`)
	t.Logf("%d built, %d published; session: %d bytes of entries and %d kB after a third, %d and %d at the end; %d versions left",
		*cacheBuilds, published, entries, memory, known(), memoryOf(t, conn), left)
	if left != 0 {
		t.Errorf("%d versions are left of indexes that are dropped", left)
	}
	if now := known(); now > entries+1024 {
		t.Errorf("what the session knows of indexes grew from %d to %d bytes", entries, now)
	}
	kept := int(catalogMemory(t, conn)-catalog) / 1024
	if now := memoryOf(t, conn); now > memory+kept+1024 {
		t.Errorf("the session's memory grew from %d to %d kB, %d of them by the catalog", memory, now, kept)
	}
}

// EXPLAIN tells where a walk went on as a flat pass.
func TestHnswExplainFlatEnd(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	if pgtest.One[string](t, conn, `SHOW server_version_num`) < "180000" {
		t.Skip("EXPLAIN of index scans has lines of ours since PostgreSQL 18")
	}
	hnswTable(t, conn, "ending", 3000, 16, "m = 8, ef_construction = 32")
	pgtest.Exec(t, conn, `SET enable_seqscan = off`, `SET enable_sort = off`, `SET sorted_hnsw.ef_search = 10`)
	for limit, want := range map[int]string{5: "Vector Search: graph", 3000: "Vector Search: graph, then flat"} {
		lines := pgtest.Column[string](t, conn, fmt.Sprintf(`EXPLAIN (ANALYZE, COSTS off, TIMING off)
			SELECT id FROM ending ORDER BY v <-> vec(-1, 16) LIMIT %d`, limit))
		found := false
		for _, line := range lines {
			found = found || strings.TrimSpace(line) == want
		}
		if !found {
			t.Errorf("LIMIT %d: no line %q in\n%s", limit, want, strings.Join(lines, "\n"))
		}
	}
}
