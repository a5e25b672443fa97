package ann

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync/atomic"

	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/stats"
)

// clientRecall is the recall at which throughput is compared: each engine works
// at its smallest ef of the sweep that has it.
const clientRecall = 0.95

// clients lets several sessions of each engine ask at once, the engines in
// turns.
func (b *bench) clients(ctx context.Context) (err error) {
	set := b.vectors.Queries[0]
	most := 0
	for _, n := range b.params.Clients {
		most = max(most, n)
	}
	live := b.live()
	sessions := make([][]*session, len(live))
	defer func() {
		for _, some := range sessions {
			for _, s := range some {
				err = errors.Join(err, s.close(context.WithoutCancel(ctx)))
			}
		}
	}()
	chosen := make([]int, len(live))
	for k, s := range live {
		chosen[k] = firstWith(s.grades[set.Name], clientRecall)
		for range most {
			opened, err := s.searcher(ctx, b, 100, withIndex(), s.settings(b.params),
				map[string]string{s.efSearch: strconv.Itoa(b.params.EfSearch[chosen[k]])})
			if err != nil {
				return err
			}
			sessions[k] = append(sessions[k], opened)
		}
	}
	for _, n := range b.params.Clients {
		if err := b.clientsAtOnce(ctx, n, live, sessions, chosen); err != nil {
			return fmt.Errorf("%d clients: %w", n, err)
		}
	}
	return nil
}

// firstWith is the first grade with a recall, or the last.
func firstWith(grades []*grade, recall float64) int {
	for i, g := range grades {
		if g.recall >= recall {
			return i
		}
	}
	return len(grades) - 1
}

// clientsAtOnce measures one number of clients; chosen has the index of each
// engine's ef.
func (b *bench) clientsAtOnce(ctx context.Context, n int, live []*store, sessions [][]*session, chosen []int) error {
	set := b.vectors.Queries[0]
	b.env.Progress.Step(fmt.Sprintf("measure %d clients", n), b.params.ClientRounds*len(live))
	times := make([][]float64, len(live))
	rates := make([][]float64, len(live))
	calls, seconds := make([]float64, len(live)), make([]float64, len(live))
	answered := make([]atomic.Int64, len(live)) // rows
	// Round 0 warms up and is not counted.
	for round := range b.params.ClientRounds + 1 {
		for step := range live {
			k := (step + round) % len(live) // who starts alternates
			loop, err := measure.ClosedLoop(ctx, b.askers(sessions[k][:n], round, &answered[k]), b.params.ClientSeconds)
			if err != nil {
				return fmt.Errorf("engine %s: %w", live[k].name, err)
			}
			if round == 0 {
				answered[k].Store(0)
				continue
			}
			times[k] = append(times[k], loop.ClientMS...)
			rates[k] = append(rates[k], float64(len(loop.ClientMS))/loop.Seconds)
			calls[k] += float64(len(loop.ClientMS))
			seconds[k] += loop.Seconds
			b.env.Progress.Done((round-1)*len(live) + step + 1)
		}
	}
	for k, s := range live {
		g := s.grades[set.Name][chosen[k]]
		row := result.Row{
			Scenario: Name, Corpus: b.vectors.Name, Engine: s.name, EngineVersion: s.version,
			Case:    fmt.Sprintf("%s_%d_%s", caseClients, n, set.Name),
			Params:  map[string]any{"part": caseClients, "set": set.Name, "ef_search": b.params.EfSearch[chosen[k]]},
			Queries: b.queries(set), Samples: len(times[k]), ClientMS: result.NewLatency(stats.Summarize(times[k])),
			Quality:  &result.Quality{RecallAtK: &g.recall, FullCounts: &g.full},
			RowsMean: float64(answered[k].Load()) / calls[k],
			Load:     &result.Load{Clients: n, Rounds: b.params.ClientRounds, QueriesPerSecond: calls[k] / seconds[k]},
		}
		if live[0].name == "pgvector" && k > 0 {
			row.Load.SpeedRatio = pairedRatio(rates[k], rates[0])
		}
		b.rows = append(b.rows, row)
	}
	return nil
}

// askers start far from each other, and elsewhere in each round. They add the
// rows of their answers to answered.
func (b *bench) askers(sessions []*session, round int, answered *atomic.Int64) []func(context.Context, int) error {
	set := b.vectors.Queries[0]
	n := b.queries(set)
	var out []func(context.Context, int) error
	for w, s := range sessions {
		start := w*n/len(sessions) + round*n/7
		out = append(out, func(ctx context.Context, call int) error {
			ids, err := s.search(ctx, b.query(set, (start+call)%n))
			answered.Add(int64(len(ids)))
			return err
		})
	}
	return out
}

func pairedRatio(a, b []float64) *result.Ratio {
	i := stats.PairedRatio(a, b)
	r := &result.Ratio{Value: i.Center}
	if !math.IsNaN(i.Lo) {
		r.Lo, r.Hi = &i.Lo, &i.Hi
	}
	return r
}
