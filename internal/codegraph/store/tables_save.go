package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/codegraph/graph"
)

// DefaultSchema is where the tables of a graph are unless another is asked for.
const DefaultSchema = "codegraph"

// schemaMark is the comment of a schema that SaveTables made and may replace.
const schemaMark = "code graph, replaced as a whole by the next index run"

// IsDSN reports whether where a graph is kept is a database rather than a folder.
func IsDSN(where string) bool {
	return strings.HasPrefix(where, "postgres://") || strings.HasPrefix(where, "postgresql://") ||
		strings.Contains(where, "host=") || strings.Contains(where, "dbname=")
}

// Open opens a graph in a folder or, when where is a connection string, in the
// tables of a schema. The function returned ends the use of it.
func Open(ctx context.Context, where, schema string) (graph.Backend, func(context.Context) error, error) {
	if IsDSN(where) {
		t, err := OpenTables(ctx, where, schema)
		if err != nil {
			return nil, nil, err
		}
		return t, t.Close, nil
	}
	g, err := LoadFolder(where)
	if err != nil {
		return nil, nil, err
	}
	return g, func(context.Context) error { return nil }, nil
}

// tables are what SaveTables makes, with %[1]s for the schema. Ids may be longer
// than a btree takes, so they are found by hash.
const tables = `
CREATE TABLE %[1]s.meta (info text NOT NULL);
CREATE TABLE %[1]s.nodes (
	number int4 PRIMARY KEY, id text NOT NULL, label text NOT NULL, qualified text NOT NULL, kind int2 NOT NULL, form text NOT NULL,
	lang text NOT NULL, file_type text NOT NULL, file text NOT NULL, line int4 NOT NULL, end_line int4 NOT NULL, community int4 NOT NULL,
	test bool NOT NULL, signature text NOT NULL, doc text NOT NULL) USING sorted_heap;
CREATE TABLE %[1]s.edges_out (
	entity_id int4, relation_id int2, target_id int4, seq int4, embedding svec(1), payload text NOT NULL,
	PRIMARY KEY (entity_id, relation_id, target_id, seq)) USING sorted_heap;
CREATE TABLE %[1]s.edges_in (LIKE %[1]s.edges_out INCLUDING ALL) USING sorted_heap;
CREATE TABLE %[1]s.unresolved (
	seq int4 PRIMARY KEY, source int4 NOT NULL, relation int2 NOT NULL, name text NOT NULL, receiver text NOT NULL, file text NOT NULL,
	line int4 NOT NULL, total int4 NOT NULL, candidates int4[] NOT NULL) USING sorted_heap;
CREATE TABLE %[1]s.candidates (candidate int4, seq int4, PRIMARY KEY (candidate, seq)) USING sorted_heap;
`

const indexes = `
CREATE INDEX ON %[1]s.nodes USING hash (id);
CREATE INDEX ON %[1]s.unresolved (source);
CREATE INDEX ON %[1]s.edges_out USING sorted_zone (entity_id, relation_id);
CREATE INDEX ON %[1]s.edges_in USING sorted_zone (entity_id, relation_id);
ANALYZE %[1]s.nodes, %[1]s.edges_out, %[1]s.edges_in, %[1]s.unresolved, %[1]s.candidates;
`

