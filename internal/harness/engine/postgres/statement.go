package postgres

import (
	"fmt"
	"strings"

	"sortedheap/internal/harness/engine"
)

// dialect is what differs between the facts tables of the engines.
type dialect struct {
	table       string // name, quoted where needed
	vector      string // type of the embedding column
	approximate bool   // an index serves ORDER BY embedding <=> q
}

// statement is a task as SQL, with what its parameters are bound to.
type statement struct {
	sql  string
	args []arg
	task engine.Task
}

// arg names what a parameter is bound to.
type arg int

const (
	argEmbedding arg = iota + 1 // the question's vector
	argSeeds                    // the question's seed ids, int4[]
	argRelation                 // the question's relation of hop 1, those of further hops above
)

// builder writes one statement. Parameters are numbered as they come up.
//
// Constants of the task (ann_k, top_k, relation filters) stand in the text:
// the planner of every engine then sees the same true numbers.
type builder struct {
	dialect
	task engine.Task
	args []arg
}

// build writes the statement of a task.
func (d dialect) build(t engine.Task) (statement, error) {
	if err := t.Validate(); err != nil {
		return statement{}, err
	}
	b := &builder{dialect: d, task: t}
	sql, err := b.rows()
	if err != nil {
		return statement{}, err
	}
	if t.Output == engine.OutputCount {
		sql = "SELECT count(*), sum(length(payload)) FROM (" + sql + ") AS answer"
	}
	return statement{sql: sql, args: b.args, task: t}, nil
}

func (b *builder) rows() (string, error) {
	if len(b.task.Hops) == 0 {
		return b.seedRows(), nil
	}
	switch b.task.Form {
	case engine.FormIn:
		if b.task.Score == engine.ScorePath && len(b.task.Hops) > 1 {
			return b.pathSQL(b.hopFromArray), nil
		}
		return b.rank("FROM " + b.table + " AS f WHERE " + b.inArray(len(b.task.Hops)-1)), nil
	case engine.FormJoin:
		if b.task.Score == engine.ScorePath && len(b.task.Hops) > 1 {
			return b.pathSQL(b.hopFromJoin), nil
		}
		return b.joinSQL(), nil
	case engine.FormExpand:
		return b.rank("FROM " + b.expandIDs(len(b.task.Hops)-1) + " AS f"), nil
	case engine.FormTopK:
		last := len(b.task.Hops) - 1
		return b.answer(fmt.Sprintf("sorted_heap_expand_rerank('%s'::regclass, %s, %s, %d, %s)",
			b.table, b.expandedArray(last), b.query(), b.task.TopK, b.filter(last))), nil
	case engine.FormFused:
		return b.fused()
	case engine.FormOneCall:
		return b.oneCall()
	}
	return "", fmt.Errorf("task %s: unknown form %q", b.task, b.task.Form)
}

// param returns the placeholder of an argument, adding it at first use.
func (b *builder) param(a arg) string {
	for i, have := range b.args {
		if have == a {
			return fmt.Sprintf("$%d", i+1)
		}
	}
	b.args = append(b.args, a)
	return fmt.Sprintf("$%d", len(b.args))
}

func (b *builder) query() string { return b.param(argEmbedding) + "::" + b.vector }

func (b *builder) distance(alias string) string {
	return "(" + alias + ".embedding <=> " + b.query() + ")"
}

// order is the total order of seed rows. An approximate engine gets the bare
// distance, which is what its index can serve.
func (b *builder) order(alias string) string {
	ties := fmt.Sprintf(", %[1]s.entity_id, %[1]s.relation_id, %[1]s.target_id", alias)
	switch {
	case !b.approximate:
		return b.distance(alias) + ties
	case b.task.Seeding == engine.SeedExact:
		return b.distance(alias) + " + 0" + ties // no index serves this order
	default:
		return b.distance(alias)
	}
}

// seedRows is the bare search: the nearest rows themselves.
func (b *builder) seedRows() string {
	return fmt.Sprintf("SELECT f.entity_id, f.relation_id, f.target_id, f.payload, %s AS distance FROM %s AS f ORDER BY %s LIMIT %d",
		b.distance("f"), b.table, b.order("f"), b.task.AnnK)
}

