package exttest

import (
	"slices"
	"testing"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

// markDying starts a slow VACUUM and breaks it off once it has marked at least so
// many nodes, long before it has mended the lists of the others and frees any.
func markDying(t *testing.T, c *cluster.Cluster, table string, m, dim, atLeast int) {
	t.Helper()
	watcher := pgtest.Connect(t, c, "postgres")
	enough := func() bool { return countDying(readSlots(t, watcher, table+"_v", m, dim)) >= atLeast }
	if !breakVacuum(t, c, table, enough, `SET vacuum_cost_delay = 20`, `SET vacuum_cost_limit = 1`) {
		t.Fatalf("a vacuum has ended before it was broken off with %d nodes marked", atLeast)
	}
}

// While nodes are dying, inserts may find them and lead to none of them anew:
// VACUUM has perhaps passed the list, and will free the slot.
func TestHnswInsertsBesideDying(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	const m, dim, enough = 2, 8, 200
	hnswTable(t, conn, "fading", 3000, dim, "m = 2, ef_construction = 8")
	pgtest.Exec(t, conn, `DELETE FROM fading WHERE id % 2 = 0`)
	markDying(t, c, "fading", m, dim, enough)
	before := readSlots(t, conn, "fading_v", m, dim)
	pgtest.Exec(t, conn, `INSERT INTO fading SELECT i, vec(i, 8) FROM generate_series(10001, 13000) i`)
	after := readSlots(t, conn, "fading_v", m, dim)

	dying, led := countDying(after), 0
	for number, slot := range after {
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
	if dying < enough || led < enough {
		t.Errorf("%d nodes are dying and %d links lead to them, want %d and more", dying, led, enough)
	}
	pgtest.Exec(t, conn, `VACUUM fading`)
	spotlessGraph(t, conn, "fading")
	foundAll(t, conn, "fading")
}
