package ann_test

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/harness/ann"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/vectorstore"
)

// scanStore searches exhaustively; it says that a search took 3 ms inside.
type scanStore struct {
	name    string
	missing string // reason of an UnavailableError
	fault   bool   // searches with few candidates are spoiled
	rows    [][]float32
	closed  int
}

func (s *scanStore) Name() string                { return s.name }
func (s *scanStore) Version() string             { return "exhaustive" }
func (s *scanStore) Settings() map[string]string { return map[string]string{"knob": "on"} }

func (s *scanStore) Open(context.Context) error {
	if s.missing != "" {
		return &engine.UnavailableError{Engine: s.name, Reason: s.missing}
	}
	return nil
}

func (s *scanStore) Load(_ context.Context, _ int, rows iter.Seq2[[]float32, error]) (vectorstore.Build, error) {
	for row, err := range rows {
		if err != nil {
			return vectorstore.Build{}, err
		}
		s.rows = append(s.rows, slices.Clone(row))
	}
	return vectorstore.Build{Rows: int64(len(s.rows)), Seconds: 2, Bytes: 7}, nil
}

func (s *scanStore) Search(_ context.Context, query []float32, search vectorstore.Search) (vectorstore.Answer, error) {
	if s.fault && search.Ef < 10 {
		return vectorstore.Answer{}, &engine.FaultError{Engine: s.name, Err: errors.New("ids are empty")}
	}
	var hits []vectorstore.Hit
	for i, row := range s.rows {
		var dot, aa, bb float64
		for d := range row {
			dot += float64(row[d]) * float64(query[d])
			aa += float64(row[d]) * float64(row[d])
			bb += float64(query[d]) * float64(query[d])
		}
		hits = append(hits, vectorstore.Hit{Row: i, Distance: 1 - dot/math.Sqrt(aa*bb)})
	}
	slices.SortFunc(hits, func(a, b vectorstore.Hit) int { return cmp.Compare(a.Distance, b.Distance) })
	return vectorstore.Answer{Hits: hits[:search.K], InsideMS: 3}, nil
}

func (s *scanStore) Close(context.Context) error {
	s.closed++
	return nil
}

// Stores outside stand in the curve beside the engines inside; one that is not
// there, and one that spoils an answer, are rows with their reason.
func TestOutside(t *testing.T) {
	sound, absent, faulty := &scanStore{name: "zvec"}, &scanStore{name: "qdrant", missing: "no server"}, &scanStore{name: "zvec-latest", fault: true}
	rows, _, err := runWith(t, clustered(), []vectorstore.Store{sound, faulty, absent}, func(p *ann.Params) {
		p.Engines, p.Cases = []string{"pgvector", "zvec", "zvec-latest", "qdrant"}, regexp.MustCompile("curve")
	})
	if err != nil {
		t.Fatal(err)
	}
	r := find(t, rows, "zvec", "curve_drawn_ef4")
	if *r.Quality.RecallAtK != 1 || r.RowsMean != 10 || r.ServerMS != nil || r.ClientMS == nil || r.PartsMS["inside"].P50 != 3 {
		t.Errorf("row %+v, quality %+v", r, r.Quality)
	}
	if r.Build.Rows != 2000 || r.Build.Seconds != 2 || r.Build.IndexBytes != 7 {
		t.Errorf("build %+v", r.Build)
	}
	matched := find(t, rows, "zvec", "matched_drawn_recall_0.95_interpolated")
	if ratio, ok := matched.Params["ratio_to_pgvector"].(float64); !ok || ratio <= 0 || matched.ServerMS != nil {
		t.Errorf("at equal recall: %+v", matched.Params)
	}
	if r := find(t, rows, "qdrant", ""); !strings.Contains(r.Error, "no server") {
		t.Errorf("row of the absent store: %+v", r)
	}
	if r := find(t, rows, "zvec-latest", "curve_drawn_ef4"); !strings.Contains(r.Error, "ids are empty") || r.ClientMS != nil {
		t.Errorf("row of the faulty store: %+v", r)
	}
	if sound.closed == 0 || absent.closed == 0 || faulty.closed == 0 {
		t.Error("a store is left open")
	}
}
