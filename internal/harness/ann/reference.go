package ann

import (
	"encoding/json"
	"fmt"

	"sortedheap/fixtures"
)

// reference are the recall figures of another library, as fixtures has them.
type reference struct {
	Metric         string            `json:"metric"`
	EfConstruction int               `json:"ef_construction"`
	Corpora        []referenceCorpus `json:"corpora"`
}

type referenceCorpus struct {
	Digest string            `json:"digest"`
	Recall []referenceRecall `json:"recall"`
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
	if p.Metric != r.Metric || p.EfConstruction != r.EfConstruction || p.TopK != referenceTopK {
		return 0, false
	}
	for _, c := range r.Corpora {
		if c.Digest != digest {
			continue
		}
		for _, f := range c.Recall {
			if f.M == p.M && f.Queries == set && f.Ef == ef {
				return f.Recall, true
			}
		}
	}
	return 0, false
}
