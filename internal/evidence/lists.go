package evidence

import (
	"cmp"
	"slices"

	"github.com/jackc/pgx/v5"
)

// lists are what the index has of terms: the best fragments of each.
type lists map[string][]posting

// read takes the rows of listsStatement.
func (l lists) read(rows pgx.Rows) error {
	for rows.Next() {
		var term string
		var packed []byte
		err := rows.Scan(&term, &packed)
		if err == nil {
			l[term], err = unpackPostings(packed)
		}
		if err != nil {
			rows.Close()
			return err
		}
	}
	return rows.Err()
}

// scored is a fragment with what terms and symbols add up to.
type scored struct {
	id              int32
	lexical, symbol float64
}

// best adds up the lists of a question's terms, in their order whatever that of the
// rows was, and returns at most limit fragments, best first.
func (l lists) best(terms []string, weights []float32, symbols []bool, limit int) []scored {
	at := map[int32]int{}
	var all []scored
	for i, term := range terms {
		for _, p := range l[term] {
			k, ok := at[p.fragment]
			if !ok {
				k = len(all)
				at[p.fragment] = k
				all = append(all, scored{id: p.fragment})
			}
			share := float64(p.impact) * float64(weights[i])
			if symbols[i] {
				all[k].symbol += share
			} else {
				all[k].lexical += share
			}
		}
	}
	slices.SortFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.lexical+b.symbol, a.lexical+a.symbol), cmp.Compare(a.id, b.id))
	})
	return all[:min(len(all), limit)]
}
