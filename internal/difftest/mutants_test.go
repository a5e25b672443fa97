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

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

var withMutants = flag.Bool("mutants", false, "build libraries with one rule broken and see them caught")

// A mutant is the extension with one rule of the zone map broken. A tester that
// does not catch it proves nothing about the rule.
type mutant struct {
	rule   string
	edits  []edit
	config func(*Config)
	// specs are isolation specs to run in place of a random run.
	specs []string
}

// An edit replaces the one place where a file below pgext/src has a text.
type edit struct{ file, old, new string }

// The pause between reading and publishing makes a window of microseconds wide
// enough to be hit; it breaks nothing by itself, see the control.
var pause = edit{"zone/seal.c", "\tgather(sealer, zone);\n", "\tgather(sealer, zone);\n\tpg_usleep(3000);\n"}

var mutants = []mutant{
	{
		rule:  "a writer widens an entry that does not cover its row",
		edits: []edit{{"zone/widen.c", "\tif (zone_range_is_empty(row))\n", "\tif (heap_block % 2 == 0 || zone_range_is_empty(row))\n"}},
	},
	{
		rule:  "a writer takes a block that is being read out of the sealer's hands",
		edits: []edit{pause, {"zone/page.h", "\treturn state < ZONE_GATHERING;\n", "\treturn state <= ZONE_GATHERING;\n"}},
	},
	{
		rule:   "of two sealers of a zone page, the later one publishes",
		edits:  []edit{pause, {"zone/seal.c", "\tif (change.leaf->serial != serial)\n", "\tif (false && change.leaf->serial != serial)\n"}},
		config: func(c *Config) { c.AccessMethod = "sorted_heap" },
	},
	{
		rule: "the sealer marks before it reads",
		edits: []edit{pause,
			{"zone/seal.c", "\tzone_change_begin(&change, sealer->index, zone, leaf_buffer,\n\t\t\t\t\t  ZONE_CHANGE_LOGGED);\n\tif (!mark(", "\tmemcpy(sealer->states, zone_leaf(copy.data)->states, sizeof(sealer->states));\n\tgather(sealer, zone);\n\tpg_usleep(3000);\n\tzone_change_begin(&change, sealer->index, zone, leaf_buffer,\n\t\t\t\t\t  ZONE_CHANGE_LOGGED);\n\tif (!mark("},
			{"zone/seal.c", "\tgather(sealer, zone);\n\tpg_usleep(3000);\n\tpublish(", "\tpublish("}},
	},
	{
		rule: "a lookup reads the map after its snapshot",
		edits: []edit{{"zone/zonemap.c", "/* Position of the first range that ends at or after a pair. */\n", `static const ZoneLeaf *
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
`}, {"zone/zonemap.c", "\tmark_entries(lookup, zone_leaf(BufferGetPage(buffer)), nentries,", "\tmark_entries(lookup, stale_leaf(zone, BufferGetPage(buffer)), nentries,"},
			{"zone/zonemap.c", "static bool add_run(", "static const ZoneLeaf *stale_leaf(uint32 zone, Page page);\nstatic bool add_run("}},
	},
	{
		rule:  "blocks past the end of the heap are dropped",
		edits: []edit{{"zone/zonemap.c", "map->heap_blocks = RelationGetNumberOfBlocks(heap);", "map->heap_blocks = RelationGetNumberOfBlocks(heap) + 40;"}},
	},
	{
		rule:  "a summary changes with its child",
		edits: []edit{{"zone/pageio.c", "\tif (directory != NULL)\n", "\tif (false)\n"}, {"zone/pageio.c", "\treturn directory;\n}", "\treturn NULL;\n}"}, {"zone/pageio.c", "\tzone_directory_set(directory, child, &summary);\n", "\tif (change->zone % 2 == 0)\n\t\tzone_directory_set(directory, child, &summary);\n"}},
	},
	{
		rule:   "a widening is in the WAL before the commit",
		edits:  []edit{{"zone/widen.c", "\t\t\t\t\t  ZONE_CHANGE_LOGGED);", "\t\t\t\t\t  ZONE_CHANGE_BUILD);"}},
		config: func(c *Config) { c.Standby = true },
	},
	{
		rule:  "the kept pin is that of the row's zone page",
		edits: []edit{{"zone/insert.c", "if (!BufferIsValid(state->leaf) || state->address != address)", "if (!BufferIsValid(state->leaf))"}},
	},
	{
		rule:  "a block that was empty is not skipped after a row came",
		edits: []edit{{"zone/page.h", "\treturn state < ZONE_GATHERING;\n", "\treturn state < ZONE_GATHERING || state == ZONE_EMPTY;\n"}},
	},
	{
		rule:   "a key that is stored out of line leaves its block searched",
		edits:  []edit{{"zone/blockkeys.c", "\t\telse\n\t\t\tkeys.readable = false;\n", ""}},
		config: func(c *Config) { c.Key = "toasted" },
	},
	{
		rule:   "bounds of a prefix are not strict",
		edits:  []edit{{"zone/scan.c", "key_image(key->sk_argument, key_kind_of_type(type)),\n\t\t\t\t   key_kind_is_exact(key_kind_of_type(type)));", "key_image(key->sk_argument, key_kind_of_type(type)),\n\t\t\t\t   true);"}},
		config: func(c *Config) { c.Key = "prefix" },
	},
	{
		rule:  "spec: a writer widens",
		edits: []edit{{"zone/widen.c", "\tif (zone_range_is_empty(row))\n", "\tif (true)\n"}},
		specs: []string{"zone_seal", "zone_reindex", "zone_copy_race", "zone_truncate", "graph_zone_seal"},
	},
	{
		rule:  "spec: a sealer reads rows that are not committed",
		edits: []edit{transam, {"zone/blockkeys.c", readTuple, "\t\tif (!TransactionIdDidCommit(HeapTupleHeaderGetXmin(tuple.t_data)))\n\t\t\tcontinue;\n" + readTuple}},
		specs: []string{"zone_seal", "zone_copy_race"},
	},
	{
		rule:  "spec: a sealer reads rows that are deleted",
		edits: []edit{transam, {"zone/blockkeys.c", readTuple, "\t\tif ((tuple.t_data->t_infomask & HEAP_XMAX_INVALID) == 0 &&\n\t\t\tTransactionIdDidCommit(HeapTupleHeaderGetRawXmax(tuple.t_data)))\n\t\t\tcontinue;\n" + readTuple}},
		specs: []string{"zone_seal", "graph_zone_seal"},
	},
	{
		rule:  "spec: blocks past the end of the heap are dropped",
		edits: []edit{{"zone/zonemap.c", "map->heap_blocks = RelationGetNumberOfBlocks(heap);", "map->heap_blocks = RelationGetNumberOfBlocks(heap) + 40;"}},
		specs: []string{"zone_truncate"},
	},
	{
		rule:  "spec: COPY seals only maps that are valid",
		edits: []edit{{"zone/tablemaps.c", "if (index->rd_index->indisvalid)\n\t\t{\n\t\t\t/* COPY's", "if (true)\n\t\t{\n\t\t\t/* COPY's"}},
		specs: []string{"zone_copy_race"},
	},
	{
		rule:  "spec: a bitmap scan locks the index against serializable writers",
		edits: []edit{{"zone/handler.c", "\tam->ambuild = zone_build;\n", "\tam->ampredlocks = true;\n\tam->ambuild = zone_build;\n"}},
		specs: []string{"zone_serializable"},
	},
	{
		rule:  "spec: an expansion by the map locks the table against serializable writers",
		edits: []edit{{"graph/zonescan.c", "\tPredicateLockRelation(zs->rel, zs->snapshot);\n", ""}},
		specs: []string{"graph_zone_serializable"},
	},
}