// CheckTables tries what SaveTables does first and takes it back: an error says
// that the database cannot be reached, or that the role may not make the schema or
// the extension there.
func CheckTables(ctx context.Context, dsn, schema string) (err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("store graph: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	tx, err := conn.Begin(ctx)
	if err != nil {
		return fmt.Errorf("store graph: %w", err)
	}
	if err := replaceSchema(ctx, tx, schema); err != nil {
		return errors.Join(fmt.Errorf("store graph in schema %q: %w", schema, err), tx.Rollback(context.WithoutCancel(ctx)))
	}
	return tx.Rollback(ctx)
}

// SaveTables writes a graph into tables of a schema, in one transaction: readers
// see the graph of before or this one. A schema of that name is replaced when an
// earlier call made it; any other is an error.
func SaveTables(ctx context.Context, dsn, schema string, g *graph.Graph) (err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("store graph: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	tx, err := conn.Begin(ctx)
	if err != nil {
		return fmt.Errorf("store graph: %w", err)
	}
	defer func() {
		if rollback := tx.Rollback(context.WithoutCancel(ctx)); !errors.Is(rollback, pgx.ErrTxClosed) {
			err = errors.Join(err, rollback)
		}
	}()
	if err := replaceSchema(ctx, tx, schema); err != nil {
		return fmt.Errorf("store graph in schema %q: %w", schema, err)
	}
	quoted := pgx.Identifier{schema}.Sanitize()
	if _, err := tx.Exec(ctx, fmt.Sprintf(tables, quoted)); err != nil {
		return fmt.Errorf("store graph in schema %q: %w", schema, err)
	}
	if err := copyGraph(ctx, tx, schema, g); err != nil {
		return fmt.Errorf("store graph in schema %q: %w", schema, err)
	}
	if _, err := tx.Exec(ctx, fmt.Sprintf(indexes, quoted)); err != nil {
		return fmt.Errorf("store graph in schema %q: %w", schema, err)
	}
	if err := tx.Commit(ctx); err != nil {
		return fmt.Errorf("store graph in schema %q: %w", schema, err)
	}
	return nil
}

// replaceSchema makes an empty schema in the place of one that SaveTables made.
func replaceSchema(ctx context.Context, tx pgx.Tx, schema string) error {
	if _, err := tx.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS sorted_heap"); err != nil {
		return err
	}
	var mark *string
	err := tx.QueryRow(ctx, "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = $1", schema).Scan(&mark)
	quoted := pgx.Identifier{schema}.Sanitize()
	switch {
	case errors.Is(err, pgx.ErrNoRows):
	case err != nil:
		return err
	case mark == nil || *mark != schemaMark:
		return errors.New("the schema exists and is not a code graph")
	default:
		if _, err := tx.Exec(ctx, "DROP SCHEMA "+quoted+" CASCADE"); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, "CREATE SCHEMA "+quoted+"; COMMENT ON SCHEMA "+quoted+" IS "+quoteLiteral(schemaMark))
	return err
}

// quoteLiteral writes a constant of the program, or an identifier that is quoted
// already, as a string of SQL.
func quoteLiteral(s string) string {
	s = strings.ReplaceAll(s, "'", "''")
	if strings.Contains(s, `\`) {
		return " E'" + strings.ReplaceAll(s, `\`, `\\`) + "'"
	}
	return "'" + s + "'"
}

// copyGraph fills the tables by COPY, each in the order of its key.
func copyGraph(ctx context.Context, tx pgx.Tx, schema string, g *graph.Graph) error {
	info, err := json.Marshal(g.Summary())
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "INSERT INTO "+pgx.Identifier{schema, "meta"}.Sanitize()+" VALUES ($1)", string(info)); err != nil {
		return err
	}
	load := func(table string, columns []string, n int, row func(i int) ([]any, error)) error {
		_, err := tx.CopyFrom(ctx, pgx.Identifier{schema, table}, columns, pgx.CopyFromSlice(n, row))
		if err != nil {
			return fmt.Errorf("copy %s: %w", table, err)
		}
		return nil
	}
	if err := load("nodes", strings.Split(nodeColumns, ", "), g.Len(), func(i int) ([]any, error) {
		n := g.Node(int32(i))
		return []any{
			int32(i), n.ID, n.Label, n.Qualified, int16(n.Kind), n.Form, n.Lang, string(n.FileType), n.File, int32(n.Line), int32(n.EndLine),
			int32(n.Community), n.Test, n.Signature, n.Doc,
		}, nil
	}); err != nil {
		return err
	}
	keys := []string{"entity_id", "relation_id", "target_id", "seq", "payload"}
	edges := g.Edges()
	if err := load("edges_out", keys, len(edges), func(i int) ([]any, error) {
		return fact(edges[i].Source, edges[i].Target, i, edges[i])
	}); err != nil {
		return err
	}
	var into []int32
	for n := range int32(g.Len()) {
		into = append(into, g.InEdges(n)...)
	}
	if err := load("edges_in", keys, len(into), func(i int) ([]any, error) {
		e := edges[into[i]]
		return fact(e.Target, e.Source, int(into[i]), e)
	}); err != nil {
		return err
	}
	open := g.AllUnresolved()
	if err := load("unresolved", []string{"seq", "source", "relation", "name", "receiver", "file", "line", "total", "candidates"}, len(open),
		func(i int) ([]any, error) {
			u := open[i]
			candidates := u.Candidates
			if candidates == nil {
				candidates = []int32{}
			}
			return []any{int32(i), u.Source, int16(u.Relation), u.Name, u.Receiver, u.File, int32(u.Line), int32(u.Total), candidates}, nil
		}); err != nil {
		return err
	}
	var pairs [][2]int32
	for i, u := range open {
		for _, c := range u.Candidates {
			pairs = append(pairs, [2]int32{c, int32(i)})
		}
	}
	return load("candidates", []string{"candidate", "seq"}, len(pairs), func(i int) ([]any, error) {
		return []any{pairs[i][0], pairs[i][1]}, nil
	})
}

// fact is the row of an edge seen from one of its ends.
func fact(entity, target int32, seq int, e graph.Edge) ([]any, error) {
	text, err := json.Marshal(payload{
		Context: e.Context, Confidence: e.Confidence, Score: e.Score, File: e.File, Line: e.Line, Why: e.Why,
	})
	if err != nil {
		return nil, err
	}
	return []any{entity, int16(e.Relation), target, int32(seq), string(text)}, nil
}
