package index

import (
	"errors"

	"sortedheap/internal/codegraph/resolve"
	"sortedheap/internal/syntax"
)

// Reason is why a file is not in the graph.
type Reason string

// The reasons.
const (
	Unreadable   Reason = "unreadable"
	SymbolicLink Reason = "symbolic_link"
	NotRegular   Reason = "not_regular" // a device, a socket, a pipe
	Excluded     Reason = "excluded"    // by a pattern of what to skip
	NoSource     Reason = "no_source"   // in no language that is indexed
	Binary       Reason = "binary"
	TooLarge     Reason = "too_large"
	TooSlow      Reason = "too_slow"
	Faulty       Reason = "faulty" // the indexer itself could not handle it
)

// Problem is a file that is not in the graph though it might be.
type Problem struct {
	Path   string `json:"path"`
	Reason Reason `json:"reason"`
	Detail string `json:"detail"`
}

// maxProblems is how many problems a summary names; all are counted.
const maxProblems = 100

// Summary is what a run did. It is written as JSON, which escapes whatever paths
// hold.
type Summary struct {
	Corpus    string         `json:"corpus"`
	Commit    string         `json:"commit,omitempty"`
	Hash      string         `json:"hash"`
	Files     int            `json:"files"`
	Bytes     int64          `json:"bytes"`
	Languages map[string]int `json:"languages"`
	// Read, Parsed and Bound count the files that were read, parsed and bound in
	// this run; the others were known from the last.
	Read   int `json:"read"`
	Parsed int `json:"parsed"`
	Bound  int `json:"bound"`

	Nodes      map[string]int     `json:"nodes"` // by kind
	Edges      map[string]int     `json:"edges"` // by relation
	Unresolved int                `json:"unresolved"`
	Calls      resolve.CallCounts `json:"calls"`

	// SyntaxErrors counts places that did not parse, in SyntaxErrorFiles files,
	// which are in the graph with the rest of what they hold.
	SyntaxErrors     int            `json:"syntax_errors"`
	SyntaxErrorFiles int            `json:"syntax_error_files"`
	TooDeep          int            `json:"too_deep"` // files of which deeply nested parts were left out
	Skipped          map[Reason]int `json:"skipped"`
	Problems         []Problem      `json:"problems,omitempty"`

	// Seconds is how long the run took, PeakBytes the most memory that the process
	// had from the system.
	Seconds   float64 `json:"seconds"`
	PeakBytes uint64  `json:"peak_bytes"`
}

func newSummary() *Summary {
	return &Summary{Languages: map[string]int{}, Nodes: map[string]int{}, Edges: map[string]int{}, Skipped: map[Reason]int{}}
}

// skip counts a file that is left out and names it.
func (s *Summary) skip(reason Reason, path string, err error) {
	s.Skipped[reason]++
	if len(s.Problems) < maxProblems {
		s.Problems = append(s.Problems, Problem{Path: storablePath(path), Reason: reason, Detail: storablePath(err.Error())})
	}
}

// reasonOf says why a text has no tree.
func reasonOf(err error) Reason {
	switch {
	case errors.Is(err, syntax.ErrBinary):
		return Binary
	case errors.Is(err, syntax.ErrTooLarge):
		return TooLarge
	case errors.Is(err, syntax.ErrTooSlow):
		return TooSlow
	case errors.Is(err, errFault):
		return Faulty
	default:
		return Unreadable
	}
}
