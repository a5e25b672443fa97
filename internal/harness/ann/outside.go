package ann

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/stats"
	"sortedheap/internal/harness/vectorstore"
)

// outsideNames are the engines outside of PostgreSQL. They take part in curves
// alone, on the client's clock: no SQL filters, and one client at a time.
var outsideNames = []string{"zvec", "zvec-latest", "qdrant"}

// outsider is a vector store in a run.
type outsider struct {
	vectorstore.Store
	shape    vectorstore.Search
	ids      []int32 // room for an answer
	insideMS float64 // of the last search
	build    *result.Build
	curves   map[string][]point
	grades   map[string][]*grade
	out      bool // failed; its rows say why
}

// asker answers queries: a session, or a store outside.
type asker interface {
	search(ctx context.Context, query []float32) ([]int32, error)
}

func (o *outsider) search(ctx context.Context, query []float32) ([]int32, error) {
	answer, err := o.Search(ctx, query, o.shape)
	if err != nil {
		return nil, err
	}
	o.ids, o.insideMS = o.ids[:0], answer.InsideMS
	for _, hit := range answer.Hits {
		o.ids = append(o.ids, int32(hit.Row))
	}
	return o.ids, nil
}

// parts is the time that the store itself reports, where it does.
func (o *outsider) parts(context.Context) ([]measure.Part, error) {
	if o.insideMS == 0 {
		return nil, nil
	}
	return []measure.Part{{Name: "inside", MS: o.insideMS}}, nil
}

// loadOutside opens and fills the stores; one that cannot run, or whose index
// cannot be what the run asks for, is a row.
func (b *bench) loadOutside(ctx context.Context) error {
	for _, s := range b.env.Stores {
		var err error
		if b.params.Metric != "cosine" || b.params.Element != "float" {
			err = &engine.UnavailableError{Engine: s.Name(), Reason: "it is measured by cosine distance of single floats alone"}
		} else {
			err = s.Open(ctx)
		}
		var unavailable *engine.UnavailableError
		if errors.As(err, &unavailable) {
			b.outsideFailed(s, "", err)
			continue
		}
		if err != nil {
			return err
		}
		o := &outsider{Store: s, shape: vectorstore.Search{K: b.params.TopK}, curves: map[string][]point{}, grades: map[string][]*grade{}}
		b.outsiders = append(b.outsiders, o)
		b.env.Progress.Step("load "+s.Name(), b.vectors.Len())
		built, err := s.Load(ctx, b.vectors.Dim, b.vectorRows())
		if err != nil {
			return err
		}
		o.build = &result.Build{Rows: built.Rows, Seconds: built.Seconds, IndexBytes: built.Bytes, StoreSeconds: built.Seconds, StoreBytes: built.Bytes}
	}
	return nil
}

func (b *bench) vectorRows() iter.Seq2[[]float32, error] {
	return func(yield func([]float32, error) bool) {
		for i := range b.vectors.Len() {
			if i%feedTick == 0 {
				b.env.Progress.Done(i)
			}
			if !yield(b.vectors.Row(i), nil) {
				return
			}
		}
	}
}

func (b *bench) outsideFailed(s vectorstore.Store, name string, err error) {
	b.env.Progress.Note("%s %s: %v", s.Name(), name, err)
	b.rows = append(b.rows, result.Row{Scenario: Name, Corpus: b.vectors.Name, Engine: s.Name(), EngineVersion: s.Version(),
		Case: name, Params: map[string]any{}, Error: err.Error()})
}

// outside are the stores that have not failed.
func (b *bench) outside() []*outsider {
	var out []*outsider
	for _, o := range b.outsiders {
		if !o.out {
			out = append(out, o)
		}
	}
	return out
}

