package engine

import (
	"fmt"
	"slices"
	"strings"
)

// Seeding tells where a task's seed ids come from.
type Seeding string

// The ways to seed.
const (
	SeedSearch Seeding = "search" // the engine's own nearest-neighbour search, approximate where it has an index
	SeedExact  Seeding = "exact"  // the true nearest rows, also where an index exists
	SeedGiven  Seeding = "given"  // the caller's ids
)

// SeedBy tells which column of the nearest rows names the seeds.
type SeedBy string

// The seed columns.
const (
	SeedByEntity SeedBy = "entity"
	SeedByTarget SeedBy = "target"
)

// Score tells how final facts are ranked.
type Score string

// The scores. Ties are broken by entity, relation and target, ascending.
const (
	ScoreNone     Score = "none"     // all matching facts, in no promised order
	ScoreEndpoint Score = "endpoint" // distance of the final fact
	ScorePath     Score = "path"     // sum of the smallest distances along the hops
)

// Form tells how an engine is to compute the answer.
type Form string

// The forms. All forms of one task must return the same rows.
const (
	FormIn      Form = "in"       // SQL, entity_id = ANY (array)
	FormJoin    Form = "join"     // SQL, joins
	FormExpand  Form = "fn"       // expand_ids for the hops, ranking in SQL
	FormTopK    Form = "topk_fn"  // expand_ids for inner hops, expand_rerank for the last
	FormFused   Form = "fused_fn" // one helper call for all hops, seeds from SQL
	FormOneCall Form = "scan_fn"  // one call for everything
)

// SQL reports whether a form is plain SQL, which a reader without the extension
// could write.
func (f Form) SQL() bool { return f == FormIn || f == FormJoin }

// AnyRelation as a hop's filter lets every relation pass; QueryRelation lets the
// one pass that the question names for the hop.
const (
	AnyRelation   int16 = 0
	QueryRelation int16 = -1
)

// Output tells what leaves the server.
type Output string

// The outputs.
const (
	OutputRows  Output = "rows"  // the facts
	OutputCount Output = "count" // count(*) and sum(length(payload)) over them
)

// Task is what is asked, in engine-neutral words.
type Task struct {
	Seeding Seeding
	SeedBy  SeedBy
	Given   int     // seeds taken of a question's by SeedGiven, the first ones; 0: all
	Hops    []int16 // relation filter per hop, AnyRelation or QueryRelation; no hop: the seed rows themselves
	Score   Score
	Form    Form
	Output  Output
	AnnK    int // nearest rows that become seeds, at least 1
	TopK    int // rows of a ranked answer, at least 1
}

// String is a compact spelling for errors and logs.
func (t Task) String() string {
	hops := make([]string, len(t.Hops))
	for i, h := range t.Hops {
		hops[i] = fmt.Sprint(h)
		if h == QueryRelation {
			hops[i] = "the question's"
		}
	}
	seeds := string(t.Seeding)
	if t.Given > 0 {
		seeds = fmt.Sprintf("%s %d", seeds, t.Given)
	}
	return fmt.Sprintf("%s seeds by %s, hops [%s], %s score, form %s, output %s",
		seeds, t.SeedBy, strings.Join(hops, " "), t.Score, t.Form, t.Output)
}

// GivenSeeds returns the seeds of a question that the task starts from.
func (t Task) GivenSeeds(q Question) []int32 {
	if t.Given > 0 && t.Given < len(q.Seeds) {
		return q.Seeds[:t.Given]
	}
	return q.Seeds
}

// Filters returns the relation filter of each hop, those that the question names
// filled in.
func (t Task) Filters(q Question) ([]int16, error) {
	if !slices.Contains(t.Hops, QueryRelation) {
		return t.Hops, nil
	}
	filters := slices.Clone(t.Hops)
	for i, h := range filters {
		if h != QueryRelation {
			continue
		}
		if i >= len(q.Relations) || q.Relations[i] <= 0 {
			return nil, fmt.Errorf("task %s: the question names no relation for hop %d", t, i+1)
		}
		filters[i] = q.Relations[i]
	}
	return filters, nil
}

// Validate reports the first thing that makes a task meaningless.
func (t Task) Validate() error {
	switch {
	case t.Seeding != SeedGiven && t.AnnK < 1:
		return fmt.Errorf("task %s: ann_k is %d, must be at least 1", t, t.AnnK)
	case t.Score != ScoreNone && t.TopK < 1:
		return fmt.Errorf("task %s: top_k is %d, must be at least 1", t, t.TopK)
	case t.Given != 0 && t.Seeding != SeedGiven || t.Given < 0:
		return fmt.Errorf("task %s: %d given seeds with seeding %s", t, t.Given, t.Seeding)
	case len(t.Hops) == 0 && t.Seeding == SeedGiven:
		return fmt.Errorf("task %s: given seeds need at least one hop", t)
	case len(t.Hops) == 0 && t.Form != FormIn:
		return fmt.Errorf("task %s: a bare seed search has form %q only", t, FormIn)
	case t.Score == ScorePath && (t.Form == FormExpand || t.Form == FormTopK):
		return fmt.Errorf("task %s: composed helpers have no path score", t)
	case t.Score == ScoreNone && (t.Form == FormTopK || t.Form == FormFused || t.Form == FormOneCall):
		return fmt.Errorf("task %s: reranking helpers always rank", t)
	}
	return nil
}

// Baseline is the same task in plain SQL: what a helper must agree with.
func (t Task) Baseline() Task {
	t.Form = FormIn
	return t
}

// Capabilities is what an engine can do, as data.
type Capabilities struct {
	Forms            []Form
	GivenForms       []Form // run with SeedGiven only, beside Forms
	Seedings         []Seeding
	ApproximateSeeds bool // SeedSearch may differ from SeedExact
	MaxHops          int  // at least 1
}

// Refuses returns why a task cannot run, or "" when it can.
func (c Capabilities) Refuses(t Task) string {
	switch {
	case !slices.Contains(c.Forms, t.Form) && !(t.Seeding == SeedGiven && slices.Contains(c.GivenForms, t.Form)):
		return fmt.Sprintf("no form %q", t.Form)
	case !slices.Contains(c.Seedings, t.Seeding):
		return fmt.Sprintf("no %s seeds", t.Seeding)
	case len(t.Hops) > c.MaxHops:
		return fmt.Sprintf("at most %d hops", c.MaxHops)
	}
	return ""
}
