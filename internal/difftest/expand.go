package difftest

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// graphColumns are the twins' columns as entity, relation, target, embedding
// and payload of facts.
const graphColumns = `'k', 'r', 'w', 'v', 'pad'`

// allRows is a top_k that cuts nothing: the rows that are cut are under test in
// the regression tests.
const allRows = 1 << 20

// An expansion is one question put to a graph function and to plain SQL, each
// with @ for the table and one text for an answer.
type expansion struct{ call, sql string }

// compareExpansion asks a random one: by map, with the choice, or of the plain
// twin, whose btree the function uses.
func (c *comparer) compareExpansion(ctx context.Context, conn *pgx.Conn) error {
	e := c.expansion()
	way := []struct{ table, access string }{
		{mapped, "zone"}, {mapped, "zone"}, {mapped, "auto"}, {mapped, "auto"}, {plain, "btree"},
	}[c.rng.IntN(5)]
	if _, err := conn.Exec(ctx, "SET LOCAL sorted_heap.graph_access = "+way.access); err != nil {
		return err
	}
	if err := same(ctx, conn, question{mapped: on(way.table, e.call), plain: on(plain, e.sql)}); err != nil {
		return fmt.Errorf("expand by %s: %w", way.access, err)
	}
	return nil
}

// expansion is a random one: from one seed to many, near each other or not,
// one hop or two, with relation filters or without.
func (c *comparer) expansion() expansion {
	seeds := c.seeds()
	filter, condition := c.relation("f.r")
	switch c.rng.IntN(3) {
	case 0:
		const rows = `SELECT format('%%s rows, %%s', count(*), coalesce(sum(hashtextextended(concat_ws(' ', e, r, t, p), 0)), 0)) FROM `
		return expansion{
			call: fmt.Sprintf(rows+`sorted_heap_expand_ids('@', %s, %s) AS f (e, r, t, v, p)`, seeds, filter),
			sql:  fmt.Sprintf(rows+`(SELECT f.k, f.r, f.w, f.pad FROM @ f WHERE f.k = ANY (%s) AND %s) AS f (e, r, t, p)`, seeds, condition),
		}
	case 1:
		return ranked(fmt.Sprintf(`sorted_heap_expand_rerank('@', %s, '[1,2,3]', %d, %s)`, seeds, allRows, filter),
			fmt.Sprintf(`f.k = ANY (%s) AND %s`, seeds, condition))
	default:
		filter1, condition1 := c.relation("h.r")
		return ranked(fmt.Sprintf(`sorted_heap_expand_twohop_rerank('@', %s, '[1,2,3]', %d, %s, %s)`, seeds, allRows, filter1, filter),
			fmt.Sprintf(`f.k IN (SELECT h.w FROM @ h WHERE h.k = ANY (%s) AND %s) AND %s`, seeds, condition1, condition))
	}
}

// ranked compares rows with their distances, best first. Payloads of rows that
// are equal in all else come in any order, and are left out.
func ranked(call, condition string) expansion {
	const rows = `SELECT format('%%s rows, %%s', count(*), coalesce(md5(string_agg(concat_ws(' ', e, coalesce(r, -1), t, round(d::numeric, 6)), ';' ORDER BY n)), '')) FROM `
	return expansion{
		call: fmt.Sprintf(rows+`%s WITH ORDINALITY AS f (e, r, t, p, d, n)`, call),
		sql: fmt.Sprintf(rows+`(SELECT f.k, f.r, f.w, f.v <=> '[1,2,3]', row_number() OVER (ORDER BY f.v <=> '[1,2,3]', f.k, f.r, f.w)
			FROM @ f WHERE %s) AS f (e, r, t, d, n)`, condition),
	}
}

// relation is a filter as argument and as condition on a column.
func (c *comparer) relation(column string) (argument, condition string) {
	if c.rng.IntN(2) == 0 {
		return "NULL", "true"
	}
	r := c.rng.IntN(6)
	return fmt.Sprint(r), fmt.Sprintf("%s = %d", column, r)
}

// seeds is an array of up to 80 keys.
func (c *comparer) seeds() string {
	from, spread := c.rng.IntN(c.keys), c.keys
	if c.rng.IntN(2) == 0 {
		spread = 100
	}
	list := []string{fmt.Sprint(from)}
	for range c.rng.IntN(1 << c.rng.IntN(7)) {
		list = append(list, fmt.Sprint((from+c.rng.IntN(spread))%(c.keys+c.keys/10)))
	}
	return fmt.Sprintf("ARRAY[%s]", strings.Join(list, ", "))
}
