package ann

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/result"
)

// Recalls at which engines are compared.
var matchedRecalls = []float64{0.95, 0.99}

// exactQueries is how many queries exact search is timed with.
const exactQueries = 100

// curve grades every ef of every engine and, when the case is chosen, times
// them. Other cases take their ef from these grades.
func (b *bench) curve(ctx context.Context) error {
	for _, s := range b.live() {
		var err error
		if s.plain, err = s.searcher(ctx, b, 100, withIndex(), s.settings(b.params)); err != nil {
			s.out = true
			if err := b.failed(ctx, s, caseCurve, err); err != nil {
				return err
			}
		}
	}
	for i, set := range b.vectors.Queries {
		if err := b.gradeAll(ctx, caseCurve, set, b.truths[i]); err != nil {
			return err
		}
		if !b.params.runs(caseCurve) {
			continue
		}
		if err := b.timeAll(ctx, caseCurve, set, nil); err != nil {
			return err
		}
		b.matched(set)
		if err := b.exactRow(ctx, set, b.truths[i]); err != nil {
			return err
		}
	}
	return nil
}

// gradeAll fills the grades of all engines for a set.
func (b *bench) gradeAll(ctx context.Context, part string, set corpus.QuerySet, t *truth) error {
	b.env.Progress.Step("grade "+set.Name, len(b.live())*len(b.params.EfSearch))
	done := 0
	for _, s := range b.live() {
		s.grades[set.Name] = nil
		for _, ef := range b.params.EfSearch {
			err := s.plain.set(ctx, s.efSearch, strconv.Itoa(ef))
			var g grade
			if err == nil {
				g, err = b.grade(ctx, s.plain, set, t, b.queries(set), nil)
			}
			if err != nil {
				s.out = true
				if err := b.failed(ctx, s, fmt.Sprintf("%s_%s_ef%d", part, set.Name, ef), err); err != nil {
					return err
				}
				break
			}
			s.grades[set.Name] = append(s.grades[set.Name], &g)
			done++
			b.env.Progress.Done(done)
		}
	}
	if part == caseCurve && b.params.runs(caseCurve) {
		return b.gradeOutside(ctx, set, t)
	}
	return nil
}

// timeAll measures, ef by ef, all engines in turns, and makes a row of each.
// extra adds to a row's parameters; it may be nil.
func (b *bench) timeAll(ctx context.Context, part string, set corpus.QuerySet, extra func(s *store, i int, row *result.Row)) error {
	inputs := b.queries(set)
	rounds := inputs * b.passes(inputs)
	b.env.Progress.Step("measure "+part+" "+set.Name, rounds*len(b.params.EfSearch))
	for _, s := range b.live() {
		s.curves[set.Name] = nil
	}
	for i, ef := range b.params.EfSearch {
		var contenders []contender
		for _, s := range b.live() {
			if err := s.plain.set(ctx, s.efSearch, strconv.Itoa(ef)); err != nil {
				return err
			}
			contenders = append(contenders, contender{name: s.name, session: s.plain, set: set})
		}
		inside := len(contenders)
		if part == caseCurve {
			contenders = append(contenders, b.contendOutside(set, ef)...)
		}
		samples, err := b.time(ctx, contenders, inputs, func(done int) { b.env.Progress.Done(i*rounds + done) })
		if err != nil {
			return err
		}
		for k, s := range b.live() {
			g := s.grades[set.Name][i]
			row, err := b.row(ctx, s, contenders[k], fmt.Sprintf("%s_%s_ef%d", part, set.Name, ef), samples[k], g)
			if err != nil {
				return err
			}
			row.Params["part"], row.Params["ef_search"] = part, ef
			if recall, ok := b.figures.of(b.digest, b.params, set.Name, ef); ok {
				row.Params["hnswlib_recall"] = recall
			}
			if extra != nil {
				extra(s, i, &row)
			}
			b.rows = append(b.rows, row)
			s.curves[set.Name] = append(s.curves[set.Name], point{ef, g.recall, row.Samples, row.RowsMean, row.ClientMS, row.ServerMS})
		}
		if part == caseCurve {
			b.rowsOutside(set, i, samples[inside:])
		}
	}
	return nil
}

// matched adds rows at equal recall, interpolated between neighbours of the
// curve.
func (b *bench) matched(set corpus.QuerySet) {
	for _, wanted := range matchedRecalls {
		rival := 0.0
		for _, s := range b.live() {
			m, reached := atRecall(s.curves[set.Name], wanted)
			if !reached {
				last := s.curves[set.Name][len(s.curves[set.Name])-1]
				b.warnings = append(b.warnings, fmt.Sprintf("%s does not reach recall %g on %s queries: %.4f at ef %d",
					s.name, wanted, set.Name, last.recall, last.ef))
				continue
			}
			recall := m.recall()
			row := result.Row{
				Scenario: Name, Corpus: b.vectors.Name, Engine: s.name, EngineVersion: s.version,
				Case: fmt.Sprintf("matched_%s_recall_%g_interpolated", set.Name, wanted),
				Params: map[string]any{"part": "matched", "set": set.Name, "wanted_recall": wanted, "interpolated": !m.atFirst(),
					"ef_search": m.ef(), "between": []int{m.low.ef, m.high.ef}},
				Queries: b.queries(set), Samples: min(m.low.samples, m.high.samples),
				ClientMS: m.latency(clientOf), ServerMS: m.latency(serverOf),
				RowsMean: m.between(m.low.rows, m.high.rows), Quality: &result.Quality{RecallAtK: &recall},
			}
			if s.name == "pgvector" {
				rival = m.median()
			} else if rival > 0 {
				row.Params["ratio_to_pgvector"] = m.median() / rival
			}
			b.rows = append(b.rows, row)
		}
		b.matchedOutside(set, wanted)
	}
}

// exactStore is whose table exact search reads: ours where it is, since its
// type's distance is the faster.
func (b *bench) exactStore() *store {
	live := b.live()
	if !slices.Contains(b.params.Engines, exactName) || len(live) == 0 {
		return nil
	}
	exact := *live[len(live)-1]
	exact.name, exact.build = exactName, nil
	exact.version += " on " + exact.table
	return &exact
}

// exactRow times search without an index. It must find what the truth says, or
// one of the two is wrong, and with it every recall.
func (b *bench) exactRow(ctx context.Context, set corpus.QuerySet, t *truth) (err error) {
	s := b.exactStore()
	if s == nil {
		return nil
	}
	opened, err := s.searcher(ctx, b, 100, withoutIndex())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.close(context.WithoutCancel(ctx))) }()
	n := min(exactQueries, b.queries(set))
	g, err := b.gradeExact(ctx, opened, set, t, n, nil)
	if err != nil {
		return err
	}
	b.env.Progress.Step("measure exact "+set.Name, n*b.passes(n))
	c := contender{name: exactName, session: opened, set: set}
	samples, err := b.time(ctx, []contender{c}, n, b.env.Progress.Done)
	if err != nil {
		return err
	}
	row, err := b.row(ctx, s, c, caseCurve+"_"+set.Name+"_exact", samples[0], &g)
	if err != nil {
		return err
	}
	row.Params["part"], row.Queries = caseCurve, n
	b.rows = append(b.rows, row)
	return nil
}
