package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sortedheap/internal/codegraph/graph"
)

// Tables is a graph in a database. Edges of a set of nodes come from
// sorted_heap_expand_ids over a sorted_heap table of facts, one table for each
// direction, whose embeddings are null: such rows are expanded and never ranked.
// The functions of several hops rank what they return, so a walk of several hops
// is one call for each. Nodes and unresolved calls come by plain SQL.
//
// Calls share one connection and wait for each other.
type Tables struct {
	mu     sync.Mutex
	conn   *pgx.Conn
	schema string // quoted
	info   graph.Info
}

var _ graph.Backend = (*Tables)(nil)

// OpenTables connects to a database and returns the graph in a schema. It returns
// ErrNoGraph, wrapped, when there is none.
func OpenTables(ctx context.Context, dsn, schema string) (*Tables, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, fmt.Errorf("open graph: %w", err)
	}
	t := &Tables{conn: conn, schema: pgx.Identifier{schema}.Sanitize()}
	var text string
	err = conn.QueryRow(ctx, "SELECT info FROM "+t.schema+".meta").Scan(&text)
	var missing *pgconn.PgError
	if errors.As(err, &missing) && (missing.Code == "42P01" || missing.Code == "3F000") {
		err = fmt.Errorf("schema %s: %w", t.schema, ErrNoGraph)
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &t.info)
	}
	if err == nil && t.info.Schema != graph.SchemaVersion {
		err = fmt.Errorf("schema %s holds %q, want %q", t.schema, t.info.Schema, graph.SchemaVersion)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open graph: %w", err), conn.Close(ctx))
	}
	return t, nil
}

// Close ends the connection.
func (t *Tables) Close(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.conn.Close(ctx)
}

// Info implements graph.Backend.
func (t *Tables) Info(context.Context) (graph.Info, error) { return t.info, nil }

// query runs a query and collects its rows.
func query[T any](ctx context.Context, t *Tables, scan func(pgx.CollectableRow) (T, error), sql string, args ...any) ([]T, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rows, err := t.conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}

// Lookup implements graph.Backend.
func (t *Tables) Lookup(ctx context.Context, id string) (int32, bool, error) {
	numbers, err := query(ctx, t, pgx.RowTo[int32], "SELECT number FROM "+t.schema+".nodes WHERE id = $1", id)
	if err != nil || len(numbers) == 0 {
		return 0, false, wrap("look up a node", err)
	}
	return numbers[0], true, nil
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

const nodeColumns = "number, id, label, qualified, kind, form, lang, file_type, file, line, end_line, community, test, signature, doc"

type numberedNode struct {
	number int32
	node   graph.Node
}

func scanNode(row pgx.CollectableRow) (numberedNode, error) {
	var n numberedNode
	var kind int16
	var line, end, community int32
	var fileType string
	x := &n.node
	err := row.Scan(&n.number, &x.ID, &x.Label, &x.Qualified, &kind, &x.Form, &x.Lang, &fileType, &x.File, &line, &end, &community, &x.Test,
		&x.Signature, &x.Doc)
	x.Kind, x.FileType, x.Line, x.EndLine, x.Community = graph.Kind(kind), graph.FileType(fileType), int(line), int(end), int(community)
	return n, err
}

// Nodes implements graph.Backend.
func (t *Tables) Nodes(ctx context.Context, numbers []int32) ([]graph.Node, error) {
	if err := t.check(numbers); err != nil {
		return nil, wrap("read nodes", err)
	}
	found, err := query(ctx, t, scanNode, "SELECT "+nodeColumns+" FROM "+t.schema+".nodes WHERE number = ANY($1)", numbers)
	if err != nil {
		return nil, wrap("read nodes", err)
	}
	byNumber := make(map[int32]*graph.Node, len(found))
	for i := range found {
		byNumber[found[i].number] = &found[i].node
	}
	nodes := make([]graph.Node, len(numbers))
	for i, n := range numbers {
		if byNumber[n] == nil {
			return nil, fmt.Errorf("read nodes: node %d is missing from %s.nodes", n, t.schema)
		}
		nodes[i] = *byNumber[n]
	}
	return nodes, nil
}

// check reports numbers that are no nodes.
func (t *Tables) check(numbers []int32) error {
	for _, n := range numbers {
		if n < 0 || int(n) >= t.info.Nodes {
			return fmt.Errorf("node %d is not one of the graph's %d", n, t.info.Nodes)
		}
	}
	return nil
}

// nodePage is how many nodes EachNode reads at a time.
const nodePage = 5000

// EachNode implements graph.Backend.
func (t *Tables) EachNode(ctx context.Context, visit func(int32, *graph.Node) error) error {
	for from := 0; from < t.info.Nodes; from += nodePage {
		page, err := query(ctx, t, scanNode,
			"SELECT "+nodeColumns+" FROM "+t.schema+".nodes WHERE number >= $1 AND number < $2 ORDER BY number", from, from+nodePage)
		if err != nil {
			return wrap("read nodes", err)
		}
		for i := range page {
			if err := visit(page[i].number, &page[i].node); err != nil {
				return err
			}
		}
	}
	return nil
}

// payload is what a fact says of its edge besides the key.
type payload struct {
	Context    string           `json:"context,omitempty"`
	Confidence graph.Confidence `json:"confidence"`
	Score      float32          `json:"score"`
	File       string           `json:"file,omitempty"`
	Line       int              `json:"line,omitempty"`
	Why        string           `json:"why,omitempty"`
}

// expand is a call of the graph function over the table of a direction.
func (t *Tables) expand(table string, relations graph.RelationSet) (from string, filter *int32, list []int32) {
	for _, r := range relations.List() {
		list = append(list, int32(r))
	}
	if len(list) == 1 { // the function takes one relation or any
		filter = &list[0]
	}
	return "sorted_heap_expand_ids(" + quoteLiteral(t.schema+"."+table) + "::regclass, $1::int4[], $2::int4)", filter, list
}

// Neighbours implements graph.Backend.
func (t *Tables) Neighbours(
	ctx context.Context, numbers []int32, direction graph.Direction, relations graph.RelationSet,
) ([]graph.Edge, error) {
	if err := t.check(numbers); err != nil {
		return nil, wrap("read edges", err)
	}
	var edges []graph.Edge
	for _, way := range ways(direction) {
		from, filter, list := t.expand(way.table, relations)
		found, err := query(ctx, t, func(row pgx.CollectableRow) (graph.Edge, error) { return scanEdge(row, way.direction) },
			"SELECT entity_id, relation_id, target_id, payload FROM "+from+" WHERE relation_id = ANY($3::int4[])", distinct(numbers), filter, list)
		if err != nil {
			return nil, wrap("read edges", err)
		}
		if len(edges) > 0 {
			// An edge between two of the nodes was found from its other end.
			found = slices.DeleteFunc(found, func(e graph.Edge) bool { return slices.Contains(numbers, e.Source) })
		}
		edges = append(edges, found...)
	}
	slices.SortFunc(edges, graph.CompareEdges)
	return edges, nil
}

type way struct {
	direction graph.Direction
	table     string
}

// ways are the tables of a direction, that of edges out first.
func ways(d graph.Direction) []way {
	var all []way
	if d&graph.Out != 0 {
		all = append(all, way{graph.Out, "edges_out"})
	}
	if d&graph.In != 0 {
		all = append(all, way{graph.In, "edges_in"})
	}
	return all
}

func scanEdge(row pgx.CollectableRow, d graph.Direction) (graph.Edge, error) {
	var e graph.Edge
	var relation int16
	var text string
	if err := row.Scan(&e.Source, &relation, &e.Target, &text); err != nil {
		return e, err
	}
	var p payload
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return e, fmt.Errorf("payload of an edge: %w", err)
	}
	if d == graph.In {
		e.Source, e.Target = e.Target, e.Source
	}
	e.Relation, e.Context, e.Confidence, e.Score, e.File, e.Line, e.Why = graph.Relation(relation), p.Context, p.Confidence, p.Score, p.File, p.Line, p.Why
	return e, nil
}

