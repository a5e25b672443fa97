package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/report"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/ui"
)

// job is one scenario with its flags: what run does once, sweep at every point,
// and repeat for every build.
type job struct {
	server  serverOptions
	out     string
	params  map[string]any                                        // for the result file; prepare may add to them
	seed    int64                                                 // of the corpus
	prepare func(ctx context.Context, progress ui.Progress) error // before there is a server; may be nil
	measure func(ctx context.Context, dsn string, progress ui.Progress) ([]result.Row, []string, error)
	// questions is there where one load serves several measurements.
	questions *questionJob
}

// startFunc is what a command does with a job.
type startFunc func(ctx context.Context, j *job) error

// clockFunc finds the server clock of a statement.
type clockFunc = func(ctx context.Context, queryID int64) (measure.ServerClock, error)

func (j *job) addFlags(cmd *cobra.Command) {
	j.server.addFlags(cmd)
	cmd.Flags().StringVar(&j.out, "out", "", "result file to write")
}

// run measures once, from server to report.
func (j *job) run(ctx context.Context, p process) error {
	return measured(ctx, p, j.out, func(progress ui.Progress, file *result.File) error {
		file.Params = j.params
		return j.on(ctx, file, progress)
	})
}

// on prepares the job and measures it on a server of its own. file has the rows
// that there are also after an error, and none after an interruption.
func (j *job) on(ctx context.Context, file *result.File, progress ui.Progress) (err error) {
	if _, err := j.server.provider(); err != nil {
		return err
	}
	if j.prepare != nil {
		if err := j.prepare(ctx, progress); err != nil {
			return err
		}
	}
	progress.Step("start server", 0)
	srv, err := j.server.start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, srv.close()) }()
	rows, warnings, runErr := j.measure(ctx, srv.dsn, progress)
	if ctx.Err() != nil {
		return errors.Join(runErr, ctx.Err())
	}
	file.Rows, file.Warnings = append(file.Rows, rows...), append(file.Warnings, warnings...)
	file.Env.Seed = j.seed
	if len(rows) == 0 {
		return runErr
	}
	return errors.Join(runErr, addServer(ctx, &file.Env, srv.dsn))
}

// addServer records what a server is; a later one takes its place.
func addServer(ctx context.Context, env *result.Env, dsn string) error {
	described, err := describeServer(ctx, dsn)
	if err != nil {
		return err
	}
	env.Postgres, env.Settings, env.Extensions = described.Postgres, described.Settings, described.Extensions
	return nil
}

// measured runs what fills a file, then writes the file and its tables. The
// machine is described as it was before.
func measured(ctx context.Context, p process, out string, fill func(ui.Progress, *result.File) error) error {
	progress := ui.New(p.stderr)
	defer progress.Close()
	env := result.Machine(p.commit)
	env.Time = p.now().UTC().Format(time.RFC3339)
	file := &result.File{Schema: result.Schema, Env: env}
	err := fill(progress, file)
	if ctx.Err() != nil || len(file.Rows) == 0 {
		return err
	}
	return errors.Join(err, finish(p, file, out, progress))
}

// finish writes the result file, if one is asked for, and the tables.
func finish(p process, file *result.File, out string, progress ui.Progress) error {
	if out != "" {
		if err := result.Write(out, file); err != nil {
			return err
		}
		progress.Note("wrote %s", out)
	}
	progress.Close()
	return errors.Join(report.Write(p.stdout, []*result.File{file}, report.Text), failedCases(file))
}
