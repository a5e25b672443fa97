package exttest

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

// Who wants to drop a database does not wait for the versions of its indexes: the
// worker gives up the one it is at, and ends, though another is wanted.
func TestHnswCacheGivesWayToDropDatabase(t *testing.T) {
	c := cacheServer(t, 64*1024, true)
	conn, dropper := pgtest.Connect(t, c, "postgres"), pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, conn, `CREATE DATABASE brief`)
	inside := pgtest.Connect(t, c, "brief")
	pgtest.Exec(t, inside, `CREATE EXTENSION IF NOT EXISTS sorted_heap`)
	hnswTable(t, inside, "begun", 20000, 16, "m = 2, ef_construction = 8")
	hnswTable(t, inside, "later", 500, 16, "m = 2, ef_construction = 8")
	walk(t, inside)
	goOn := stopAtWork(t, inside, "begun")
	pgtest.Exec(t, inside, `SELECT id FROM later ORDER BY v <-> vec(-1, 16) LIMIT 1`)

	// The comment's lock, which bothers no worker, makes DROP DATABASE wait where it
	// has not yet looked who is in the database.
	pgtest.Exec(t, conn, `BEGIN`, `COMMENT ON DATABASE brief IS 'to be dropped'`)
	dropped := make(chan error, 1)
	go func() {
		_, err := dropper.Exec(t.Context(), `DROP DATABASE brief`)
		dropped <- err
	}()
	pgtest.WaitFor(t, inside, `SELECT count(*) = 1 FROM pg_locks
		WHERE locktype = 'object' AND classid = 'pg_database'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted`)
	goOn()
	pgtest.WaitFor(t, inside, `SELECT count(*) = 0 FROM (`+cacheWorkers+`) AS workers`)
	for table, want := range map[string]string{"begun": "failed", "later": "wanted"} {
		if now := versions(t, inside, table+"_v"); len(now) != 1 || now[0].State != want {
			t.Errorf("index %s_v is to be dropped with its database: %+v, want state %s", table, now, want)
		}
	}
	if err := inside.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, conn, `ROLLBACK`)
	if err := <-dropped; err != nil {
		t.Fatal(err)
	}
}

var errorLine = regexp.MustCompile(`(?m)^(\S+ \S+) \S+ \[(\d+)\] ERROR: .* is empty`)

// workerFailures are the times at which others than a session met an empty page.
func workerFailures(t *testing.T, c *cluster.Cluster, session uint32) []time.Time {
	t.Helper()
	log, err := os.ReadFile(c.LogPath())
	if err != nil {
		t.Fatal(err)
	}
	var times []time.Time
	for _, line := range errorLine.FindAllSubmatch(log, -1) {
		if string(line[2]) == fmt.Sprint(session) {
			continue
		}
		at, err := time.Parse("2006-01-02 15:04:05.000", string(line[1]))
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, at)
	}
	return times
}

// An index of which no version can be made is tried ever more rarely: no sooner than
// 5 seconds after the first failure, 10 after the second.
func TestHnswCacheBacksOff(t *testing.T) {
	c := pgtest.Start(t, pgtest.WithSettings(map[string]string{
		"shared_preload_libraries": "sorted_heap", "ignore_checksum_failure": "on",
	}))
	conn := pgtest.Connect(t, c, "postgres")
	hnswTable(t, conn, "hurt", 400, 8, "m = 4, ef_construction = 16")
	path := pgtest.One[string](t, conn, `SELECT current_setting('data_directory') || '/' || pg_relation_filepath('hurt_v')`)
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	overwrite(t, path, pageSize, strings.Repeat("\x00", pageSize))
	if err := c.StartServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn = pgtest.Connect(t, c, "postgres")
	walk(t, conn)
	var times []time.Time
	for deadline := time.Now().Add(time.Minute); len(times) < 3 && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		_, err := conn.Exec(t.Context(), `SELECT id FROM hurt ORDER BY v <-> vec(-1, 8) LIMIT 1`)
		if err != nil && sqlState(err) != "XX002" {
			t.Fatal(err)
		}
		times = workerFailures(t, c, conn.PgConn().PID())
	}
	if len(times) < 3 {
		t.Fatalf("an index with an empty page has failed %d times", len(times))
	}
	if !slices.IsSortedFunc(times, time.Time.Compare) {
		t.Fatalf("the log's times are in no order: %v", times)
	}
	for i, least := range []time.Duration{5 * time.Second, 10 * time.Second} {
		if after := times[i+1].Sub(times[i]); after < least {
			t.Errorf("failure %d comes %v after the one before, want at least %v", i+2, after, least)
		}
	}
}

