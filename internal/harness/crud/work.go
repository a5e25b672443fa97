package crud

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"sortedheap/internal/corpus/pyrand"
)

// work is one case: what a slice of it does. Slices of the same number do the
// same on both tables.
type work struct {
	name  string
	load  string
	slice int // statements of a slice
	// before is untimed, at the start of each slice.
	before func(ctx context.Context, s *side) error
	// run is statement number i, counted over the whole run of the program,
	// and returns the rows that it wrote or read.
	run func(ctx context.Context, s *side, i int) (rows int64, err error)
}

// allWork lists the cases in the order in which they run: reads first, while
// nothing is stray.
func allWork(p Params) []work {
	const singles = 200
	return []work{
		{name: "point", load: loadRows, slice: singles, run: func(ctx context.Context, s *side, i int) (int64, error) {
			return s.read(ctx, "SELECT payload FROM "+s.table+" WHERE entity_id = $1", scattered(i, p.Rows))
		}},
		{name: "range_5000", load: loadRows, slice: 20, run: func(ctx context.Context, s *side, i int) (int64, error) {
			from := scattered(i, max(1, p.Rows-rangeRows))
			return s.sum(ctx, "SELECT count(*), sum(length(payload)) FROM "+s.table+" WHERE entity_id BETWEEN $1 AND $2", from, from+rangeRows-1)
		}},
		{name: "update", load: loadRows, slice: singles, run: func(ctx context.Context, s *side, i int) (int64, error) {
			return s.write(ctx, "UPDATE "+s.table+" SET payload = $2 WHERE entity_id = $1 AND relation_id = 1 AND target_id = $1",
				scattered(i, p.Rows), payload(i, p.PayloadBytes))
		}},
		{name: "insert_append", load: loadRows, slice: singles, run: func(ctx context.Context, s *side, i int) (int64, error) {
			return s.write(ctx, insertInto(s), p.Rows+1+i, 1, payload(i, p.PayloadBytes))
		}},
		{name: "delete_insert", load: loadRows, slice: singles, run: func(ctx context.Context, s *side, i int) (int64, error) {
			return s.replace(ctx, scattered(i, p.Rows), payload(i, p.PayloadBytes))
		}},
		{name: "insert", load: loadRows, slice: singles, run: func(ctx context.Context, s *side, i int) (int64, error) {
			return s.write(ctx, insertInto(s), scattered(i, p.Rows), p.Rows+1+i, payload(i, p.PayloadBytes))
		}},
		copyWork("copy_sorted_narrow", p.CopyRows, 0, false, p),
		copyWork("copy_shuffled_narrow", p.CopyRows, 0, true, p),
		copyWork(fmt.Sprintf("copy_sorted_%dd", p.Dim), p.WideCopyRows, p.Dim, false, p),
		copyWork(fmt.Sprintf("copy_shuffled_%dd", p.Dim), p.WideCopyRows, p.Dim, true, p),
	}
}

const rangeRows = 5000

func insertInto(s *side) string {
	return "INSERT INTO " + s.table + " VALUES ($1, 1, $2, NULL, $3)"
}

// scattered is a key that looks drawn from 1 to n, the same for the same i.
func scattered(i, n int) int {
	x := uint64(i)*0x9e3779b97f4a7c15 + 0x632be59bd9b4e019
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	return 1 + int(x%uint64(n))
}

// payload changes with i and keeps its length.
func payload(i, size int) string { return strings.Repeat(string(rune('a'+i%26)), size) }

// copyWork fills an emptied table by one COPY a slice.
func copyWork(name string, rows, dim int, shuffled bool, p Params) work {
	data := &copyRows{dim: dim, text: payload(0, p.PayloadBytes), keys: make([]int32, rows)}
	return work{name: name, load: loadNone, slice: 1,
		before: func(ctx context.Context, s *side) error {
			data.fill(shuffled)
			return s.exec(ctx, "TRUNCATE "+s.table)
		},
		run: func(ctx context.Context, s *side, _ int) (int64, error) {
			data.next = 0
			return s.conn.CopyFrom(ctx, pgx.Identifier{s.table},
				[]string{"entity_id", "relation_id", "target_id", "embedding", "payload"}, data)
		}}
}

// copyRows are rows made while they are copied; only their order is stored.
type copyRows struct {
	keys []int32
	dim  int
	text string
	next int
	key  int32
}

// fill orders the keys, once.
func (c *copyRows) fill(shuffled bool) {
	if c.keys[0] != 0 {
		return
	}
	for i := range c.keys {
		c.keys[i] = int32(i) + 1
	}
	if !shuffled {
		return
	}
	const seed = 42
	draws := pyrand.New(seed)
	for i := len(c.keys) - 1; i > 0; i-- {
		j := int(draws.Below(uint64(i) + 1))
		c.keys[i], c.keys[j] = c.keys[j], c.keys[i]
	}
}

func (c *copyRows) Next() bool {
	if c.next == len(c.keys) {
		return false
	}
	c.key = c.keys[c.next]
	c.next++
	return true
}

func (c *copyRows) Values() ([]any, error) {
	var embedding any
	if c.dim > 0 {
		v := make([]float32, c.dim)
		for d := range v {
			v[d] = float32(scattered(int(c.key)+d, 1000)) / 1000
		}
		embedding = pgvector.NewVector(v)
	}
	return []any{c.key, int16(1), c.key, embedding, c.text}, nil
}

func (*copyRows) Err() error { return nil }

// read counts the rows of a query, taking each as text.
func (s *side) read(ctx context.Context, sql string, args ...any) (int64, error) {
	rows, err := s.conn.Query(ctx, sql, args...)
	if err != nil {
		return 0, err
	}
	var (
		text string
		n    int64
	)
	_, err = pgx.ForEachRow(rows, []any{&text}, func() error {
		n++
		return nil
	})
	return n, err
}

// sum returns the count that a query of count and sum finds.
func (s *side) sum(ctx context.Context, sql string, args ...any) (int64, error) {
	var (
		n     int64
		bytes *int64
	)
	err := s.conn.QueryRow(ctx, sql, args...).Scan(&n, &bytes)
	return n, err
}

func (s *side) write(ctx context.Context, sql string, args ...any) (int64, error) {
	tag, err := s.conn.Exec(ctx, sql, args...)
	return tag.RowsAffected(), err
}

// replace deletes a row and inserts its key again in one transaction, sent as
// one message. The insert is the row that counts.
func (s *side) replace(ctx context.Context, key int, text string) (rows int64, err error) {
	batch := &pgx.Batch{}
	batch.Queue("DELETE FROM "+s.table+" WHERE entity_id = $1 AND relation_id = 1 AND target_id = $1", key)
	batch.Queue("INSERT INTO "+s.table+" VALUES ($1, 1, $1, NULL, $2)", key, text)
	results := s.conn.SendBatch(ctx, batch)
	for range 2 {
		tag, err := results.Exec()
		if err != nil {
			_ = results.Close() // the first error is the cause
			return 0, err
		}
		rows = tag.RowsAffected()
	}
	return rows, results.Close()
}
