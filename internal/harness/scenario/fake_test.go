package scenario_test

import (
	"context"
	"errors"
	"fmt"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/memory"
	"sortedheap/internal/harness/measure"
)

// fake is the exact twin posing as an engine with statements, with faults to
// switch on.
type fake struct {
	*memory.Engine
	name        string
	forms       []engine.Form
	approximate bool
	missing     string                                          // reason of an UnavailableError
	refuse      engine.Form                                     // Prepare fails for it
	distort     func(engine.Task, []engine.Row) []engine.Row    // changes answers
	plan        func(t engine.Task, asked int) (summary string) // nil: the form
	spoil       func(engine.Task) bool                          // Ask fails with a fault of the engine
	outside     bool                                            // a part of the work is done outside of the server
	runs        map[string]int                                  // timed and untimed calls per task
	profile     func(engine.Task) (engine.Profile, error)       // nil: the server has nothing to tell
}

func newFake(name string, forms ...engine.Form) *fake {
	return &fake{Engine: memory.New(), name: name, forms: forms, runs: map[string]int{}}
}

func (f *fake) Name() string { return f.name }

func (f *fake) Settings() map[string]string { return map[string]string{"knob": "on"} }

func (f *fake) Capabilities() engine.Capabilities {
	return engine.Capabilities{Forms: f.forms, Seedings: []engine.Seeding{engine.SeedSearch, engine.SeedGiven},
		ApproximateSeeds: f.approximate, MaxHops: 2}
}

func (f *fake) Open(ctx context.Context) error {
	if f.missing != "" {
		return &engine.UnavailableError{Engine: f.name, Reason: f.missing}
	}
	return f.Engine.Open(ctx)
}

func (f *fake) Ask(ctx context.Context, t engine.Task, q engine.Question) ([]engine.Row, error) {
	if f.spoil != nil && f.spoil(t) {
		return nil, &engine.FaultError{Engine: f.name, Err: errors.New("ids are empty")}
	}
	rows, err := f.Engine.Ask(ctx, t, q)
	if f.distort != nil && err == nil {
		rows = f.distort(t, rows)
	}
	return rows, err
}

func (f *fake) Prepare(_ context.Context, t engine.Task) (engine.Call, error) {
	if t.Form == f.refuse {
		return nil, errors.New("no such function")
	}
	return &fakeCall{owner: f, task: t}, nil
}

type fakeCall struct {
	owner *fake
	task  engine.Task
	plans int
}

func (c *fakeCall) Text() string { return "ask " + c.task.String() }

func (c *fakeCall) Run(ctx context.Context, q engine.Question) (int, error) {
	c.owner.runs[c.task.String()]++
	rows, err := c.owner.Engine.Ask(ctx, c.task, q)
	return len(rows), err
}

func (c *fakeCall) Plan(context.Context, engine.Question) (engine.Plan, error) {
	c.plans++
	summary := fmt.Sprint("plan of ", c.task.Form)
	if c.owner.plan != nil {
		summary = c.owner.plan(c.task, c.plans)
	}
	return engine.Plan{Summary: summary, QueryID: 77, Outside: c.owner.outside}, nil
}

func (c *fakeCall) Stages() []engine.Stage {
	if !c.owner.outside {
		return nil
	}
	return []engine.Stage{{Name: "search", MS: 3}, {Name: "sql", MS: 4}}
}

func (c *fakeCall) Profile(context.Context) (engine.Profile, bool, error) {
	if c.owner.profile == nil {
		return engine.Profile{}, false, nil
	}
	p, err := c.owner.profile(c.task)
	return p, err == nil, err
}

// steadyClock says that every call took 2 ms, of which planning 0.5.
type steadyClock struct{}

func (steadyClock) Last(context.Context) (measure.Cost, error) {
	return measure.Cost{ExecMS: 1.5, PlanMS: 0.5, HitPages: 10}, nil
}

// quiet shows nothing.
type quiet struct{}

func (quiet) Step(string, int)    {}
func (quiet) Done(int)            {}
func (quiet) Note(string, ...any) {}
