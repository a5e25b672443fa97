// Package engine defines what a benchmark engine is: something that loads a
// fact graph and answers tasks about it.
//
// The interface is small; optional abilities are extra interfaces. What an
// engine can do is data (Capabilities), so a scenario can list every case and
// record the reason where an engine cannot run it.
package engine

import (
	"context"

	"sortedheap/internal/corpus"
)

// Row is one answer: a fact with its score.
type Row struct {
	Entity   int32
	Relation int16
	Target   int32
	Payload  string
	Distance float64 // cosine distance or path sum; 0 for unranked tasks
}

// Question is the input of one call.
type Question struct {
	Embedding []float32 // as many components as the corpus has dimensions
	Seeds     []int32   // used by tasks with SeedGiven; may hold duplicates
	Relations []int16   // used by tasks with QueryRelation hops, one per hop
}

// Build records what loading and indexing cost.
type Build struct {
	Rows       int64   // facts stored
	Seconds    float64 // load, indexes and maintenance, wall clock
	TableBytes int64   // heap and its TOAST, without indexes
	IndexBytes int64   // all indexes of the table
	WALBytes   int64   // write-ahead log written meanwhile
	// Store is the part of Seconds, and StoreBytes the part of IndexBytes, that
	// a vector store outside of the server took; 0 where there is none.
	Store      float64
	StoreBytes int64
}

// Engine stores one corpus and answers tasks about it. It is used by one
// goroutine at a time.
type Engine interface {
	// Name is the engine's name on the command line and in result files.
	Name() string
	// Capabilities says which tasks Ask accepts. It needs no connection.
	Capabilities() Capabilities
	// Open connects. It returns an *UnavailableError when this machine or
	// server cannot run the engine; the reason becomes the engine's row.
	Open(ctx context.Context) error
	// Version describes what Open found, e.g. "pgvector 0.8.0".
	Version() string
	// Load stores a corpus, replacing any former one, builds the indexes
	// and leaves the store warm and analyzed.
	Load(ctx context.Context, src corpus.Source) (Build, error)
	// Ask answers one question. Rows of a ranked task come best first.
	Ask(ctx context.Context, t Task, q Question) ([]Row, error)
	// Close releases the engine; a second call does nothing.
	Close(ctx context.Context) error
}

// SQL is the ability of engines that answer a task with one statement on one
// session. The harness prepares, times and explains such statements.
type SQL interface {
	// Prepare makes a task ready to run on the engine's session.
	Prepare(ctx context.Context, t Task) (Call, error)
	// Settings lists what the session sets to other than server defaults.
	Settings() map[string]string
}

// Tuning is what can be changed without loading or building anew. A zero field
// leaves the engine as it is.
type Tuning struct {
	EfSearch int    // candidates of an hnsw search
	ScanMode string // of sorted_hnsw: auto, flat or graph
}

// Tunable is the ability of engines whose searches can be tuned while loaded.
// Calls that were prepared before keep no promise.
type Tunable interface {
	Tune(ctx context.Context, t Tuning) error
}

// Call is one prepared task.
type Call interface {
	// Run executes the statement once, with binary parameters, reads every
	// row of the result, and returns how many there were.
	Run(ctx context.Context, q Question) (rows int, err error)
	// Plan tells how the server runs the statement now. It may run it.
	Plan(ctx context.Context, q Question) (Plan, error)
	// Text is the statement.
	Text() string
}

// Plan is the part of a query plan that tells one way to answer from another.
type Plan struct {
	Summary string // root node and how each relation is read
	QueryID int64  // key of the statement in pg_stat_statements
	// Outside says that a part of the work is done outside of the server, whose
	// clock then tells only of the rest.
	Outside bool
}

// Staged is the ability of calls that consist of parts with clocks of their own.
type Staged interface {
	// Stages tells how long the parts of the last Run took. The names are the
	// same after every Run.
	Stages() []Stage
}

// Stage is one part of a call.
type Stage struct {
	Name string
	MS   float64
}

// FaultError is a fault of an engine that spoils one answer while the engine goes
// on. The case becomes a row with its reason, and the run goes on without it.
type FaultError struct {
	Engine string
	Err    error
}

func (e *FaultError) Error() string { return "engine " + e.Engine + ": " + e.Err.Error() }

func (e *FaultError) Unwrap() error { return e.Err }

// UnavailableError says why an engine cannot run here, and what would help.
type UnavailableError struct {
	Engine string
	Reason string
	Hint   string // may be empty
}

func (e *UnavailableError) Error() string {
	s := "engine " + e.Engine + " cannot run: " + e.Reason
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}
