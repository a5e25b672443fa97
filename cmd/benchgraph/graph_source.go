package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/packed"
	"sortedheap/internal/codegraph/query"
	"sortedheap/internal/codegraph/store"
)

// This file opens the code graph that --graph names.

// graphOptions are the flags that name a stored graph.
type graphOptions struct{ where, schema string }

func (o *graphOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.where, "graph", graphFolder, "the graph: the folder that index wrote, or a connection string")
	f.StringVar(&o.schema, "schema", store.DefaultSchema, "schema of the tables of --graph in a database")
}

// openedGraph is a graph to read from.
type openedGraph struct {
	backend graph.Backend
	close   func(context.Context) error
}

func (o graphOptions) open(ctx context.Context) (*openedGraph, error) {
	b, closing, err := store.Open(ctx, o.where, o.schema)
	if errors.Is(err, store.ErrNoGraph) {
		return nil, fmt.Errorf("%w; benchgraph index DIR makes one", err)
	}
	if errors.Is(err, packed.ErrDamaged) || errors.Is(err, store.ErrOtherVersion) {
		return nil, fmt.Errorf("%w; benchgraph index DIR makes it anew", err)
	}
	if err != nil {
		return nil, err
	}
	return &openedGraph{b, closing}, nil
}

// shown is the place of a graph as answers show it: no password of a connection
// string.
func (o graphOptions) shown() string {
	if store.IsDSN(o.where) {
		return "schema " + o.schema
	}
	return filepath.ToSlash(o.where)
}

// version changes when the stored graph does.
func (o graphOptions) version(ctx context.Context) (string, error) {
	if !store.IsDSN(o.where) {
		info, err := os.Stat(filepath.Join(o.where, store.GraphFile))
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("look at graph: %s: %w; benchgraph index DIR makes one", o.where, store.ErrNoGraph)
		}
		if err != nil {
			return "", fmt.Errorf("look at graph: %w", err)
		}
		return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size()), nil
	}
	g, err := o.open(ctx)
	if err != nil {
		return "", err
	}
	info, err := g.backend.Info(ctx)
	if err := errors.Join(err, g.close(context.WithoutCancel(ctx))); err != nil {
		return "", err
	}
	return fmt.Sprint(info.Hash, " ", info.Nodes, " ", info.Edges, " ", info.Unresolved), nil
}

// maxChecked is how many files are looked at to say how stale a graph is.
const maxChecked = 20000

// staleness says how many sources changed since the graph was written. It knows
// where they are when the graph is in its usual place within the tree.
func (o graphOptions) staleness(_ context.Context, c *query.Catalog) string {
	if store.IsDSN(o.where) {
		return ""
	}
	folder, err := filepath.Abs(o.where)
	if err != nil || filepath.Base(folder) != graphFolder {
		return ""
	}
	written, err := os.Stat(filepath.Join(folder, store.GraphFile))
	if err != nil {
		return ""
	}
	changed, gone, checked := 0, 0, 0
	for n := range int32(c.Len()) {
		node := c.Node(n)
		if node.Kind != graph.File || node.File == "" || checked == maxChecked {
			continue
		}
		checked++
		info, err := os.Stat(filepath.Join(filepath.Dir(folder), filepath.FromSlash(node.File)))
		switch {
		case err != nil:
			gone++
		case info.ModTime().After(written.ModTime()):
			changed++
		}
	}
	if changed+gone == 0 {
		return "up to date"
	}
	return fmt.Sprintf("stale: %d files changed and %d gone since", changed, gone)
}
