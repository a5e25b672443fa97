package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sortedheap/internal/harness/result"
	"sortedheap/internal/ui"
)

// searchFlags can be varied on one load: they are given to a session or to a
// statement. Everything else makes tables or indexes anew.
var searchFlags = []string{"ef-search", "scan-mode", "ann-k", "top-k", "runs", "warm-up", "case-seconds"}

// unvaried are flags that are not parameters of a measurement.
var unvaried = []string{"vary", "out", "pg", "shared-buffers", "engines", "cases", "qdrant", "zvec-lib", "zvec-python", "help"}

// axis is a flag and its values.
type axis struct {
	flag   string
	values []string
}

// name is how parameters are called in result files.
func (a axis) name() string { return strings.ReplaceAll(a.flag, "-", "_") }

// point is one value of each axis.
type point []setting

type setting struct{ axis, value string }

func (p point) String() string {
	words := make([]string, 0, len(p))
	for _, s := range p {
		words = append(words, s.axis+"="+s.value)
	}
	return strings.Join(words, " ")
}

// newSweepCommand measures a scenario at every combination of parameters.
func newSweepCommand(p process) *cobra.Command {
	var vary []string
	cmd := newScenariosCommand(cobra.Command{
		Use:   "sweep SCENARIO --vary NAME=VALUE,VALUE...",
		Short: "Measure a scenario at every combination of parameters",
		Long: "sweep measures a scenario at every combination of the values that --vary names, and\n" +
			"writes one result file. Names are those of the scenario's flags. Tables and indexes are\n" +
			"built anew only where a parameter asks for it, such as m; ef_search, ann_k, top_k and\n" +
			"scan_mode are measured on one load. A flag that takes a list, such as ef_search of ann,\n" +
			"is swept by the scenario itself, and its values are given whole.\n\n" + exitCodes,
	}, p.getenv, func(context.Context, *job) error { return nil })
	for _, sub := range cmd.Commands() {
		sub.Flags().StringArrayVar(&vary, "vary", nil, "`NAME=VALUE,VALUE...` of a flag, may be repeated")
		sub.RunE = func(cmd *cobra.Command, _ []string) error {
			plan, err := planSweep(cmd, p.getenv, vary)
			if err != nil {
				return usageError{err}
			}
			return plan.run(cmd.Context(), p)
		}
	}
	return cmd
}

// sweepPlan is the jobs of a sweep, in groups that share a load.
type sweepPlan struct {
	axes   []axis
	groups [][]pointJob
}

type pointJob struct {
	*job
	point point
}

// planSweep makes a job for every point, so that mistakes show before the first
// is measured.
func planSweep(cmd *cobra.Command, getenv func(string) string, vary []string) (*sweepPlan, error) {
	axes, lists, err := parseAxes(cmd.Flags(), vary)
	if err != nil {
		return nil, err
	}
	plan := &sweepPlan{axes: axes}
	last := ""
	for _, p := range product(axes) {
		j, err := jobAt(cmd, getenv, p, lists)
		if err != nil {
			return nil, fmt.Errorf("at %s: %w", p, err)
		}
		group := ""
		for i, s := range p {
			if j.questions == nil || !slices.Contains(searchFlags, axes[i].flag) {
				group += s.value + "\n"
			}
		}
		if len(plan.groups) == 0 || group != last || j.questions == nil {
			plan.groups = append(plan.groups, nil)
		}
		last = group
		g := &plan.groups[len(plan.groups)-1]
		*g = append(*g, pointJob{j, p})
	}
	return plan, nil
}

// parseAxes reads --vary; values of flags that take lists are lists for every
// point. What asks for a build comes first, so that points of one load are
// neighbours.
func parseAxes(flags *pflag.FlagSet, vary []string) (axes, lists []axis, err error) {
	if len(vary) == 0 {
		return nil, nil, errors.New("say what to vary: --vary NAME=VALUE,VALUE")
	}
	var errs []error
	for _, v := range vary {
		name, values, ok := strings.Cut(v, "=")
		a := axis{strings.ReplaceAll(name, "_", "-"), strings.Split(values, ",")}
		flag := flags.Lookup(a.flag)
		switch {
		case !ok || slices.Contains(a.values, ""):
			errs = append(errs, fmt.Errorf("--vary %q is not of the form NAME=VALUE,VALUE", v))
		case flag == nil || slices.Contains(unvaried, a.flag):
			errs = append(errs, fmt.Errorf("--vary: %q is not a parameter of this scenario that can be varied", name))
		case slices.ContainsFunc(slices.Concat(axes, lists), func(o axis) bool { return o.flag == a.flag }):
			errs = append(errs, fmt.Errorf("--vary names %q twice", name))
		case isList(flag):
			lists = append(lists, a)
		default:
			axes = append(axes, a)
		}
	}
	slices.SortStableFunc(axes, func(a, b axis) int { return searchOrder(a) - searchOrder(b) })
	return axes, lists, errors.Join(errs...)
}

func searchOrder(a axis) int {
	if slices.Contains(searchFlags, a.flag) {
		return 1
	}
	return 0
}

