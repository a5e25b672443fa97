package difftest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"sortedheap/internal/pgtest"
)

var withMutants = flag.Bool("mutants", false, "build libraries with one rule broken and see them caught")

// A mutant is the extension with one rule of the zone map broken. A tester that
// does not catch it proves nothing about the rule.
type mutant struct {
	rule   string
	edits  []edit
	config func(*Config)
}

type edit struct{ file, old, new string }

// The pause between reading and publishing makes a window of microseconds wide
// enough to be hit; it breaks nothing by itself, see the control.
var pause = edit{"seal.c", "\tgather(sealer, zone);\n", "\tgather(sealer, zone);\n\tpg_usleep(3000);\n"}

var mutants = []mutant{
	{
		rule:  "a writer widens an entry that does not cover its row",
		edits: []edit{{"widen.c", "\tif (zone_range_is_empty(row))\n", "\tif (heap_block % 2 == 0 || zone_range_is_empty(row))\n"}},
	},
	{
		rule:  "a writer takes a block that is being read out of the sealer's hands",
		edits: []edit{pause, {"page.h", "\treturn state < ZONE_GATHERING;\n", "\treturn state <= ZONE_GATHERING;\n"}},
	},
	{
		rule:   "of two sealers of a zone page, the later one publishes",
		edits:  []edit{pause, {"seal.c", "\tif (change.leaf->serial != serial)\n", "\tif (false && change.leaf->serial != serial)\n"}},
		config: func(c *Config) { c.AccessMethod = "sorted_heap" },
	},
	{
		rule: "the sealer marks before it reads",
		edits: []edit{pause,
			{"seal.c", "\tzone_change_begin(&change, sealer->index, zone, leaf_buffer,\n\t\t\t\t\t  ZONE_CHANGE_LOGGED);\n\tif (!mark(", "\tmemcpy(sealer->states, zone_leaf(copy.data)->states, sizeof(sealer->states));\n\tgather(sealer, zone);\n\tpg_usleep(3000);\n\tzone_change_begin(&change, sealer->index, zone, leaf_buffer,\n\t\t\t\t\t  ZONE_CHANGE_LOGGED);\n\tif (!mark("},
			{"seal.c", "\tgather(sealer, zone);\n\tpg_usleep(3000);\n\tpublish(", "\tpublish("}},
	},
	{
		rule: "a lookup reads the map after its snapshot",
		edits: []edit{{"zonemap.c", "/* Position of the first range that ends at or after a pair. */\n", `static const ZoneLeaf *
stale_leaf(uint32 zone, Page page)
{
	static PGAlignedBlock copies[8];
	static int	uses[8];

	if (zone >= 8)
		return zone_leaf(page);
	if (uses[zone]++ % 10 == 0)
		memcpy(copies[zone].data, page, BLCKSZ);
	return zone_leaf(copies[zone].data);
}

/* Position of the first range that ends at or after a pair. */
`}, {"zonemap.c", "\tmark_entries(lookup, zone_leaf(BufferGetPage(buffer)), nentries,", "\tmark_entries(lookup, stale_leaf(zone, BufferGetPage(buffer)), nentries,"},
			{"zonemap.c", "static bool add_run(", "static const ZoneLeaf *stale_leaf(uint32 zone, Page page);\nstatic bool add_run("}},
	},
	{
		rule:  "blocks past the end of the heap are dropped",
		edits: []edit{{"zonemap.c", "map->heap_blocks = RelationGetNumberOfBlocks(heap);", "map->heap_blocks = RelationGetNumberOfBlocks(heap) + 40;"}},
	},
	{
		rule:  "a summary changes with its child",
		edits: []edit{{"pageio.c", "\tif (directory != NULL)\n", "\tif (false)\n"}, {"pageio.c", "\treturn directory;\n}", "\treturn NULL;\n}"}, {"pageio.c", "\tzone_directory_set(directory, child, &summary);\n", "\tif (change->zone % 2 == 0)\n\t\tzone_directory_set(directory, child, &summary);\n"}},
	},
	{
		rule:   "a widening is in the WAL before the commit",
		edits:  []edit{{"widen.c", "\t\t\t\t\t  ZONE_CHANGE_LOGGED);", "\t\t\t\t\t  ZONE_CHANGE_BUILD);"}},
		config: func(c *Config) { c.Standby = true },
	},
}

