package cachesoak

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// reader makes up questions.
type reader struct {
	random  *rand.Rand
	cache   string // the setting by which it uses one or the other
	standby bool   // asks a standby
}

func newReader(seed uint64, round, i int, standby bool) *reader {
	cache := `SET sorted_hnsw.local_cache_size = 0`
	if i%2 == 1 {
		cache = `SET sorted_hnsw.shared_cache = off`
	}
	return &reader{random: rand.New(rand.NewPCG(seed+1, uint64(1000*round+i))), cache: cache, standby: standby}
}

// row is one of an answer.
type row struct {
	CTID     string
	Kind     int16
	Distance float64
}

const (
	// wrongRow is how much distances of the same row may differ.
	wrongRow  = 1e-9
	pagesOnly = `SET LOCAL sorted_hnsw.shared_cache = off; SET LOCAL sorted_hnsw.local_cache_size = 0`
)

func (r *runner) read(ctx context.Context, conn *pgx.Conn, q *reader, over <-chan struct{}) error {
	for _, statement := range []string{q.cache, `SET lock_timeout = '2s'`, `SET sorted_hnsw.ef_search = 20`} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	for {
		select {
		case <-over:
			return nil
		default:
		}
		err := r.ask(ctx, conn, q)
		if refused(err) || errors.Is(err, errRebuilt) || (q.standby && indexGone(err)) {
			r.refused.Add(1)
			continue
		}
		if err != nil {
			return err
		}
		r.questions.Add(1)
	}
}

// indexGone tells whether core's planner met an index that replay had just dropped: no
// lock on the table keeps REINDEX CONCURRENTLY from that on a standby.
func indexGone(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "XX000" && strings.HasPrefix(e.Message, "could not open relation with OID")
}

// errRebuilt is of a question on a standby whose index was built anew on the primary
// after its snapshot: a build leaves out rows that no snapshot of the primary sees, and
// knows nothing of those of standbys. Indexes of every kind miss them for it.
var errRebuilt = errors.New("the index was built anew after the snapshot")

// querier is a connection, or a transaction on it.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// files tells which files a table's index is in now; 0: there is none.
func files(ctx context.Context, q querier, table string) (node int64, err error) {
	err = q.QueryRow(ctx, `SELECT coalesce(pg_relation_filenode(to_regclass($1)), 0)::bigint`, table+"_v").Scan(&node)
	return node, err
}

// question is what is asked three times.
type question struct {
	table, mode, order, where string
}

func (q *reader) question() question {
	t := tables[q.random.IntN(len(tables))]
	mode := t.modes[q.random.IntN(len(t.modes))]
	where := [...]string{"", "", "WHERE kind = 3", "WHERE kind < 5"}[q.random.IntN(4)]
	return question{t.name, mode, fmt.Sprintf("v %s vec(%d, %d)", t.operator, -q.random.IntN(100_000), t.dim), where}
}

// ask asks one question under one snapshot. The lock comes before the snapshot, so
// that no TRUNCATE empties the table for it.
func (r *runner) ask(ctx context.Context, conn *pgx.Conn, q *reader) error {
	asked := q.question()
	before, err := files(ctx, conn, asked.table)
	if err != nil {
		return err
	}
	return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		for _, statement := range []string{
			fmt.Sprintf(`LOCK TABLE %s IN ACCESS SHARE MODE`, asked.table),
			`SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off; SET LOCAL sorted_hnsw.scan_mode = ` + asked.mode,
		} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		err := r.compare(ctx, tx, asked)
		var failed *pgconn.PgError
		if !q.standby || errors.As(err, &failed) {
			return err
		}
		after, e := files(ctx, tx, asked.table)
		if e == nil && after != before {
			return errRebuilt
		}
		return errors.Join(err, e)
	})
}

func (r *runner) compare(ctx context.Context, tx pgx.Tx, q question) error {
	select10 := fmt.Sprintf(`SELECT ctid::text, kind, %s FROM %s %s ORDER BY %[1]s LIMIT 10`, q.order, q.table, q.where)
	before, err := r.versionScans(ctx, tx, q.table)
	if err != nil {
		return err
	}
	cached, err := rows(ctx, tx, select10)
	if err != nil {
		return err
	}
	after, err := r.versionScans(ctx, tx, q.table)
	if err != nil {
		return err
	}
	if after > before {
		r.cached.Add(1)
	}
	if err := r.toTheEnd(ctx, tx, q); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, pagesOnly); err != nil {
		return err
	}
	paged, err := rows(ctx, tx, select10)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `SET LOCAL enable_indexscan = off; SET LOCAL enable_seqscan = on; SET LOCAL enable_sort = on`); err != nil {
		return err
	}
	all, err := rows(ctx, tx, fmt.Sprintf(`SELECT ctid::text, kind, %s AS d FROM %s %s ORDER BY d`, q.order, q.table, q.where))
	if err != nil {
		return err
	}
	if err := right(cached, all); err != nil {
		return fmt.Errorf("%s: by the cache: %w", select10, err)
	}
	if err := right(paged, all); err != nil {
		return fmt.Errorf("%s: by pages: %w", select10, err)
	}
	wanted := min(10, len(all))
	r.wanted.Add(int64(wanted))
	if wanted > 0 {
		r.byCache.Add(hits(cached, all[wanted-1].Distance))
		r.byPages.Add(hits(paged, all[wanted-1].Distance))
	}
	return nil
}

