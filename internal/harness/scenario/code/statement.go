package code

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/postgres"
)

// Param is a parameter of a statement: its SQL type and its value for a question, a
// string, an int, or a slice of float32, int32 or string.
type Param struct {
	Type  string
	Value func(q *corpus.AskedQuestion) any
}

// Statement is one prepared statement of a store's session.
type Statement struct {
	store  *Store
	name   string
	sql    string
	params []Param
}

// Prepare prepares a statement. Its name is to be one of its own in the session.
func (s *Store) Prepare(ctx context.Context, name, sql string, params []Param) (*Statement, error) {
	if _, err := s.Conn.Prepare(ctx, name, sql); err != nil {
		return nil, fmt.Errorf("prepare %s on engine %s: %w", name, s.Engine, err)
	}
	return &Statement{store: s, name: name, sql: sql, params: params}, nil
}

// Text is the statement.
func (s *Statement) Text() string { return s.sql }

// Query runs the statement with the question's values, binary where there is a
// codec. The caller closes the rows.
func (s *Statement) Query(ctx context.Context, q *corpus.AskedQuestion) (pgx.Rows, error) {
	values := make([]any, len(s.params))
	for i, p := range s.params {
		values[i] = p.Value(q)
		if vector, ok := values[i].([]float32); ok {
			values[i] = pgvector.NewVector(vector)
		}
	}
	return s.store.Conn.Query(ctx, s.name, values...)
}

// Rows runs a statement that returns entity, relation, target, payload and distance.
func (s *Statement) Rows(ctx context.Context, q *corpus.AskedQuestion) ([]engine.Row, error) {
	rows, err := s.Query(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", s.name, err)
	}
	answer, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (engine.Row, error) {
		var r engine.Row
		err := row.Scan(&r.Entity, &r.Relation, &r.Target, &r.Payload, &r.Distance)
		return r, err
	})
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", s.name, err)
	}
	return answer, nil
}

// Plan tells how the server runs the statement now: the generic plan, once it has
// switched to that.
func (s *Statement) Plan(ctx context.Context, q *corpus.AskedQuestion) (engine.Plan, error) {
	sql := "EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE " + s.name
	if len(s.params) > 0 {
		values := make([]string, len(s.params))
		for i, p := range s.params {
			values[i] = literal(p.Value(q)) + "::" + p.Type
		}
		sql += "(" + strings.Join(values, ", ") + ")"
	}
	var raw string
	if err := s.store.Conn.QueryRow(ctx, sql, pgx.QueryExecModeSimpleProtocol).Scan(&raw); err != nil {
		return engine.Plan{}, fmt.Errorf("explain %s: %w", s.name, err)
	}
	plan, err := postgres.ParsePlan(raw)
	if err != nil {
		return engine.Plan{}, fmt.Errorf("read plan of %s: %w", s.name, err)
	}
	if s.store.walk == "" || !strings.Contains(plan.Summary, s.store.Table+"_ann") {
		return plan, nil
	}
	walked, err := s.walked(ctx, q)
	plan.Summary += " (index: " + walked + ")"
	return plan, err
}

// walked runs the statement and tells how its search went through the index.
func (s *Statement) walked(ctx context.Context, q *corpus.AskedQuestion) (string, error) {
	rows, err := s.Query(ctx, q)
	if err != nil {
		return "", fmt.Errorf("run %s: %w", s.name, err)
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return "", fmt.Errorf("run %s: %w", s.name, err)
	}
	var how string
	if err := s.store.Conn.QueryRow(ctx, s.store.walk).Scan(&how); err != nil {
		return "", fmt.Errorf("read how %s went through the index: %w", s.name, err)
	}
	return how, nil
}

// literal is a value as an SQL literal, for EXPLAIN EXECUTE, which takes no
// parameters.
func literal(value any) string {
	switch v := value.(type) {
	case []float32:
		return quote(pgvector.NewVector(v).String())
	case []string:
		quoted := make([]string, len(v))
		for i, text := range v {
			quoted[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
		}
		return quote("{" + strings.Join(quoted, ",") + "}")
	case []int32:
		return quote(strings.NewReplacer("[", "{", "]", "}", " ", ",").Replace(fmt.Sprint(v)))
	}
	return quote(fmt.Sprint(value))
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
