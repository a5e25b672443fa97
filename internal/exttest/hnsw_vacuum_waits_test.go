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

// stopped is a statement whose process was stopped in its midst.
type stopped struct {
	resume func()
	ended  <-chan error
}

// goOn lets it go on and waits for its end.
func (s stopped) goOn(t *testing.T) {
	t.Helper()
	s.resume()
	if err := <-s.ended; err != nil {
		t.Fatal(err)
	}
}

// stopWithin runs a statement again and again, and stops its process where that has
// a page lock of the index.
func stopWithin(t *testing.T, c *cluster.Cluster, watcher *pgx.Conn, index string, lock int, settings []string, statement string) stopped {
	t.Helper()
	conn := pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, conn, settings...)
	pid := int(conn.PgConn().PID())
	// A server does not stop while a process of its is stopped; this one may be gone.
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
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
			// It may have been stopped with the table of locks locked.
			release := time.AfterFunc(2*time.Second, func() { signal(t, pid, syscall.SIGCONT) })
			held := pgtest.One[bool](t, watcher, holdsPageLock, index, lock, pid, true)
			if release.Stop() && held {
				return stopped{func() { signal(t, pid, syscall.SIGCONT) }, ended}
			}
			signal(t, pid, syscall.SIGCONT)
		}
	}
	t.Fatalf("%s was never met with lock %d", statement, lock)
	return stopped{}
}

func signal(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		t.Errorf("signal %v to %d: %v", s, pid, err)
	}
}

// becomes tells whether a query gives true within some seconds.
func becomes(t *testing.T, conn *pgx.Conn, sql string, args ...any) bool {
	t.Helper()
	for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if pgtest.One[bool](t, conn, sql, args...) {
			return true
		}
	}
	return false
}

// heldVacuum is a VACUUM of the table late that waits, at its end, for an insert that
// was stopped.
type heldVacuum struct {
	pid        int
	ended      chan error
	behind     bool // it has waited for the walk
	goOnInsert func()
	met        bool // false where the insert was stopped with a page locked that others need
}

// holdVacuum lets VACUUM come to where it is about to free slots, which a walk keeps
// it from, then begins an insert and stops it, and lets VACUUM go on.
func holdVacuum(t *testing.T, c *cluster.Cluster, conn *pgx.Conn, round int) heldVacuum {
	t.Helper()
	pgtest.Exec(t, conn, fmt.Sprintf(`DELETE FROM late WHERE id = %d`, 50+round))
	// From a copy of its own a walk locks no page.
	walk := stopWithin(t, c, conn, "late_v", hnswWalksLock,
		[]string{`SET enable_seqscan = off`, `SET sorted_hnsw.scan_mode = graph`, `SET sorted_hnsw.ef_search = 1000`,
			`SET sorted_hnsw.shared_cache = off`, `SET sorted_hnsw.local_cache_size = 0`},
		`SELECT sum(near.id + %d) FROM (SELECT v FROM late LIMIT 300) q,
			LATERAL (SELECT id FROM late ORDER BY v <-> q.v LIMIT 1) near`)
	vacuum := pgtest.Connect(t, c, "postgres")
	ended := make(chan error, 1)
	go func() {
		_, err := vacuum.Exec(t.Context(), `VACUUM (INDEX_CLEANUP on) late`)
		ended <- err
	}()
	held := heldVacuum{pid: int(vacuum.PgConn().PID()), ended: ended}
	waits := func(lock int) bool {
		t.Helper()
		return becomes(t, conn, holdsPageLock, "late_v", lock, held.pid, false)
	}
	held.behind = waits(hnswWalksLock)
	insert := stopWithin(t, c, conn, "late_v", hnswInsertsLock, nil,
		fmt.Sprintf(`INSERT INTO late SELECT %[1]d + 50 * %%[1]d + i, v FROM (SELECT i, vec(%[1]d + 50 * %%[1]d + i, 16) AS v FROM generate_series(1, 50) i OFFSET 0) s`, 100000*(round+1)))
	held.goOnInsert = func() { insert.goOn(t) }
	walk.resume()
	select {
	case err := <-walk.ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(10 * time.Second):
		// The walk waits for the insert's page: this round shows nothing.
		insert.goOn(t)
		if err := <-walk.ended; err != nil {
			t.Fatal(err)
		}
		held.goOnInsert = func() {}
		held.behind = false
		return held
	}
	held.met = waits(hnswInsertsLock) && held.behind
	return held
}

// vacuumBesideInsert tells whether VACUUM has waited for an insert at its end.
func vacuumBesideInsert(t *testing.T, c *cluster.Cluster, conn *pgx.Conn, round int) bool {
	t.Helper()
	held := holdVacuum(t, c, conn, round)
	select {
	case err := <-held.ended:
		// Where the walk did not keep it, it may have been through before the insert.
		if held.behind || err != nil {
			t.Fatalf("VACUUM has ended before the insert: %v", err)
		}
		held.ended <- nil
	default:
	}
	held.goOnInsert()
	if err := <-held.ended; err != nil {
		t.Fatal(err)
	}
	return held.met
}

// An insert that has begun before VACUUM frees slots may put its row where copies of
// the index do not look for new ones, so VACUUM waits for it at its end. The barriers
// before were behind it when the insert began.
func TestHnswVacuumWaitsForInsertsAtItsEnd(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	hnswTable(t, conn, "late", 2000, 16, "m = 16, ef_construction = 400")
	met := false
	for round := 0; !met && round < 4; round++ {
		met = vacuumBesideInsert(t, c, conn, round)
	}
	if !met {
		t.Error("VACUUM was never seen to wait for the insert")
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
