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

// edges reads the references of seeds.
func (x *Index) edges(ctx context.Context, seeds []candidate) ([]edge, error) {
	ids := make([]int32, len(seeds))
	for i := range seeds {
		ids[i] = seeds[i].id
	}
	rows, err := x.conn.Query(ctx, edgesStatement, ids)
	if err != nil {
		return nil, fmt.Errorf("follow references: %w", err)
	}
	edges, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (edge, error) {
		var e edge
		err := row.Scan(&e.from, &e.rel, &e.to)
		return e, err
	})
	if err != nil {
		return nil, fmt.Errorf("follow references: %w", err)
	}
	return edges, nil
}

// fetch follows the references of the best seeds, and reads the rows of the seeds
// and of what is referred to most.
func (x *Index) fetch(ctx context.Context, seeds []candidate) ([]candidate, error) {
	best := seeds[:min(len(seeds), rescueSeeds)]
	edges, err := x.edges(ctx, best)
	if err != nil {
		return nil, err
	}
	g := newGathering()
	for _, c := range seeds {
		*g.at(c.id) = c
	}
	for _, r := range rescued(best, edges, rescueRows) {
		g.at(r.id).rescue = r.weight
	}
	ids := make([]int32, len(g.all))
	for i := range g.all {
		ids[i] = g.all[i].id
	}
	rows, err := x.conn.Query(ctx, fetchStatement, ids)
	if err != nil {
		return nil, fmt.Errorf("fetch fragments: %w", err)
	}
	if err := g.fill(rows); err != nil {
		return nil, fmt.Errorf("fetch fragments: %w", err)
	}
	return slices.DeleteFunc(g.all, func(c candidate) bool { return c.Fragment == nil }), nil
}

// fill reads the rows of fetchStatement.
func (g *gathering) fill(rows pgx.Rows) error {
	for rows.Next() {
		var (
			id, start, end int32
			rarity         float32
			lead           int16
			tokens         []byte
			f              Fragment
		)
		err := rows.Scan(&id, &f.File, &start, &end, &f.Symbol, &f.Kind, &f.Cut, &f.Head, &lead, &rarity, &tokens, &f.Text)
		if err != nil {
			rows.Close()
			return err
		}
		f.StartLine, f.EndLine, f.Lead = int(start), int(end), int(lead)
		if f.Tokens, err = unpackTokens(tokens); err != nil {
			rows.Close()
			return fmt.Errorf("fragment %d: %w", id, err)
		}
		c := g.at(id)
		c.rarity, c.Fragment = float64(rarity), &f
	}
	return rows.Err()
}
