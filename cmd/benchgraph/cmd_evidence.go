package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"sortedheap/internal/codegraph/query/plain"
	"sortedheap/internal/corpus"
	"sortedheap/internal/embed"
	"sortedheap/internal/evidence"
	"sortedheap/internal/tokens"
	"sortedheap/internal/ui"
)

// evidenceOptions make an index of a source tree and ask it.
type evidenceOptions struct {
	server     serverOptions
	dsn        string
	source     string
	extensions []string
	questions  []string
	embedder   embedderOptions
	dim        int
	budget     evidence.Budget
	runs       int
	copies     []int
	gin        bool
	verbose    bool
}

// newEvidenceCommand answers a question with lines of a source tree, or grades the
// answers to the questions of files.
func newEvidenceCommand(p process) *cobra.Command {
	o := &evidenceOptions{embedder: newEmbedderOptions(p.getenv, hashCodeAware), budget: evidence.DefaultBudget()}
	cmd := &cobra.Command{
		Use:   "evidence [QUESTION]",
		Short: "Answer a question with lines of a source tree",
		Long: "evidence makes an index of a source tree in a server, asks it one question, and prints the\n" +
			"lines that answer it, within a budget of tokens. With --questions it grades the answers to\n" +
			"those of the files instead, in both wordings, and tells what each stage takes in the server.\n" +
			"With --dsn it leaves the index there for ask --evidence.\n\n" + exitCodes,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && len(o.questions) > 0 || len(args) == 0 && len(o.questions) == 0 && o.dsn == "" {
				return usageError{errors.New("give a question, or --questions, or --dsn to leave an index in")}
			}
			if len(args) > 0 && strings.TrimSpace(args[0]) == "" {
				return usageError{errors.New("the question is empty")}
			}
			if o.gin && len(o.questions) == 0 {
				return usageError{errors.New("--gin needs --questions")}
			}
			if o.budget.Tokens < 1 || o.budget.Files < 1 || o.runs < 1 {
				return usageError{errors.New("--token-budget, --top-k and --runs must be at least 1")}
			}
			progress := ui.New(p.stderr)
			defer progress.Close()
			return o.run(cmd.Context(), cmd.OutOrStdout(), progress, args)
		},
	}
	o.server.addFlags(cmd)
	f := cmd.Flags()
	o.embedder.addFlags(f)
	f.IntVar(&o.dim, "dim", 384, "components of hashed embeddings")
	f.StringVar(&o.dsn, "dsn", "", "database to leave the index in, instead of a server of the run; its tables evidence_* are replaced")
	f.StringVar(&o.source, "source", ".", "root of the source tree")
	f.StringSliceVar(&o.extensions, "extensions", nil, "suffixes of the files to take; default: what the questions name, else all languages and plain text")
	f.StringSliceVar(&o.questions, "questions", nil, "question `files` to grade answers by")
	f.IntVar(&o.budget.Tokens, "token-budget", o.budget.Tokens, "tokens of an answer")
	f.IntVar(&o.budget.Files, "top-k", o.budget.Files, "files of an answer")
	f.IntVar(&o.runs, "runs", 1, "times that every question is asked, for the clocks")
	f.IntSliceVar(&o.copies, "copies", []int{1}, "sizes of the index to measure, in copies of the tree with other words")
	f.BoolVar(&o.gin, "gin", false, "with --questions: also time the search by terms alone, by our lists and by a GIN index over the same terms")
	f.BoolVar(&o.verbose, "verbose", false, "tell every question's marks, but of held-out files")
	return cmd
}

func (o *evidenceOptions) run(ctx context.Context, out io.Writer, progress ui.Progress, args []string) (err error) {
	files, questions, err := o.read(ctx)
	if err != nil {
		return err
	}
	embedder, err := o.embedder.open(ctx, o.dim)
	if err != nil {
		return err
	}
	conn, closeAll, err := o.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAll()) }()
	options := evidence.Options{Counter: tokens.NewCounter(), Embedder: embedder, Progress: progress}
	fragments, err := evidence.Cut(ctx, files)
	if err != nil {
		return err
	}
	for _, n := range o.copies {
		copies, err := evidence.Copies(ctx, fragments, n)
		if err != nil {
			return err
		}
		stats, err := evidence.BuildFrom(ctx, conn, copies, options)
		if err != nil {
			return err
		}
		index, err := evidence.Open(ctx, conn, options)
		if err != nil {
			return err
		}
		if len(args) > 0 {
			return answerQuestion(ctx, out, index, args[0], o.budget)
		}
		fmt.Fprintf(out, "%d fragments of %d files, %d terms in %d postings, %d references\n",
			stats.Fragments, stats.Files, stats.Terms, stats.Postings, stats.Edges)
		g := &evidenceGrader{options: o, conn: conn, index: index, counter: options.Counter, out: out}
		for _, q := range questions {
			if err := g.file(ctx, q); err != nil {
				return err
			}
		}
		if o.gin {
			race := &lexicalRace{conn: conn, index: index, runs: max(o.runs, minGinRuns), out: out}
			if err := race.run(ctx, copies, questions); err != nil {
				return err
			}
		}
	}
	return nil
}

// answerQuestion prints the evidence for a question.
func answerQuestion(ctx context.Context, out io.Writer, index *evidence.Index, question string, b evidence.Budget) error {
	answer, err := index.Ask(ctx, question, b)
	if err != nil {
		return err
	}
	if len(answer.Passages) == 0 {
		return errors.New("nothing in the tree has to do with the question")
	}
	// Sources may hold anything, also what a terminal obeys.
	return write(out, plain.Lines(answer.Text()))
}

// read reads the tree and the questions about it.
func (o *evidenceOptions) read(ctx context.Context) ([]evidence.File, []*corpus.QuestionFile, error) {
	var questions []*corpus.QuestionFile
	for _, name := range o.questions {
		q, err := (&codeOptions{questions: name}).readQuestions()
		if err != nil {
			return nil, nil, err
		}
		questions = append(questions, q)
	}
	// The tree is read as the corpus reads it; its own embeddings are not used.
	small, err := embed.NewHash(embed.Lexical, 1)
	if err != nil {
		return nil, nil, err
	}
	options := corpus.CodeOptions{Dir: o.source, Extensions: o.extensions, Embedder: small}
	if len(questions) > 0 {
		options.Questions = questions[0]
	}
	tree, err := corpus.OpenCode(ctx, options)
	if err != nil {
		return nil, nil, fmt.Errorf("--source: %w", err)
	}
	files := make([]evidence.File, len(tree.Files))
	for i, f := range tree.Files {
		files[i] = evidence.File{Path: plain.Field(f.Path), Text: f.Text}
	}
	return files, questions, nil
}

// connect opens the database of --dsn, or one in a server of the run.
func (o *evidenceOptions) connect(ctx context.Context) (*pgx.Conn, func() error, error) {
	dsn, closeServer := o.dsn, func() error { return nil }
	if dsn == "" {
		s, err := o.server.start(ctx)
		if err != nil {
			return nil, nil, err
		}
		dsn, closeServer = s.dsn, s.close
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("connect: %w", err), closeServer())
	}
	closeAll := func() error { return errors.Join(conn.Close(context.WithoutCancel(ctx)), closeServer()) }
	for _, extension := range []string{"sorted_heap", "pg_stat_statements"} {
		if _, err := conn.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS "+extension); err != nil {
			return nil, nil, errors.Join(fmt.Errorf("create extension %s: %w", extension, err), closeAll())
		}
	}
	return conn, closeAll, nil
}
