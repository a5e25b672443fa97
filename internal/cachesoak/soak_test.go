package cachesoak

import (
	"flag"
	"testing"

	"sortedheap/internal/pgtest"
)

// For long runs: go test ./internal/cachesoak -run TestLong -operations 20000
var (
	longOperations = flag.Int("operations", 0, "changes of TestLong; 0 skips it")
	longSeed       = flag.Uint64("seed", 1, "seed of TestLong")
	longCrashes    = flag.Int("crashes", 0, "crashes of TestLong")
	longStandby    = flag.Bool("standby", false, "ask a standby, too, in TestLong")
	longRows       = flag.Int("rows", Default().Rows, "rows that tables of TestLong begin with")
	longReaders    = flag.Int("readers", Default().Readers, "readers of TestLong")
	longWriters    = flag.Int("writers", Default().Writers, "writers of TestLong")
)

func run(t *testing.T, cfg Config) {
	t.Helper()
	server := pgtest.Start(t, pgtest.WithSettings(map[string]string{
		"shared_preload_libraries": "sorted_heap", "sorted_hnsw.cache_size": "32MB",
		"max_standby_streaming_delay": "-1", "max_wal_size": "256MB",
	}))
	result, err := Run(t.Context(), server, cfg)
	t.Logf("%+v", result)
	if err != nil {
		t.Fatal(err)
	}
	if result.Questions == 0 || result.Operations < int64(cfg.Operations) || result.Cached < result.Questions/10 {
		t.Fatal("the run did too little, or the cache answered too little of it")
	}
	byCache, byPages := result.Recall()
	if byCache < byPages-0.005 {
		t.Errorf("recall is %.4f by the cache, %.4f by pages", byCache, byPages)
	}
}

func TestTruth(t *testing.T) {
	run(t, Default())
}

func TestTruthAcrossCrashes(t *testing.T) {
	cfg := Default()
	cfg.Seed, cfg.Crashes = 2, 2
	run(t, cfg)
}

func TestTruthOnStandby(t *testing.T) {
	cfg := Default()
	cfg.Seed, cfg.Standby = 3, true
	run(t, cfg)
}

func TestLong(t *testing.T) {
	if *longOperations == 0 {
		t.Skip("-operations is 0")
	}
	cfg := Default()
	cfg.Seed, cfg.Operations, cfg.Crashes, cfg.Standby = *longSeed, *longOperations, *longCrashes, *longStandby
	cfg.Rows, cfg.Readers, cfg.Writers = *longRows, *longReaders, *longWriters
	run(t, cfg)
}

func TestConfigValidate(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	if err := (Config{}).Validate(); err == nil {
		t.Error("a run of nothing is valid")
	}
}
