package corpus

import (
	"context"
	"errors"
	"fmt"

	"sortedheap/internal/embed"
)

// Relations of the assistant's facts, by first appearance.
const (
	RelationCapital int16 = iota + 1
	RelationUsesEngine
	RelationMaintainedIn
	RelationCodename
	RelationLaunchesIn
	RelationBackend
)

// MaxButlerQueries is how many questions the fair set can have.
const MaxButlerQueries = 2 * butlerWordings

const butlerWordings = 10 * 10 * 6 // per chain: addresses, ways to ask, endings

// ButlerOptions says what to ask about the seven facts of an assistant's memory.
type ButlerOptions struct {
	Dim      int            // components of each embedding, 1 to embed.MaxDim
	Embedder embed.Embedder // of Dim components; nil: the hash of embed.Multihop, as published
	Queries  int            // at most; Original has two
	Set      QuestionSet
}

// DefaultButler returns the options of the published smoke test: 384 dimensions,
// two questions.
func DefaultButler() ButlerOptions {
	return ButlerOptions{Dim: 384, Queries: 2}
}

// Validate reports every option that is out of range.
func (o ButlerOptions) Validate() error {
	var errs []error
	if err := checkDim(o.Dim, o.Embedder); err != nil {
		errs = append(errs, err)
	}
	if o.Queries < 0 || o.Queries > MaxButlerQueries {
		errs = append(errs, fmt.Errorf("queries %d is outside 0..%d", o.Queries, MaxButlerQueries))
	}
	return errors.Join(append(errs, o.Set.check())...)
}

// butlerFacts are in the published order. Entities and targets are numbered by
// first appearance, the entity of a fact before its target.
var butlerFacts = []struct {
	entity, target string
	relation       int16
	text           string
}{
	{"France", "Paris", RelationCapital, "The capital of France is Paris."},
	{"Japan", "Tokyo", RelationCapital, "The capital of Japan is Tokyo."},
	{"Project Atlas", "Orion", RelationUsesEngine, "Project Atlas uses database engine Orion."},
	{"Orion", "Helsinki", RelationMaintainedIn, "Orion is maintained in Helsinki."},
	{"Release 13", "Aurora", RelationCodename, "Release 13 has codename Aurora."},
	{"Aurora", "April", RelationLaunchesIn, "Aurora launches in April."},
	{"Butler external memory backend", "PostgreSQL", RelationBackend, "Butler external memory backend is PostgreSQL."},
}

// butlerChain is a question that takes two facts to answer.
type butlerChain struct {
	question   string // as published, in substance
	ways       [10]string
	endings    [6]string
	answer     string
	hop1, hop2 int16
}

var butlerChains = []butlerChain{
	{
		question: "Jarvis, in what city is the database engine used by Project Atlas maintained?",
		ways: [10]string{"in what city is the database engine of Project Atlas maintained", "where is the database engine that Project Atlas uses maintained",
			"Project Atlas uses a database engine: where is it maintained", "which city maintains the engine used by Project Atlas",
			"the engine behind Project Atlas is maintained in which city", "what is the city where the database engine for Project Atlas is maintained",
			"where do they maintain the database engine Project Atlas uses", "name the city in which the Project Atlas database engine is maintained",
			"which city is home to the database engine of Project Atlas", "for Project Atlas, where is the database engine it uses maintained"},
		endings: [6]string{"", " today", " these days", ", as far as we know", ", in short", " at the moment"},
		answer:  "Helsinki", hop1: RelationUsesEngine, hop2: RelationMaintainedIn,
	},
	{
		question: "Jarvis, in what month does the release with codename Aurora launch?",
		ways: [10]string{"when does the release with codename Aurora launch", "in what month does Release 13, codename Aurora, launch",
			"Release 13 has a codename: when does it launch", "which month is the launch of codename Aurora",
			"the codename of Release 13 launches in which month", "what is the month in which Aurora, the codename of Release 13, launches",
			"when do we launch codename Aurora", "name the month in which the release called Aurora launches",
			"which month does the codename of Release 13 launch in", "for Release 13 with codename Aurora, when is the launch"},
		endings: [6]string{"", " this year", " according to plan", ", as far as we know", ", in short", " at last"},
		answer:  "April", hop1: RelationCodename, hop2: RelationLaunchesIn,
	},
}

var butlerAddresses = [10]string{"Jarvis, %s%s?", "Hey Jarvis, %s%s?", "%s%s?", "Please tell me, %s%s?", "Jarvis, I forgot: %s%s?",
	"Quick question: %s%s?", "Do you know, %s%s?", "One more thing, %s%s?", "Somebody asks me: %s%s?", "Jarvis, remind me, %s%s?"}

// Butler makes the seven facts and their questions: the original two, or for the
// fair set other wordings of both, as many of the one as of the other. Two chains of two facts are
// in them, so a question has one right answer however its hops are filtered.
func Butler(ctx context.Context, o ButlerOptions) (*Facts, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("make butler corpus: %w", err)
	}
	ids := map[string]int32{}
	id := func(name string) int32 {
		if ids[name] == 0 {
			ids[name] = int32(len(ids) + 1)
		}
		return ids[name]
	}
	facts := &Facts{Name: "butler", Dim: o.Dim, Params: map[string]any{"dim": o.Dim, "query_set": string(o.Set.orOriginal())}}
	var texts []string
	for _, f := range butlerFacts {
		entity := id(f.entity)
		facts.Rows = append(facts.Rows, Fact{Entity: entity, Relation: f.relation, Target: id(f.target), Payload: f.text})
		texts = append(texts, f.text)
	}
	for i, text := range butlerQuestions(o) {
		chain := butlerChains[i%len(butlerChains)]
		facts.Queries = append(facts.Queries, Query{Text: text, Hop1: chain.hop1, Hop2: chain.hop2, Answer: ids[chain.answer]})
		texts = append(texts, text)
	}
	embedder, err := orHash(o.Embedder, embed.Multihop, o.Dim)
	if err != nil {
		return nil, fmt.Errorf("make butler corpus: %w", err)
	}
	vectors, err := embedder.Embed(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("make butler corpus: %w", err)
	}
	for i := range facts.Rows {
		facts.Rows[i].Embedding = vectors[i]
	}
	for i := range facts.Queries {
		facts.Queries[i].Embedding = vectors[len(facts.Rows)+i]
	}
	facts.Params["queries"], facts.Params["embedder"] = len(facts.Queries), embedder.Name()
	return facts, nil
}

// butlerQuestions are about both chains in turns. Neighbouring questions differ in
// their ways to ask, so that a few of them are a fair sample, too.
func butlerQuestions(o ButlerOptions) []string {
	var texts []string
	if o.Set.orOriginal() == Original {
		for _, chain := range butlerChains {
			texts = append(texts, chain.question)
		}
		return texts[:min(o.Queries, len(texts))]
	}
	for i := range o.Queries {
		chain, at := butlerChains[i%len(butlerChains)], i/len(butlerChains)
		way, at := chain.ways[at%len(chain.ways)], at/len(chain.ways)
		address, at := butlerAddresses[at%len(butlerAddresses)], at/len(butlerAddresses)
		texts = append(texts, fmt.Sprintf(address, way, chain.endings[at]))
	}
	return texts
}
