package crud

import (
	"context"
	"fmt"
	"math"

	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/stats"
)

// rows turns the pairs of a case into the rows of both tables.
func (b *bench) rows(ctx context.Context, w work, m *samples) ([]result.Row, error) {
	fault, err := b.fault(ctx)
	if err != nil {
		return nil, err
	}
	state, err := b.mapState(ctx)
	if err != nil {
		return nil, err
	}
	var out []result.Row
	for k, s := range b.sides {
		t := b.throughput(m, k)
		row := result.Row{
			Scenario: Name, Corpus: w.load, Engine: s.engine, EngineVersion: b.version, Case: w.name,
			Params:  map[string]any{"slice": w.slice},
			Queries: 1, Samples: len(m.client[k]), ClientMS: result.NewLatency(stats.Summarize(m.client[k])), Throughput: t,
			RowsMean: perRow(float64(t.Rows), int64(len(m.client[k]))), Error: fault,
		}
		if s.mapped {
			row.Params["map"] = state
		}
		out = append(out, row)
	}
	if m.pairs[0][0].rows == 0 {
		return nil, fmt.Errorf("no row was written or read")
	}
	return out, nil
}

// throughput sums up the pairs of one table. The second table is compared with
// the first.
func (b *bench) throughput(m *samples, k int) *result.Throughput {
	t := &result.Throughput{Pairs: len(m.pairs)}
	var seconds, cpu float64
	var wal int64
	var speed, work [2][]float64 // rows per second of wall and of CPU time, per pair
	for _, p := range m.pairs {
		t.Rows += p[k].rows
		seconds += p[k].seconds
		cpu += p[k].cpu
		wal += p[k].wal
		for side := range p {
			speed[side] = append(speed[side], float64(p[side].rows)/p[side].seconds)
			work[side] = append(work[side], float64(p[side].rows)/p[side].cpu)
		}
	}
	t.RowsPerSecond = float64(t.Rows) / seconds
	t.WALBytes = perRow(float64(wal), t.Rows)
	if b.sides[k].cpu != nil {
		t.CPUMicros = pointer(perRow(1e6*cpu, t.Rows))
	}
	if b.counted {
		t.Buffers = pointer(perRow(float64(m.buffers[k]), t.Rows))
	}
	if k == 0 {
		return t
	}
	if b.sides[k].mapped {
		t.Widens = pointer(perRow(float64(m.widens[k]), t.Rows))
	}
	t.SpeedRatio = ratio(speed[k], speed[0])
	if b.sides[k].cpu != nil {
		t.CPURatio = ratio(work[k], work[0])
	}
	return t
}

func ratio(a, b []float64) *result.Ratio {
	i := stats.PairedRatio(a, b)
	r := &result.Ratio{Value: i.Center}
	if !math.IsNaN(i.Lo) {
		r.Lo, r.Hi = &i.Lo, &i.Hi
	}
	return r
}

func pointer(v float64) *float64 { return &v }
