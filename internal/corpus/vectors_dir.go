package corpus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// VectorsDirOptions says what to read of a folder of vectors.
type VectorsDirOptions struct {
	Dir     string
	Rows    int // only so many of the first rows; 0: all
	Queries int // only so many of the first queries of each set; 0: all
}

// querySets are the sets that a folder may hold, in the order of reports.
var querySets = []string{"sentence", "paragraph"}

// OpenVectors reads vectors of half-precision numbers from files of NumPy's
// format: base.f16.npy has the rows, query-NAME.f16.npy queries, where NAME is
// sentence or paragraph, and truth-NAME.i32.npy for each query the numbers of its
// nearest rows, best first. One query file must be there, truth files need not;
// the truth over fewer rows is another one, and is left out.
func OpenVectors(ctx context.Context, o VectorsDirOptions) (*Vectors, error) {
	v, err := openVectors(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	return v, nil
}

func openVectors(ctx context.Context, o VectorsDirOptions) (*Vectors, error) {
	if o.Rows < 0 || o.Queries < 0 {
		return nil, fmt.Errorf("%d rows and %d queries are asked for", o.Rows, o.Queries)
	}
	v := &Vectors{Name: "vectors"}
	base, err := openNPY(filepath.Join(o.Dir, "base.f16.npy"), "<f2")
	if err != nil {
		return nil, err
	}
	all := base.rows
	if err := base.file.Close(); err != nil {
		return nil, err
	}
	if o.Rows > all {
		return nil, fmt.Errorf("%d rows are asked for, %s has %d", o.Rows, o.Dir, all)
	}
	if v.Rows, v.Dim, err = readHalves(ctx, filepath.Join(o.Dir, "base.f16.npy"), o.Rows); err != nil {
		return nil, err
	}
	for _, name := range querySets {
		set, err := v.readSet(ctx, o, name, v.Len() == all)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		v.Queries = append(v.Queries, set)
	}
	if len(v.Queries) == 0 {
		return nil, fmt.Errorf("%s has no query-NAME.f16.npy, NAME being one of %v", o.Dir, querySets)
	}
	v.Params = map[string]any{"rows": v.Len(), "dim": v.Dim, "queries": len(v.Queries[0].Vectors) / v.Dim}
	return v, nil
}

// readSet reads one set of queries; its error is os.ErrNotExist when
// there is none.
func (v *Vectors) readSet(ctx context.Context, o VectorsDirOptions, name string, whole bool) (QuerySet, error) {
	set := QuerySet{Name: name}
	vectors, dim, err := readHalves(ctx, filepath.Join(o.Dir, "query-"+name+".f16.npy"), o.Queries)
	if err != nil {
		return set, err
	}
	if dim != v.Dim {
		return set, fmt.Errorf("%s queries have %d components, rows %d", name, dim, v.Dim)
	}
	set.Vectors = vectors
	truth := filepath.Join(o.Dir, "truth-"+name+".i32.npy")
	if _, err := os.Stat(truth); errors.Is(err, os.ErrNotExist) || !whole {
		return set, nil
	}
	if set.Nearest, err = readInts(ctx, truth, o.Queries); err != nil {
		return set, fmt.Errorf("truth of %s queries: %w", name, err)
	}
	if n := len(vectors) / dim; len(set.Nearest) != n {
		return set, fmt.Errorf("truth has %d rows for %d %s queries", len(set.Nearest), n, name)
	}
	outside := func(row int32) bool { return row < 0 || int(row) >= v.Len() }
	for q, rows := range set.Nearest {
		if slices.ContainsFunc(rows, outside) {
			return set, fmt.Errorf("truth of %s query %d names a row that is not there", name, q)
		}
	}
	return set, nil
}
