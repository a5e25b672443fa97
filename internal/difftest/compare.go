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
}

// ways to answer a question on key predicates.
var ways = []struct{ name, table, settings string }{
	{"map", mapped, "SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = on"},
	{"scan", mapped, "SET LOCAL enable_seqscan = on; SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off"},
	{"twin", plain, "SET LOCAL enable_seqscan = on; SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off"},
}

// compare asks n questions in one snapshot. isolation is the level of the
// transaction. Any difference is an error of type *Difference.
func (c *comparer) compare(ctx context.Context, conn *pgx.Conn, isolation string, n int) (err error) {
	if _, err := conn.Exec(ctx, "BEGIN ISOLATION LEVEL "+isolation); err != nil {
		return err
	}
	defer func() {
		_, e := conn.Exec(context.WithoutCancel(ctx), "ROLLBACK")
		err = errors.Join(err, e)
	}()

	for range n {
		question := fmt.Sprintf(`SELECT format('%%s rows, %%s', count(*), coalesce(sum(hashtextextended(t::text, 0)), 0)) FROM @ t WHERE %s`, c.predicate())
		if err := ask(ctx, conn, question); err != nil {
			return err
		}
		if !c.expand {
			continue
		}
		if err := expand(ctx, conn, c.expansion()); err != nil {
			return err
		}
	}
	return checkFaults(ctx, conn)
}

// ask answers one question in all ways.
func ask(ctx context.Context, conn *pgx.Conn, question string) error {
	var answers []answer
	for _, way := range ways {
		if _, err := conn.Exec(ctx, way.settings); err != nil {
			return err
		}
		text, err := one(ctx, conn, on(way.table, question))
		if err != nil {
			return fmt.Errorf("%s: %w", way.name, err)
		}
		answers = append(answers, answer{way.name, text})
	}
	return agree(question, answers)
}

// answer is what one way says.
type answer struct{ way, text string }

// one asks for one text.
func one(ctx context.Context, conn *pgx.Conn, question string) (text string, err error) {
	err = conn.QueryRow(ctx, question).Scan(&text)
	return text, err
}

// agree is a *Difference unless all answers are the same.
func agree(question string, answers []answer) error {
	difference := &Difference{Question: question}
	same := true
	for _, a := range answers {
		difference.Answers = append(difference.Answers, a.way+": "+a.text)
		same = same && a.text == answers[0].text
	}
	if same {
		return nil
	}
	return difference
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
	switch c.rng.IntN(5) {
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
	if _, err := conn.Exec(ctx, ways[0].settings); err != nil {
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