// A VACUUM that is broken off at its end has freed all it would, but not waited for
// an insert that puts rows where copies of the index do not look. Who makes a version
// waits for it.
func TestHnswCacheAfterVacuumBrokenAtItsEnd(t *testing.T) {
	c := cacheServer(t, 16*1024, true)
	conn := pgtest.Connect(t, c, "postgres")
	hnswTable(t, conn, "late", 2000, 16, "m = 16, ef_construction = 400")
	var held heldVacuum
	for round := 0; !held.met && round < 4; round++ {
		if held.goOnInsert != nil {
			held.goOnInsert()
			if err := <-held.ended; err != nil {
				t.Fatal(err)
			}
		}
		held = holdVacuum(t, c, conn, round)
	}
	if !held.met {
		t.Fatal("VACUUM was never seen to wait for the insert")
	}
	pgtest.Exec(t, conn, fmt.Sprintf(`SELECT pg_cancel_backend(%d)`, held.pid))
	if err := <-held.ended; sqlState(err) != "57014" {
		t.Fatalf("a vacuum to be broken off: %v", err)
	}
	// A session that would make a version for itself does not wait.
	alone := pgtest.Connect(t, c, "postgres")
	walk(t, alone)
	pgtest.Exec(t, alone, `SET sorted_hnsw.shared_cache = off`, `SET lock_timeout = '1ms'`)
	for range 30 {
		pgtest.Exec(t, alone, `SELECT id FROM late ORDER BY v <-> vec(-1, 16) LIMIT 1`)
	}
	if made := versions(t, alone, "late_v"); len(made) != 0 {
		t.Errorf("the session has made a version beside the insert: %+v", made)
	}
	walk(t, conn)
	if !becomes(t, conn, `WITH scan AS MATERIALIZED (SELECT id FROM late ORDER BY v <-> vec(-1, 16) LIMIT 1)
		SELECT (SELECT count(*) FROM scan) = 1 AND EXISTS (
			SELECT FROM pg_locks WHERE locktype = 'page' AND relation = 'late_v'::regclass AND page = $1
				AND NOT granted AND pid IN (`+cacheWorkers+`))`, hnswInsertsLock) {
		t.Errorf("no worker waits for the insert: %+v", versions(t, conn, "late_v"))
	}
	held.goOnInsert()
	awaitVersion(t, conn, "late", "shared")
	pgtest.Exec(t, alone, `RESET lock_timeout`)
	awaitVersion(t, alone, "late", "local")
	complete(t, conn, "late")
	sameAnswers(t, conn, "late", "")
	pgtest.Exec(t, conn, `VACUUM (INDEX_CLEANUP on) late`)
	spotlessGraph(t, conn, "late")
}

// breakFreeing breaks a slow VACUUM off once it has freed some of the nodes that it
// has marked; false when it has ended before that was seen.
func breakFreeing(t *testing.T, c *cluster.Cluster, table string, m, dim int) bool {
	t.Helper()
	watcher := pgtest.Connect(t, c, "postgres")
	marked, before := 0, 0
	fewer := func() bool {
		before, marked = marked, countDying(readSlots(t, watcher, table+"_v", m, dim))
		return marked < before
	}
	if !breakVacuum(t, c, table, fewer, `SET vacuum_cost_delay = 2`, `SET vacuum_cost_limit = 1`) {
		return false
	}
	return countDying(readSlots(t, watcher, table+"_v", m, dim)) > 0
}

// Where some of the marked slots are free and filled again and others are not, a
// version is as good as the pages.
func TestHnswCacheAfterVacuumBrokenAmongFrees(t *testing.T) {
	c := cacheServer(t, 16*1024, true)
	conn := pgtest.Connect(t, c, "postgres")
	const m, dim, tries = 2, 16, 5
	hnswTable(t, conn, "half", 3000, dim, "m = 2, ef_construction = 8")
	pgtest.Exec(t, conn, `INSERT INTO half SELECT i + 10000, vec(i, 16) FROM generate_series(1, 500) i`)
	broken := false
	for round := 0; !broken && round < tries; round++ {
		pgtest.Exec(t, conn, fmt.Sprintf(`DELETE FROM half WHERE id %% 12 = %d AND id <= 3000`, round))
		broken = breakFreeing(t, c, "half", m, dim)
	}
	if !broken {
		t.Fatalf("none of %d vacuums was met among its frees", tries)
	}
	pgtest.Exec(t, conn, `INSERT INTO half SELECT i, vec(i, 16) FROM generate_series(15001, 15100) i`)
	awaitVersion(t, conn, "half", "shared")
	complete(t, conn, "half")
	sameAnswers(t, conn, "half", "")
	pgtest.Exec(t, conn, `INSERT INTO half SELECT i, vec(i, 16) FROM generate_series(20001, 20300) i`)
	complete(t, conn, "half")
	pgtest.Exec(t, conn, `VACUUM (INDEX_CLEANUP on) half`)
	awaitVersion(t, conn, "half", "shared")
	complete(t, conn, "half")
	spotlessGraph(t, conn, "half")
}
