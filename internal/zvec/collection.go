package zvec

/*
#include <stdlib.h>
#include "api.h"
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unsafe"
)

// MaxBatch is how many rows go into the library at once at most; it takes 1024.
const MaxBatch = 1000

// Options are the shape of a collection and its index.
type Options struct {
	Dim            int // components of each vector, at least 1
	M              int // links per node
	EfConstruction int // candidates while the index is built
	Batch          int // rows inserted at once, up to MaxBatch; 0: MaxBatch
}

// Search is the shape of a search. Each one that is used is kept prepared.
type Search struct {
	K     int  // rows to return, at least 1
	Ef    int  // candidates
	Exact bool // read every row instead of the index
}

// Hit is one row of an answer.
type Hit struct {
	ID       uint64
	Distance float32 // cosine distance
}

// EmptyIDsError says that a search returned scores without keys: a known fault
// of some versions of the library. The rows cannot be told.
type EmptyIDsError struct {
	Rows  int // returned
	Empty int // of them without a key
}

func (e *EmptyIDsError) Error() string {
	return fmt.Sprintf("zvec returned %d rows, %d of them with an empty id", e.Rows, e.Empty)
}

// Collection is an open collection. One goroutine at a time may use it.
type Collection struct {
	lib     *Library
	handle  unsafe.Pointer
	path    *C.char
	options Options
	rows    uint64
	queries map[Search]*query
}

// query is a kept query and room for its answer.
type query struct {
	handle    unsafe.Pointer
	ids       []C.uint64_t
	distances []C.float
}

// Create makes an empty collection in dir, which must not exist; its parent must.
func (l *Library) Create(dir string, o Options) (*Collection, error) {
	if o.Dim < 1 || o.Batch < 0 || o.Batch > MaxBatch {
		return nil, fmt.Errorf("create zvec collection: dimension %d, batches of %d", o.Dim, o.Batch)
	}
	o.Batch = cmp.Or(o.Batch, MaxBatch)
	c := &Collection{lib: l, path: C.CString(dir), options: o, queries: map[Search]*query{}}
	err := call("create zvec collection", func(text *C.char) C.int {
		return C.zv_create(l.api, c.path, C.uint32_t(o.Dim), C.int(o.M), C.int(o.EfConstruction), &c.handle, text)
	})
	if err != nil {
		C.free(unsafe.Pointer(c.path))
		return nil, err
	}
	return c, nil
}

// Reopen closes the collection and opens it again from its files. Version 0.5.0
// finds the keys of its last rows only in a collection that was opened after it
// was filled: before, a search that meets one of them returns no key at all.
func (c *Collection) Reopen() error {
	if err := c.release(); err != nil {
		return err
	}
	return call("open zvec collection again", func(text *C.char) C.int { return C.zv_open(c.lib.api, c.path, &c.handle, text) })
}

// Rows is the number of rows inserted so far.
func (c *Collection) Rows() int { return int(c.rows) }

// Insert appends rows; vectors holds their components one row after the other.
// The rows get the next ids, counted from 0.
func (c *Collection) Insert(vectors []float32) error {
	if c.handle == nil {
		return errors.New("insert into zvec: the collection is closed")
	}
	if len(vectors)%c.options.Dim != 0 {
		return fmt.Errorf("insert into zvec: %d components do not fill rows of %d", len(vectors), c.options.Dim)
	}
	for piece := range slices.Chunk(vectors, c.options.Batch*c.options.Dim) {
		rows := len(piece) / c.options.Dim
		err := call("insert into zvec", func(text *C.char) C.int {
			return C.zv_insert(c.lib.api, c.handle, C.uint64_t(c.rows), (*C.float)(unsafe.SliceData(piece)),
				C.size_t(rows), C.uint32_t(c.options.Dim), text)
		})
		if err != nil {
			return err
		}
		c.rows += uint64(rows)
	}
	return nil
}

// Optimize builds the index over all rows inserted so far; searches before read
// every row. It cannot be interrupted.
func (c *Collection) Optimize() error {
	if c.handle == nil {
		return errors.New("optimize zvec: the collection is closed")
	}
	return call("build zvec index", func(text *C.char) C.int { return C.zv_optimize(c.lib.api, c.handle, text) })
}

// Completeness is the share of rows that the index covers, 0 to 1; negative when
// the library does not tell.
func (c *Collection) Completeness() float64 {
	return float64(C.zv_completeness(c.lib.api, c.handle))
}

// Search returns the nearest rows of a vector, nearest first. The error is an
// *EmptyIDsError when the library lost the keys.
func (c *Collection) Search(vector []float32, s Search, into []Hit) ([]Hit, error) {
	if c.handle == nil {
		return nil, errors.New("search zvec: the collection is closed")
	}
	if len(vector) != c.options.Dim {
		return nil, fmt.Errorf("search zvec: vector has %d components, the collection %d", len(vector), c.options.Dim)
	}
	q, err := c.query(s)
	if err != nil {
		return nil, err
	}
	var found, empty C.size_t
	err = call("search zvec", func(text *C.char) C.int {
		return C.zv_search(c.lib.api, c.handle, q.handle, (*C.float)(unsafe.SliceData(vector)), C.uint32_t(len(vector)),
			C.size_t(s.K), unsafe.SliceData(q.ids), unsafe.SliceData(q.distances), &found, &empty, text)
	})
	if err != nil {
		return nil, err
	}
	if empty > 0 {
		return nil, &EmptyIDsError{Rows: int(found), Empty: int(empty)}
	}
	into = into[:0]
	for i := range int(found) {
		into = append(into, Hit{ID: uint64(q.ids[i]), Distance: float32(q.distances[i])})
	}
	return into, nil
}

// query returns the kept query of a shape, making it at first use.
func (c *Collection) query(s Search) (*query, error) {
	if q := c.queries[s]; q != nil {
		return q, nil
	}
	if s.K < 1 {
		return nil, fmt.Errorf("search zvec: k is %d", s.K)
	}
	q := &query{ids: make([]C.uint64_t, s.K), distances: make([]C.float, s.K)}
	err := call("search zvec", func(text *C.char) C.int {
		return C.zv_query_create(c.lib.api, C.int(s.K), C.int(s.Ef), C.bool(s.Exact), &q.handle, text)
	})
	if err != nil {
		return nil, err
	}
	c.queries[s] = q
	return q, nil
}

// Close releases the collection for good; its files stay. A second call does nothing.
func (c *Collection) Close() error {
	err := c.release()
	C.free(unsafe.Pointer(c.path))
	c.path = nil
	return err
}

// release gives back what the library holds.
func (c *Collection) release() error {
	if c.handle == nil {
		return nil
	}
	for s, q := range c.queries {
		C.zv_query_destroy(c.lib.api, q.handle)
		delete(c.queries, s)
	}
	handle := c.handle
	c.handle = nil
	return call("close zvec collection", func(text *C.char) C.int { return C.zv_close(c.lib.api, handle, text) })
}