// Controls change what must not matter, and survive.
var controls = []mutant{
	{rule: "time between reading and publishing", edits: []edit{pause}},
	{rule: "three levels on a small table", edits: []edit{
		{"page.h", "#define ZONE_ENTRIES 240", "#define ZONE_ENTRIES 4"},
		{"page.h", "#define ZONE_FANOUT 224", "#define ZONE_FANOUT 3"}}},
}

func TestMutants(t *testing.T) {
	if !*withMutants {
		t.Skip("mutants are asked for with -mutants")
	}
	source := filepath.Join("..", "..", "pgext")
	tree := filepath.Join(t.TempDir(), "pgext")
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", source, tree).CombinedOutput(); err != nil {
		t.Fatalf("copy the extension: %v\n%s", err, out)
	}
	for _, m := range controls {
		t.Run("control: "+m.rule, func(t *testing.T) {
			result, err := breed(t, source, tree, m, 1500)
			if err != nil {
				t.Fatalf("%+v: %v", result, err)
			}
		})
	}
	for _, m := range mutants {
		t.Run(m.rule, func(t *testing.T) {
			result, err := breed(t, source, tree, m, 6000)
			if err == nil {
				t.Fatalf("survived %+v", result)
			}
			if !caught(err) {
				t.Fatalf("died of something else: %v", err)
			}
			t.Logf("caught after %d operations, %d checks: %v", result.Operations, result.Checks, err)
		})
	}
}

// caught says whether an error is what a broken rule looks like.
func caught(err error) bool {
	if _, ok := errors.AsType[*Difference](err); ok {
		return true
	}
	// A block past the end cannot be read.
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && strings.Contains(pgErr.Message, "could not read block")
}

// breed builds a mutant and runs the tester on a server that loads it.
func breed(t *testing.T, source, tree string, m mutant, operations int) (Result, error) {
	t.Helper()
	server := pgtest.Start(t, pgtest.WithSettings(map[string]string{"max_wal_size": "256MB"}))
	library := filepath.Join(server.Dir(), "mutant.so")
	if err := build(t.Context(), source, tree, server.Install.PGConfig, m.edits, library); err != nil {
		t.Fatal(err)
	}
	conn := pgtest.Connect(t, server, "postgres")
	pgtest.Exec(t, conn, fmt.Sprintf(`UPDATE pg_proc SET probin = '%s' WHERE probin = '$libdir/sorted_heap'`, library))

	cfg := Default()
	cfg.Operations = operations
	if m.config != nil {
		m.config(&cfg)
	}
	return Run(t.Context(), server, cfg)
}

// build edits the copied tree, makes the library, and takes the edits back.
func build(ctx context.Context, source, tree, pgConfig string, edits []edit, library string) (err error) {
	for _, e := range edits {
		path := filepath.Join(tree, "src", "zone", e.file)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.Count(string(text), e.old) != 1 {
			return fmt.Errorf("%s: expected once: %q", e.file, e.old)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), e.old, e.new, 1)), 0o644); err != nil {
			return err
		}
	}
	// Headers have no dependencies in this build: compile the whole folder.
	objects, err := filepath.Glob(filepath.Join(tree, "src", "zone", "*.o"))
	if err != nil {
		return err
	}
	for _, object := range objects {
		if err := os.Remove(object); err != nil {
			return err
		}
	}
	if out, err := exec.CommandContext(ctx, "make", "-j2", "-C", tree, "PG_CONFIG="+pgConfig, "sorted_heap.so").CombinedOutput(); err != nil {
		return fmt.Errorf("make: %w\n%s", err, out)
	}
	binary, err := os.ReadFile(filepath.Join(tree, "sorted_heap.so"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(library, binary, 0o755); err != nil {
		return err
	}
	for _, e := range edits {
		original, err := os.ReadFile(filepath.Join(source, "src", "zone", e.file))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(tree, "src", "zone", e.file), original, 0o644); err != nil {
			return err
		}
	}
	return nil
}