// toTheEnd fails unless a scan without a limit gives each row once.
func (r *runner) toTheEnd(ctx context.Context, tx pgx.Tx, q question) error {
	var found, different, there int64
	if _, err := tx.Exec(ctx, `SET LOCAL sorted_hnsw.iterative_scan = relaxed`); err != nil {
		return err
	}
	err := tx.QueryRow(ctx, fmt.Sprintf(`SELECT count(*), count(DISTINCT ctid), (SELECT count(*) FROM %[2]s %[3]s)
		FROM (SELECT ctid FROM %[2]s %[3]s ORDER BY %[1]s LIMIT 10000000) s`, q.order, q.table, q.where)).
		Scan(&found, &different, &there)
	if err != nil {
		return err
	}
	if found != there || different != there {
		return fmt.Errorf("%s %s by %s: %d rows and %d different ones of %d; %s", q.table, q.where, q.order,
			found, different, there, explained(ctx, tx, q))
	}
	_, err = tx.Exec(ctx, `SET LOCAL sorted_hnsw.iterative_scan = strict`)
	return err
}

// explained tells more of a scan that left rows out: what pages give, and how many
// nodes the version has.
func explained(ctx context.Context, tx pgx.Tx, q question) string {
	var paged, nodes int64
	var mode string
	err := tx.QueryRow(ctx, `SELECT coalesce(max(nodes), 0), current_setting('sorted_hnsw.scan_mode')
		FROM sorted_hnsw_cache_stats() WHERE index = to_regclass($1) AND state = 'ready'`, q.table+"_v").Scan(&nodes, &mode)
	if err == nil {
		_, err = tx.Exec(ctx, pagesOnly)
	}
	if err == nil {
		err = tx.QueryRow(ctx, fmt.Sprintf(`SELECT count(DISTINCT ctid) FROM (SELECT ctid FROM %[2]s %[3]s ORDER BY %[1]s LIMIT 10000000) s`,
			q.order, q.table, q.where)).Scan(&paged)
	}
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("pages give %d, the version has %d nodes, mode %s", paged, nodes, mode)
}

func rows(ctx context.Context, tx pgx.Tx, sql string) ([]row, error) {
	found, err := tx.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(found, pgx.RowToStructByPos[row])
}

// versionScans is how many scans versions of a table's index have answered.
func (r *runner) versionScans(ctx context.Context, tx pgx.Tx, table string) (scans int64, err error) {
	err = tx.QueryRow(ctx, `SELECT coalesce(sum(scans), 0)::bigint FROM sorted_hnsw_cache_stats()
		WHERE index = to_regclass($1) AND state = 'ready'`, table+"_v").Scan(&scans)
	return scans, err
}

// right tells what is wrong with an answer, given all rows that may be in it.
func right(answer, all []row) error {
	there := make(map[string]row, len(all))
	for _, r := range all {
		there[r.CTID] = r
	}
	last := math.Inf(-1)
	given := make(map[string]int, len(answer))
	for i, r := range answer {
		expected, ok := there[r.CTID]
		before, twice := given[r.CTID]
		switch {
		case twice:
			return fmt.Errorf("row %d is row %d once more: %+v", i, before, r)
		case !ok:
			return fmt.Errorf("row %d is not among the %d that there are: %+v", i, len(all), r)
		case expected.Kind != r.Kind || math.Abs(expected.Distance-r.Distance) > wrongRow:
			return fmt.Errorf("row %d is %+v, not %+v", i, expected, r)
		case r.Distance < last:
			return fmt.Errorf("row %d is nearer than the one before: %+v", i, r)
		}
		last = r.Distance
		given[r.CTID] = i
	}
	return nil
}

// hits counts rows that are as near as the farthest of the exact answer.
func hits(answer []row, farthest float64) (n int64) {
	for _, r := range answer {
		if r.Distance <= farthest+wrongRow {
			n++
		}
	}
	return n
}