// gradeOutside grades every ef. A spoiled answer ends the store's part in the run.
func (b *bench) gradeOutside(ctx context.Context, set corpus.QuerySet, t *truth) error {
	for _, o := range b.outside() {
		b.env.Progress.Step("grade "+o.Name()+" "+set.Name, len(b.params.EfSearch))
		for i, ef := range b.params.EfSearch {
			o.shape.Ef = ef
			g, err := b.grade(ctx, o, set, t, b.queries(set), nil)
			var fault *engine.FaultError
			var wrong *wrongRowError
			if errors.As(err, &fault) || errors.As(err, &wrong) {
				o.out = true
				b.outsideFailed(o.Store, fmt.Sprintf("%s_%s_ef%d", caseCurve, set.Name, ef), err)
				break
			}
			if err != nil {
				return fmt.Errorf("engine %s: %w", o.Name(), err)
			}
			o.grades[set.Name] = append(o.grades[set.Name], &g)
			b.env.Progress.Done(i + 1)
		}
	}
	return nil
}

// contendOutside lets the stores take turns with the engines inside.
func (b *bench) contendOutside(set corpus.QuerySet, ef int) []contender {
	var out []contender
	for _, o := range b.outside() {
		o.shape.Ef = ef
		out = append(out, contender{name: o.Name(), outside: o, set: set})
	}
	return out
}

// rowsOutside makes rows of what the stores were measured at, the i-th ef.
func (b *bench) rowsOutside(set corpus.QuerySet, i int, samples []measure.Samples) {
	ef := b.params.EfSearch[i]
	for k, o := range b.outside() {
		g, m := o.grades[set.Name][i], samples[k]
		row := result.Row{
			Scenario: Name, Corpus: b.vectors.Name, Engine: o.Name(), EngineVersion: o.Version(),
			Case: fmt.Sprintf("%s_%s_ef%d", caseCurve, set.Name, ef), Plan: o.Name() + " hnsw",
			Params:  map[string]any{"set": set.Name, "part": caseCurve, "ef_search": ef, "session": o.Settings()},
			Queries: b.queries(set), Samples: len(m.ClientMS), ClientMS: result.NewLatency(stats.Summarize(m.ClientMS)),
			RowsMean: stats.Summarize(m.Rows).Mean, Build: o.build, Quality: &result.Quality{RecallAtK: &g.recall, FullCounts: &g.full},
		}
		if inside := m.Parts["inside"]; inside != nil {
			row.PartsMS = map[string]*result.Latency{"search": row.ClientMS, "inside": result.NewLatency(stats.Summarize(inside))}
		}
		b.rows = append(b.rows, row)
		o.curves[set.Name] = append(o.curves[set.Name], point{ef, g.recall, row.Samples, row.RowsMean, row.ClientMS, nil})
	}
}

// matchedOutside adds rows at equal recall; ratios are of the client's clock, the
// only one that both have.
func (b *bench) matchedOutside(set corpus.QuerySet, wanted float64) {
	var pgvector []point
	for _, s := range b.live() {
		if s.name == "pgvector" {
			pgvector = s.curves[set.Name]
		}
	}
	for _, o := range b.outside() {
		m, reached := atRecall(o.curves[set.Name], wanted)
		if !reached {
			last := o.curves[set.Name][len(o.curves[set.Name])-1]
			b.warnings = append(b.warnings, fmt.Sprintf("%s does not reach recall %g on %s queries: %.4f at ef %d",
				o.Name(), wanted, set.Name, last.recall, last.ef))
			continue
		}
		recall := m.recall()
		row := result.Row{
			Scenario: Name, Corpus: b.vectors.Name, Engine: o.Name(), EngineVersion: o.Version(),
			Case: fmt.Sprintf("matched_%s_recall_%g_interpolated", set.Name, wanted),
			Params: map[string]any{"part": "matched", "set": set.Name, "wanted_recall": wanted, "interpolated": !m.atFirst(),
				"ef_search": m.ef(), "between": []int{m.low.ef, m.high.ef}},
			Queries: b.queries(set), Samples: min(m.low.samples, m.high.samples),
			ClientMS: m.latency(clientOf), RowsMean: m.between(m.low.rows, m.high.rows), Quality: &result.Quality{RecallAtK: &recall},
		}
		if rival, reached := atRecall(pgvector, wanted); reached {
			row.Params["ratio_to_pgvector"] = row.ClientMS.P50 / rival.latency(clientOf).P50
		}
		b.rows = append(b.rows, row)
	}
}