// Where block_keys_read takes a tuple's keys, and what the mutants there need.
const readTuple = "\t\tif (block_tuple_range_inline(heap, &tuple, key, &range))\n"

var transam = edit{"zone/blockkeys.c", "#include \"access/tableam.h\"\n", "#include \"access/tableam.h\"\n#include \"access/transam.h\"\n"}

// Controls change what must not matter, and survive.
var controls = []mutant{
	{rule: "nothing, for the specs", specs: []string{"zone_seal", "zone_reindex", "zone_copy_race", "zone_truncate", "zone_serializable", "graph_zone_seal", "graph_zone_serializable"}},
	{rule: "time between reading and publishing", edits: []edit{pause}},
}

// Small pages put on a small table what real ones have from 92 GB on: several
// directory pages, and top pages above them.
var threeLevels = mutant{rule: "three levels on a small table", edits: []edit{
	{"zone/page.h", "#define ZONE_ENTRIES 240", "#define ZONE_ENTRIES 4"},
	{"zone/page.h", "#define ZONE_FANOUT 224", "#define ZONE_FANOUT 3"}}}

func TestThreeLevels(t *testing.T) {
	source, tree := copyExtension(t)
	if outcome := breed(t, source, tree, threeLevels, 300); outcome.caught != "" || outcome.err != nil {
		t.Fatal(outcome)
	}
}

// copyExtension copies the extension's tree to build other libraries from.
func copyExtension(t *testing.T) (source, tree string) {
	t.Helper()
	source = filepath.Join("..", "..", "pgext")
	tree = filepath.Join(t.TempDir(), "pgext")
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", source, tree).CombinedOutput(); err != nil {
		t.Fatalf("copy the extension: %v\n%s", err, out)
	}
	return source, tree
}

