package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/scenario"
	"sortedheap/internal/harness/vectorstore"
	"sortedheap/internal/harness/vectorstore/zvecpython"
	"sortedheap/internal/harness/zvecrepro"
	"sortedheap/internal/zvec"
)

// reproduceInChild looks for the fault in a version that only Python has.
func reproduceInChild(ctx context.Context, p process, o reproOptions) (err error) {
	if !slices.Equal(o.batches, []int{zvec.MaxBatch}) {
		return usageError{fmt.Errorf("--batch: the child inserts %d rows at a time", zvec.MaxBatch)}
	}
	store := zvecpython.New(o.python, vectorstore.Shape{M: o.index.M, EfConstruction: o.index.EfConstruction})
	err = store.Open(ctx)
	var missing *engine.UnavailableError
	if errors.As(err, &missing) {
		return fmt.Errorf("%w: %w", scenario.ErrNoEngine, err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close(context.WithoutCancel(ctx))) }()
	findings, err := o.find(ctx, p, func(index zvecrepro.Index) buildFunc {
		return func(ctx context.Context, d zvecrepro.Data, rows int) (zvecrepro.Collection, error) {
			_, err := store.Fill(ctx, d.Dim, func(yield func([]float32, error) bool) {
				for row := range slices.Chunk(d.Vectors[:rows*d.Dim], d.Dim) {
					if !yield(row, nil) {
						return
					}
				}
			})
			return &childCollection{store: store, ef: index.Ef}, err
		}
	})
	if err != nil {
		return err
	}
	return writeFindings(p, zvecrepro.About{Version: store.Module(), Through: "its Python module", Index: o.index}, findings)
}

// childCollection is the collection that the child keeps: one at a time, replaced
// by the next.
type childCollection struct {
	store *zvecpython.Store
	ef    int
}

func (c *childCollection) Search(ctx context.Context, vector []float32, k int) error {
	_, err := c.store.Search(ctx, vector, vectorstore.Search{K: k, Ef: c.ef})
	var fault *engine.FaultError
	if errors.As(err, &fault) {
		return &zvec.EmptyIDsError{Rows: k, Empty: k}
	}
	return err
}

func (c *childCollection) Reopen(ctx context.Context) error { return c.store.Reopen(ctx) }

// Close leaves the collection to the next Fill, which removes it.
func (c *childCollection) Close() error { return nil }
