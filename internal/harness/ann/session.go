package ann

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/pgvector/pgvector-go"
	pgxvec "github.com/pgvector/pgvector-go/pgx"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/postgres"
)

// session is a connection with settings of its own and one prepared search.
type session struct {
	conn *pgx.Conn
	half bool
	sql  string
	ids  []int32 // room for an answer
}

const searchStatement = "ann_search"

// connect opens a session that knows the store's vector type. The library is
// loaded first, so that settings with its prefix are checked and not taken as
// placeholders.
func (s *store) connect(ctx context.Context, dsn string, settings ...map[string]string) (_ *session, err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, fmt.Errorf("connect engine %s: %w", s.name, err)
	}
	defer func() {
		if err != nil {
			_ = conn.Close(context.WithoutCancel(ctx))
		}
	}()
	var oid uint32
	if err := conn.QueryRow(ctx, "SELECT '[1]'::"+s.vector+" IS NULL, $1::text::regtype::oid", s.vector).Scan(nil, &oid); err != nil {
		return nil, fmt.Errorf("engine %s: load type %s: %w", s.name, s.vector, err)
	}
	opened := &session{conn: conn, half: s.half}
	kind := &pgtype.Type{Name: s.vector, OID: oid, Codec: pgxvec.VectorCodec{}}
	if s.half {
		kind.Codec = pgxvec.HalfVectorCodec{}
	}
	conn.TypeMap().RegisterType(kind)
	for _, some := range settings {
		for _, name := range slices.Sorted(maps.Keys(some)) {
			if err := opened.set(ctx, name, some[name]); err != nil {
				return nil, fmt.Errorf("engine %s: %w", s.name, err)
			}
		}
	}
	return opened, nil
}

// searcher is a session ready to search.
func (s *store) searcher(ctx context.Context, b *bench, selectivity float64, settings ...map[string]string) (*session, error) {
	opened, err := s.connect(ctx, b.env.DSN, settings...)
	if err != nil {
		return nil, err
	}
	opened.sql = s.searchSQL(b.params, selectivity)
	if _, err := opened.conn.Prepare(ctx, searchStatement, opened.sql); err != nil {
		_ = opened.conn.Close(context.WithoutCancel(ctx))
		return nil, fmt.Errorf("engine %s: prepare search: %w", s.name, err)
	}
	return opened, nil
}

func (s *session) set(ctx context.Context, name, value string) error {
	if _, err := s.conn.Exec(ctx, "SELECT set_config($1, $2, false)", name, value); err != nil {
		return fmt.Errorf("set %s to %s: %w", name, value, err)
	}
	return nil
}

func (s *session) exec(ctx context.Context, statements ...string) error {
	for _, sql := range statements {
		if _, err := s.conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%.70s: %w", sql, err)
		}
	}
	return nil
}

// value is a vector as a parameter.
func (s *session) value(vector []float32) any {
	if s.half {
		return pgvector.NewHalfVector(vector)
	}
	return pgvector.NewVector(vector)
}

// search returns the answer to one query; it is valid until the next call.
func (s *session) search(ctx context.Context, query []float32) ([]int32, error) {
	rows, err := s.conn.Query(ctx, searchStatement, s.value(query))
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	defer rows.Close()
	s.ids = s.ids[:0]
	for rows.Next() {
		var id int32
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		s.ids = append(s.ids, id)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return s.ids, nil
}

// plan explains the prepared search itself.
func (s *session) plan(ctx context.Context, query []float32) (engine.Plan, error) {
	sql := fmt.Sprintf("EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE %s('%s')", searchStatement, pgvector.NewVector(query).String())
	var raw string
	if err := s.conn.QueryRow(ctx, sql, pgx.QueryExecModeSimpleProtocol).Scan(&raw); err != nil {
		return engine.Plan{}, fmt.Errorf("explain search: %w", err)
	}
	plan, err := postgres.ParsePlan(raw)
	if err != nil {
		return engine.Plan{}, fmt.Errorf("explain search: %w", err)
	}
	return plan, nil
}

func (s *session) close(ctx context.Context) error { return s.conn.Close(ctx) }