// seedIDs is a subquery that returns seed ids, perhaps with duplicates.
func (b *builder) seedIDs() string {
	return fmt.Sprintf("SELECT f.%s_id AS id FROM %s AS f ORDER BY %s LIMIT %d",
		b.task.SeedBy, b.table, b.order("f"), b.task.AnnK)
}

// seedArray is an int4[] expression of the seed ids.
func (b *builder) seedArray() string {
	if b.task.Seeding == engine.SeedGiven {
		return b.param(argSeeds) + "::int4[]"
	}
	return "ARRAY(" + b.seedIDs() + ")"
}

// inArray is the condition on alias f that makes it a row of the given hop.
func (b *builder) inArray(hop int) string {
	ids := b.seedArray
	if hop > 0 {
		ids = func() string {
			return "ARRAY(SELECT f.target_id FROM " + b.table + " AS f WHERE " + b.inArray(hop-1) + ")"
		}
	}
	return fmt.Sprintf("f.entity_id = ANY (%s)", ids()) + b.relation(" AND", hop)
}

// relation is the condition of a hop's filter, behind a keyword; empty where
// every relation passes.
func (b *builder) relation(keyword string, hop int) string {
	if b.task.Hops[hop] == engine.AnyRelation {
		return ""
	}
	if b.task.Hops[hop] == engine.QueryRelation {
		return keyword + " f.relation_id = " + b.param(argRelation+arg(hop)) + "::int2"
	}
	return fmt.Sprintf("%s f.relation_id = %d", keyword, b.task.Hops[hop])
}

// rank completes a query over alias f with columns, order and limit.
func (b *builder) rank(from string) string {
	if b.task.Score == engine.ScoreNone {
		return "SELECT f.entity_id, f.relation_id, f.target_id, f.payload " + from
	}
	return fmt.Sprintf("SELECT f.entity_id, f.relation_id, f.target_id, f.payload, %s AS distance %s ORDER BY 5, 1, 2, 3 LIMIT %d",
		b.distance("f"), from, b.task.TopK)
}

// joinSQL walks the hops with joins; every step is de-duplicated.
func (b *builder) joinSQL() string {
	ctes := []string{"h0 AS MATERIALIZED (" + b.seedSet() + ")"}
	last := len(b.task.Hops) - 1
	for hop := range last {
		ctes = append(ctes, fmt.Sprintf("h%d AS MATERIALIZED (SELECT DISTINCT f.target_id AS id %s)", hop+1, b.joinHop(hop)))
	}
	return "WITH " + strings.Join(ctes, ", ") + " " + b.rank(b.joinHop(last))
}

func (b *builder) joinHop(hop int) string {
	return fmt.Sprintf("FROM h%d AS h JOIN %s AS f ON f.entity_id = h.id", hop, b.table) + b.relation(" WHERE", hop)
}

func (b *builder) seedSet() string {
	if b.task.Seeding == engine.SeedGiven {
		return "SELECT DISTINCT unnest(" + b.param(argSeeds) + "::int4[]) AS id"
	}
	return "SELECT DISTINCT s.id FROM (" + b.seedIDs() + ") AS s"
}

// pathSQL keeps the smallest distance per reached id and adds it up.
func (b *builder) pathSQL(firstHop func() (ctes []string, from string)) string {
	ctes, from := firstHop()
	last := len(b.task.Hops) - 1
	sum := b.distance("f")
	for hop := range last {
		ctes = append(ctes, fmt.Sprintf("h%d AS MATERIALIZED (SELECT f.target_id AS id, min(%s) AS d %s GROUP BY 1)", hop+1, sum, from))
		from = b.joinHop(hop + 1)
		sum = "h.d + " + b.distance("f")
	}
	return fmt.Sprintf("WITH %s SELECT f.entity_id, f.relation_id, f.target_id, f.payload, %s AS distance %s ORDER BY 5, 1, 2, 3 LIMIT %d",
		strings.Join(ctes, ", "), sum, from, b.task.TopK)
}

func (b *builder) hopFromArray() (ctes []string, from string) {
	return nil, "FROM " + b.table + " AS f WHERE " + b.inArray(0)
}

func (b *builder) hopFromJoin() (ctes []string, from string) {
	return []string{"h0 AS MATERIALIZED (" + b.seedSet() + ")"}, b.joinHop(0)
}
