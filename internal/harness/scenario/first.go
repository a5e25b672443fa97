package scenario

import (
	"context"
	"fmt"
	"maps"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/stats"
)

// withoutCache are settings under which a session reads the vector index page by
// page.
var withoutCache = map[string]string{"sorted_hnsw.shared_cache": "off", "sorted_hnsw.local_cache_size": "0"}

// newcomer is a case that is asked in new sessions.
type newcomer struct {
	trial         *trial
	engine        engine.Newcomer
	suffix        string
	settings      map[string]string
	first, second []float64
}

// first measures the first query of new sessions: whole questions with the path
// score, in one call with and without the cache and in plain SQL, in turns.
func (r *run) first(ctx context.Context) error {
	var list []*newcomer
	for _, t := range r.trials {
		e, ok := t.owner.Engine.(engine.Newcomer)
		if !ok || r.Params.FreshSessions == 0 || t.task.Seeding != engine.SeedSearch || t.task.Score != engine.ScorePath ||
			t.task.Output != engine.OutputRows || !t.owner.Capabilities().ApproximateSeeds {
			continue
		}
		switch t.task.Form {
		case engine.FormOneCall:
			list = append(list, &newcomer{trial: t, engine: e, suffix: "/first"},
				&newcomer{trial: t, engine: e, suffix: "/first, no cache", settings: withoutCache})
		case engine.FormIn:
			list = append(list, &newcomer{trial: t, engine: e, suffix: "/first"})
		}
	}
	if len(list) == 0 {
		return nil
	}
	r.Progress.Step("first queries of new sessions", r.Params.FreshSessions)
	for i := range r.Params.FreshSessions {
		for k, n := range list {
			questions := r.questions[n.trial.task.SeedBy]
			first, second, err := n.engine.First(ctx, n.trial.task, questions[(i*len(list)+k)%len(questions)], n.settings)
			if err != nil {
				return fmt.Errorf("case %s%s: %w", n.trial.name, n.suffix, err)
			}
			n.first, n.second = append(n.first, first), append(n.second, second)
		}
		r.Progress.Done(i + 1)
	}
	for _, n := range list {
		r.rows = append(r.rows, r.firstRow(n))
	}
	return nil
}

func (r *run) firstRow(n *newcomer) result.Row {
	params := taskParams(n.trial.task, n.trial.owner)
	session := maps.Clone(n.settings)
	if session == nil {
		session = map[string]string{}
	}
	if given, ok := params["session"].(map[string]string); ok {
		for name, value := range given {
			if _, changed := n.settings[name]; !changed {
				session[name] = value
			}
		}
	}
	params["session"] = session
	params["second_ms_p50"] = stats.Summarize(n.second).P50
	return result.Row{
		Scenario: r.scenario.Name, Corpus: r.info.Name, Engine: n.trial.owner.Name(), EngineVersion: n.trial.owner.Version(),
		Case: n.trial.name + n.suffix, Plan: n.trial.plan.Summary, Params: params, Queries: len(r.info.Queries),
		Samples: len(n.first), ClientMS: result.NewLatency(stats.Summarize(n.first)),
	}
}
