package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"sortedheap/internal/codegraph/query"
	"sortedheap/internal/codegraph/query/compat"
	"sortedheap/internal/codegraph/query/plain"
	"sortedheap/internal/codegraph/render"
	"sortedheap/internal/harness/result"
)

// graphExitCodes are those of commands that ask a code graph.
const graphExitCodes = `Exit codes:
  0    answered, also when nothing was found
  1    failed: no graph there, a graph that cannot be read, a name that is unknown
       or means several things; the answer lists what it may mean
  2    usage: unknown command, flag or value
  130  interrupted
`

// askOptions are the flags of ask.
type askOptions struct {
	graph    graphOptions
	json     bool
	html     string
	budget   int
	contexts []string
	depth    int
	dfs      bool
	compat   bool
	fixes    []string
	evidence askEvidence
}

// maxAskBudget bounds an answer, in tokens.
const maxAskBudget = 1_000_000

func newAskCommand(p process) *cobra.Command {
	o := askOptions{evidence: askEvidence{embedder: newEmbedderOptions(p.getenv, hashCodeAware)}}
	cmd := &cobra.Command{
		Use:   "ask QUESTION",
		Short: "Answer a question over a code graph: who calls this, what uses that",
		Long: "ask reads a question, in words and several languages, and answers it from the graph that\n" +
			"index has made: rows with file:line and how sure they are, then what is near, all within\n" +
			"one budget. --compat answers as the published pipeline does.\n\n" + graphExitCodes,
		Example: "  benchgraph ask --graph .codegraph 'who calls ChargeService::charge?'\n" +
			"  benchgraph ask --graph .codegraph --html answer.html 'what implements Driver'",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			question := strings.TrimSpace(strings.Join(args, " "))
			err := o.check(cmd.Flags().Changed)
			if question == "" {
				err = errors.Join(err, errors.New("the question is empty"))
			}
			if err != nil {
				return usageError{err}
			}
			return o.run(cmd.Context(), cmd.OutOrStdout(), question, cmd.Flags().Changed("budget"))
		},
	}
	f := cmd.Flags()
	o.graph.addFlags(f)
	o.evidence.addFlags(f)
	f.BoolVar(&o.json, "json", false, "one JSON object; --budget then cuts it only if given")
	f.StringVar(&o.html, "html", "", "also write a page that draws the answer to this `file`")
	f.IntVar(&o.budget, "budget", render.DefaultBudget, "tokens of the whole answer")
	f.StringSliceVar(&o.contexts, "context", nil, "only edges of these contexts, such as call, import, field, parameter_type")
	f.IntVar(&o.depth, "depth", query.DefaultDepth, "hops of a walk, and of what a change reaches")
	f.BoolVar(&o.dfs, "dfs", false, "with --compat: walk depth first")
	f.BoolVar(&o.compat, "compat", false, "answer exactly as the published pipeline, for comparison")
	f.StringSliceVar(&o.fixes, "fix", nil, "with --compat: repairs c1 (relational words own no seed), c2 (nor do covered words), "+
		"c3 (a starving implied filter is dropped), callers (caller implies a filter), all (c1 to c3)")
	for _, fix := range []string{"c1", "c2", "c3"} {
		f.BoolFunc(fix, "same as --compat --fix "+fix, func(string) error {
			o.fixes = append(o.fixes, fix)
			o.compat = true
			return nil
		})
	}
	return cmd
}

func (o *askOptions) check(changed func(string) bool) error {
	var errs []error
	if o.budget < render.MinBudget && !o.compat || o.budget < 1 || o.budget > maxAskBudget {
		errs = append(errs, fmt.Errorf("--budget is %d, must be in %d..%d", o.budget, render.MinBudget, maxAskBudget))
	}
	if o.depth < 1 || o.depth > compat.MaxDepth {
		errs = append(errs, fmt.Errorf("--depth is %d, must be in 1..%d", o.depth, compat.MaxDepth))
	}
	if _, err := parseFixes(o.fixes); err != nil {
		errs = append(errs, err)
	}
	if !o.compat && (o.dfs || len(o.fixes) > 0) {
		errs = append(errs, errors.New("--dfs and --fix belong to --compat"))
	}
	if o.compat && (o.json || o.html != "") {
		errs = append(errs, errors.New("--compat writes text only, not --json or --html"))
	}
	for _, other := range []string{"graph", "schema", "json", "html", "context", "depth", "compat", "fix", "c1", "c2", "c3", "dfs"} {
		if o.evidence.dsn != "" && changed(other) {
			errs = append(errs, fmt.Errorf("--evidence answers with lines of the source: it knows no --%s", other))
		}
	}
	for _, one := range []string{"files", "dim", "embedder"} {
		if o.evidence.dsn == "" && changed(one) {
			errs = append(errs, fmt.Errorf("--%s belongs to --evidence", one))
		}
	}
	if o.evidence.files < 1 {
		errs = append(errs, fmt.Errorf("--files is %d, must be at least 1", o.evidence.files))
	}
	if changed("html") && o.html == "" {
		errs = append(errs, errors.New("--html names no file"))
	}
	return errors.Join(errs...)
}

func parseFixes(names []string) (compat.Fixes, error) {
	var f compat.Fixes
	for _, name := range names {
		switch name {
		case "c1":
			f.DemoteRelational = true
		case "c2":
			f.SkipCovered = true
		case "c3":
			f.RelaxStarving = true
		case "callers":
			f.CallerHints = true
		case "all":
			hints := f.CallerHints
			f = compat.AllFixes()
			f.CallerHints = hints
		default:
			return f, fmt.Errorf("--fix %q is none of c1, c2, c3, callers, all", name)
		}
	}
	return f, nil
}

func (o *askOptions) run(ctx context.Context, out io.Writer, question string, budgetGiven bool) (err error) {
	if o.evidence.dsn != "" {
		return o.evidence.run(ctx, out, question, o.budget)
	}
	g, err := o.graph.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close(context.WithoutCancel(ctx))) }()
	if o.compat {
		return o.runCompat(ctx, out, g, question)
	}
	c, err := query.Open(ctx, g.backend)
	if err != nil {
		return err
	}
	a, err := c.Ask(ctx, question, query.Options{Contexts: o.contexts, Depth: o.depth})
	if err != nil {
		return err
	}
	staleness := o.graph.staleness(ctx, c)
	if o.html != "" {
		var page bytes.Buffer
		if err := render.Page(&page, a, staleness); err != nil {
			return err
		}
		if err := result.Replace(o.html, page.Bytes()); err != nil {
			return fmt.Errorf("write %s: %w", o.html, err)
		}
	}
	if o.json {
		budget := 0
		if budgetGiven {
			budget = o.budget
		}
		return render.JSON(out, a, budget, staleness)
	}
	return write(out, render.Answer(a, o.budget, staleness).Body)
}

func (o *askOptions) runCompat(ctx context.Context, out io.Writer, g *openedGraph, question string) error {
	fixes, err := parseFixes(o.fixes)
	if err != nil {
		return usageError{err}
	}
	view, err := compat.View(ctx, g.backend)
	if err != nil {
		return err
	}
	a := compat.Query(view, question, compat.Options{GraphName: o.graph.shown(), Contexts: o.contexts, Depth: o.depth, DepthFirst: o.dfs, Budget: o.budget, Fixes: fixes})
	return write(out, plain.Lines(a.Text)+"\n")
}

func write(out io.Writer, text string) error {
	if _, err := io.WriteString(out, text); err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return nil
}
