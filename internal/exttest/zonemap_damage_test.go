package exttest

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"sortedheap/internal/pgtest"
)

// Offsets in a zone map file, as pgext/src/zone/page.h lays it out.
const (
	pageSize      = 8192
	pageHeader    = 24
	pageSpecial   = pageSize - 16
	directoryPage = 2 * pageSize
	leafPage      = 3 * pageSize
	leafStates    = leafPage + pageHeader + 8
	leafBounds    = leafStates + 240
)

// The check names a damaged page or entry and goes on; a scan refuses a page
// that is not what it should be; REINDEX puts all right.
func TestZoneMapDamage(t *testing.T) {
	c := pgtest.Start(t, pgtest.WithSettings(map[string]string{"ignore_checksum_failure": "on"}))
	conn := pgtest.Connect(t, c, "postgres")
	zoneTable(t, conn, "facts", "heap")
	for _, d := range []struct {
		name    string
		offset  int64
		bytes   string
		fault   string // reported by the check
		refused bool   // by a scan
	}{
		{"bounds too narrow", leafBounds + 5*32, strings.Repeat("\x00", 32), "does not cover all keys", false},
		{"bounds out of order", leafBounds + 5*32, strings.Repeat("\xff", 32), "do not ascend", false},
		{"empty by mistake", leafStates + 7, "\x04", "takes the block for empty", false},
		{"unrecognized state", leafStates + 7, "\xc8", "unrecognized state: 200", false},
		{"summary", directoryPage + pageHeader + 8, "\x09", "wrong summary", false},
		{"zone page of something else", leafPage + pageSpecial, "\x00\x00\x00\x00", "not a zone map page", true},
		{"zone page of another place", leafPage + pageSpecial + 8, "\x07", "belongs elsewhere", true},
		{"directory page of another version", directoryPage + pageSpecial + 4, "\x63\x00", "another version", true},
		{"metapage of another geometry", pageHeader, "\x01\x00", "other numbers of entries", true},
		{"metapage of other columns", pageHeader + 6, "\x09", "columns of other types", true},
		{"metapage lost", 0, strings.Repeat("\x00", pageSize), "it is empty", true},
	} {
		t.Run(d.name, func(t *testing.T) {
			conn := pgtest.Connect(t, c, "postgres")
			pgtest.Exec(t, conn, `REINDEX INDEX facts_zone`)
			soundMap(t, conn, "facts")
			path := pgtest.One[string](t, conn, `SELECT current_setting('data_directory') || '/' || pg_relation_filepath('facts_zone')`)
			if err := c.Stop(); err != nil {
				t.Fatal(err)
			}
			overwrite(t, path, d.offset, d.bytes)
			if err := c.StartServer(t.Context()); err != nil {
				t.Fatal(err)
			}

			conn = pgtest.Connect(t, c, "postgres")
			faults := pgtest.Column[string](t, conn, `SELECT fault FROM sorted_heap_check('facts') WHERE severity = 'fault'`)
			if !strings.Contains(strings.Join(faults, "\n"), d.fault) {
				t.Errorf("the check says %q, want %q", faults, d.fault)
			}
			pgtest.Exec(t, conn, `SET enable_seqscan = off`)
			_, err := conn.Exec(t.Context(), `SELECT count(*) FROM facts WHERE a = 77`)
			pgErr, isPgErr := errors.AsType[*pgconn.PgError](err)
			if d.refused && (!isPgErr || pgErr.Code != "XX002") {
				t.Errorf("a scan gives %v, want index_corrupted", err)
			}
			if !d.refused && err != nil {
				t.Errorf("a scan gives %v", err)
			}
		})
	}
	conn = pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, conn, `REINDEX INDEX facts_zone`)
	if got := byMap(t, conn, "facts", "a = 77"); got != 5 {
		t.Errorf("%d rows after REINDEX, want 5", got)
	}
	soundMap(t, conn, "facts")
}

func overwrite(t *testing.T, path string, offset int64, bytes string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt([]byte(bytes), offset)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}
