package zvecrepro

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sortedheap/internal/corpus"
	"sortedheap/internal/zvec"
)

// Synthetic makes vectors by formula, with a period of 1,000 rows, so that equal
// distances occur at any size.
func Synthetic(rows, dim int) Data {
	d := Data{Name: "synthetic", Dim: dim, Vectors: make([]float32, 0, rows*dim),
		Recipe: fmt.Sprintf("component d (from 0) of row i (from 0) is the float32 of sin(0.013 r (d+1)) + cos(0.017 r (d+1)), r = (i mod 1000) + 1, %d components", dim)}
	for i := range rows {
		r := float64(i%1000 + 1)
		for c := range dim {
			d.Vectors = append(d.Vectors, float32(math.Sin(0.013*r*float64(c+1))+math.Cos(0.017*r*float64(c+1))))
		}
	}
	return d
}

// Corpus takes the vectors of a corpus, at most so many.
func Corpus(ctx context.Context, src corpus.Source, rows int) (Data, error) {
	info := src.Info()
	d := Data{Name: info.Name, Dim: info.Dim, Recipe: fmt.Sprintf("embeddings of corpus %s in the order of rows, %s", info.Name, inWords(info.Params))}
	for fact, err := range src.All(ctx) {
		if err != nil {
			return Data{}, fmt.Errorf("read corpus %s: %w", info.Name, err)
		}
		if d.Rows() == rows {
			break
		}
		d.Vectors = append(d.Vectors, fact.Embedding...)
	}
	return d, nil
}

// Index is the shape of the indexes and searches.
type Index struct {
	M, EfConstruction, Ef int
	Batch                 int // rows inserted at once, up to zvec.MaxBatch
}

// Builder builds collections of a library in folders below dir, each removed when
// the collection is closed.
func Builder(library *zvec.Library, dir string, index Index) func(ctx context.Context, d Data, rows int) (Collection, error) {
	built := 0
	return func(_ context.Context, d Data, rows int) (Collection, error) {
		built++
		c := &real{dir: filepath.Join(dir, fmt.Sprintf("collection-%d", built)), ef: index.Ef}
		var err error
		c.Collection, err = library.Create(c.dir, zvec.Options{Dim: d.Dim, M: index.M, EfConstruction: index.EfConstruction, Batch: index.Batch})
		if err != nil {
			return nil, err
		}
		if err := c.Insert(d.Vectors[:rows*d.Dim]); err != nil {
			return nil, errors.Join(err, c.Close())
		}
		if err := c.Optimize(); err != nil {
			return nil, errors.Join(err, c.Close())
		}
		return c, nil
	}
}

// real is a collection of the library.
type real struct {
	*zvec.Collection
	dir string
	ef  int
}

func (c *real) Search(_ context.Context, vector []float32, k int) error {
	_, err := c.Collection.Search(vector, zvec.Search{K: k, Ef: max(c.ef, k)}, nil)
	return err
}

func (c *real) Reopen(context.Context) error { return c.Collection.Reopen() }

func (c *real) Close() error {
	return errors.Join(c.Collection.Close(), os.RemoveAll(c.dir))
}

// inWords has parameters as a report shows them, by name.
func inWords(params map[string]any) string {
	words := make([]string, 0, len(params))
	for _, name := range slices.Sorted(maps.Keys(params)) {
		words = append(words, fmt.Sprintf("%s %v", name, params[name]))
	}
	return strings.Join(words, ", ")
}
