package exttest

import (
	"encoding/binary"
	"os"
	"slices"
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

// readIndexFile reads the file of a small index as a checkpoint leaves it.
func readIndexFile(t *testing.T, conn *pgx.Conn, index string) []byte {
	t.Helper()
	pgtest.Exec(t, conn, `CHECKPOINT`)
	file, err := os.ReadFile(pgtest.One[string](t, conn,
		`SELECT current_setting('data_directory') || '/' || pg_relation_filepath($1::text::regclass)`, index))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// readSlots reads the slots of an index with floats for records, in the order of
// their numbers, from its file.
func readSlots(t *testing.T, conn *pgx.Conn, index string, m, dim int) []hnswSlot {
	t.Helper()
	return slotsOf(readIndexFile(t, conn, index), m, dim)
}

func slotsOf(file []byte, m, dim int) []hnswSlot {
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

// countDying is how many of the slots a vacuum has marked.
func countDying(slots []hnswSlot) int {
	dying := 0
	for _, slot := range slots {
		if slot.state == hnswDying {
			dying++
		}
	}
	return dying
}

// anyCutOff tells whether a slot that lives is not reached by links of level 0
// from the entry of the index.
func anyCutOff(t *testing.T, conn *pgx.Conn, index string, m, dim int) bool {
	t.Helper()
	file := readIndexFile(t, conn, index)
	slots := slotsOf(file, m, dim)
	reached := make([]bool, len(slots))
	toFollow := []uint32{binary.LittleEndian.Uint32(file[hnswMetaEntry:])}
	reached[toFollow[0]] = true
	for len(toFollow) > 0 {
		last := toFollow[len(toFollow)-1]
		toFollow = toFollow[:len(toFollow)-1]
		for _, link := range slots[last].links {
			if !reached[link] {
				reached[link] = true
				toFollow = append(toFollow, link)
			}
		}
	}
	for number, slot := range slots {
		if slot.state == hnswLive && !reached[number] {
			return true
		}
	}
	return false
}
