package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/measure"
)

var (
	_ engine.Profiled = (*call)(nil)
	_ engine.Newcomer = (*Engine)(nil)
)

// Profile implements engine.Profiled for statements with a graph function.
func (c *call) Profile(ctx context.Context) (engine.Profile, bool, error) {
	if !strings.Contains(c.st.sql, graphFunction) {
		return engine.Profile{}, false, nil
	}
	names := []string{"open", "walk", "seed rows", "hops", "rank", "payload"}
	p := engine.Profile{Stages: make([]engine.Stage, len(names))}
	into := make([]any, len(names), len(names)+3)
	for i, name := range names {
		p.Stages[i].Name = name
		into[i] = &p.Stages[i].MS
	}
	err := c.conn.QueryRow(ctx, `SELECT open_ms, search_ms, ann_ms - search_ms, expand_ms, rerank_ms, payload_ms,
		CASE WHEN sketched THEN 0 ELSE seeds_compared END, CASE WHEN sketched THEN seeds_compared ELSE 0 END,
		seed_rows + expanded_rows
		FROM sorted_heap_graph_rag_stats(), LATERAL (SELECT coalesce(seed_source, '') LIKE '%, sketches') AS s (sketched)`).
		Scan(append(into, &p.Codes, &p.Sketches, &p.Vectors)...)
	if err != nil {
		return engine.Profile{}, false, fmt.Errorf("read statistics of %s: %w", c.name, err)
	}
	return p, true, nil
}

// First implements engine.Newcomer.
func (e *Engine) First(ctx context.Context, t engine.Task, q engine.Question, settings map[string]string) (first, second float64, err error) {
	st, err := e.dialect.build(t)
	if err != nil {
		return 0, 0, err
	}
	conn, err := pgx.Connect(ctx, e.dsn)
	if err != nil {
		return 0, 0, fmt.Errorf("connect engine %s: %w", e.cfg.Name, err)
	}
	fresh := &Engine{cfg: e.cfg, dsn: e.dsn, dialect: e.dialect, conn: conn}
	defer func() { err = errors.Join(err, fresh.Close(context.WithoutCancel(ctx))) }()
	// Loads the library on both sides, as a session that sets a setting of it does.
	if _, err := conn.Exec(ctx, "SELECT '[1]'::"+e.cfg.VectorType); err != nil {
		return 0, 0, fmt.Errorf("engine %s: load type: %w", e.cfg.Name, err)
	}
	for _, s := range []map[string]string{e.cfg.Settings, settings} {
		if err := fresh.set(ctx, s); err != nil {
			return 0, 0, err
		}
	}
	if err := registerVector(ctx, conn, e.cfg.VectorType); err != nil {
		return 0, 0, err
	}
	c := &call{conn: conn, name: "first", st: st}
	watch := measure.Start()
	if _, err := conn.Prepare(ctx, c.name, st.sql); err != nil {
		return 0, 0, fmt.Errorf("engine %s: prepare: %w", e.cfg.Name, err)
	}
	for _, ms := range []*float64{&first, &second} {
		if _, err := c.Run(ctx, q); err != nil {
			return 0, 0, err
		}
		*ms = 1e3 * watch.Seconds()
		watch = measure.Start()
	}
	return first, second, nil
}
