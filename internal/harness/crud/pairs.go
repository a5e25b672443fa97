package crud

import (
	"context"
	"fmt"

	"sortedheap/internal/harness/measure"
)

// cost is what one table spent in one pair.
type cost struct {
	rows    int64
	seconds float64
	cpu     float64 // seconds
	wal     int64
}

// pair has the costs of both tables; what only sums over the case are known of
// stands in totals.
type pair [2]cost

// samples are all pairs of a case.
type samples struct {
	pairs   []pair
	buffers [2]int64
	widens  [2]int64
	client  [2][]float64 // ms of each statement
}

// measure runs the pairs of a case.
func (b *bench) measure(ctx context.Context, w work, progress interface{ Done(int) }) (*samples, error) {
	out := &samples{}
	for n := range b.params.Pairs {
		for _, s := range b.sides {
			if err := s.exec(ctx, "VACUUM "+s.table); err != nil {
				return nil, err
			}
		}
		if _, err := b.control.Exec(ctx, "CHECKPOINT"); err != nil {
			return nil, fmt.Errorf("checkpoint: %w", err)
		}
		if err := b.turn(ctx, w, n, &pair{}, &samples{}); err != nil {
			return nil, err
		}
		before, err := b.counters(ctx)
		if err != nil {
			return nil, err
		}
		p, err := b.pair(ctx, w, n, out)
		if err != nil {
			return nil, err
		}
		after, err := b.counters(ctx)
		if err != nil {
			return nil, err
		}
		for k := range b.sides {
			out.buffers[k] += after[k].buffers - before[k].buffers
			out.widens[k] += after[k].widens - before[k].widens
		}
		out.pairs = append(out.pairs, p)
		progress.Done(n + 1)
	}
	return out, nil
}

// pair lets the tables take turns until their time is used.
func (b *bench) pair(ctx context.Context, w work, n int, out *samples) (pair, error) {
	var p pair
	watch := measure.Start()
	for turn := 1; turn == 1 || watch.Seconds() < 2*b.params.Seconds; turn++ {
		if err := b.turn(ctx, w, n+turn, &p, out); err != nil {
			return p, err
		}
	}
	return p, nil
}

// turn runs one slice on each table, the same statements on both; who starts
// alternates. The turn before a pair is not counted: it fills the caches of
// sessions that have just vacuumed.
func (b *bench) turn(ctx context.Context, w work, number int, into *pair, out *samples) error {
	for step := range b.sides {
		k := (step + number) % len(b.sides)
		if err := b.slice(ctx, w, k, &into[k], out); err != nil {
			return fmt.Errorf("table %s: %w", b.sides[k].table, err)
		}
	}
	b.serial += w.slice
	return nil
}

// slice runs the statements of one turn on one table and adds their cost.
func (b *bench) slice(ctx context.Context, w work, k int, into *cost, out *samples) error {
	s := b.sides[k]
	if w.before != nil {
		if err := w.before(ctx, s); err != nil {
			return err
		}
	}
	walBefore, err := b.walPosition(ctx)
	if err != nil {
		return err
	}
	cpuBefore, err := s.cpuSeconds()
	if err != nil {
		return err
	}
	watch := measure.Start()
	last := 0.0
	for i := range w.slice {
		rows, err := w.run(ctx, s, b.serial+i)
		if err != nil {
			return err
		}
		into.rows += rows
		now := watch.Seconds()
		out.client[k] = append(out.client[k], 1000*(now-last))
		last = now
	}
	into.seconds += last
	cpuAfter, err := s.cpuSeconds()
	if err != nil {
		return err
	}
	walAfter, err := b.walPosition(ctx)
	if err != nil {
		return err
	}
	into.cpu += cpuAfter - cpuBefore
	into.wal += walAfter - walBefore
	return nil
}

func (s *side) cpuSeconds() (float64, error) {
	if s.cpu == nil {
		return 0, nil
	}
	return s.cpu.Seconds()
}
