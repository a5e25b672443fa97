package ann

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/postgres"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
)

// load makes the tables of all engines that can run, and the indexes of plain
// searches.
func (b *bench) load(ctx context.Context) (err error) {
	if b.control, err = pgx.Connect(ctx, b.env.DSN); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if _, err := b.control.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS pg_prewarm"); err != nil {
		return fmt.Errorf("create extension pg_prewarm: %w", err)
	}
	for _, sys := range systems() {
		if !slices.Contains(b.params.Engines, sys.name) {
			continue
		}
		s := &store{system: sys, vector: sys.types[b.params.Element], half: b.params.Element == "half",
			curves: map[string][]point{}, grades: map[string][]*grade{}}
		err := b.open(ctx, s)
		var unavailable *engine.UnavailableError
		if errors.As(err, &unavailable) {
			b.env.Progress.Note("%v", err)
			b.rows = append(b.rows, result.Row{Scenario: Name, Corpus: b.vectors.Name, Engine: s.name, EngineVersion: s.version,
				Params: map[string]any{}, Error: err.Error()})
			continue
		}
		if err != nil {
			return err
		}
		b.stores = append(b.stores, s)
	}
	for _, s := range b.stores {
		if err := b.fill(ctx, s); err != nil {
			return fmt.Errorf("load engine %s: %w", s.name, err)
		}
		if err := b.buildIndex(ctx, s, false); err != nil {
			s.out = true
			if err := b.failed(ctx, s, "build", err); err != nil {
				return err
			}
		}
	}
	if len(b.live()) == 0 {
		return scenario.ErrNoEngine
	}
	if !b.params.runs(caseCurve) {
		return nil
	}
	return b.loadOutside(ctx)
}

// open finds out whether the server has what the engine needs.
func (b *bench) open(ctx context.Context, s *store) error {
	unavailable := func(format string, args ...any) error {
		return &engine.UnavailableError{Engine: s.name, Reason: fmt.Sprintf(format, args...)}
	}
	var found bool
	err := b.control.QueryRow(ctx, "SELECT count(*) > 0 FROM pg_available_extensions WHERE name = $1", s.extension).Scan(&found)
	if err != nil {
		return fmt.Errorf("engine %s: list extensions: %w", s.name, err)
	}
	if !found {
		return unavailable("extension %q is not installed on the server", s.extension)
	}
	if _, err := b.control.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS "+pgx.Identifier{s.extension}.Sanitize()); err != nil {
		return unavailable("create extension %s: %v", s.extension, err)
	}
	err = b.control.QueryRow(ctx, "SELECT extname || ' ' || extversion FROM pg_extension WHERE extname = $1", s.extension).Scan(&s.version)
	if err != nil {
		return fmt.Errorf("engine %s: read version: %w", s.name, err)
	}
	err = b.control.QueryRow(ctx, "SELECT count(*) > 0 FROM pg_am WHERE amname = $1 AND amtype = 'i'", s.method).Scan(&found)
	if err != nil {
		return fmt.Errorf("engine %s: list access methods: %w", s.name, err)
	}
	if !found {
		return unavailable("%s has no index access method %q", s.version, s.method)
	}
	if s.walk != "" {
		if err := b.control.QueryRow(ctx, "SELECT to_regprocedure($1) IS NOT NULL", s.walkFunction).Scan(&found); err != nil {
			return fmt.Errorf("engine %s: look up %s: %w", s.name, s.walkFunction, err)
		}
		if !found {
			s.walk = ""
		}
	}
	s.admin, err = s.connect(ctx, b.env.DSN)
	return err
}

// fill loads the table and its btree for filters.
func (b *bench) fill(ctx context.Context, s *store) error {
	b.env.Progress.Step("load "+s.name, b.vectors.Len())
	if err := s.admin.exec(ctx, postgres.DropOwn("TABLE", s.table), s.createTable(b.vectors.Dim)); err != nil {
		return err
	}
	feed := &feed{bench: b, session: s.admin, row: -1}
	if _, err := s.admin.conn.CopyFrom(ctx, pgx.Identifier{s.table}, []string{"id", "bucket", "embedding"}, feed); err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	return s.admin.exec(ctx, fmt.Sprintf("CREATE INDEX %[1]s_bucket ON %[1]s (bucket)", s.table),
		"VACUUM (ANALYZE) "+s.table, prewarm(s.table), prewarm(s.table+"_bucket"))
}

