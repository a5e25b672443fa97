package exttest

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/pgtest"
)

// hnswSlot is a slot of the nodes' space of an index, as its file has it.
type hnswSlot struct {
	state byte
	links []uint32 // of level 0
}

// States of slots, as pgext/src/hnsw/page.h numbers them.
const (
	hnswLive  = 1
	hnswDying = 2
)

// readSlots reads the slots of an index with floats for records, in the order of
// their numbers, from its file.
func readSlots(t *testing.T, conn *pgx.Conn, index string, m, dim int) []hnswSlot {
	t.Helper()
	pgtest.Exec(t, conn, `CHECKPOINT`)
	file, err := os.ReadFile(pgtest.One[string](t, conn,
		`SELECT current_setting('data_directory') || '/' || pg_relation_filepath($1::text::regclass)`, index))
	if err != nil {
		t.Fatal(err)
	}
	const pageOfNodes = 2
	slotBytes := hnswNodeLinks + 2*m*4 + 8 + dim*4
	perPage := (pageSpecial - pageHeader) / slotBytes
	var slots []hnswSlot
	for page := range slices.Chunk(file, pageSize) {
		if page[pageSpecial+5] != pageOfNodes {
			continue
		}
		first := int(binary.LittleEndian.Uint32(page[pageSpecial+8:])) * perPage
		if missing := first + perPage - len(slots); missing > 0 {
			slots = append(slots, make([]hnswSlot, missing)...)
		}
		for i := range perPage {
			slot := page[pageHeader+i*slotBytes:]
			links := make([]uint32, binary.LittleEndian.Uint16(slot[10:]))
			for l := range links {
				links[l] = binary.LittleEndian.Uint32(slot[hnswNodeLinks+4*l:])
			}
			slots[first+i] = hnswSlot{slot[8] >> 5, links}
		}
	}
	return slots
}

// markDying cancels slow vacuums later and later, until one has marked nodes.
func markDying(t *testing.T, conn *pgx.Conn, table string) {
	t.Helper()
	for timeout := 50; timeout < 20000; timeout += timeout / 5 {
		pgtest.Exec(t, conn, `SET vacuum_cost_delay = 1`, `SET vacuum_cost_limit = 1`,
			fmt.Sprintf(`SET statement_timeout = %d`, timeout))
		_, err := conn.Exec(t.Context(), fmt.Sprintf(`VACUUM (INDEX_CLEANUP on) %s`, table))
		pgtest.Exec(t, conn, `RESET statement_timeout`, `RESET vacuum_cost_delay`)
		if err == nil {
			t.Fatalf("a vacuum has ended after %d ms before one was broken off among its marks", timeout)
		}
		if sqlState(err) != "57014" {
			t.Fatal(err)
		}
		if strings.Contains(strings.Join(hnswFaults(t, conn, table, "warning"), "\n"), "slots are marked") {
			return
		}
	}
	t.Fatal("no vacuum has marked a node")
}

// While nodes are dying, inserts may find them and lead to none of them anew:
// VACUUM has perhaps passed the list, and will free the slot.
func TestHnswInsertsBesideDying(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	const m, dim = 2, 8
	hnswTable(t, conn, "fading", 3000, dim, "m = 2, ef_construction = 8")
	pgtest.Exec(t, conn, `DELETE FROM fading WHERE id % 2 = 0`)
	markDying(t, conn, "fading")
	before := readSlots(t, conn, "fading_v", m, dim)
	pgtest.Exec(t, conn, `INSERT INTO fading SELECT i, vec(i, 8) FROM generate_series(10001, 13000) i`)
	after := readSlots(t, conn, "fading_v", m, dim)

	dying, led := 0, 0
	for number, slot := range after {
		if slot.state == hnswDying {
			dying++
		}
		if slot.state != hnswLive {
			continue
		}
		var was []uint32
		if number < len(before) && before[number].state == hnswLive {
			was = before[number].links
		}
		for _, link := range slot.links {
			if after[link].state != hnswDying {
				continue
			}
			if !slices.Contains(was, link) {
				t.Errorf("node %d leads to dying node %d, as it did not before", number, link)
			}
			led++
		}
	}
	if dying < 100 || led < 100 {
		t.Errorf("%d nodes are dying and %d links lead to them, want 100 and more", dying, led)
	}
	pgtest.Exec(t, conn, `VACUUM fading`)
	spotlessGraph(t, conn, "fading")
	foundAll(t, conn, "fading")
}
