package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/index"
	"sortedheap/internal/codegraph/query"
	"sortedheap/internal/codegraph/query/compat"
	"sortedheap/internal/codegraph/render"
	"sortedheap/internal/harness/ask"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/ui"
)

// askRun are the flags of run ask. It needs no server: the graph comes from a
// folder, from a database that is there, or from sources.
type askRun struct {
	graph     graphOptions
	source    string
	questions string
	out       string
	budget    int
	details   bool
	params    ask.Params
}

func newAskScenarioCommand(p process) *cobra.Command {
	o := askRun{budget: render.DefaultBudget, params: ask.Params{WarmUp: 16, Budget: 120}}
	cmd := &cobra.Command{
		Use:   ask.Name,
		Short: ask.Short,
		Long: ask.Short + "\n\nEach question of the file is answered as published (compat), with its three repairs\n" +
			"(compat-c123), and by default. recall: true rows shown within the budget; lead: share of true\n" +
			"rows among those up to the last true one.\n\n" + exitCodes,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd.Flags().Changed("graph")); err != nil {
				return usageError{err}
			}
			return o.run(cmd.Context(), p, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	o.graph.addFlags(f)
	f.StringVar(&o.source, "source", "", "index the sources of this `folder` for the run, in place of --graph")
	f.StringVar(&o.questions, "questions", "", "`file` of questions with their true answers")
	f.StringVar(&o.out, "out", "", "result file to write")
	f.IntVar(&o.budget, "budget", o.budget, "tokens of each answer")
	f.BoolVar(&o.details, "details", false, "also a line for each question")
	f.IntVar(&o.params.Passes, "runs", 0, "timed passes over the questions of a row; 0: enough for 1,000 samples in every row")
	f.IntVar(&o.params.WarmUp, "warm-up", o.params.WarmUp, "untimed calls before")
	f.Float64Var(&o.params.Budget, "case-seconds", o.params.Budget, "cut the samples of a slow case to this much time, but to no less than one pass; 0: never")
	return cmd
}

func (o *askRun) check(graphGiven bool) error {
	errs := []error{o.params.Validate()}
	if o.questions == "" {
		errs = append(errs, errors.New("--questions names no file"))
	}
	if o.source != "" && graphGiven {
		errs = append(errs, errors.New("--source and --graph exclude each other"))
	}
	if o.budget < render.MinBudget || o.budget > maxAskBudget {
		errs = append(errs, fmt.Errorf("--budget is %d, must be in %d..%d", o.budget, render.MinBudget, maxAskBudget))
	}
	return errors.Join(errs...)
}

func (o *askRun) run(ctx context.Context, p process, out io.Writer) error {
	questions, err := ask.ReadFile(o.questions)
	if err != nil {
		return err
	}
	var verdicts []ask.Verdict
	err = measured(ctx, p, o.out, func(progress ui.Progress, file *result.File) (err error) {
		b, closing, err := o.backend(ctx, p, progress)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, closing(context.WithoutCancel(ctx))) }()
		progress.Step("read names", 0)
		catalog, err := query.Open(ctx, b)
		if err != nil {
			return err
		}
		view, err := compat.View(ctx, b)
		if err != nil {
			return err
		}
		view.BuildIndex()
		contestants := []ask.Contestant{
			o.published("compat", view, catalog, compat.Fixes{}),
			o.published("compat-c123", view, catalog, compat.AllFixes()),
			o.standard(catalog),
		}
		info := catalog.Info
		file.Params = map[string]any{"scenario": ask.Name, "corpus": info.Corpus, "queries": len(questions.Questions), "budget": o.budget,
			"nodes": info.Nodes, "edges": info.Edges, "unresolved": info.Unresolved, "graph_commit": info.Commit, "questions_of": questions.Version}
		var warnings []string
		file.Rows, verdicts, warnings, err = ask.Run(ctx, info.Corpus, questions.Questions, contestants, o.params, progress)
		file.Warnings = append(file.Warnings, warnings...)
		return err
	})
	if o.details {
		err = errors.Join(err, writeVerdicts(out, verdicts))
	}
	return err
}

// backend opens the graph, or makes it in memory.
func (o *askRun) backend(ctx context.Context, p process, progress ui.Progress) (graph.Backend, func(context.Context) error, error) {
	if o.source == "" {
		g, err := o.graph.open(ctx)
		if err != nil {
			return nil, nil, err
		}
		return g.backend, g.close, nil
	}
	options := index.DefaultOptions(o.source)
	options.Now = p.now()
	g, _, err := index.Run(ctx, options, progress)
	if err != nil {
		return nil, nil, err
	}
	return g, func(context.Context) error { return nil }, nil
}

// published answers as compat does.
func (o *askRun) published(name string, view *compat.Graph, c *query.Catalog, fixes compat.Fixes) ask.Contestant {
	return ask.Contestant{Name: name, Plan: "trigram index, walk of 2 hops", Answer: func(_ context.Context, question string) (ask.Reply, error) {
		a := compat.Query(view, question, compat.Options{Depth: compat.DefaultDepth, Budget: o.budget, Fixes: fixes})
		reply := ask.Reply{Text: a.Text, Nodes: len(a.Nodes)}
		shown := strings.Count("\n"+a.Text, "\nNODE ")
		for i, n := range a.Nodes[:min(shown, len(a.Nodes))] {
			if i < len(a.Seeds) {
				continue // what was asked about is no answer
			}
			reply.Rows = append(reply.Rows, rowOf(c, n))
		}
		return reply, nil
	}}
}

// standard answers as benchgraph ask does.
func (o *askRun) standard(c *query.Catalog) ask.Contestant {
	return ask.Contestant{Name: "default", Plan: "names, one expansion", Answer: func(ctx context.Context, question string) (ask.Reply, error) {
		a, err := c.Ask(ctx, question, query.Options{})
		if err != nil {
			return ask.Reply{}, err
		}
		text := render.Answer(a, o.budget, "")
		reply := ask.Reply{Text: text.Body, Nodes: len(a.Rows) + len(a.Matches) + text.Near}
		for _, r := range text.Rows {
			row := rowOf(c, r.Node)
			if len(r.Sites) > 0 {
				row.File = r.Sites[0].File
			}
			for _, s := range r.Sites {
				if s.File == row.File {
					row.Sites = append(row.Sites, s.Line)
				}
			}
			reply.Rows = append(reply.Rows, row)
		}
		for _, m := range a.Matches {
			if len(text.Rows) == 0 && len(reply.Rows) < text.Shown {
				reply.Rows = append(reply.Rows, rowOf(c, m.Node))
			}
		}
		return reply, nil
	}}
}

func rowOf(c *query.Catalog, n int32) ask.Row {
	node := c.Node(n)
	return ask.Row{Name: node.Qualified, File: node.File, Line: node.Line, EndLine: node.EndLine, Enclosing: node.Kind == graph.Type}
}

func writeVerdicts(out io.Writer, verdicts []ask.Verdict) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "question\tanswered by\trecall\tlead\trows\ttokens")
	for _, v := range verdicts {
		fmt.Fprintf(w, "%s\t%s\t%.2f\t%.2f\t%d\t%d\n", v.Question, v.Contestant, v.Grade.Recall, v.Grade.Lead, v.Grade.Rows, v.Tokens)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write verdicts: %w", err)
	}
	return nil
}
