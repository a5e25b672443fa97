package ann

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

const (
	// filterRecall is what an engine's ef is chosen for: the smallest of the
	// sweep that has it with full counts, or the largest.
	filterRecall = 0.95
	// choiceQueries is how many queries the choice is made with.
	choiceQueries = 100
	// filterQueries is how many queries are graded and timed, since exact
	// search is among them.
	filterQueries = 200
)

// filtered is an engine's session for one selectivity.
type filtered struct {
	contender
	store *store
	mode  string
	ef    int // 0: exact
	grade grade
}

// filter measures searches among the rows that a condition leaves. Engines whose
// index can hold the condition's column get it there.
func (b *bench) filter(ctx context.Context) error {
	for _, s := range b.live() {
		if !s.filterKey {
			continue
		}
		if err := b.buildIndex(ctx, s, true); err != nil {
			s.bare = true
			if err := b.failed(ctx, s, caseFilter+"_build", err); err != nil {
				return err
			}
		}
	}
	for _, selectivity := range b.params.Selectivities {
		if err := b.filterAt(ctx, selectivity); err != nil {
			return fmt.Errorf("filter of %g %%: %w", selectivity, err)
		}
	}
	return nil
}

// filterAt measures one selectivity.
func (b *bench) filterAt(ctx context.Context, selectivity float64) (err error) {
	limit := int32(bucketLimit(selectivity))
	keep := func(row int) bool { return b.buckets[row] < limit }
	set := b.vectors.Queries[0]
	set.Vectors = set.Vectors[:min(filterQueries, b.queries(set))*b.vectors.Dim]
	t, err := b.exactly(ctx, set, keep)
	if err != nil {
		return err
	}
	var searches []*filtered
	defer func() {
		for _, f := range searches {
			err = errors.Join(err, f.session.close(context.WithoutCancel(ctx)))
		}
	}()
	b.env.Progress.Step(fmt.Sprintf("choose ef for %g %%", selectivity), 0)
	for _, s := range b.live() {
		if s.bare {
			continue
		}
		for _, mode := range s.modes {
			name := fmt.Sprintf("%s_%g%%_%s", caseFilter, selectivity, mode)
			opened, err := s.searcher(ctx, b, selectivity, withIndex(), s.settings(b.params), map[string]string{s.iterative: mode})
			if err == nil {
				f := &filtered{contender: contender{name: name, session: opened, set: set}, store: s, mode: mode}
				searches = append(searches, f)
				if err = b.chooseEf(ctx, f, t, keep); err != nil {
					searches = searches[:len(searches)-1]
					err = errors.Join(err, opened.close(context.WithoutCancel(ctx)))
				}
			}
			if err != nil {
				if err := b.failed(ctx, s, name, err); err != nil {
					return err
				}
			}
		}
	}
	if s := b.exactStore(); s != nil {
		opened, err := s.searcher(ctx, b, selectivity, withoutIndex())
		if err != nil {
			return err
		}
		f := &filtered{contender: contender{name: fmt.Sprintf("%s_%g%%_exact", caseFilter, selectivity), session: opened, set: set}, store: s, mode: exactName}
		searches = append(searches, f)
		if f.grade, err = b.gradeExact(ctx, opened, set, t, b.queries(set), keep); err != nil {
			return err
		}
	}
	return b.timeFiltered(ctx, selectivity, searches, t)
}

// chooseEf sets the ef that an engine does best with, by halving: a larger ef
// finds no less, but for chance. It grades the search at that ef.
func (b *bench) chooseEf(ctx context.Context, f *filtered, t *truth, keep func(row int) bool) error {
	at := func(ef, queries int) (grade, error) {
		if err := f.session.set(ctx, f.store.efSearch, strconv.Itoa(ef)); err != nil {
			return grade{}, err
		}
		return b.grade(ctx, f.session, f.set, t, queries, keep)
	}
	efs := b.params.EfSearch
	some := min(choiceQueries, b.queries(f.set))
	low, high := 0, len(efs)-1
	for low < high {
		middle := (low + high) / 2
		g, err := at(efs[middle], some)
		if err != nil {
			return err
		}
		if g.recall >= filterRecall && g.full == 1 {
			high = middle
		} else {
			low = middle + 1
		}
	}
	var err error
	f.ef = efs[low]
	f.grade, err = at(f.ef, b.queries(f.set))
	return err
}

func (b *bench) timeFiltered(ctx context.Context, selectivity float64, searches []*filtered, t *truth) error {
	if len(searches) == 0 {
		return nil
	}
	contenders := make([]contender, len(searches))
	for i, f := range searches {
		contenders[i] = f.contender
	}
	inputs := b.queries(searches[0].set)
	b.env.Progress.Step(fmt.Sprintf("measure filter of %g %%", selectivity), inputs*b.passes(inputs))
	samples, err := b.time(ctx, contenders, inputs, b.env.Progress.Done)
	if err != nil {
		return err
	}
	for i, f := range searches {
		row, err := b.row(ctx, f.store, f.contender, f.name, samples[i], &f.grade)
		if err != nil {
			return err
		}
		row.Params["part"], row.Params["selectivity"], row.Params["mode"] = caseFilter, selectivity, f.mode
		row.Params["wanted_rows"] = meanOf(t.wanted)
		if f.ef > 0 {
			row.Params["ef_search"] = f.ef
		}
		b.rows = append(b.rows, row)
	}
	return nil
}

func meanOf(numbers []int) float64 {
	sum := 0
	for _, n := range numbers {
		sum += n
	}
	return float64(sum) / float64(max(1, len(numbers)))
}
