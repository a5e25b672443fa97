package postgres

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/measure"
)

// maxToastTarget keeps wide facts in line, so that a vector is read from the
// page that holds its key. It is the largest value that PostgreSQL takes.
const maxToastTarget = 8160

// Load implements engine.Engine: table with primary key, COPY, maintenance,
// indexes, VACUUM (ANALYZE), prewarm.
func (e *Engine) Load(ctx context.Context, src corpus.Source) (engine.Build, error) {
	build, err := e.load(ctx, src)
	if err != nil {
		return engine.Build{}, fmt.Errorf("load %s into engine %s: %w", src.Info().Name, e.cfg.Name, err)
	}
	return build, nil
}

func (e *Engine) load(ctx context.Context, src corpus.Source) (engine.Build, error) {
	rows := src.All(ctx)
	if e.cfg.KeyOrder {
		facts, err := inKeyOrder(ctx, src)
		if err != nil {
			return engine.Build{}, err
		}
		rows = facts.All(ctx)
	}
	var build engine.Build
	walBefore, err := e.walPosition(ctx)
	if err != nil {
		return build, err
	}
	watch := measure.Start()
	if err := e.exec(ctx, DropOwn("TABLE", e.cfg.Table), e.createTable(src.Info().Dim)); err != nil {
		return build, err
	}
	feed := &feed{}
	feed.next, feed.stop = iter.Pull2(rows)
	defer feed.stop()
	build.Rows, err = e.conn.CopyFrom(ctx, pgx.Identifier{e.cfg.Table},
		[]string{"entity_id", "relation_id", "target_id", "embedding", "payload"}, feed)
	if err != nil {
		return build, fmt.Errorf("copy: %w", err)
	}
	steps := slices.Concat(e.cfg.AfterCopy, e.cfg.Indexes, []string{"VACUUM (ANALYZE) " + e.cfg.Table})
	if err := e.exec(ctx, steps...); err != nil {
		return build, err
	}
	build.Seconds = watch.Seconds()
	walAfter, err := e.walPosition(ctx)
	if err != nil {
		return build, err
	}
	build.WALBytes = walAfter - walBefore
	err = e.conn.QueryRow(ctx, "SELECT pg_table_size($1::text::regclass), pg_indexes_size($1::text::regclass)", e.cfg.Table).
		Scan(&build.TableBytes, &build.IndexBytes)
	if err != nil {
		return build, fmt.Errorf("read sizes: %w", err)
	}
	return build, e.prewarm(ctx)
}

func (e *Engine) createTable(dim int) string {
	using := ""
	if e.cfg.AccessMethod != "" {
		using = " USING " + e.cfg.AccessMethod
	}
	return fmt.Sprintf(`CREATE TABLE %s (
	entity_id int4 NOT NULL, relation_id int2 NOT NULL, target_id int4 NOT NULL,
	embedding %s(%d) NOT NULL, payload text NOT NULL,
	PRIMARY KEY (entity_id, relation_id, target_id))%s WITH (toast_tuple_target = %d)`,
		e.cfg.Table, e.cfg.VectorType, dim, using, e.inLine)
}

// prewarm reads table and indexes once, so that the first engine measured has
// no colder cache than the last. Not part of the build time.
func (e *Engine) prewarm(ctx context.Context) error {
	return e.exec(ctx, "CREATE EXTENSION IF NOT EXISTS pg_prewarm",
		"SELECT pg_prewarm('"+e.cfg.Table+"'::regclass)",
		"SELECT pg_prewarm(indexrelid) FROM pg_index WHERE indrelid = '"+e.cfg.Table+"'::regclass")
}

func (e *Engine) exec(ctx context.Context, statements ...string) error {
	for _, sql := range statements {
		if _, err := e.conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", firstLine(sql), err)
		}
	}
	return nil
}

func firstLine(sql string) string {
	const width = 70
	for i, r := range sql {
		if r == '\n' || i >= width {
			return sql[:i] + "..."
		}
	}
	return sql
}

func (e *Engine) walPosition(ctx context.Context) (int64, error) {
	var at int64
	err := e.conn.QueryRow(ctx, "SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::int8").Scan(&at)
	if err != nil {
		return 0, fmt.Errorf("read WAL position: %w", err)
	}
	return at, nil
}

// inKeyOrder returns the rows of a source sorted by primary key. It holds all
// of them in memory, and leaves a source that is held already as it is.
func inKeyOrder(ctx context.Context, src corpus.Source) (*corpus.Facts, error) {
	sorted := src.Info()
	for fact, err := range src.All(ctx) {
		if err != nil {
			return nil, fmt.Errorf("read corpus: %w", err)
		}
		sorted.Rows = append(sorted.Rows, fact)
	}
	slices.SortFunc(sorted.Rows, func(a, b corpus.Fact) int {
		return cmp.Or(cmp.Compare(a.Entity, b.Entity), cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Target, b.Target))
	})
	return &sorted, nil
}

// feed turns an iterator into pgx's copy source.
type feed struct {
	next func() (corpus.Fact, error, bool)
	stop func()
	fact corpus.Fact
	err  error
}

func (f *feed) Next() bool {
	fact, err, ok := f.next()
	f.fact, f.err = fact, err
	return ok && err == nil
}

func (f *feed) Values() ([]any, error) {
	return []any{f.fact.Entity, f.fact.Relation, f.fact.Target, pgvector.NewVector(f.fact.Embedding), f.fact.Payload}, nil
}

func (f *feed) Err() error { return f.err }
