package exttest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/pgtest"
)

// fileBuild makes a table of which maintenance_work_mem, in this session, has room
// for a part, and gives the statement that indexes it. For its last row the build
// calls last(id), which a test defines.
func fileBuild(t *testing.T, conn *pgx.Conn, last string) string {
	t.Helper()
	const rows = 2500
	hnswTable(t, conn, "beyond", rows, 40, "m = 2, ef_construction = 4")
	pgtest.Exec(t, conn, `DROP INDEX beyond_v`, `SET maintenance_work_mem = '1MB'`,
		`CREATE FUNCTION last(i int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN `+last+`; RETURN i; END $$`,
		fmt.Sprintf(`CREATE FUNCTION observed(i int, v svec) RETURNS svec LANGUAGE plpgsql IMMUTABLE AS $$
			BEGIN IF i = %d THEN PERFORM last(i); END IF; RETURN v; END $$`, rows))
	return `CREATE INDEX beyond_v ON beyond USING sorted_hnsw ((observed(id, v)::svec(40)) svec_l2_ops) WITH (m = 64)`
}

// mappedFiles is how many mappings of temporary files a process has, removed or not.
func mappedFiles(t *testing.T, pid uint32) int {
	t.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Skipf("no mappings to read: %v", err)
	}
	return strings.Count(string(maps), "pgsql_tmp")
}

// noFile fails the test where a temporary file or a mapping of one is left.
func noFile(t *testing.T, conn *pgx.Conn, pid uint32) {
	t.Helper()
	if files := pgtest.One[int64](t, conn, `SELECT count(*) FROM pg_tablespace t, LATERAL pg_ls_tmpdir(t.oid)
		WHERE spcname <> 'pg_global'`); files != 0 {
		t.Errorf("%d temporary files are left", files)
	}
	if mappings := mappedFiles(t, pid); mappings != 0 {
		t.Errorf("%d mappings of temporary files are left", mappings)
	}
}

// The file of a build beyond maintenance_work_mem is made where temp_tablespaces
// says, and is gone when the build is cancelled.
func TestHnswBuildFilePlace(t *testing.T) {
	c := pgtest.Start(t, pgtest.WithSettings(map[string]string{"allow_in_place_tablespaces": "on"}))
	watcher, builder := pgtest.Connect(t, c, "postgres"), pgtest.Connect(t, c, "postgres")
	build := fileBuild(t, builder, `PERFORM pg_advisory_xact_lock(1)`)
	pgtest.Exec(t, watcher, `CREATE TABLESPACE roomy LOCATION ''`, `SELECT pg_advisory_lock(1)`)
	pgtest.Exec(t, builder, `SET temp_tablespaces = roomy`)
	ended := make(chan error, 1)
	go func() {
		_, err := builder.Exec(t.Context(), build)
		ended <- err
	}()
	pid := builder.PgConn().PID()
	pgtest.WaitFor(t, watcher, `SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $1 AND NOT granted)`, int(pid))
	if files := pgtest.One[int64](t, watcher, `SELECT count(*) FROM pg_ls_tmpdir((SELECT oid FROM pg_tablespace
		WHERE spcname = 'roomy'))`); files != 1 {
		t.Errorf("%d files in the tablespace of temp_tablespaces, want 1", files)
	}
	if mappedFiles(t, pid) == 0 {
		t.Error("the build maps no file")
	}
	pgtest.Exec(t, watcher, fmt.Sprintf(`SELECT pg_cancel_backend(%d)`, pid))
	if err := <-ended; sqlState(err) != "57014" {
		t.Fatalf("a build to be cancelled: %v", err)
	}
	noFile(t, watcher, pid)
}

// A build that breaks off has neither file nor mapping, though the transaction goes
// on; nor has one that ends. temp_file_limit bounds the file.
func TestHnswBuildFileEnds(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	build := fileBuild(t, conn, `i := i / current_setting('beyond.divisor')::int`)
	pid := conn.PgConn().PID()
	attempt := func(settings ...string) string {
		t.Helper()
		pgtest.Exec(t, conn, `BEGIN`)
		pgtest.Exec(t, conn, settings...)
		pgtest.Exec(t, conn, `SAVEPOINT before`)
		_, err := conn.Exec(t.Context(), build)
		if err != nil {
			pgtest.Exec(t, conn, `ROLLBACK TO before`)
		}
		noFile(t, conn, pid)
		pgtest.Exec(t, conn, `COMMIT`)
		return sqlState(err)
	}
	if state := attempt(`SET LOCAL beyond.divisor = 0`); state != "22012" {
		t.Errorf("a build whose last row fails ends with %q", state)
	}
	if state := attempt(`SET LOCAL beyond.divisor = 1`, `SET LOCAL temp_file_limit = '1MB'`); state != "53400" {
		t.Errorf("a build beyond temp_file_limit ends with %q", state)
	}
	if state := attempt(`SET LOCAL beyond.divisor = 1`); state != "" {
		t.Errorf("a build with room ends with %q", state)
	}
	pgtest.Exec(t, conn, `SET beyond.divisor = 1`)
	spotlessGraph(t, conn, "beyond")
	pgtest.Exec(t, conn, `SET enable_seqscan = off`, `SET sorted_hnsw.iterative_scan = relaxed`)
	if got := len(pgtest.Column[int32](t, conn, `SELECT DISTINCT id FROM (SELECT id FROM beyond
		ORDER BY observed(id, v)::svec(40) <-> vec(1, 40) LIMIT 10000) s`)); got != 2500 {
		t.Errorf("%d rows by the index, want 2500", got)
	}
}
