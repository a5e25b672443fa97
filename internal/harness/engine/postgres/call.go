package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/engine"
)

// call is one prepared statement on the engine's session.
type call struct {
	conn *pgx.Conn
	name string
	st   statement
	// index is named in plans that search by it, and walk tells how; see Config.Walk.
	index, walk string
}

var _ engine.Call = (*call)(nil)

// Prepare implements engine.SQL.
func (e *Engine) Prepare(ctx context.Context, t engine.Task) (engine.Call, error) {
	if reason := e.cfg.Capabilities.Refuses(t); reason != "" {
		return nil, fmt.Errorf("engine %s: %s", e.cfg.Name, reason)
	}
	st, err := e.dialect.build(t)
	if err != nil {
		return nil, err
	}
	e.calls++
	c := &call{conn: e.conn, name: fmt.Sprintf("bench_%d", e.calls), st: st, index: e.cfg.Table + "_ann", walk: e.cfg.Walk}
	if _, err := e.conn.Prepare(ctx, c.name, st.sql); err != nil {
		return nil, fmt.Errorf("engine %s: prepare: %w", e.cfg.Name, err)
	}
	return c, nil
}

// Text implements engine.Call.
func (c *call) Text() string { return c.st.sql }

// Run implements engine.Call. Every column of every row is decoded, as a
// client would.
func (c *call) Run(ctx context.Context, q engine.Question) (int, error) {
	values, err := bind(c.st, q)
	if err != nil {
		return 0, fmt.Errorf("run %s: %w", c.name, err)
	}
	rows, err := c.conn.Query(ctx, c.name, values...)
	if err != nil {
		return 0, fmt.Errorf("run %s: %w", c.name, err)
	}
	defer rows.Close()
	var (
		answer     engine.Row
		count, sum *int64
		n          int
	)
	into := []any{&answer.Entity, &answer.Relation, &answer.Target, &answer.Payload, &answer.Distance}
	if columns := len(rows.FieldDescriptions()); columns == 2 {
		into = []any{&count, &sum}
	} else {
		into = into[:columns]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return 0, fmt.Errorf("read row of %s: %w", c.name, err)
		}
		n++
	}
	if err := rows.Err(); err != nil {
		return 0, fmt.Errorf("run %s: %w", c.name, err)
	}
	if count != nil {
		n = int(*count)
	}
	return n, nil
}

// planNode is what we read of EXPLAIN (FORMAT JSON).
type planNode struct {
	NodeType string     `json:"Node Type"`
	Relation string     `json:"Relation Name"`
	Index    string     `json:"Index Name"`
	Function string     `json:"Function Name"`
	Provider string     `json:"Custom Plan Provider"`
	Graph    string     `json:"Function"` // of our own scan node
	Parallel bool       `json:"Parallel Aware"`
	Plans    []planNode `json:"Plans"`
}

// Plan implements engine.Call. It explains the prepared statement itself, so
// it shows the generic plan once the server has switched to it.
func (c *call) Plan(ctx context.Context, q engine.Question) (engine.Plan, error) {
	sql := "EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE " + c.name
	if len(c.st.args) > 0 {
		values, err := literals(c.st, q)
		if err != nil {
			return engine.Plan{}, fmt.Errorf("explain %s: %w", c.name, err)
		}
		sql += "(" + values + ")"
	}
	var raw string
	if err := c.conn.QueryRow(ctx, sql, pgx.QueryExecModeSimpleProtocol).Scan(&raw); err != nil {
		return engine.Plan{}, fmt.Errorf("explain %s: %w", c.name, err)
	}
	plan, err := ParsePlan(raw)
	if err != nil {
		return engine.Plan{}, fmt.Errorf("read plan of %s: %w", c.name, err)
	}
	if strings.Contains(plan.Summary, graphFunction) {
		inside, err := c.inside(ctx, q)
		if err != nil {
			return engine.Plan{}, err
		}
		plan.Summary += " (" + inside + ")"
	}
	if c.walk != "" && strings.Contains(plan.Summary, c.index) {
		walked, err := c.walked(ctx, q)
		if err != nil {
			return engine.Plan{}, err
		}
		plan.Summary += " (index: " + walked + ")"
	}
	return plan, nil
}

// walked runs the statement and tells how its search went through the index.
func (c *call) walked(ctx context.Context, q engine.Question) (string, error) {
	if _, err := c.Run(ctx, q); err != nil {
		return "", err
	}
	var how string
	if err := c.conn.QueryRow(ctx, c.walk).Scan(&how); err != nil {
		return "", fmt.Errorf("read how %s went through the index: %w", c.name, err)
	}
	return how, nil
}

// ParsePlan takes what EXPLAIN (VERBOSE, FORMAT JSON) says of one statement.
func ParsePlan(raw string) (engine.Plan, error) {
	var explained []struct {
		Plan    planNode
		QueryID int64 `json:"Query Identifier"`
	}
	if err := json.Unmarshal([]byte(raw), &explained); err != nil {
		return engine.Plan{}, err
	}
	if len(explained) != 1 {
		return engine.Plan{}, fmt.Errorf("%d statements explained", len(explained))
	}
	return engine.Plan{Summary: explained[0].Plan.summary(), QueryID: explained[0].QueryID}, nil
}

// graphFunction is how names of the extension's graph functions begin.
const graphFunction = "sorted_heap_"

// inside tells how the graph functions of a statement read the table, which
// EXPLAIN does not see: it runs the statement and asks for the statistics of
// the session's last call.
func (c *call) inside(ctx context.Context, q engine.Question) (string, error) {
	if _, err := c.Run(ctx, q); err != nil {
		return "", err
	}
	var seeds, access *string
	err := c.conn.QueryRow(ctx, "SELECT seed_method, access FROM sorted_heap_graph_rag_stats()").Scan(&seeds, &access)
	if err != nil {
		return "", fmt.Errorf("read statistics of %s: %w", c.name, err)
	}
	var parts []string
	if seeds != nil && *seeds != "" {
		parts = append(parts, "seeds: "+*seeds)
	}
	if access != nil {
		parts = append(parts, "rows: "+*access)
	}
	return strings.Join(parts, ", "), nil
}

// summary is the root node, then each distinct way a relation is read, in
// the order of first appearance.
func (p planNode) summary() string {
	var reads []string
	var walk func(planNode)
	walk = func(n planNode) {
		read := ""
		switch {
		case n.Index != "":
			read = n.NodeType + " " + n.Index
		case n.Function != "":
			read = n.Function
		case n.Graph != "":
			read = n.Provider + " " + n.Graph
		case n.Provider != "":
			read = n.Provider + " " + n.Relation
		case n.NodeType == "Seq Scan":
			read = n.NodeType + " " + n.Relation
		}
		if read != "" && n.Parallel {
			read = "Parallel " + read
		}
		if read != "" && !slices.Contains(reads, read) {
			reads = append(reads, read)
		}
		for _, child := range n.Plans {
			walk(child)
		}
	}
	walk(p)
	if len(reads) == 0 {
		return p.NodeType
	}
	return p.NodeType + ": " + strings.Join(reads, ", ")
}
