package difftest

import (
	"flag"
	"testing"

	"sortedheap/internal/pgtest"
)

// For long runs: go test ./internal/difftest -run TestLong -operations 100000
var (
	longOperations = flag.Int("operations", 0, "operations of TestLong; 0 skips it")
	longSeed       = flag.Uint64("seed", 1, "seed of TestLong")
	longKey        = flag.String("key", "int", "key type of TestLong")
	longAM         = flag.String("am", "heap", "access method of TestLong")
	longCrashes    = flag.Int("crashes", 0, "crashes of TestLong")
	longStandby    = flag.Bool("standby", false, "compare on a standby in TestLong")
	longCheckers   = flag.Int("checkers", 2, "connections that compare in TestLong")
	longBtree      = flag.Bool("btree", false, "give the mapped twin of TestLong a btree, too")
	longRows       = flag.Int("rows", Default().Rows, "rows that TestLong begins with")
	longDiscard    = flag.Bool("discard", false, "discard caches all the time in TestLong; the server must be built with assertions")
	longUnlogged   = flag.Bool("unlogged", false, "unlogged tables in TestLong")
)

// eager autovacuum meets all else that a long run does.
var eager = map[string]string{
	"autovacuum": "on", "autovacuum_naptime": "1s", "autovacuum_vacuum_threshold": "100",
	"autovacuum_vacuum_scale_factor": "0.02", "autovacuum_vacuum_cost_delay": "0",
}

func run(t *testing.T, cfg Config) {
	t.Helper()
	server := pgtest.Start(t, pgtest.WithSettings(map[string]string{"max_wal_size": "256MB"}), pgtest.WithSettings(cfg.Settings))
	t.Log(cfg)
	result, err := Run(t.Context(), server, cfg)
	t.Logf("%+v", result)
	if err != nil {
		t.Fatal(err)
	}
	if result.Checks == 0 || result.Operations < int64(cfg.Operations) || result.Refused > result.Operations/3 {
		t.Fatal("the run did too little")
	}
}

func TestKeyTypes(t *testing.T) {
	for i, key := range KeyTypes() {
		t.Run(key, func(t *testing.T) {
			cfg := Default()
			cfg.Key, cfg.Seed, cfg.Operations, cfg.Rows = key, uint64(i), 80, 6000
			run(t, cfg)
		})
	}
}

func TestSortedHeap(t *testing.T) {
	cfg := Default()
	cfg.AccessMethod, cfg.Seed = "sorted_heap", 20
	run(t, cfg)
}

// With both indexes there, graph functions choose.
func TestChoice(t *testing.T) {
	cfg := Default()
	cfg.Btree, cfg.Seed = true, 25
	run(t, cfg)
}

func TestCrashes(t *testing.T) {
	cfg := Default()
	cfg.Crashes, cfg.Seed = 3, 30
	run(t, cfg)
}

func TestUnloggedCrash(t *testing.T) {
	cfg := Default()
	cfg.Crashes, cfg.Unlogged, cfg.Seed = 1, true, 40
	run(t, cfg)
}

func TestStandby(t *testing.T) {
	cfg := Default()
	cfg.Standby, cfg.Seed = true, 50
	run(t, cfg)
}

func TestLong(t *testing.T) {
	if *longOperations == 0 {
		t.Skip("a long run is asked for with -operations")
	}
	cfg := Default()
	cfg.Operations, cfg.Seed, cfg.Key, cfg.AccessMethod = *longOperations, *longSeed, *longKey, *longAM
	cfg.Checkers, cfg.Btree, cfg.Discard = *longCheckers, *longBtree, *longDiscard
	cfg.Rows, cfg.Settings = *longRows, eager
	cfg.Crashes, cfg.Standby, cfg.Unlogged = *longCrashes, *longStandby, *longUnlogged
	run(t, cfg)
}

func TestConfigProblems(t *testing.T) {
	for name, spoil := range map[string]func(*Config){
		"operations": func(c *Config) { c.Operations = 0 },
		"key":        func(c *Config) { c.Key = "jsonb" },
		"am":         func(c *Config) { c.AccessMethod = "heap2" },
		"standby":    func(c *Config) { c.Standby, c.Unlogged = true, true },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := Default()
			spoil(&cfg)
			if cfg.Validate() == nil {
				t.Fatalf("accepted %v", cfg)
			}
		})
	}
}
