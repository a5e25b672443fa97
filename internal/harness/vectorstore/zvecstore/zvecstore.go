// Package zvecstore is zvec in this process.
package zvecstore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/vectorstore"
	"sortedheap/internal/zvec"
)

// Name is the engine's name.
const Name = "zvec"

// systemLibrary is looked for where the system keeps libraries.
const systemLibrary = "libzvec_c_api.so"

// batchRows is how many rows are inserted at once.
const batchRows = 1000

// Store keeps one collection in a folder of its own.
type Store struct {
	path       string
	shape      vectorstore.Shape
	lib        *zvec.Library
	dir        string
	collection *zvec.Collection
	loads      int
	asBuilt    bool
	hits       []zvec.Hit
	answer     []vectorstore.Hit
}

var _ vectorstore.Store = (*Store)(nil)

// New returns a store on the library at path; an empty path stands for the
// system's. It does no I/O.
func New(path string, shape vectorstore.Shape) *Store {
	if path == "" {
		path = systemLibrary
	}
	return &Store{path: path, shape: shape}
}

// KeepAsBuilt lets searches go to collections as their build left them. By default
// a collection is closed and opened again, which spares the rival a fault of its own.
func (s *Store) KeepAsBuilt() { s.asBuilt = true }

// Name implements vectorstore.Store.
func (*Store) Name() string { return Name }

// Version implements vectorstore.Store.
func (s *Store) Version() string {
	if s.lib == nil {
		return ""
	}
	return "zvec " + s.lib.Version() + ", in process"
}

// Settings implements vectorstore.Store.
func (s *Store) Settings() map[string]string {
	collection := "opened again after optimize"
	if s.asBuilt {
		collection = "as optimize left it"
	}
	return map[string]string{"zvec_threads": "the library's own choice", "zvec_collection": collection}
}

// Open implements vectorstore.Store.
func (s *Store) Open(context.Context) error {
	dir, err := os.MkdirTemp("", "benchgraph-zvec-")
	if err != nil {
		return fmt.Errorf("open zvec: %w", err)
	}
	s.dir = dir
	s.lib, err = zvec.Load(s.path, dir)
	if errors.Is(err, zvec.ErrNoLibrary) {
		err = &engine.UnavailableError{Engine: Name, Reason: err.Error(), Hint: "--zvec-lib names it, `make zvec` fetches it"}
	}
	if err != nil {
		return errors.Join(err, s.removeDir())
	}
	return nil
}

// Load implements vectorstore.Store.
func (s *Store) Load(ctx context.Context, dim int, rows iter.Seq2[[]float32, error]) (vectorstore.Build, error) {
	build, err := s.load(ctx, dim, rows)
	if err != nil {
		return vectorstore.Build{}, fmt.Errorf("load zvec: %w", err)
	}
	return build, nil
}

func (s *Store) load(ctx context.Context, dim int, rows iter.Seq2[[]float32, error]) (build vectorstore.Build, err error) {
	if err := s.drop(); err != nil {
		return build, err
	}
	s.loads++
	watch := measure.Start()
	s.collection, err = s.lib.Create(s.collectionDir(), zvec.Options{Dim: dim, M: s.shape.M, EfConstruction: s.shape.EfConstruction})
	if err != nil {
		return build, err
	}
	for batch, err := range vectorstore.Batches(rows, batchRows) {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return build, err
		}
		if err := s.collection.Insert(batch); err != nil {
			return build, err
		}
	}
	if err := s.collection.Optimize(); err != nil {
		return build, err
	}
	// A rival is measured at its best.
	if !s.asBuilt {
		if err := s.collection.Reopen(); err != nil {
			return build, err
		}
	}
	if covered := s.collection.Completeness(); covered >= 0 && covered < 1 {
		return build, fmt.Errorf("the index covers %.1f %% of the rows after optimize", 100*covered)
	}
	build.Rows, build.Seconds = int64(s.collection.Rows()), watch.Seconds()
	build.Bytes, err = vectorstore.DirBytes(s.collectionDir())
	return build, err
}

// collectionDir is where the current collection lies: a new place each time, for
// the library may still hold files of a closed one.
func (s *Store) collectionDir() string {
	return filepath.Join(s.dir, fmt.Sprintf("collection-%d", s.loads))
}

// Search implements vectorstore.Store.
func (s *Store) Search(ctx context.Context, vector []float32, search vectorstore.Search) (vectorstore.Answer, error) {
	if err := ctx.Err(); err != nil {
		return vectorstore.Answer{}, err
	}
	if s.collection == nil {
		return vectorstore.Answer{}, errors.New("search zvec: nothing is loaded")
	}
	var err error
	s.hits, err = s.collection.Search(vector, zvec.Search{K: search.K, Ef: max(search.Ef, search.K), Exact: search.Exact}, s.hits)
	var lost *zvec.EmptyIDsError
	if errors.As(err, &lost) {
		err = &engine.FaultError{Engine: Name, Err: err}
	}
	if err != nil {
		return vectorstore.Answer{}, err
	}
	s.answer = s.answer[:0]
	for _, hit := range s.hits {
		s.answer = append(s.answer, vectorstore.Hit{Row: int(hit.ID), Distance: float64(hit.Distance)})
	}
	return vectorstore.Answer{Hits: s.answer}, nil
}

// drop closes the collection and removes its files.
func (s *Store) drop() error {
	if s.collection == nil {
		return nil
	}
	err := s.collection.Close()
	s.collection = nil
	return errors.Join(err, os.RemoveAll(s.collectionDir()))
}

// Close implements vectorstore.Store.
func (s *Store) Close(context.Context) error {
	return errors.Join(s.drop(), s.removeDir())
}

func (s *Store) removeDir() error {
	if s.dir == "" {
		return nil
	}
	dir := s.dir
	s.dir = ""
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove files of zvec: %w", err)
	}
	return nil
}
