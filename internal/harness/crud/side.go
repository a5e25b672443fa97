package crud

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	pgxvec "github.com/pgvector/pgvector-go/pgx"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/postgres"
	"sortedheap/internal/harness/measure"
)

// side is one of the two tables with its session.
type side struct {
	engine string // name in the rows
	table  string
	method string // of access
	mapped bool   // has a zone map
	conn   *pgx.Conn
	cpu    *measure.CPUClock // nil: not to be read here
}

// bench is the state of a run.
type bench struct {
	params   Params
	sides    [2]*side // the reference first
	control  *pgx.Conn
	counted  bool // pg_stat_statements counts buffers
	loaded   string
	serial   int // of statements; makes keys new
	warnings []string
	version  string
}

func open(ctx context.Context, dsn string, p Params) (*bench, error) {
	b := &bench{params: p, sides: [2]*side{
		{engine: "heap", table: "crud_plain", method: "heap"},
		{engine: "sorted_heap", table: "crud_mapped", method: "sorted_heap", mapped: true},
	}}
	if err := b.connect(ctx, dsn); err != nil {
		return nil, errors.Join(err, b.close(context.WithoutCancel(ctx)))
	}
	return b, nil
}

func (b *bench) connect(ctx context.Context, dsn string) error {
	var err error
	if b.control, err = pgx.Connect(ctx, dsn); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if _, err := b.control.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS sorted_heap"); err != nil {
		return &engine.UnavailableError{Engine: "sorted_heap", Reason: err.Error()}
	}
	err = b.control.QueryRow(ctx, "SELECT extname || ' ' || extversion FROM pg_extension WHERE extname = 'sorted_heap'").Scan(&b.version)
	if err != nil {
		return fmt.Errorf("read extension version: %w", err)
	}
	if err := b.openCounters(ctx); err != nil {
		return err
	}
	for _, s := range b.sides {
		if err := s.connect(ctx, dsn); err != nil {
			return err
		}
		if s.cpu, err = measure.NewCPUClock(s.conn.PgConn().PID()); err != nil && !errors.Is(err, measure.ErrNotLocal) {
			return err
		}
	}
	if b.sides[0].cpu == nil || b.sides[1].cpu == nil {
		b.sides[0].cpu, b.sides[1].cpu = nil, nil
		b.warnings = append(b.warnings, "no CPU times: "+measure.ErrNotLocal.Error())
	}
	return nil
}

// connect opens a session that does not wait for the disk at commit, which would
// hide what a statement costs.
func (s *side) connect(ctx context.Context, dsn string) error {
	var err error
	if s.conn, err = pgx.Connect(ctx, dsn); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if _, err := s.conn.Exec(ctx, "SET synchronous_commit = off"); err != nil {
		return fmt.Errorf("set up session: %w", err)
	}
	if _, err := s.conn.Exec(ctx, "SET jit = off"); err != nil {
		return fmt.Errorf("set up session: %w", err)
	}
	var oid uint32
	if err := s.conn.QueryRow(ctx, "SELECT 'svec'::regtype::oid").Scan(&oid); err != nil {
		return fmt.Errorf("look up type svec: %w", err)
	}
	s.conn.TypeMap().RegisterType(&pgtype.Type{Name: "svec", OID: oid, Codec: pgxvec.VectorCodec{}})
	return nil
}

func (b *bench) close(ctx context.Context) error {
	var errs []error
	for _, conn := range []*pgx.Conn{b.control, b.sides[0].conn, b.sides[1].conn} {
		if conn != nil {
			errs = append(errs, conn.Close(ctx))
		}
	}
	return errors.Join(errs...)
}

// load makes both tables as a case needs them; cases that work on the same rows
// follow one another on the same tables.
func (b *bench) load(ctx context.Context, w work, progress interface{ Step(string, int) }) error {
	if b.loaded == w.load {
		return nil
	}
	progress.Step("load tables for "+w.name, 0)
	for _, s := range b.sides {
		if err := s.load(ctx, b.params, w.load == loadRows); err != nil {
			return fmt.Errorf("load %s: %w", s.table, err)
		}
	}
	b.loaded = w.load
	return nil
}

// What a case finds in the tables.
const (
	loadRows = "rows" // Params.Rows rows in key order
	loadNone = "none"
)

func (s *side) load(ctx context.Context, p Params, filled bool) error {
	steps := []string{
		postgres.DropOwn("TABLE", s.table),
		fmt.Sprintf(`CREATE TABLE %s (entity_id int4 NOT NULL, relation_id int2 NOT NULL, target_id int4 NOT NULL,
	embedding svec, payload text NOT NULL, PRIMARY KEY (entity_id, relation_id, target_id)) USING %s WITH (toast_tuple_target = 8160)`, s.table, s.method),
	}
	if s.mapped {
		steps = append(steps, fmt.Sprintf("CREATE INDEX %[1]s_zone ON %[1]s USING sorted_zone (entity_id, relation_id)", s.table))
	}
	if filled {
		steps = append(steps, fmt.Sprintf("INSERT INTO %s SELECT i, 1, i, NULL, repeat('p', %d) FROM generate_series(1, %d) AS i", s.table, p.PayloadBytes, p.Rows))
		if s.mapped {
			steps = append(steps, fmt.Sprintf("SELECT sorted_heap_compact('%s'::regclass)", s.table))
		}
	}
	steps = append(steps, "VACUUM (ANALYZE) "+s.table)
	return s.exec(ctx, steps...)
}

func (s *side) exec(ctx context.Context, statements ...string) error {
	for _, sql := range statements {
		if _, err := s.conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%.60s: %w", sql, err)
		}
	}
	return nil
}
