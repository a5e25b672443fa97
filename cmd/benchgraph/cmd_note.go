package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"

	"sortedheap/fixtures"
	"sortedheap/internal/harness/published"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario/code"
)

// newNoteCommand measures the published note again and compares.
func newNoteCommand(p process) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "note",
		Short: "Run the settings of the published note again and set the figures side by side",
		Long: "note run measures each setting of the published note that has no result file yet in a\n" +
			"folder; note write turns the folder into a page of Markdown.\n\n" + exitCodes,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return usageError{errors.New("say what to do: run or write")} },
	}
	cmd.AddCommand(newNoteRunCommand(p), newNoteWriteCommand())
	return cmd
}

// noteRun is `note run` on the command line.
type noteRun struct {
	dir, only string
	pg, books string
	ninja     string
	quick     bool
	outside   outsideOptions
}

func newNoteRunCommand(p process) *cobra.Command {
	o := noteRun{}
	cmd := &cobra.Command{
		Use:   "run DIR",
		Short: "Measure what has no result file yet",
		Long: "run measures each setting of the note that has no result file in DIR; so an interrupted\n" +
			"run goes on where it was. A setting that fails is told at the end.\n\n" + exitCodes,
		Args: oneFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.dir = args[0]
			return o.run(cmd.Context(), p)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.only, "only", "", "only settings whose name matches this regular expression")
	f.StringVar(&o.pg, "pg", "local", "server, as for run")
	f.StringVar(&o.books, "books", "", "directory of books for the gutenberg settings; without it they are left out")
	f.StringVar(&o.ninja, "ninja", "", "directory src of ninja's source for the code settings; `make sources` fetches it; without it they are left out")
	f.BoolVar(&o.quick, "quick", false, "one pass over the questions: quality and counts, no times to believe")
	o.outside.addFlags(cmd)
	return cmd
}

func oneFolder(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("name one folder of result files, not %d", len(args))
	}
	return nil
}

func (o noteRun) run(ctx context.Context, p process) error {
	note, err := published.Parse(fixtures.GraphRAGNote())
	if err != nil {
		return err
	}
	only, err := regexp.Compile(o.only)
	if err != nil {
		return usageError{fmt.Errorf("--only: %w", err)}
	}
	var failed []error
	matched := false
	for _, s := range note.Settings {
		if !only.MatchString(s.Name) {
			continue
		}
		matched = true
		if flag, dir := o.input(s); flag != "" && dir == "" {
			_, _ = fmt.Fprintf(p.stderr, "setting %s is left out: --%s names no directory\n", s.Name, flag)
			continue
		}
		for build := 1; build <= s.Builds; build++ {
			if err := o.build(ctx, p, s, build); err != nil {
				failed = append(failed, fmt.Errorf("setting %s: %w", s.Name, err))
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	if !matched {
		return usageError{fmt.Errorf("--only: no setting matches %q", o.only)}
	}
	return errors.Join(failed...)
}

// input is the flag of this command that says where a setting's texts are, and what
// it says; empty where a setting needs none.
func (o noteRun) input(s published.Setting) (flag, dir string) {
	switch s.Scenario {
	case "gutenberg":
		return "books", o.books
	case code.Name:
		return "ninja", o.ninja
	}
	return "", ""
}

// build makes one result file, unless it is there.
func (o noteRun) build(ctx context.Context, p process, s published.Setting, build int) error {
	path := s.Path(o.dir, build)
	if _, err := os.Stat(path); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, _ = fmt.Fprintf(p.stderr, "setting %s, build %d of %d\n", s.Name, build, s.Builds)
	args := append(s.Args(), "--pg="+o.pg, "--out="+path)
	switch s.Scenario {
	case "gutenberg":
		args = append(args, "--books="+o.books)
	case code.Name:
		args = append(args, "--source="+o.ninja)
	}
	if o.quick {
		args = append(args, "--runs=1", "--warm-up=0", "--case-seconds=0.01")
	}
	if s.Scenario != code.Name {
		args = append(args, o.outside.args()...)
	}
	p.stdout = io.Discard // the table: the page shows it beside the note's
	root := newRootCommand(p)
	root.SetArgs(args)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	err := root.ExecuteContext(ctx)
	var usage usageError
	if errors.As(err, &usage) {
		return fmt.Errorf("%v: %s", args, usage.Error()) // not the caller's mistake
	}
	if _, statErr := os.Stat(path); statErr == nil {
		return nil // rows of cases that failed are in the page
	}
	return err
}

func newNoteWriteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "write DIR",
		Short: "Write the page from the result files of a folder",
		Args:  oneFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			note, err := published.Parse(fixtures.GraphRAGNote())
			if err != nil {
				return err
			}
			files, err := readNote(note, args[0])
			if err != nil {
				return err
			}
			return published.Write(cmd.OutOrStdout(), note, files)
		},
	}
}

// readNote reads the files that are there.
func readNote(note *published.Note, dir string) (published.Results, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	files := published.Results{}
	for _, s := range note.Settings {
		for build := 1; build <= s.Builds; build++ {
			f, err := result.Read(filepath.Clean(s.Path(dir, build)))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			files[s.Name] = append(files[s.Name], f)
		}
	}
	return files, nil
}
