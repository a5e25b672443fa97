// Package zvecpython is the newest zvec, whose wheels have no C interface any
// more: a child process in Python keeps the collection and reports how long each
// search took inside of it. What the pipe adds is no fault of zvec, so the time
// inside is kept apart.
package zvecpython

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unsafe"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/vectorstore"
)

// Name is the engine's name.
const Name = "zvec-latest"

// MakeVenv as the Python of a store stands for a virtual environment that Open
// makes in the run's own directory, with the newest zvec that pip finds.
const MakeVenv = "venv"

// batchRows is how many rows go through the pipe at once.
const batchRows = 4000

// Store is a collection in a child process.
type Store struct {
	python  string
	shape   vectorstore.Shape
	dir     string
	child   *child
	version string
	module  string // of zvec and Python
	search  string // the method that the child found
	loads   int
	head    [12]byte
	hits    []vectorstore.Hit
}

var _ vectorstore.Store = (*Store)(nil)

// New returns a store in a child of the given Python, which must have the module
// zvec, or of MakeVenv. It does no I/O.
func New(python string, shape vectorstore.Shape) *Store {
	return &Store{python: python, shape: shape}
}

// Name implements vectorstore.Store.
func (*Store) Name() string { return Name }

// Version implements vectorstore.Store.
func (s *Store) Version() string { return s.version }

// Module is the version of zvec, and of the Python that it runs in.
func (s *Store) Module() string { return s.module }

// Settings implements vectorstore.Store.
func (s *Store) Settings() map[string]string {
	return map[string]string{"zvec_threads": "the library's own choice", "zvec_collection": "opened again after optimize, read-only",
		"zvec_search": s.search}
}

// Open implements vectorstore.Store.
func (s *Store) Open(ctx context.Context) error {
	if s.python == "" {
		return s.unavailable("no Python with zvec is given")
	}
	dir, err := os.MkdirTemp("", "benchgraph-zvec-latest-")
	if err != nil {
		return fmt.Errorf("open %s: %w", Name, err)
	}
	s.dir = dir
	if err := s.start(ctx); err != nil {
		return errors.Join(err, s.Close(context.WithoutCancel(ctx)))
	}
	return nil
}

func (s *Store) unavailable(reason string) error {
	return &engine.UnavailableError{Engine: Name, Reason: reason,
		Hint: "--zvec-python names a Python that can import zvec, or is " + MakeVenv + " to make one; `make zvec` makes one to keep"}
}

func (s *Store) start(ctx context.Context) error {
	python := s.python
	if python == MakeVenv {
		var err error
		if python, err = makeVenv(ctx, filepath.Join(s.dir, "venv")); err != nil {
			return errors.Join(ctx.Err(), s.unavailable(err.Error()))
		}
	}
	var err error
	if s.child, err = startChild(python, s.dir); err != nil {
		return s.unavailable("start Python: " + err.Error())
	}
	version, _, err := s.child.ask(ctx, opVersion)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return s.unavailable(err.Error())
	}
	s.module = string(version)
	s.version = "zvec " + s.module + ", child process"
	return nil
}

// makeVenv makes a virtual environment with the newest zvec.
func makeVenv(ctx context.Context, dir string) (python string, err error) {
	python = filepath.Join(dir, "bin", "python")
	for _, step := range [][]string{{"python3", "-m", "venv", dir}, {python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "zvec"}} {
		out, err := exec.CommandContext(ctx, step[0], step[1:]...).CombinedOutput()
		if err != nil {
			last := strings.Split(strings.TrimSpace(string(out)), "\n")
			return "", fmt.Errorf("make a Python with zvec: %s: %w: %s", strings.Join(step[1:4], " "), err, last[len(last)-1])
		}
	}
	return python, nil
}

// Load implements vectorstore.Store.
func (s *Store) Load(ctx context.Context, dim int, rows iter.Seq2[[]float32, error]) (vectorstore.Build, error) {
	build, err := s.load(ctx, dim, rows)
	if err != nil {
		return vectorstore.Build{}, fmt.Errorf("load %s: %w", Name, err)
	}
	return build, nil
}

