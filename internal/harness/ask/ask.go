// Package ask measures answers to questions over a code graph: how many of the
// true rows are shown, what stands before them, what an answer costs to read,
// and how long it takes.
//
// It knows no graph. Who answers is a Contestant, and all of them get the same
// questions in turns.
package ask

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/stats"
	"sortedheap/internal/ui"
)

// Name and Short are the scenario on the command line.
const (
	Name  = "ask"
	Short = "questions over a code graph: true rows shown, what stands before them, tokens, time"
)

// charsPerToken is how the length of an answer becomes tokens.
const charsPerToken = 3

// Contestant is one way to answer.
type Contestant struct {
	Name   string // such as compat
	Plan   string // what ran
	Answer func(ctx context.Context, question string) (Reply, error)
}

// Params of a run.
type Params struct {
	Passes int     // timed passes over the questions of a row; 0: enough for stats.MinSamples in every row
	WarmUp int     // untimed calls before
	Budget float64 // seconds of each contestant; 0: no limit
}

// Validate returns every fault at once.
func (p Params) Validate() error {
	var errs []error
	if p.Passes < 0 {
		errs = append(errs, fmt.Errorf("--runs is %d, must not be negative", p.Passes))
	}
	if p.WarmUp < 0 {
		errs = append(errs, fmt.Errorf("--warm-up is %d, must not be negative", p.WarmUp))
	}
	if p.Budget < 0 {
		errs = append(errs, fmt.Errorf("--case-seconds is %g, must not be negative", p.Budget))
	}
	return errors.Join(errs...)
}

// Verdict is one question of one contestant, for people who look into it.
type Verdict struct {
	Contestant, Question string
	Grade                Grade
	Tokens               int
}

// Run asks all questions of all contestants, grades, and then times. corpus
// names the tree.
func Run(ctx context.Context, corpus string, questions []Question, contestants []Contestant, p Params, progress ui.Progress) ([]result.Row, []Verdict, []string, error) {
	var verdicts []Verdict
	replies := map[string][]Reply{}
	for _, c := range contestants {
		progress.Step("ask "+c.Name, len(questions))
		for _, q := range questions {
			r, err := c.Answer(ctx, q.Question)
			if err != nil {
				return nil, nil, nil, fmt.Errorf("ask %s %q: %w", c.Name, q.ID, err)
			}
			replies[c.Name] = append(replies[c.Name], r)
			verdicts = append(verdicts, Verdict{c.Name, q.ID, grade(r.Rows, q.Truth), tokens(r.Text)})
			progress.Done(1)
		}
	}
	cases := relations(questions)
	times := make([][][]float64, len(cases)) // by case and contestant
	for i, relation := range cases {
		var err error
		if times[i], err = timed(ctx, ofRelation(questions, relation), contestants, p, progress); err != nil {
			return nil, verdicts, nil, err
		}
	}
	var rows []result.Row
	var warnings []string
	least, most := math.MaxInt, 0
	for i, c := range contestants {
		for j, relation := range cases {
			row := summed(corpus, c, relation, questions, replies[c.Name], verdicts[i*len(questions):(i+1)*len(questions)])
			row.Samples = len(times[j][i])
			row.ClientMS = result.NewLatency(stats.Summarize(times[j][i]))
			rows = append(rows, row)
			least, most = min(least, row.Samples), max(most, row.Samples)
		}
	}
	if w := stats.TooFew(least, most); w != "" {
		warnings = append(warnings, string(w))
	}
	return rows, verdicts, warnings, nil
}

func tokens(text string) int {
	return (utf8.RuneCountInString(text) + charsPerToken - 1) / charsPerToken
}

// allRelations is the case of every question.
const allRelations = "all"

func relations(questions []Question) []string {
	list := []string{allRelations}
	for _, q := range questions {
		if !slices.Contains(list, q.Relation) {
			list = append(list, q.Relation)
		}
	}
	return list
}

// ofRelation keeps the questions of one relation.
func ofRelation(questions []Question, relation string) []Question {
	if relation == allRelations {
		return questions
	}
	return slices.DeleteFunc(slices.Clone(questions), func(q Question) bool { return q.Relation != relation })
}

// timed returns the milliseconds that each contestant took, of all its calls. Each
// row is timed by itself, so that one of few questions has samples enough.
func timed(ctx context.Context, questions []Question, contestants []Contestant, p Params, progress ui.Progress) ([][]float64, error) {
	trials, times := make([]measure.Trial, len(contestants)), make([][]float64, len(contestants))
	for i, c := range contestants {
		trials[i] = measure.Trial{Name: c.Name, Call: func(ctx context.Context, q int) (int, error) {
			r, err := c.Answer(ctx, questions[q].Question)
			return len(r.Rows), err
		}}
	}
	passes := p.Passes
	if passes == 0 {
		passes = int(math.Ceil(float64(stats.MinSamples) / float64(len(questions))))
	}
	progress.Step("time", passes*len(questions))
	if err := measure.WarmUp(ctx, trials, len(questions), p.WarmUp, nil); err != nil {
		return nil, fmt.Errorf("warm up: %w", err)
	}
	samples, err := measure.Interleave(ctx, trials, measure.Plan{Inputs: len(questions), Passes: passes, Budget: 1000 * p.Budget},
		func(int, int) { progress.Done(1) })
	if err != nil {
		return nil, fmt.Errorf("time answers: %w", err)
	}
	for i := range times {
		times[i] = samples[i].ClientMS
	}
	return times, nil
}

// summed is the row of one contestant over the questions of one relation.
func summed(corpus string, c Contestant, relation string, questions []Question, replies []Reply, verdicts []Verdict) result.Row {
	var recall, lead, first, all, read, nodes, shown, n float64
	for i, q := range questions {
		if relation != allRelations && q.Relation != relation {
			continue
		}
		n++
		g := verdicts[i].Grade
		recall += g.Recall
		lead += g.Lead
		first += share(g.First)
		all += share(g.All)
		read += float64(verdicts[i].Tokens)
		nodes += float64(replies[i].Nodes)
		shown += float64(g.Rows)
	}
	mean := func(sum float64) *float64 { v := sum / n; return &v }
	return result.Row{
		Scenario: Name, Corpus: corpus, Engine: c.Name, Case: relation, Plan: fmt.Sprintf("%s; %.0f tokens, %.0f nodes", c.Plan, read/n, nodes/n),
		Params: map[string]any{"question": relation, "nodes_mean": nodes / n}, Queries: int(n), RowsMean: shown / n,
		Quality: &result.Quality{HitAt1: mean(first), RecallAtK: mean(recall), LeadPrecision: mean(lead), FullPct: mean(all), TokensMean: mean(read)},
	}
}

func share(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
