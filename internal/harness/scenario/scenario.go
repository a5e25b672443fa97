// Package scenario runs a corpus through the engines: load, check that forms
// of one question agree, grade the answers, and only then measure.
//
// A scenario is data: which tasks are asked. It reads no flags and prints
// nothing; progress goes to an interface, results into result rows.
package scenario

import (
	"fmt"
	"slices"
	"strings"

	"sortedheap/internal/harness/engine"
)

// Scenario is a named list of tasks over one kind of corpus.
type Scenario struct {
	Name   string
	Short  string // one line for people
	SeedBy engine.SeedBy
	Tasks  func(annK, topK int) []engine.Task
}

// All lists the scenarios that exist.
func All() []Scenario { return []Scenario{Multihop(), Gutenberg(), Synthetic(), Butler()} }

// Searches says whether any case finds its own seeds.
func (s Scenario) Searches() bool {
	return slices.ContainsFunc(s.Tasks(1, 1), func(t engine.Task) bool { return t.Seeding != engine.SeedGiven })
}

// CaseName is the name of a task in reports. It follows the names under which
// figures for these corpora were published before.
func (s Scenario) CaseName(engineName string, t engine.Task) string {
	var b strings.Builder
	if t.Seeding != engine.SeedGiven {
		b.WriteString("seed_")
	}
	switch {
	case len(t.Hops) == 0:
		b.WriteString("only")
	case t.Form == engine.FormOneCall && len(t.Hops) == 1:
		b.WriteString("graph_rag" + relationInfix(t) + "_scan_fn")
	case t.Form == engine.FormOneCall:
		b.WriteString("graph_rag_twohop" + pathInfix(t) + "_scan_fn")
	default:
		b.WriteString(expandName(t))
	}
	if t.SeedBy != s.SeedBy {
		b.WriteString("_by_" + string(t.SeedBy))
	}
	switch t.Seeding {
	case engine.SeedExact:
		b.WriteString("_exact_seed")
	case engine.SeedGiven:
		b.WriteString(givenSuffix(t.Given))
	}
	if t.Output == engine.OutputCount {
		b.WriteString("_count")
	}
	return b.String() + engineSuffix(engineName)
}

// engineSuffix tells the seeds of other search engines from those of the tables
// that the extension serves.
func engineSuffix(engineName string) string {
	switch engineName {
	case "pgvector":
		return "_pgv"
	case "zvec", "zvec-latest":
		return "_zvec"
	case "qdrant":
		return "_qdrant"
	}
	return ""
}

func expandName(t engine.Task) string {
	name := "expand"
	if len(t.Hops) > 1 {
		name = fmt.Sprintf("expand%d", len(t.Hops))
	}
	if t.Score != engine.ScoreNone {
		name += "_rerank"
	}
	name += relationInfix(t)
	switch t.Form {
	case engine.FormFused:
		return name + "_twohop" + pathInfix(t) + "_fn"
	case engine.FormIn, engine.FormJoin:
		if t.Score == engine.ScorePath {
			name += "_pathsum"
		}
	}
	return name + "_" + string(t.Form)
}

func givenSuffix(seeds int) string {
	switch seeds {
	case 0:
		return "_given_seeds"
	case 1:
		return "_1_seed"
	}
	return fmt.Sprintf("_%d_seeds", seeds)
}

// relationInfix tells tasks with relation filters from those without.
func relationInfix(t engine.Task) string {
	for _, hop := range t.Hops {
		if hop != engine.AnyRelation {
			return "_rel"
		}
	}
	return ""
}

func pathInfix(t engine.Task) string {
	if t.Score == engine.ScorePath {
		return "_path"
	}
	return ""
}

// forms returns one task in several forms.
func forms(t engine.Task, list ...engine.Form) []engine.Task {
	tasks := make([]engine.Task, len(list))
	for i, f := range list {
		tasks[i] = t
		tasks[i].Form = f
	}
	return tasks
}

// counted returns tasks twice: counting on the server, and with full output.
func counted(tasks []engine.Task) []engine.Task {
	both := make([]engine.Task, 0, 2*len(tasks))
	for _, output := range []engine.Output{engine.OutputCount, engine.OutputRows} {
		for _, t := range tasks {
			t.Output = output
			both = append(both, t)
		}
	}
	return both
}
