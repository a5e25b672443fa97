package evidence

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// relationWeight is what a reference of each relation adds to what it leads to, as
// a share of the score of the seed it comes from.
var relationWeight = [...]float64{
	relCalls: 1, relMentions: 0.4, relCalledBy: 0.5, relMentioned: 0.2, relPartOf: 0.4, relParts: 0.4,
}

// referred is a fragment that references of seeds lead to, with what they add up to.
type referred struct {
	id     int32
	weight float64
}

// rescued adds up the references of seeds and returns at most limit fragments,
// those first that most leads to.
func rescued(seeds []candidate, edges []edge, limit int) []referred {
	score := map[int32]float64{}
	for i := range seeds {
		score[seeds[i].id] = seeds[i].score
	}
	// In the order of their key, so that sums do not depend on that of the rows.
	slices.SortFunc(edges, compareEdges)
	at := map[int32]int{}
	var all []referred
	for _, e := range edges {
		if e.rel < relCalls || e.rel > relParts {
			continue
		}
		i, ok := at[e.to]
		if !ok {
			i = len(all)
			at[e.to] = i
			all = append(all, referred{id: e.to})
		}
		all[i].weight += score[e.from] * relationWeight[e.rel]
	}
	slices.SortFunc(all, func(a, b referred) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.id, b.id))
	})
	return all[:min(len(all), limit)]
}

// fetch reads the rows of the best seeds, follows their references, and reads the
// rows of the other seeds and of what is referred to most.
func (x *Index) fetch(ctx context.Context, seeds []candidate) ([]candidate, error) {
	g := newGathering()
	for _, c := range seeds {
		*g.at(c.id) = c
	}
	best := seeds[:min(len(seeds), rescueSeeds)]
	rows, err := x.conn.Query(ctx, bestStatement, idsOf(best))
	if err != nil {
		return nil, fmt.Errorf("fetch best fragments: %w", err)
	}
	edges, err := g.fillBest(rows)
	if err != nil {
		return nil, fmt.Errorf("fetch best fragments: %w", err)
	}
	for _, r := range rescued(best, edges, rescueRows) {
		g.at(r.id).rescue = r.weight
	}
	if rows, err = x.conn.Query(ctx, restStatement, idsOf(g.all[len(best):])); err != nil {
		return nil, fmt.Errorf("fetch fragments: %w", err)
	}
	if err := g.fill(rows); err != nil {
		return nil, fmt.Errorf("fetch fragments: %w", err)
	}
	return slices.DeleteFunc(g.all, func(c candidate) bool { return c.Fragment == nil }), nil
}

func idsOf(all []candidate) []int32 {
	ids := make([]int32, len(all))
	for i := range all {
		ids[i] = all[i].id
	}
	return ids
}

// row is where a row of a fragment is read to.
type row struct {
	id      int32
	figures []byte
	Fragment
}

// columns are the places of fragmentColumns.
func (r *row) columns() []any {
	return []any{&r.id, &r.File, &r.Symbol, &r.Kind, &r.Head, &r.figures, &r.Text}
}

// put gives a row that was read to its candidate.
func (g *gathering) put(r *row) error {
	f := r.Fragment
	rarity, err := unpackFigures(&f, r.figures)
	if err != nil {
		return fmt.Errorf("fragment %d: %w", r.id, err)
	}
	c := g.at(r.id)
	c.rarity, c.Fragment = float64(rarity), &f
	return nil
}

// fill reads the rows of restStatement.
func (g *gathering) fill(rows pgx.Rows) error {
	var r row
	_, err := pgx.ForEachRow(rows, r.columns(), func() error { return g.put(&r) })
	return err
}

// fillBest reads the rows of bestStatement and returns their references.
func (g *gathering) fillBest(rows pgx.Rows) ([]edge, error) {
	var (
		r      row
		packed []byte
		edges  []edge
	)
	_, err := pgx.ForEachRow(rows, append(r.columns(), &packed), func() error {
		var err error
		if edges, err = unpackReferences(edges, r.id, packed); err != nil {
			return fmt.Errorf("fragment %d: %w", r.id, err)
		}
		return g.put(&r)
	})
	return edges, err
}
