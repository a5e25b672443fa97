// Package measure owns the clocks: it runs trials side by side and returns
// their samples. It knows nothing of databases beyond a ServerClock.
//
// Trials are interleaved (A B C A B C), so drift of the machine hits all
// alike, and within a pass each walks the inputs at its own offset, so that no input is
// given to two trials one after the other: the first would warm the CPU cache
// for the second.
package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Trial is one thing to time.
type Trial struct {
	Name string
	// Call runs input i (0 <= i < Plan.Inputs) to its end, result included,
	// and returns the number of rows.
	Call func(ctx context.Context, i int) (rows int, err error)
	// Server reads the server's own clock; nil where there is none.
	Server ServerClock
	// Parts tells, outside of the timed moment, how long parts of the last Call
	// took by clocks of their own; nil where there are none.
	Parts func(ctx context.Context) ([]Part, error)
}

// Part is a part of a call.
type Part struct {
	Name string
	MS   float64
}

// ServerClock tells what one call cost on the server. It is read in untimed
// moments and must not disturb the session under test.
type ServerClock interface {
	// Last returns the cost of the one call made since the former Last. It
	// is an error when there was not exactly one.
	Last(ctx context.Context) (Cost, error)
}

// Cost is one call on the server.
type Cost struct {
	ExecMS    float64
	PlanMS    float64 // 0 when a cached plan was used
	HitPages  int64   // shared buffers found
	ReadPages int64   // shared buffers read in
}

// Plan says how often.
type Plan struct {
	Inputs int // at least 1
	Passes int // over all inputs, at least 1
	// Budget is how long the calls of one trial may take, in ms of client
	// time; 0: no limit. A slower trial sits out passes, spread evenly, but
	// never the first.
	Budget float64
}

// Samples of one trial, one element per timed call. Without a server clock the
// server's slices are empty.
type Samples struct {
	ClientMS  []float64
	ServerMS  []float64 // plan + exec
	PlanMS    []float64
	HitPages  []float64
	ReadPages []float64
	Rows      []float64
	Parts     map[string][]float64 // ms, by name; nil without parts
}

// Interleave runs all trials and returns their samples in the same order.
// tick is called after every round of calls with rounds done and in all; it
// may be nil. A failing trial ends the measurement: its samples would be of
// something else.
func Interleave(ctx context.Context, trials []Trial, p Plan, tick func(done, total int)) ([]Samples, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	if tick == nil {
		tick = func(int, int) {}
	}
	samples := make([]Samples, len(trials))
	passes := make([]int, len(trials)) // that the budget allows
	for pass := range p.Passes {
		var taking []int
		for k := range trials {
			if pass == 0 || takes(pass, passes[k], p.Passes) {
				taking = append(taking, k)
			}
		}
		stride := Stride(p.Inputs, len(taking))
		for round := range p.Inputs {
			for i, k := range taking {
				if err := once(ctx, &trials[k], (round+i*stride)%p.Inputs, &samples[k]); err != nil {
					return nil, err
				}
			}
			tick(pass*p.Inputs+round+1, p.Inputs*p.Passes)
		}
		if pass == 0 {
			for k := range trials {
				passes[k] = p.affordable(samples[k].ClientMS)
			}
		}
	}
	return samples, nil
}

// affordable is how many passes of a trial the budget allows, by the median of
// the first: its mean would let one hiccup of the machine cost most samples.
func (p Plan) affordable(firstMS []float64) int {
	sorted := slices.Sorted(slices.Values(firstMS))
	pass := sorted[len(sorted)/2] * float64(len(sorted))
	if p.Budget <= 0 || pass*float64(p.Passes) <= p.Budget {
		return p.Passes
	}
	return max(1, int(p.Budget/pass))
}

// takes says whether a trial with n passes of all takes part in this one; its
// passes lie evenly among all, with the first among them.
func takes(pass, n, all int) bool {
	return pass*n/all != (pass-1)*n/all
}

// WarmUp makes untimed calls, n per trial, over the first inputs. It reads no
// server clock.
func WarmUp(ctx context.Context, trials []Trial, inputs, n int, tick func(done, total int)) error {
	for w := range n {
		for k := range trials {
			if err := ctx.Err(); err != nil {
				return err
			}
			if _, err := trials[k].Call(ctx, w%inputs); err != nil {
				return fmt.Errorf("warm up trial %s, input %d: %w", trials[k].Name, w%inputs, err)
			}
		}
		if tick != nil {
			tick(w+1, n)
		}
	}
	return nil
}

// once makes one call and appends its sample.
func once(ctx context.Context, t *Trial, input int, into *Samples) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	started := time.Now()
	rows, err := t.Call(ctx, input)
	elapsed := time.Since(started)
	if err != nil {
		return fmt.Errorf("trial %s, input %d: %w", t.Name, input, err)
	}
	var cost Cost
	if t.Server != nil {
		if cost, err = t.Server.Last(ctx); err != nil {
			return fmt.Errorf("trial %s: server clock: %w", t.Name, err)
		}
	}
	into.ClientMS = append(into.ClientMS, float64(elapsed.Nanoseconds())/1e6)
	into.Rows = append(into.Rows, float64(rows))
	if t.Parts != nil {
		parts, err := t.Parts(ctx)
		if err != nil {
			return fmt.Errorf("trial %s, input %d: parts: %w", t.Name, input, err)
		}
		if into.Parts == nil {
			into.Parts = map[string][]float64{}
		}
		for _, part := range parts {
			into.Parts[part.Name] = append(into.Parts[part.Name], part.MS)
		}
	}
	if t.Server != nil {
		into.ServerMS = append(into.ServerMS, cost.ExecMS+cost.PlanMS)
		into.PlanMS = append(into.PlanMS, cost.PlanMS)
		into.HitPages = append(into.HitPages, float64(cost.HitPages))
		into.ReadPages = append(into.ReadPages, float64(cost.ReadPages))
	}
	return nil
}

func (p Plan) validate() error {
	var errs []error
	if p.Inputs < 1 {
		errs = append(errs, fmt.Errorf("measure: %d inputs, need at least 1", p.Inputs))
	}
	if p.Budget < 0 {
		errs = append(errs, fmt.Errorf("measure: budget of %g ms is negative", p.Budget))
	}
	if p.Passes < 1 {
		errs = append(errs, fmt.Errorf("measure: %d passes, need at least 1", p.Passes))
	}
	return errors.Join(errs...)
}

// Stride returns how many inputs one trial runs ahead of the trial before it,
// chosen so that the same input comes back as late as possible: the smallest
// distance in calls between two uses of one input is as large as it can be.
func Stride(inputs, trials int) int {
	const candidates = 64 // evenly spread; enough to come close to the best
	best, bestGap := 0, -1
	step := max(1, inputs/candidates)
	for stride := 0; stride < inputs; stride += step {
		if gap := smallestGap(inputs, trials, stride); gap > bestGap {
			best, bestGap = stride, gap
		}
	}
	return best
}

// smallestGap walks enough calls for the pattern to repeat itself.
func smallestGap(inputs, trials, stride int) int {
	last := make([]int, inputs)
	for i := range last {
		last[i] = -1
	}
	gap := inputs * trials
	for call := range 2 * inputs * trials {
		round, k := call/trials, call%trials
		in := (round + k*stride) % inputs
		if last[in] >= 0 {
			gap = min(gap, call-last[in])
		}
		last[in] = call
	}
	return gap
}
