package corpus

import (
	"cmp"
	"fmt"
)

// QuestionSet says which questions are put to a graph.
type QuestionSet string

const (
	// Original are the questions of the published results, so that figures can
	// be set beside those. Many of them ask for rows that are in the table as
	// they stand, or all about one corner of it.
	Original QuestionSet = "original"
	// Fair are questions spread over the whole corpus, one about each of as many
	// equal stretches of it. None is a row of the table as it stands.
	Fair QuestionSet = "fair"
)

// FairQueries is how many questions a fair set has where nobody says otherwise:
// with as many, a hit rate of 90 % is known to 2 points.
const FairQueries = 1000

// check returns an error for a set that does not exist; empty stands for Original.
func (s QuestionSet) check() error {
	switch s.orOriginal() {
	case Original, Fair:
		return nil
	}
	return fmt.Errorf("unrecognized query set %q, the sets are %s, %s", string(s), Original, Fair)
}

func (s QuestionSet) orOriginal() QuestionSet { return cmp.Or(s, Original) }

// stretch is the part of n things, from 0, that question i of count is about:
// lo to hi-1. No stretch is empty while count is at most n.
func stretch(i, count, n int) (lo, hi int) { return i * n / count, (i + 1) * n / count }

// pick draws one thing of a stretch. It depends on nothing but its arguments.
func pick(seed int64, i, count, n int) int {
	lo, hi := stretch(i, count, n)
	draws := newDraws(seed, streamQuestions, i)
	return lo + draws.below(hi-lo)
}
