package ann

import (
	"encoding/json"
	"fmt"

	"sortedheap/fixtures"
)

// reference are the recall figures of another library, as fixtures has them.
type reference struct {
	Digest         string            `json:"digest"` // of the corpus they were made on
	Metric         string            `json:"metric"`
	EfConstruction int               `json:"ef_construction"`
	Recall         []referenceRecall `json:"recall"`
}

type referenceRecall struct {
	M       int     `json:"m"`
	Queries string  `json:"queries"`
	Ef      int     `json:"ef"`
	Recall  float64 `json:"recall_at_10"`
}

// referenceTopK is what the figures are of.
const referenceTopK = 10

func hnswlib() (reference, error) {
	var r reference
	if err := json.Unmarshal(fixtures.Hnswlib(), &r); err != nil {
		return r, fmt.Errorf("read figures of hnswlib: %w", err)
	}
	return r, nil
}

// of is the figure for a set of queries and ef, when the run has the same
// corpus and parameters.
func (r reference) of(digest string, p Params, set string, ef int) (recall float64, ok bool) {
	if digest != r.Digest || p.Metric != r.Metric || p.EfConstruction != r.EfConstruction || p.TopK != referenceTopK {
		return 0, false
	}
	for _, f := range r.Recall {
		if f.M == p.M && f.Queries == set && f.Ef == ef {
			return f.Recall, true
		}
	}
	return 0, false
}
