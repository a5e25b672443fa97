package exttest

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

// Page locks of a sorted_hnsw index, as pgext/src/hnsw/locks.h numbers them.
const (
	hnswInsertsLock = 0
	hnswWalksLock   = 1
)

// holdsPageLock tells whether a backend has a page lock of an index, or waits for it.
const holdsPageLock = `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'page'
	AND relation = $1::text::regclass AND page = $2 AND pid = $3 AND granted = $4)`

// stopWithin runs a statement again and again, and stops its process where that has
// a page lock of the index. The returned function lets it go on and waits for its end.
func stopWithin(t *testing.T, c *cluster.Cluster, watcher *pgx.Conn, index string, lock int, settings []string, statement string) func() {
	t.Helper()
	conn := pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, conn, settings...)
	pid := int(conn.PgConn().PID())
	deadline := time.Now().Add(time.Minute)
	for attempt := 0; time.Now().Before(deadline); attempt++ {
		ended := make(chan error, 1)
		go func() {
			_, err := conn.Exec(t.Context(), fmt.Sprintf(statement, attempt))
			ended <- err
		}()
		for running := true; running; {
			select {
			case err := <-ended:
				if err != nil {
					t.Fatal(err)
				}
				running = false
				continue
			default:
			}
			signal(t, pid, syscall.SIGSTOP)
			if pgtest.One[bool](t, watcher, holdsPageLock, index, lock, pid, true) {
				return func() {
					t.Helper()
					signal(t, pid, syscall.SIGCONT)
					if err := <-ended; err != nil {
						t.Fatal(err)
					}
				}
			}
			signal(t, pid, syscall.SIGCONT)
		}
	}
	t.Fatalf("%s was never met with lock %d", statement, lock)
	return nil
}

func signal(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatalf("signal %v to %d: %v", s, pid, err)
	}
}

// An insert that has begun before VACUUM frees slots may put its row where copies of
// the index do not look for new ones, so VACUUM waits for it at its end. A walk keeps
// VACUUM from freeing until the insert has begun: the two barriers before are behind it.
func TestHnswVacuumWaitsForInsertsAtItsEnd(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	hnswTable(t, conn, "late", 8000, 16, "m = 16, ef_construction = 2000")
	pgtest.Exec(t, conn, `DELETE FROM late WHERE id % 50 = 0`)
	goOnWalk := stopWithin(t, c, conn, "late_v", hnswWalksLock,
		[]string{`SET enable_seqscan = off`, `SET sorted_hnsw.scan_mode = graph`, `SET sorted_hnsw.ef_search = 4000`,
			`SET sorted_hnsw.shared_cache = off`, `SET sorted_hnsw.local_cache_size = 0`},
		`SELECT id FROM late ORDER BY v <-> vec(-%d, 16) LIMIT 1`)

	vacuum := pgtest.Connect(t, c, "postgres")
	ended := make(chan error, 1)
	go func() {
		_, err := vacuum.Exec(t.Context(), `VACUUM (INDEX_CLEANUP on) late`)
		ended <- err
	}()
	waits := func(lock int) {
		t.Helper()
		pgtest.WaitFor(t, conn, holdsPageLock, "late_v", lock, int(vacuum.PgConn().PID()), false)
	}
	waits(hnswWalksLock)
	goOnInsert := stopWithin(t, c, conn, "late_v", hnswInsertsLock, nil,
		`INSERT INTO late SELECT 10000 + %[1]d, vec(10000 + %[1]d, 16)`)
	goOnWalk()
	waits(hnswInsertsLock)
	select {
	case err := <-ended:
		t.Fatalf("VACUUM has ended before the insert: %v", err)
	default:
	}
	goOnInsert()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	spotlessGraph(t, conn, "late")
	foundAll(t, conn, "late")
}

// A twin that came after VACUUM had read how long the index is may have its halves on
// a page that was not there then; VACUUM puts it in its dead head's place all the same.
func TestHnswVacuumMeetsNewPageOfHalves(t *testing.T) {
	// 15 halves a page and more nodes: the next row has a place on the last page of
	// nodes, and none on a page of halves.
	const rows, dim = 15 * 17, 256
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	hnswTable(t, conn, "halved", rows, dim, "m = 4, ef_construction = 16, refine = f16")
	pgtest.Exec(t, conn, `DELETE FROM halved WHERE id = 7`)

	vacuum := pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, vacuum, `SET vacuum_cost_delay = 100`, `SET vacuum_cost_limit = 1`)
	ended := make(chan error, 1)
	go func() {
		_, err := vacuum.Exec(t.Context(), `VACUUM (INDEX_CLEANUP on) halved`)
		ended <- err
	}()
	pgtest.WaitFor(t, conn, `SELECT EXISTS (SELECT FROM pg_stat_progress_vacuum WHERE pid = $1 AND phase = 'vacuuming indexes')`,
		int(vacuum.PgConn().PID()))
	pgtest.Exec(t, conn, fmt.Sprintf(`INSERT INTO halved VALUES (1000, vec(7, %d))`, dim))
	if got := pgtest.One[bool](t, conn, `SELECT EXISTS (SELECT FROM pg_stat_progress_vacuum WHERE phase = 'vacuuming indexes')`); !got {
		t.Fatal("VACUUM was through with the index before the row came")
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	spotlessGraph(t, conn, "halved")
	foundAll(t, conn, "halved")
}
