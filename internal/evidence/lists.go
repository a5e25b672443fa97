package evidence

import (
	"cmp"
	"slices"

	"github.com/jackc/pgx/v5"
)

// list is what the index has of a term: its best fragments, each with its share of
// the fragment's score.
type list struct {
	fragments []int32
	impacts   []float32
}

// lists are read by term.
type lists map[string]list

// read takes the rows of listsStatement.
func (l lists) read(rows pgx.Rows) error {
	for rows.Next() {
		var (
			term string
			read list
		)
		if err := rows.Scan(&term, &read.fragments, &read.impacts); err != nil {
			rows.Close()
			return err
		}
		l[term] = read
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
		found := l[term]
		for j, id := range found.fragments[:min(len(found.fragments), len(found.impacts))] {
			k, ok := at[id]
			if !ok {
				k = len(all)
				at[id] = k
				all = append(all, scored{id: id})
			}
			share := float64(found.impacts[j]) * float64(weights[i])
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
