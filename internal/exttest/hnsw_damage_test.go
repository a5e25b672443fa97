package exttest

import (
	"strings"
	"testing"

	"sortedheap/internal/pgtest"
)

// Offsets in a sorted_hnsw file, as pgext/src/hnsw/page.h lays it out: block 0 is
// the metapage, block 1 the first page of nodes. The index of the test has m = 4
// and 8 dimensions kept as floats: links and record of a node follow its head.
const (
	hnswNode        = pageSize + pageHeader
	hnswNodeLinks   = 20
	hnswNodeBytes   = hnswNodeLinks + 8*4 + 8 + 8*4
	hnswMetaDim     = pageHeader + 8
	hnswMetaM       = pageHeader + 12
	hnswMetaMetric  = pageHeader + 16
	hnswMetaType    = pageHeader + 19
	hnswMetaColumns = pageHeader + 20
	hnswMetaEntry   = pageHeader + 32
	hnswMetaFree    = pageHeader + 68
	hnswMetaExtents = pageHeader + 92
)

// hnswDamages are bytes written over a page, and what is said of them then.
var hnswDamages = []struct {
	name    string
	offset  int64
	bytes   string
	fault   string // reported by the check
	refused bool   // by a scan
}{
	{"metapage lost", 0, strings.Repeat("\x00", pageSize), "the metapage is invalid", true},
	{"metapage of no dimensions", hnswMetaDim, "\x00\x00\x00\x00", "describes no index", true},
	{"metapage with m of 0", hnswMetaM, "\x00\x00", "describes no index", true},
	{"metapage of slots that fit on no page", hnswMetaDim, "\x80\x3e\x00\x00", "no slot fits on a page", true},
	{"metapage of other dimensions", hnswMetaDim, "\x09\x00\x00\x00", "describes another index", true},
	{"metapage of another metric", hnswMetaMetric, "\x02", "describes another index", true},
	{"metapage of another type", hnswMetaType, "\x02", "describes another index", true},
	{"metapage with a column", hnswMetaColumns, "\x01\x01", "describes another index", true},
	{"no entry", hnswMetaEntry, strings.Repeat("\xff", 4), "the entry is not", false},
	{"entry beyond the end", hnswMetaEntry, "\xfe\xff\xff\xfe", "the entry is not", false},
	{"list of free pages to nowhere", hnswMetaFree, "\x77\x77\x77\x07", "leads to page", false},
	{"extent elsewhere", hnswMetaExtents + 4, "\x01\x00\x00\x00", "belongs elsewhere", true},
	{"extent beyond the end", hnswMetaExtents + 4, "\x01\x00\x00\x70", "ends before", true},
	{"nodes of something else", pageSize + pageSpecial, "\x00\x00\x00\x00", "not a page of a sorted_hnsw index", true},
	{"nodes of another version", pageSize + pageSpecial + 4, "\x63", "another version", true},
	{"nodes lost", pageSize, strings.Repeat("\x00", pageSize), "it is empty", true},
	{"state of no kind", hnswNode + 3*hnswNodeBytes + 8, "\xe0", "unrecognized state", false},
	{"level too high", hnswNode + 3*hnswNodeBytes + 8, "\x3f", "has no list on level", false},
	{"slot free", hnswNode + 3*hnswNodeBytes + 8, "\x00", "not in the graph there", false},
	{"node marked as twin", hnswNode + 3*hnswNodeBytes + 8, "\x60", "not in the graph there", false},
	{"too many links", hnswNode + 3*hnswNodeBytes + 10, "\xff\xff", "has 65535 links", false},
	{"link beyond the end", hnswNode + 3*hnswNodeBytes + hnswNodeLinks, "\xfd\xff\xff\xff", "which is not in the graph", false},
	{"link to itself", hnswNode + 3*hnswNodeBytes + hnswNodeLinks, "\x03\x00\x00\x00", "links to itself", false},
	{"twin of nothing", hnswNode + 3*hnswNodeBytes + 16, "\x00\x00\x00\x00", "which is no twin", false},
	{"twin beyond the end", hnswNode + 3*hnswNodeBytes + 16, "\xfd\xff\xff\xff", "which is no twin", false},
	{"upper beyond the end", hnswNode + 12, "\xfd\xff\xff\xff", "has no list on level", false},
	{"row of another", hnswNode + 3*hnswNodeBytes, "\x00\x00\x00\x00\x01\x00", "is not in the index", false},
	{"row beyond the table", hnswNode + 3*hnswNodeBytes, "\x10\x00\x00\x00\x01\x00", "is not in the index", true},
	{"record of another", hnswNode + 3*hnswNodeBytes + hnswNodeBytes - 8, "\x00\x00\x80\x3f", "is not what its node", false},
}

