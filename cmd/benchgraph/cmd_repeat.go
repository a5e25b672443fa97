package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sortedheap/internal/harness/result"
	"sortedheap/internal/ui"
)

// newRepeatCommand measures a scenario several times, each on a cluster and
// indexes of its own.
func newRepeatCommand(p process) *cobra.Command {
	var builds int
	cmd := newScenariosCommand(cobra.Command{
		Use:   "repeat SCENARIO",
		Short: "Measure a scenario on several fresh builds",
		Long: "repeat does what run does, several times, each time on a fresh cluster with tables and\n" +
			"indexes built anew. The table shows median, least and most of latency and quality over\n" +
			"the builds: what a chance in building an index, or the moment, does to the figures. The\n" +
			"result file has the rows of every build.\n\n" + exitCodes,
	}, p.getenv, func(ctx context.Context, j *job) error {
		if builds < 2 {
			return usageError{fmt.Errorf("--builds is %d, must be at least 2; run measures one", builds)}
		}
		return j.repeat(ctx, p, builds)
	})
	for _, sub := range cmd.Commands() {
		sub.Flags().IntVar(&builds, "builds", 3, "fresh clusters")
	}
	return cmd
}

// repeat fills one file with the rows of all builds. What ends one build ends all.
func (j *job) repeat(ctx context.Context, p process, builds int) error {
	return measured(ctx, p, j.out, func(progress ui.Progress, file *result.File) error {
		defer func() { file.Warnings = gathered(file.Warnings) }()
		for n := 1; n <= builds; n++ {
			progress.Note("build %d of %d", n, builds)
			one := &result.File{}
			err := j.on(ctx, one, progress)
			file.Params = j.params
			take(file, one, fmt.Sprintf("build=%d", n))
			if err != nil {
				return errors.Join(fmt.Errorf("build %d of %d: %w", n, builds, err))
			}
		}
		file.Params["builds"] = builds
		return nil
	})
}

// take adds the rows and warnings of one measurement, which are of a point, and
// its server.
func take(file, one *result.File, point string) {
	for _, row := range one.Rows {
		row.Point = point
		file.Rows = append(file.Rows, row)
	}
	for _, w := range one.Warnings {
		file.Warnings = append(file.Warnings, point+pointMark+w)
	}
	file.Env.Seed = one.Env.Seed
	if one.Env.Postgres != "" {
		file.Env.Postgres, file.Env.Settings, file.Env.Extensions = one.Env.Postgres, one.Env.Settings, one.Env.Extensions
	}
}

// pointMark stands between a point and its warning.
const pointMark = ": "

// gathered says once what was warned of at several points.
func gathered(warnings []string) []string {
	var order []string
	points := map[string][]string{}
	for _, w := range warnings {
		point, text, _ := strings.Cut(w, pointMark)
		if points[text] == nil {
			order = append(order, text)
		}
		points[text] = append(points[text], point)
	}
	out := make([]string, 0, len(order))
	for _, text := range order {
		where := strings.Join(points[text], "; ")
		if n := len(points[text]); n > 3 {
			where = fmt.Sprintf("%d points from %s to %s", n, points[text][0], points[text][n-1])
		}
		out = append(out, "at "+where+pointMark+text)
	}
	return out
}