func TestMutants(t *testing.T) {
	if !*withMutants {
		t.Skip("mutants are asked for with -mutants")
	}
	source, tree := copyExtension(t)
	for _, m := range append(controls, threeLevels) {
		t.Run("control: "+m.rule, func(t *testing.T) {
			if outcome := breed(t, source, tree, m, 1500); outcome.caught != "" || outcome.err != nil {
				t.Fatal(outcome)
			}
		})
	}
	table := []string{"| rule that is broken | caught by | after |", "|---|---|---|"}
	for _, m := range mutants {
		t.Run(m.rule, func(t *testing.T) {
			outcome := breed(t, source, tree, m, 6000)
			if outcome.caught == "" {
				t.Fatalf("survived: %s; %v", outcome.after, outcome.err)
			}
			t.Logf("%s, %s", outcome.caught, outcome.after)
			table = append(table, fmt.Sprintf("| %s | %s | %s |", m.rule, outcome.caught, outcome.after))
		})
	}
	t.Log("\n" + strings.Join(table, "\n"))
}

// An outcome is what became of a mutant: what caught it, if anything did, after
// how much work.
type outcome struct {
	caught, after string
	err           error // that is not what a broken rule looks like
}

// judge says what caught a random run, if the error is what a broken rule looks
// like.
func judge(cfg Config, result Result, err error) outcome {
	o := outcome{after: fmt.Sprintf("seed %d, %d operations, %d checks", cfg.Seed, result.Operations, result.Checks), err: err}
	if difference, ok := errors.AsType[*Difference](err); ok {
		o.caught, _, _ = strings.Cut(difference.Question, "\n")
		if what, _, ok := strings.Cut(o.caught, " FROM "); ok && len(what) < len(o.caught) {
			o.caught = "rows differ"
		}
		o.err = nil
	}
	// A block past the end cannot be read.
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok && strings.Contains(pgErr.Message, "could not read block") {
		o.caught, o.err = "could not read block", nil
	}
	return o
}

// breed builds a mutant and runs the tester, or the mutant's specs, on a server
// that loads it.
func breed(t *testing.T, source, tree string, m mutant, operations int) outcome {
	t.Helper()
	server := pgtest.Start(t, pgtest.WithSettings(map[string]string{"max_wal_size": "256MB"}))
	library := filepath.Join(server.Dir(), "mutant.so")
	if err := build(t.Context(), source, tree, server.Install.PGConfig, m.edits, library); err != nil {
		t.Fatal(err)
	}
	conn := pgtest.Connect(t, server, "postgres")
	pgtest.Exec(t, conn, fmt.Sprintf(`UPDATE pg_proc SET probin = '%s' WHERE probin = '$libdir/sorted_heap'`, library))
	if m.specs != nil {
		return runSpecs(t, server, source, m.specs)
	}

	cfg := Default()
	cfg.Operations = operations
	if m.config != nil {
		m.config(&cfg)
	}
	result, err := Run(t.Context(), server, cfg)
	return judge(cfg, result, err)
}

// runSpecs runs isolation specs in the database postgres; those that give
// another answer than expected have caught the mutant.
func runSpecs(t *testing.T, server *cluster.Cluster, source string, specs []string) outcome {
	t.Helper()
	output := t.TempDir()
	cmd := exec.CommandContext(t.Context(), filepath.Join(server.Install.PkgLib, "pgxs", "src", "test", "isolation", "pg_isolation_regress"),
		append([]string{"--use-existing", "--dbname=postgres", "--bindir=" + server.Install.BinDir,
			"--inputdir=" + filepath.Join(source, "test"), "--outputdir=" + output}, specs...)...)
	cmd.Env = append(os.Environ(), server.Env()...)
	out, err := cmd.CombinedOutput()
	o := outcome{after: fmt.Sprintf("%d specs", len(specs))}
	diffs, diffErr := os.ReadFile(filepath.Join(output, "regression.diffs"))
	if diffErr != nil && err != nil {
		t.Fatalf("pg_isolation_regress: %v\n%s", err, out)
	}
	var failed []string
	for _, spec := range specs {
		if strings.Contains(string(diffs), "/"+spec+".out") {
			failed = append(failed, spec)
		}
	}
	o.caught = strings.Join(failed, ", ")
	return o
}

// build edits the copied tree, makes the library, and takes the edits back.
func build(ctx context.Context, source, tree, pgConfig string, edits []edit, library string) (err error) {
	for _, e := range edits {
		path := filepath.Join(tree, "src", e.file)
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
		original, err := os.ReadFile(filepath.Join(source, "src", e.file))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(tree, "src", e.file), original, 0o644); err != nil {
			return err
		}
	}
	return nil
}