func distinct(numbers []int32) []int32 {
	sorted := slices.Clone(numbers)
	slices.Sort(sorted)
	if sorted = slices.Compact(sorted); sorted == nil {
		return []int32{}
	}
	return sorted
}

// Degrees implements graph.Backend.
func (t *Tables) Degrees(
	ctx context.Context, numbers []int32, direction graph.Direction, relations graph.RelationSet,
) ([]int, error) {
	if err := t.check(numbers); err != nil {
		return nil, wrap("count edges", err)
	}
	degree := map[int32]int{}
	for _, way := range ways(direction) {
		from, filter, list := t.expand(way.table, relations)
		type count struct {
			Node  int32
			Edges int
		}
		found, err := query(ctx, t, pgx.RowToStructByPos[count],
			"SELECT entity_id, count(*) FROM "+from+" WHERE relation_id = ANY($3::int4[]) GROUP BY entity_id", distinct(numbers), filter, list)
		if err != nil {
			return nil, wrap("count edges", err)
		}
		for _, c := range found {
			degree[c.Node] += c.Edges
		}
	}
	degrees := make([]int, len(numbers))
	for i, n := range numbers {
		degrees[i] = degree[n]
	}
	return degrees, nil
}

// Unresolved implements graph.Backend.
func (t *Tables) Unresolved(ctx context.Context, numbers []int32, direction graph.Direction) ([]graph.Unresolved, error) {
	if err := t.check(numbers); err != nil {
		return nil, wrap("read unresolved calls", err)
	}
	where := "false"
	if direction&graph.Out != 0 {
		where += " OR source = ANY($1)"
	}
	if direction&graph.In != 0 {
		where += " OR seq IN (SELECT seq FROM " + t.schema + ".candidates WHERE candidate = ANY($1))"
	}
	found, err := query(ctx, t, scanUnresolved,
		"SELECT source, relation, name, receiver, file, line, candidates, total FROM "+t.schema+".unresolved WHERE $1::int4[] IS NOT NULL AND ("+where+
			") ORDER BY seq", distinct(numbers))
	return found, wrap("read unresolved calls", err)
}

func scanUnresolved(row pgx.CollectableRow) (graph.Unresolved, error) {
	var u graph.Unresolved
	var relation int16
	var line, total int32
	err := row.Scan(&u.Source, &relation, &u.Name, &u.Receiver, &u.File, &line, &u.Candidates, &total)
	u.Relation, u.Line, u.Total = graph.Relation(relation), int(line), int(total)
	return u, err
}
