package difftest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/jackc/pgx/v5"
)

// A Difference is what the package exists to find: two answers to one question
// in one snapshot.
type Difference struct {
	Question string
	Answers  []string
}

func (d *Difference) Error() string {
	return fmt.Sprintf("%s\n  %s", d.Question, strings.Join(d.Answers, "\n  "))
}

// comparer asks random questions.
type comparer struct {
	rng    *rand.Rand
	keys   int
	expand bool // also expansions, which want integer keys

	discards bool // caches, now and then
}

// Plans of a question on key predicates. Under byIndex the mapped twin is read
// through its map, unless it has a btree, and the plain one through its btree.
const (
	byIndex = "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = on"
	byScan  = "SET LOCAL enable_seqscan = on; SET LOCAL enable_bitmapscan = off"
	always  = "SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off"
)

// rowsOf tells rows by their ids, which are unique.
const rowsOf = `SELECT format('%%s rows, %%s', count(*), coalesce(sum(hashint8extended(t.id, coalesce(t.r, 9))), 0)) FROM `

// compare asks n questions in a transaction of an isolation level: in one
// snapshot, but for READ COMMITTED. Each question is put to both twins in one
// statement. Any difference is an error of type *Difference.
func (c *comparer) compare(ctx context.Context, conn *pgx.Conn, isolation string, n int) (err error) {
	if _, err := conn.Exec(ctx, "BEGIN ISOLATION LEVEL "+isolation+"; "+always+"; "+byIndex); err != nil {
		return err
	}
	defer func() {
		_, e := conn.Exec(context.WithoutCancel(ctx), "ROLLBACK")
		err = errors.Join(err, e)
	}()

	var cursor *cursor
	if isolation != "READ COMMITTED" && c.rng.IntN(3) == 0 {
		if cursor, err = openCursor(ctx, conn, c.predicate()); err != nil {
			return err
		}
	}
	for range n {
		discard := c.discards && c.rng.IntN(10) == 0
		if discard {
			if err := execute(ctx, conn, discardOn); err != nil {
				return err
			}
		}
		if err := same(ctx, conn, c.question()); err != nil {
			return err
		}
		if discard {
			if err := execute(ctx, conn, discardOff); err != nil {
				return err
			}
		}
		if !c.expand {
			continue
		}
		if err := c.compareExpansion(ctx, conn); err != nil {
			return err
		}
	}
	if cursor != nil {
		if err := cursor.finish(ctx, conn); err != nil {
			return err
		}
	}
	if c.rng.IntN(scanShare) == 0 {
		if err := c.compareScan(ctx, conn); err != nil {
			return err
		}
	}
	return checkFaults(ctx, conn)
}

// scanShare is in how many snapshots the twins are read as a whole once.
const scanShare = 4

// compareScan reads both twins as a whole, and asks whether the mapped one has
// the same rows without its map.
func (c *comparer) compareScan(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, byScan); err != nil {
		return err
	}
	return same(ctx, conn, question{mapped: rowsOfAll(mapped), plain: rowsOfAll(plain)})
}

func rowsOfAll(table string) string {
	return fmt.Sprintf(`SELECT format('%%s rows, %%s', count(*), coalesce(sum(hashtextextended(t::text, 0)), 0)) FROM %s t`, table)
}

// A question is two queries that must give the same text in one snapshot.
type question struct{ mapped, plain string }

// same asks a question, of both twins in one statement.
func same(ctx context.Context, conn *pgx.Conn, q question) error {
	var byMap, byTwin string
	sql := "SELECT (" + q.mapped + "), (" + q.plain + ")"
	if err := conn.QueryRow(ctx, sql, pgx.QueryExecModeSimpleProtocol).Scan(&byMap, &byTwin); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	if byMap != byTwin {
		return &Difference{Question: q.mapped, Answers: []string{mapped + ": " + byMap, plain + ": " + byTwin}}
	}
	return nil
}

// question is a random one on keys: a predicate, or a join that looks keys up
// one after the other.
func (c *comparer) question() question {
	query := fmt.Sprintf(rowsOf+"@ t WHERE %s", c.predicate())
	if c.rng.IntN(10) == 0 {
		from, step := c.rng.IntN(c.keys), 1+c.rng.IntN(40)
		query = fmt.Sprintf(rowsOf+`generate_series(%d, %d, %d) AS s JOIN LATERAL (SELECT * FROM @ t WHERE t.k = difftest_key(s) OFFSET 0) t ON true`,
			from, from+10*step, step)
	}
	return question{mapped: on(mapped, query), plain: on(plain, query)}
}

// checkFaults asks the map itself.
func checkFaults(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT format('%s block %s: %s', object, block, fault) FROM sorted_heap_check('mapped') WHERE severity = 'fault'`)
	if err != nil {
		return err
	}
	faults, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		return &Difference{Question: "sorted_heap_check('mapped')", Answers: faults}
	}
	return nil
}

// predicate is a random condition on the key columns.
func (c *comparer) predicate() string {
	first := fmt.Sprintf("k %s %s", []string{"<", "<=", "=", ">=", ">"}[c.rng.IntN(5)], c.key())
	switch c.rng.IntN(6) {
	case 0, 1:
		first = "k = " + c.key()
	case 2:
		from := c.rng.IntN(c.keys)
		first = fmt.Sprintf("k >= difftest_key(%d) AND k < difftest_key(%d)", from, from+c.rng.IntN(c.keys/10))
	case 3:
		list := []string{c.key()}
		for range c.rng.IntN(40) {
			list = append(list, c.key())
		}
		first = fmt.Sprintf("k = ANY (ARRAY[%s, difftest_key(1)])", strings.Join(list, ", "))
	case 4:
		first = fmt.Sprintf("(k, r) >= (%s, %d) AND (k, r) < (%s, %d)", c.key(), c.rng.IntN(6), c.key(), c.rng.IntN(6))
	}
	switch c.rng.IntN(5) {
	case 0:
		return fmt.Sprintf("%s AND r = %d::smallint", first, c.rng.IntN(6))
	case 1:
		return fmt.Sprintf("%s AND r IN (1, %d, 32767)", first, c.rng.IntN(6))
	case 2:
		return fmt.Sprintf("%s AND r %s %d", first, []string{"<", "<=", ">=", ">"}[c.rng.IntN(4)], c.rng.IntN(6))
	}
	return first
}

// key is a random key that exists, probably, or a little beyond the last.
func (c *comparer) key() string {
	if c.rng.IntN(50) == 0 {
		return "NULL"
	}
	return fmt.Sprintf("difftest_key(%d)", c.rng.IntN(c.keys+c.keys/10))
}

// checkPlan makes sure that the way called map goes through the zone map.
func checkPlan(ctx context.Context, conn *pgx.Conn) (err error) {
	if _, err := conn.Exec(ctx, "BEGIN"); err != nil {
		return err
	}
	defer func() {
		_, e := conn.Exec(context.WithoutCancel(ctx), "ROLLBACK")
		err = errors.Join(err, e)
	}()
	if _, err := conn.Exec(ctx, always+"; "+byIndex); err != nil {
		return err
	}
	rows, err := conn.Query(ctx, "EXPLAIN SELECT count(*) FROM mapped WHERE k = difftest_key(1)")
	if err != nil {
		return err
	}
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	if text := strings.Join(plan, "\n"); !strings.Contains(text, "Bitmap Index Scan on mapped_zone") {
		return fmt.Errorf("the plan does not use the zone map:\n%s", text)
	}
	return nil
}
