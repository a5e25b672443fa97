// Package zvecrepro looks for the smallest case of a known fault of zvec: searches
// that return scores and no ids.
//
// The fault is not monotonic in the number of rows, so the search climbs a ladder
// of row counts, and where a rung fails it halves the way down to the last sound
// one. Within one collection it is monotonic in top_k, so that is counted up.
package zvecrepro

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sortedheap/internal/zvec"
)

// Data are the vectors of a search for the fault, row after row.
type Data struct {
	Name    string
	Recipe  string // how to make them again
	Dim     int
	Vectors []float32
}

// Rows is how many there are.
func (d Data) Rows() int { return len(d.Vectors) / d.Dim }

// Collection is a filled collection with its index.
type Collection interface {
	// Search asks for k rows; a *zvec.EmptyIDsError is the fault.
	Search(ctx context.Context, vector []float32, k int) error
	// Reopen closes it and opens it again.
	Reopen(ctx context.Context) error
	Close() error
}

// Config says what to try.
type Config struct {
	// Build makes a collection of the first rows of the data, Batch rows at a
	// time.
	Build  func(ctx context.Context, d Data, rows int) (Collection, error)
	Batch  int
	TopK   int // the most rows that a search asks for, at least 1
	Probes int // queries per collection: rows of it, spread evenly; at least 1
	Builds int // of the smallest failing case, at least 1
	// Tell is called with what was found at each number of rows.
	Tell func(Case)
}

// Case is one collection and what its searches did.
type Case struct {
	Rows   int
	TopK   int // smallest that fails; 0: none does
	Query  int // first probe that fails with it: the row that it asks for
	Failed int // of Probes, at the largest top_k
	Probes int
}

// Bad says whether any search failed.
func (c Case) Bad() bool { return c.TopK > 0 }

// Finding is what the search for one set of data came to.
type Finding struct {
	Data     Data
	Batch    int    // rows inserted at once
	TopK     int    // searched up to
	Ladder   []Case // in the order of rows
	Smallest *Case  // nil: nothing failed
	Sound    int    // largest number of rows below Smallest that was tried; 0: none
	Builds   int    // further builds of Smallest
	BadAgain int    // of them that fail
	Reopened Case   // Smallest after it was opened again
}

// ladder is tried in full, up to the rows that there are.
var ladder = []int{1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 10_000, 12_000, 16_000, 20_000, 30_000, 45_000, 60_000}

// Find searches one set of data.
func Find(ctx context.Context, cfg Config, d Data) (Finding, error) {
	f := Finding{Data: d, Batch: cfg.Batch, TopK: cfg.TopK}
	for _, rows := range rungs(d.Rows()) {
		c, err := cfg.try(ctx, d, rows, false)
		if err != nil {
			return f, err
		}
		f.Ladder = append(f.Ladder, c)
		if c.Bad() && f.Smallest == nil {
			if err := f.descend(ctx, cfg, c); err != nil {
				return f, err
			}
		}
	}
	if f.Smallest == nil {
		return f, nil
	}
	for range cfg.Builds {
		c, err := cfg.try(ctx, d, f.Smallest.Rows, false)
		if err != nil {
			return f, err
		}
		f.Builds++
		if c.Bad() {
			f.BadAgain++
		}
	}
	var err error
	f.Reopened, err = cfg.try(ctx, d, f.Smallest.Rows, true)
	return f, err
}

// rungs are the ladder's up to n, with n on top.
func rungs(n int) []int {
	steps := slices.DeleteFunc(slices.Clone(ladder), func(rows int) bool { return rows >= n })
	return append(steps, n)
}

// descend halves the way from a failing rung to the sound one below.
func (f *Finding) descend(ctx context.Context, cfg Config, bad Case) error {
	sound := 0
	if len(f.Ladder) > 1 {
		sound = f.Ladder[len(f.Ladder)-2].Rows
	}
	for bad.Rows-sound > 1 {
		c, err := cfg.try(ctx, f.Data, (sound+bad.Rows)/2, false)
		if err != nil {
			return err
		}
		if c.Bad() {
			bad = c
		} else {
			sound = c.Rows
		}
	}
	f.Smallest, f.Sound = &bad, sound
	return nil
}

// try builds a collection and asks its probes.
func (cfg Config) try(ctx context.Context, d Data, rows int, reopen bool) (c Case, err error) {
	if err := ctx.Err(); err != nil {
		return c, err
	}
	collection, err := cfg.Build(ctx, d, rows)
	if err != nil {
		return c, fmt.Errorf("build %d rows of %s: %w", rows, d.Name, err)
	}
	defer func() { err = errors.Join(err, collection.Close()) }()
	if reopen {
		if err := collection.Reopen(ctx); err != nil {
			return c, err
		}
	}
	c = Case{Rows: rows, Probes: min(cfg.Probes, rows)}
	for probe := range c.Probes {
		bad, err := cfg.fails(ctx, collection, d, c.row(probe), cfg.TopK)
		if err != nil {
			return c, err
		}
		if bad {
			c.Failed++
		}
	}
	if c.Failed > 0 {
		err = cfg.smallestK(ctx, collection, d, &c)
	}
	if err == nil && cfg.Tell != nil && !reopen {
		cfg.Tell(c)
	}
	return c, err
}

// smallestK counts top_k up until a probe fails.
func (cfg Config) smallestK(ctx context.Context, collection Collection, d Data, c *Case) error {
	for k := 1; k <= cfg.TopK; k++ {
		for probe := range c.Probes {
			bad, err := cfg.fails(ctx, collection, d, c.row(probe), k)
			if err != nil {
				return err
			}
			if bad {
				c.TopK, c.Query = k, c.row(probe)
				return nil
			}
		}
	}
	return fmt.Errorf("%d rows of %s: %d searches failed, and none when asked again", c.Rows, d.Name, c.Failed)
}

// row is the row that a probe asks for.
func (c Case) row(probe int) int { return probe * c.Rows / c.Probes }

func (cfg Config) fails(ctx context.Context, collection Collection, d Data, row, k int) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	err := collection.Search(ctx, d.Vectors[row*d.Dim:(row+1)*d.Dim], k)
	var fault *zvec.EmptyIDsError
	if errors.As(err, &fault) {
		return true, nil
	}
	return false, err
}