func isList(f *pflag.Flag) bool {
	_, ok := f.Value.(pflag.SliceValue)
	return ok
}

// product is every combination, the last axis moving fastest.
func product(axes []axis) []point {
	points := []point{nil}
	for _, a := range axes {
		var longer []point
		for _, p := range points {
			for _, v := range a.values {
				longer = append(longer, append(slices.Clone(p), setting{a.name(), v}))
			}
		}
		points = longer
	}
	return points
}

// jobAt makes the job of a point: the flags that were given, and the point's.
func jobAt(given *cobra.Command, getenv func(string) string, p point, lists []axis) (*job, error) {
	var made *job
	tree := newScenariosCommand(cobra.Command{Use: "sweep"}, getenv, func(_ context.Context, j *job) error {
		made = j
		return nil
	})
	sub, _, err := tree.Find([]string{given.Name()})
	if err != nil {
		return nil, err
	}
	sub.SetContext(given.Context())
	var errs []error
	given.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "vary" {
			errs = append(errs, setFlag(sub.Flags(), f.Name, valuesOf(f)))
		}
	})
	for _, l := range lists {
		errs = append(errs, setFlag(sub.Flags(), l.flag, l.values))
	}
	for _, s := range p {
		errs = append(errs, setFlag(sub.Flags(), strings.ReplaceAll(s.axis, "_", "-"), []string{s.value}))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := sub.RunE(sub, nil); err != nil {
		return nil, err
	}
	return made, nil
}

func valuesOf(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{f.Value.String()}
}

func setFlag(flags *pflag.FlagSet, name string, values []string) error {
	f := flags.Lookup(name)
	list, ok := f.Value.(pflag.SliceValue)
	if !ok {
		return flags.Set(name, values[0])
	}
	f.Changed = true
	if err := list.Replace(values); err != nil {
		return fmt.Errorf("--%s: %w", name, err)
	}
	return nil
}

// run measures group by group.
func (s *sweepPlan) run(ctx context.Context, p process) error {
	first := s.groups[0][0]
	return measured(ctx, p, first.out, func(progress ui.Progress, file *result.File) (err error) {
		defer func() { s.complete(file, first) }()
		var srv *server
		defer func() {
			if srv != nil {
				err = errors.Join(err, srv.close())
			}
		}()
		for _, group := range s.groups {
			if first.questions == nil {
				progress.Note("point %s", group[0].point)
				err = group[0].alone(ctx, file, progress)
			} else {
				if srv == nil {
					progress.Step("start server", 0)
					if srv, err = first.server.start(ctx); err != nil {
						return err
					}
				}
				err = onOneLoad(ctx, group, file, srv.dsn, progress)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// alone measures a point on a server of its own.
func (j pointJob) alone(ctx context.Context, file *result.File, progress ui.Progress) error {
	one := &result.File{}
	err := j.on(ctx, one, progress)
	j.take(file, one)
	return err
}

// take adds rows that say where they stand.
func (j pointJob) take(file, one *result.File) {
	for i := range one.Rows {
		if one.Rows[i].Params == nil {
			one.Rows[i].Params = map[string]any{}
		}
		for _, s := range j.point {
			if _, there := one.Rows[i].Params[s.axis]; !there {
				one.Rows[i].Params[s.axis] = plainValue(s.value)
			}
		}
	}
	take(file, one, j.point.String())
}

// plainValue is a number where it reads as one.
func plainValue(text string) any {
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n
	}
	return text
}

// onOneLoad measures the points that share tables and indexes.
func onOneLoad(ctx context.Context, group []pointJob, file *result.File, dsn string, progress ui.Progress) (err error) {
	first := group[0]
	if err := first.prepare(ctx, progress); err != nil {
		return err
	}
	loaded, warnings, err := first.questions.load(ctx, dsn, progress)
	defer func() { err = errors.Join(err, loaded.close(context.WithoutCancel(ctx))) }()
	if err != nil {
		first.take(file, &result.File{Rows: loaded.missing(), Warnings: warnings})
		return err
	}
	for _, j := range group {
		progress.Note("point %s", j.point)
		if err := j.questions.ask(first.questions.source); err != nil {
			return err
		}
		one := &result.File{Warnings: warnings, Env: result.Env{Seed: first.seed}}
		rows, doubts, err := loaded.measure(ctx, j.questions)
		if ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		one.Rows, one.Warnings = rows, append(slices.Clone(warnings), doubts...)
		err = errors.Join(err, addServer(ctx, &one.Env, dsn))
		j.take(file, one)
		if err != nil {
			return fmt.Errorf("at %s: %w", j.point, err)
		}
	}
	return nil
}

// complete records what was varied.
func (s *sweepPlan) complete(file *result.File, first pointJob) {
	file.Params = first.params
	var names []string
	for _, a := range s.axes {
		file.Params[a.name()] = a.values
		names = append(names, a.name())
	}
	file.Params["vary"] = names
	file.Warnings = gathered(file.Warnings)
}
