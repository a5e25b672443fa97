package evidence

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/embed"
)

// A question in plain words calls things by other words than the source does: a job
// is an edge there. What its vector is near to uses the source's own words, and these
// find more: the best terms of the nearest fragments join the question's. Each
// fragment's best terms are stored at load, where the embedder tells what texts mean.

// Limits of feedback.
const (
	termsKept     = 40  // of a fragment, those that say most about it
	feedbackRows  = 12  // nearest fragments that give terms
	feedbackTerms = 40  // that they give together
	feedbackShare = 0.5 // of a word's weight that the first of these has
)

// feedbackStatement reads the best terms of fragments.
const feedbackStatement = "evidence_feedback"

const feedbackSQL = `SELECT fragment, terms, impacts FROM evidence_terms WHERE fragment = ANY ($1::int4[])`

// impact is a term with its share of a fragment's score.
type impact struct {
	term  string
	share float32
}

// compareImpacts orders the greatest first.
func compareImpacts(a, b impact) int {
	return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.term, b.term))
}

// keepTerms notes the postings of a term for the fragments that it says most about.
func (l *loader) keepTerms(term string, postings []posting) {
	if l.kept == nil || len(term) >= len(symbolMark) && term[:len(symbolMark)] == symbolMark {
		return
	}
	for _, p := range postings {
		kept := append(l.kept[p.fragment], impact{term, p.impact})
		if len(kept) >= 2*termsKept {
			kept = bestImpacts(kept, termsKept)
		}
		l.kept[p.fragment] = kept
	}
}

func bestImpacts(all []impact, limit int) []impact {
	slices.SortFunc(all, compareImpacts)
	return all[:min(len(all), limit)]
}

// copyTerms stores the best terms of each fragment that has a vector.
func (l *loader) copyTerms(ctx context.Context) error {
	if l.kept == nil {
		return nil
	}
	next := -1
	_, err := l.conn.CopyFrom(ctx, pgx.Identifier{"evidence_terms"}, []string{"fragment", "terms", "impacts"},
		pgx.CopyFromFunc(func() ([]any, error) {
			for next++; next < len(l.fragments) && isTest(l.fragments[next].File); next++ {
			}
			if next == len(l.fragments) {
				return nil, nil
			}
			best := bestImpacts(l.kept[next], termsKept)
			terms, shares := make([]string, len(best)), make([]float32, len(best))
			for i, b := range best {
				terms[i], shares[i] = b.term, b.share
			}
			return []any{int32(next + 1), terms, shares}, nil
		}))
	return err
}

// hasFeedback reports whether fragments whose vectors are near tell what a question
// means.
func hasFeedback(e embed.Embedder) bool { return embed.TellsMeaning(e) }

// speaksPlainly reports whether a question names no symbol for sure.
func (q *question) speaksPlainly() bool {
	return !slices.ContainsFunc(q.sure, func(s float32) bool { return s > wordSymbol })
}

// feedback ranks fragments by the question's terms together with those of the
// fragments that its vector is nearest to. held are the lists of the question's.
func (x *Index) feedback(ctx context.Context, q *question, found *gathering, held lists) error {
	nearest := slices.Clone(found.all)
	slices.SortFunc(nearest, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.id, b.id))
	})
	nearness := map[int32]float32{}
	var ids []int32
	for _, c := range nearest[:min(len(nearest), feedbackRows)] {
		if c.distance < 1 {
			ids = append(ids, c.id)
			nearness[c.id] = float32(1 - c.distance)
		}
	}
	said := map[int32][]impact{}
	rows, err := x.conn.Query(ctx, feedbackStatement, ids)
	if err != nil {
		return fmt.Errorf("read terms of near fragments: %w", err)
	}
	var (
		id     int32
		terms  []string
		shares []float32
	)
	_, err = pgx.ForEachRow(rows, []any{&id, &terms, &shares}, func() error {
		if len(terms) != len(shares) {
			return fmt.Errorf("fragment %d has %d terms and %d impacts", id, len(terms), len(shares))
		}
		for i, t := range terms {
			said[id] = append(said[id], impact{t, nearness[id] * shares[i]})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read terms of near fragments: %w", err)
	}
	q.near = together(ids, said)
	missing := make([]string, 0, len(q.near))
	for _, n := range q.near {
		if _, ok := held[n.term]; !ok {
			missing = append(missing, n.term)
		}
	}
	if rows, err = x.conn.Query(ctx, listsStatement, missing); err != nil {
		return fmt.Errorf("find by terms of near fragments: %w", err)
	}
	if err := held.read(rows); err != nil {
		return fmt.Errorf("find by terms of near fragments: %w", err)
	}
	all, weights := slices.Clone(q.terms), slices.Clone(q.weights)
	for _, n := range q.near {
		all, weights = append(all, n.term), append(weights, n.share)
	}
	for _, s := range held.best(all, weights, make([]bool, len(all)), lexicalRows) {
		found.at(s.id).meaning = s.lexical
	}
	return nil
}

// together are the terms that fragments say most of all, with their weights.
func together(ids []int32, said map[int32][]impact) []impact {
	sum := map[string]float32{}
	for _, id := range ids { // in order, so that sums are always the same
		for _, s := range said[id] {
			sum[s.term] += s.share
		}
	}
	var all []impact
	for _, term := range slices.Sorted(maps.Keys(sum)) {
		all = append(all, impact{term, sum[term]})
	}
	all = bestImpacts(all, feedbackTerms)
	if len(all) > 0 {
		most := all[0].share
		for i := range all {
			all[i].share *= feedbackShare / most
		}
	}
	return all
}