// The check names a damaged page, node or list and goes on; scans, inserts and
// VACUUM leave the server standing; REINDEX puts all right.
func TestHnswDamage(t *testing.T) {
	c := pgtest.Start(t, pgtest.WithSettings(map[string]string{"ignore_checksum_failure": "on"}))
	conn := pgtest.Connect(t, c, "postgres")
	hnswTable(t, conn, "hurt", 400, 8, "m = 4, ef_construction = 16, refine = f16")
	pgtest.Exec(t, conn, `UPDATE hurt SET v = vec(1, 8) WHERE id <= 20`, `VACUUM hurt`)
	for _, d := range hnswDamages {
		t.Run(d.name, func(t *testing.T) {
			conn := pgtest.Connect(t, c, "postgres")
			pgtest.Exec(t, conn, `REINDEX INDEX hurt_v`)
			spotlessGraph(t, conn, "hurt")
			path := pgtest.One[string](t, conn, `SELECT current_setting('data_directory') || '/' || pg_relation_filepath('hurt_v')`)
			if err := c.Stop(); err != nil {
				t.Fatal(err)
			}
			overwrite(t, path, d.offset, d.bytes)
			if err := c.StartServer(t.Context()); err != nil {
				t.Fatal(err)
			}

			conn = pgtest.Connect(t, c, "postgres")
			faults := hnswFaults(t, conn, "hurt", "fault")
			if !strings.Contains(strings.Join(faults, "\n"), d.fault) {
				t.Errorf("the check says %q, want %q", faults, d.fault)
			}
			walk(t, conn)
			_, err := conn.Exec(t.Context(), `SELECT count(*) FROM (SELECT id FROM hurt ORDER BY v <-> vec(5, 8) LIMIT 1000) s`)
			if d.refused && sqlState(err) == "" {
				t.Errorf("a scan gives %v, want an error", err)
			}
			if !d.refused && err != nil {
				t.Errorf("a scan gives %v", err)
			}
			for _, statement := range []string{
				`INSERT INTO hurt SELECT i, vec(i, 8) FROM generate_series(500, 505) i`,
				`DELETE FROM hurt WHERE id IN (3, 500)`,
				`VACUUM (INDEX_CLEANUP on) hurt`,
			} {
				if _, err := conn.Exec(t.Context(), statement); err != nil && sqlState(err) == "" {
					t.Fatalf("%s: %v", statement, err)
				}
			}
			// The check goes on, whatever has become of it.
			_ = hnswFaults(t, conn, "hurt", "fault")
		})
	}
	conn = pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, conn, `REINDEX INDEX hurt_v`)
	spotlessGraph(t, conn, "hurt")
	if got, want := hnswRows(t, conn, "hurt"), pgtest.One[int64](t, conn, `SELECT count(DISTINCT id) FROM hurt`); got != want {
		t.Errorf("%d rows after REINDEX, want %d", got, want)
	}
}

// A list of pages with free slots that leads in a circle ends inserts with an
// error, where it would give out none of the pages behind it.
func TestHnswCircularFreeList(t *testing.T) {
	c := pgtest.Start(t, pgtest.WithSettings(map[string]string{"ignore_checksum_failure": "on"}))
	conn := pgtest.Connect(t, c, "postgres")
	hnswTable(t, conn, "ring", 400, 8, "m = 4, ef_construction = 16")
	pgtest.Exec(t, conn, `DELETE FROM ring WHERE id % 2 = 0`, `VACUUM (INDEX_CLEANUP on) ring`)
	spotlessGraph(t, conn, "ring")
	path := pgtest.One[string](t, conn, `SELECT current_setting('data_directory') || '/' || pg_relation_filepath('ring_v')`)
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	// The third page of nodes leads to the first, which leads to the second.
	overwrite(t, path, 3*pageSize+pageSpecial+12, "\x00\x00\x00\x00")
	if err := c.StartServer(t.Context()); err != nil {
		t.Fatal(err)
	}

	conn = pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, conn, `SET statement_timeout = '60s'`)
	const fault = "was in it before"
	if faults := strings.Join(hnswFaults(t, conn, "ring", "fault"), "\n"); !strings.Contains(faults, fault) {
		t.Errorf("the check says %q, want %q", faults, fault)
	}
	_, err := conn.Exec(t.Context(), `INSERT INTO ring SELECT i, vec(i, 8) FROM generate_series(501, 700) i`)
	if sqlState(err) != "XX002" {
		t.Errorf("an insert gives %v, want that the index is corrupted", err)
	}
	pgtest.Exec(t, conn, `REINDEX INDEX ring_v`, `INSERT INTO ring SELECT i, vec(i, 8) FROM generate_series(501, 700) i`)
	spotlessGraph(t, conn, "ring")
	foundAll(t, conn, "ring")
}