func prewarm(relation string) string { return "SELECT pg_prewarm('" + relation + "')" }

// feed copies the rows of the corpus, without holding them twice.
type feed struct {
	bench   *bench
	session *session
	row     int
}

const feedTick = 1000 // rows

func (f *feed) Next() bool {
	f.row++
	if f.row%feedTick == 0 {
		f.bench.env.Progress.Done(f.row)
	}
	return f.row < f.bench.vectors.Len()
}

func (f *feed) Values() ([]any, error) {
	return []any{int32(f.row), f.bench.buckets[f.row], f.session.value(f.bench.vectors.Row(f.row))}, nil
}

func (f *feed) Err() error { return nil }

// buildIndex replaces the vector index and records what it cost. The number of
// workers is given to the table, so that its size does not decide.
func (b *bench) buildIndex(ctx context.Context, s *store, filtered bool) error {
	b.env.Progress.Step("build index of "+s.name, b.vectors.Len())
	err := s.admin.exec(ctx, postgres.DropOwn("INDEX", s.index()),
		fmt.Sprintf("ALTER TABLE %s SET (parallel_workers = %d)", s.table, b.params.BuildWorkers),
		fmt.Sprintf("SET max_parallel_maintenance_workers = %d", b.params.BuildWorkers),
		fmt.Sprintf("SET maintenance_work_mem = '%s'", b.params.BuildMemory), "CHECKPOINT")
	if err != nil {
		return err
	}
	build := &result.Build{Rows: int64(b.vectors.Len())}
	before, err := b.walPosition(ctx)
	if err != nil {
		return err
	}
	watch := measure.Start()
	if err := b.watched(ctx, func() error { return s.admin.exec(ctx, s.createIndex(b.params, filtered)) }); err != nil {
		return err
	}
	build.Seconds = watch.Seconds()
	after, err := b.walPosition(ctx)
	if err != nil {
		return err
	}
	build.WALBytes = after - before
	if err := b.sizes(ctx, s, build); err != nil {
		return err
	}
	s.build, s.filtered, s.bare = build, filtered && s.filterKey, false
	return s.admin.exec(ctx, fmt.Sprintf("ALTER TABLE %s RESET (parallel_workers)", s.table), prewarm(s.index()))
}

// sizes are of the table, and of its vector index alone.
func (b *bench) sizes(ctx context.Context, s *store, into *result.Build) error {
	err := b.control.QueryRow(ctx, "SELECT pg_table_size($1::text::regclass), pg_relation_size($2::text::regclass)", s.table, s.index()).
		Scan(&into.TableBytes, &into.IndexBytes)
	if err != nil {
		return fmt.Errorf("read sizes of %s: %w", s.table, err)
	}
	return nil
}

func (b *bench) walPosition(ctx context.Context) (int64, error) {
	var at int64
	if err := b.control.QueryRow(ctx, "SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::int8").Scan(&at); err != nil {
		return 0, fmt.Errorf("read WAL position: %w", err)
	}
	return at, nil
}

// watchInterval is how often a build is asked how far it is.
const watchInterval = 500 * time.Millisecond

// watched runs a statement that builds an index and shows how far the server is.
func (b *bench) watched(ctx context.Context, run func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- run() }()
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-ticker.C:
			var tuples int64
			err := b.control.QueryRow(ctx, "SELECT coalesce(max(tuples_done), 0) FROM pg_stat_progress_create_index").Scan(&tuples)
			if err != nil {
				return errors.Join(<-ended, fmt.Errorf("read progress of index build: %w", err))
			}
			b.env.Progress.Done(int(tuples))
		}
	}
}
