package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"sortedheap/internal/harness/scenario"
)

// process is everything that comes from outside, so that tests can replace it.
type process struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	now            func() time.Time
	getenv         func(string) string
	environ        func() []string
	commit         string
}

// Exit codes.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitUnavailable = 3
	exitDisagree    = 4
	exitInterrupted = 130
)

const exitCodes = `Exit codes:
  0    done
  1    failed: a server error, a case that did not run, an unreadable file
  2    usage: unknown command, flag or value
  3    no engine could run on this machine or server
  4    engines disagree: an answer is not its baseline's, nothing was timed
  130  interrupted
`

// usageError is a mistake in the command line.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// run executes one command line and returns the exit code.
func run(ctx context.Context, p process) int {
	root := newRootCommand(p)
	root.SetArgs(p.args)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	err := root.ExecuteContext(ctx)
	code := exitCode(ctx, err)
	switch code {
	case exitOK:
	case exitInterrupted:
		// What a cancelled step reports is not worth reading.
		_, _ = fmt.Fprintln(p.stderr, "benchgraph: interrupted")
	default:
		_, _ = fmt.Fprintf(p.stderr, "benchgraph: %v\n", err)
		if code == exitUsage {
			_, _ = fmt.Fprintln(p.stderr, "Run 'benchgraph --help' for commands, or add --help to a command for its flags.")
		}
	}
	return code
}

func exitCode(ctx context.Context, err error) int {
	var (
		usage    usageError
		disagree *scenario.EquivalenceError
	)
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, scenario.ErrNoEngine):
		return exitUnavailable
	case errors.As(err, &disagree):
		return exitDisagree
	default:
		return exitFailure
	}
}

func newRootCommand(p process) *cobra.Command {
	root := &cobra.Command{
		Use:   "benchgraph",
		Short: "Benchmark graph retrieval: the same questions to every engine",
		Long: "benchgraph loads fact graphs into several engines, checks that they agree,\n" +
			"grades their answers, times them side by side and writes a result file.\n\n" + exitCodes,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newRunCommand(p), newSweepCommand(p), newRepeatCommand(p), newCompareCommand(), newReportCommand(), newNoteCommand(p),
		newCorpusCommand(p), newClusterCommand(p), newReproCommand(p),
		newIndexCommand(p), newAskCommand(p), newExplainCommand(), newPathCommand(), newAffectedCommand(), newMCPCommand(p), newEvidenceCommand(p))
	asUsage(root)
	return root
}

// asUsage turns mistakes in flags and arguments of all commands into usage
// errors.
func asUsage(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return usageError{err}
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		asUsage(sub)
	}
}
