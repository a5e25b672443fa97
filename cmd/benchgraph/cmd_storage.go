package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

	"sortedheap/internal/harness/crud"
	"sortedheap/internal/harness/openshare"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/ui"
)

// This file has the scenarios that measure storage, and the run of all that make
// their own tables and have no questions about facts.

func newOpenShareCommand(start startFunc) *cobra.Command {
	run := &job{server: serverOptions{sharedBuffers: "1GB"}}
	o := openshare.Default()
	cmd := &cobra.Command{
		Use:   openshare.Name,
		Short: openshare.Short,
		Long: openshare.Short + "\n\nThe column /ref is the median against the btree's on the same table; the column plan\n" +
			"tells which way the last call went.\n\n" + exitCodes,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return usageError{err}
			}
			run.params = o.Map()
			run.measure = func(ctx context.Context, dsn string, progress ui.Progress) (_ []result.Row, _ []string, err error) {
				env := openshare.Env{DSN: dsn, Progress: progress}
				clock, warnings, closeClock, err := serverClock(ctx, dsn)
				if err != nil {
					return nil, nil, err
				}
				defer func() { err = errors.Join(err, closeClock(context.WithoutCancel(ctx))) }()
				env.Clock = clock
				rows, doubts, err := openshare.Run(ctx, o, env)
				return rows, append(warnings, doubts...), err
			}
			return start(cmd.Context(), run)
		},
	}
	run.addFlags(cmd)
	f := cmd.Flags()
	f.IntVar(&o.Entities, "entities", o.Entities, "entities of 16 facts in the tables of given shares")
	f.IntVar(&o.Dim, "dim", o.Dim, "components of each embedding in those tables")
	f.Float64SliceVar(&o.Shares, "shares", o.Shares, "`percent` of the blocks to open, a table for each share")
	f.Lookup("shares").DefValue = fmt.Sprint(o.Shares)
	f.IntVar(&o.StrayEntities, "stray-entities", o.StrayEntities, "entities of 16 narrow facts in the table with strays; 0: no such table")
	f.IntVar(&o.Strays, "strays", o.Strays, "rows deleted in the table with strays and replaced by rows with other keys")
	f.IntSliceVar(&o.Keys, "keys", o.Keys, "entities of one lookup; 0 is what a call costs that finds nothing")
	f.IntVar(&o.Inputs, "queries", o.Inputs, "different lookups of each case")
	f.IntVar(&o.Passes, "runs", o.Passes, "timed passes over them")
	f.IntVar(&o.WarmUp, "warm-up", o.WarmUp, "untimed calls per case before")
	f.Float64Var(&o.Budget, "case-seconds", o.Budget, "cut the samples of a slow case to this much time, but to no less than one pass; 0: never")
	return cmd
}

func newCrudCommand(start startFunc) *cobra.Command {
	run := &job{server: roomyServer}
	o := crud.Default()
	var cases string
	cmd := &cobra.Command{
		Use:   crud.Name,
		Short: crud.Short,
		Long: crud.Short + "\n\nThe default is a quick look of two to three minutes; figures to publish take\n" +
			"--pairs 10 --seconds 30 (well over an hour for all cases). Ratios above 1 are better than\n" +
			"heap; they come with a 95 % interval over the pairs.\n\n" + exitCodes,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if cases != "" {
				if o.Cases, err = regexp.Compile(cases); err != nil {
					return usageError{fmt.Errorf("--cases: %w", err)}
				}
			}
			if err := o.Validate(); err != nil {
				return usageError{err}
			}
			run.params = o.Map()
			run.measure = func(ctx context.Context, dsn string, progress ui.Progress) ([]result.Row, []string, error) {
				return crud.Run(ctx, dsn, o, progress)
			}
			return start(cmd.Context(), run)
		},
	}
	run.addFlags(cmd)
	f := cmd.Flags()
	f.IntVar(&o.Pairs, "pairs", o.Pairs, "pairs of runs per case")
	f.Float64Var(&o.Seconds, "seconds", o.Seconds, "seconds of each table in each pair")
	f.IntVar(&o.Rows, "rows", o.Rows, "rows in the tables of reads and single-row writes")
	f.IntVar(&o.CopyRows, "copy-rows", o.CopyRows, "rows of a narrow COPY")
	f.IntVar(&o.WideCopyRows, "wide-copy-rows", o.WideCopyRows, "rows of a COPY with vectors")
	f.IntVar(&o.Dim, "dim", o.Dim, "components of these vectors")
	f.IntVar(&o.PayloadBytes, "payload-bytes", o.PayloadBytes, "text of each row")
	f.StringVar(&cases, "cases", "", "only cases that match this regular expression")
	return cmd
}
