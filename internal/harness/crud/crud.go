// Package crud measures what the zone map costs writers and what it gives plain
// reads: the same statements on a heap table with a btree and on a sorted_heap
// table with the same btree and a map.
//
// Both tables hold the same rows, on one server, each with a session of its own.
// A case runs in pairs; within a pair the tables take turns in short slices with
// the same statements, so that drift of the machine hits both alike. Before each
// pair both are vacuumed, which also seals the map, and a checkpoint makes both
// pay for their own full-page images. Afterwards the tables must hold the same
// rows and the map must have no fault, or the row is an error.
//
// The verdict is the server's CPU time per row, from the kernel; wall time is
// beside it.
package crud

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"

	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
)

// Name is the scenario's name.
const Name = "crud"

// Short is one line for people.
const Short = "single-row writes, COPY, point and range reads, on heap and on sorted_heap with its map"

// Params are the choices of a run.
type Params struct {
	Rows         int     // loaded before the single-row cases; at least 1000
	CopyRows     int     // of a narrow COPY; at least 1
	WideCopyRows int     // of a COPY with vectors; at least 1
	Dim          int     // components of the wide rows' vectors; at least 1
	PayloadBytes int     // of each row; at least 1
	Pairs        int     // at least 1; an interval needs 2
	Seconds      float64 // of each table in each pair; more than 0
	// Cases keeps only cases with a matching name; nil keeps all.
	Cases *regexp.Regexp
}

// Default takes two to three minutes in all.
func Default() Params {
	return Params{Rows: 1_000_000, CopyRows: 200_000, WideCopyRows: 20_000, Dim: 384, PayloadBytes: 16, Pairs: 5, Seconds: 1.5}
}

// Validate reports every parameter that is out of range.
func (p Params) Validate() error {
	var errs []error
	for _, c := range []struct {
		name         string
		value, least int
		most         int
	}{
		{"rows", p.Rows, 1000, 100_000_000}, {"copy-rows", p.CopyRows, 1, 10_000_000}, {"wide-copy-rows", p.WideCopyRows, 1, 1_000_000},
		{"dim", p.Dim, 1, 1900}, {"payload-bytes", p.PayloadBytes, 1, 4096}, {"pairs", p.Pairs, 1, 1000},
	} {
		if c.value < c.least || c.value > c.most {
			errs = append(errs, fmt.Errorf("%s is %d, must be in %d..%d", c.name, c.value, c.least, c.most))
		}
	}
	if !(p.Seconds > 0 && p.Seconds <= 3600) {
		errs = append(errs, fmt.Errorf("seconds is %g, must be above 0 and at most 3600", p.Seconds))
	}
	if p.Cases != nil && len(p.chosen()) == 0 {
		errs = append(errs, fmt.Errorf("no case matches %q", p.Cases))
	}
	return errors.Join(errs...)
}

// Map is the parameters for the result file.
func (p Params) Map() map[string]any {
	return map[string]any{"scenario": Name, "rows": p.Rows, "copy_rows": p.CopyRows, "wide_copy_rows": p.WideCopyRows,
		"dim": p.Dim, "payload_bytes": p.PayloadBytes, "pairs": p.Pairs, "seconds": p.Seconds}
}

// chosen are the cases of a run.
func (p Params) chosen() []work {
	var out []work
	for _, w := range allWork(p) {
		if p.Cases == nil || p.Cases.MatchString(w.name) {
			out = append(out, w)
		}
	}
	return out
}

// Run measures all cases on a database and returns two rows a case. The database
// must allow CREATE EXTENSION, VACUUM and CHECKPOINT.
func Run(ctx context.Context, dsn string, p Params, progress scenario.Progress) (rows []result.Row, warnings []string, err error) {
	if err := p.Validate(); err != nil {
		return nil, nil, fmt.Errorf("scenario %s: %w", Name, err)
	}
	b, err := open(ctx, dsn, p)
	if err != nil {
		return nil, nil, fmt.Errorf("scenario %s: %w", Name, err)
	}
	defer func() { err = errors.Join(err, b.close(context.WithoutCancel(ctx))) }()
	for _, w := range p.chosen() {
		if err := b.load(ctx, w, progress); err != nil {
			return rows, b.warnings, fmt.Errorf("scenario %s: case %s: %w", Name, w.name, err)
		}
		progress.Step("measure "+w.name, p.Pairs)
		pairs, err := b.measure(ctx, w, progress)
		if err != nil {
			return rows, b.warnings, fmt.Errorf("scenario %s: case %s: %w", Name, w.name, err)
		}
		made, err := b.rows(ctx, w, pairs)
		if err != nil {
			return rows, b.warnings, fmt.Errorf("scenario %s: case %s: %w", Name, w.name, err)
		}
		rows = append(rows, made...)
	}
	return rows, b.warnings, nil
}

// perRow divides by a count of rows that may be zero.
func perRow(sum float64, rows int64) float64 {
	if rows == 0 {
		return math.NaN()
	}
	return sum / float64(rows)
}