func (s *Store) load(ctx context.Context, dim int, rows iter.Seq2[[]float32, error]) (build vectorstore.Build, err error) {
	watch := measure.Start()
	if build.Rows, err = s.Fill(ctx, dim, rows); err != nil {
		return build, err
	}
	if err := s.Reopen(ctx); err != nil {
		return build, err
	}
	build.Seconds = watch.Seconds()
	build.Bytes, err = vectorstore.DirBytes(s.collectionDir(s.loads))
	return build, err
}

func (s *Store) collectionDir(load int) string {
	return filepath.Join(s.dir, fmt.Sprintf("collection-%d", load))
}

// Fill is the first part of Load: it leaves the collection as it was filled and
// indexed.
func (s *Store) Fill(ctx context.Context, dim int, rows iter.Seq2[[]float32, error]) (stored int64, err error) {
	s.loads++
	shape, err := json.Marshal(map[string]any{"path": s.collectionDir(s.loads), "dim": dim, "m": s.shape.M, "ef_construction": s.shape.EfConstruction})
	if err != nil {
		return 0, err
	}
	if _, _, err := s.child.ask(ctx, opCreate, shape); err != nil {
		return 0, err
	}
	if s.loads > 1 {
		if err := os.RemoveAll(s.collectionDir(s.loads - 1)); err != nil {
			return 0, err
		}
	}
	var encoded []byte
	for batch, err := range vectorstore.Batches(rows, batchRows) {
		if err != nil {
			return 0, err
		}
		encoded = appendFloats(encoded[:0], batch)
		if _, _, err := s.child.ask(ctx, opInsert, encoded); err != nil {
			return 0, err
		}
		stored += int64(len(batch) / dim)
	}
	_, _, err = s.child.ask(ctx, opOptimize)
	return stored, err
}

// Reopen is the second part of Load: it opens the collection again, read-only,
// with the fastest search that the version has.
func (s *Store) Reopen(ctx context.Context) error {
	method, _, err := s.child.ask(ctx, opReopen)
	s.search = string(method)
	return err
}

// appendFloats appends numbers as little-endian float32s.
func appendFloats(into []byte, numbers []float32) []byte {
	for _, x := range numbers {
		into = binary.LittleEndian.AppendUint32(into, math.Float32bits(x))
	}
	return into
}

// Search implements vectorstore.Store.
func (s *Store) Search(ctx context.Context, vector []float32, search vectorstore.Search) (vectorstore.Answer, error) {
	if s.child == nil {
		return vectorstore.Answer{}, fmt.Errorf("search %s: it is not open", Name)
	}
	exact := uint32(0)
	if search.Exact {
		exact = 1
	}
	for i, number := range []uint32{uint32(search.K), uint32(max(search.Ef, search.K)), exact} {
		binary.LittleEndian.PutUint32(s.head[4*i:], number)
	}
	reply, insideMS, err := s.child.ask(ctx, opSearch, s.head[:], floatBytes(vector))
	if errors.Is(err, errSpoiled) {
		err = &engine.FaultError{Engine: Name, Err: err}
	}
	if err != nil {
		return vectorstore.Answer{}, err
	}
	const hitBytes = 8 + 4
	n := len(reply) / hitBytes
	if len(reply)%hitBytes != 0 {
		return vectorstore.Answer{}, fmt.Errorf("search %s: reply of %d bytes", Name, len(reply))
	}
	s.hits = s.hits[:0]
	for i := range n {
		s.hits = append(s.hits, vectorstore.Hit{
			Row:      int(binary.LittleEndian.Uint64(reply[8*i:])),
			Distance: float64(math.Float32frombits(binary.LittleEndian.Uint32(reply[8*n+4*i:]))),
		})
	}
	return vectorstore.Answer{Hits: s.hits, InsideMS: insideMS}, nil
}

// floatBytes is a vector as little-endian bytes, without a copy where the machine
// is little-endian.
func floatBytes(vector []float32) []byte {
	if len(vector) == 0 || binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return appendFloats(nil, vector)
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(vector))), 4*len(vector))
}

// Close implements vectorstore.Store.
func (s *Store) Close(context.Context) error {
	var err error
	if s.child != nil {
		err = s.child.stop()
		s.child = nil
	}
	if s.dir != "" {
		err = errors.Join(err, os.RemoveAll(s.dir))
		s.dir = ""
	}
	if err != nil {
		return fmt.Errorf("close %s: %w", Name, err)
	}
	return nil
}
