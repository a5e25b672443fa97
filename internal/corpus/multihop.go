package corpus

import (
	"context"
	"errors"
	"fmt"
	"math"

	"sortedheap/internal/corpus/pyrand"
	"sortedheap/internal/embed"
)

// Relations of the person-parent-city corpus.
const (
	RelationParent  int16 = 1 // person -> parent
	RelationLivesIn int16 = 2 // parent -> city
)

// MaxChains is the largest number of chains whose entity ids fit int4.
const MaxChains = math.MaxInt32 / 3

const (
	cityNumbers   = 1_000_000
	questionsSalt = 0x5A17 // keeps the choice of questions apart from the cities
)

// MultihopOptions says which person-parent-city graph to generate.
type MultihopOptions struct {
	Chains   int            // persons, 1 to MaxChains; two facts each
	Dim      int            // components of each embedding, 1 to embed.MaxDim
	Embedder embed.Embedder // of Dim components; nil: the hash of embed.Multihop, as published
	Queries  int            // questions about distinct persons, 0 to Chains
	Seed     int64          // of both the cities and the choice of questions
	Set      QuestionSet
}

// DefaultMultihop returns the options of the published results: 5,000 chains,
// 384 dimensions, 64 questions, seed 42.
func DefaultMultihop() MultihopOptions {
	return MultihopOptions{Chains: 5000, Dim: 384, Queries: 64, Seed: 42}
}

// Validate reports every option that is out of range.
func (o MultihopOptions) Validate() error {
	var errs []error
	if o.Chains < 1 || o.Chains > MaxChains {
		errs = append(errs, fmt.Errorf("chains %d is outside 1..%d", o.Chains, MaxChains))
	}
	if err := checkDim(o.Dim, o.Embedder); err != nil {
		errs = append(errs, err)
	}
	if o.Queries < 0 || o.Queries > max(o.Chains, 0) {
		errs = append(errs, fmt.Errorf("queries %d is outside 0..%d (one per chain at most)", o.Queries, max(o.Chains, 0)))
	}
	return errors.Join(append(errs, o.Set.check())...)
}

// Multihop generates the two-hop corpus: person i (entity i) has a parent
// (entity n+i), who lives in a city (entity 2n+i). The city's number in the
// text is random and may repeat; its entity id is not and does not. Rows come
// chain by chain, the parent fact first. Every question has one right answer,
// the target id of its person's city fact. The original questions are about
// persons drawn from all at once, the fair ones about one person out of each of as
// many equal stretches; no question is a row.
//
// Note what the embedding sees: the tokeniser splits "Person_12" into "person"
// and "12", so the number is what ties a question to its chain, and a parent
// fact carries it twice.
func Multihop(ctx context.Context, o MultihopOptions) (*Facts, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("generate multihop corpus: %w", err)
	}
	rows, texts := multihopRows(o)
	queries, err := multihopQueries(o)
	if err != nil {
		return nil, fmt.Errorf("generate multihop corpus: %w", err)
	}
	for _, q := range queries {
		texts = append(texts, q.Text)
	}
	embedder, err := orHash(o.Embedder, embed.Multihop, o.Dim)
	if err != nil {
		return nil, fmt.Errorf("generate multihop corpus: %w", err)
	}
	vectors, err := embedder.Embed(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("generate multihop corpus: %w", err)
	}
	for i := range rows {
		rows[i].Embedding = vectors[i]
	}
	for i := range queries {
		queries[i].Embedding = vectors[len(rows)+i]
	}
	return &Facts{
		Name:    "multihop",
		Dim:     o.Dim,
		Rows:    rows,
		Queries: queries,
		Params: map[string]any{
			"chains": o.Chains, "dim": o.Dim, "queries": o.Queries, "seed": o.Seed, "embedder": embedder.Name(),
			"query_set": string(o.Set.orOriginal()),
		},
	}, nil
}

func multihopRows(o MultihopOptions) (rows []Fact, texts []string) {
	n := o.Chains
	cities := pyrand.New(o.Seed)
	rows = make([]Fact, 0, 2*n)
	texts = make([]string, 0, 2*n+o.Queries)
	for i := 1; i <= n; i++ {
		city := cities.Below(cityNumbers)
		person, parent, home := int32(i), int32(n+i), int32(2*n+i)
		rows = append(rows,
			Fact{Entity: person, Relation: RelationParent, Target: parent,
				Payload: fmt.Sprintf("Person_%d has parent Parent_%d.", i, i)},
			Fact{Entity: parent, Relation: RelationLivesIn, Target: home,
				Payload: fmt.Sprintf("Parent_%d lives in City_%d.", i, city)})
		texts = append(texts, rows[len(rows)-2].Payload, rows[len(rows)-1].Payload)
	}
	return rows, texts
}

func multihopQueries(o MultihopOptions) ([]Query, error) {
	chosen, err := questionedPersons(o)
	if err != nil {
		return nil, fmt.Errorf("choose questions: %w", err)
	}
	queries := make([]Query, len(chosen))
	for i, index := range chosen {
		person := index + 1
		queries[i] = Query{
			Text:   fmt.Sprintf("Where does the parent of Person_%d live?", person),
			Hop1:   RelationParent,
			Hop2:   RelationLivesIn,
			Answer: int32(2*o.Chains + person),
			Entity: int32(person),
		}
	}
	return queries, nil
}

// questionedPersons returns the numbers of distinct persons, from 0.
func questionedPersons(o MultihopOptions) ([]int, error) {
	if o.Set.orOriginal() == Original {
		return pyrand.New(o.Seed^questionsSalt).Sample(o.Chains, o.Queries)
	}
	persons := make([]int, o.Queries)
	for i := range persons {
		persons[i] = pick(o.Seed, i, o.Queries, o.Chains)
	}
	return persons, nil
}
