package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sortedheap/internal/codegraph/query"
	"sortedheap/internal/codegraph/query/compat"
	"sortedheap/internal/codegraph/render"
)

// This file has the commands that take names instead of a question.

// namesOptions are their common flags.
type namesOptions struct {
	graph  graphOptions
	json   bool
	budget int
}

func (o *namesOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	o.graph.addFlags(f)
	f.BoolVar(&o.json, "json", false, "one JSON value, whole")
	f.IntVar(&o.budget, "budget", render.DefaultBudget, "tokens of the whole answer")
}

// on checks the flags and runs f over the graph. What a wrong name may mean is
// shown before its error.
func (o *namesOptions) on(ctx context.Context, out io.Writer, f func(c *query.Catalog) error) (err error) {
	if o.budget < render.MinBudget || o.budget > maxAskBudget {
		return usageError{fmt.Errorf("--budget is %d, must be in %d..%d", o.budget, render.MinBudget, maxAskBudget)}
	}
	g, err := o.graph.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close(context.WithoutCancel(ctx))) }()
	c, err := query.Open(ctx, g.backend)
	if err != nil {
		return err
	}
	err = f(c)
	var several *query.AmbiguousError
	var unknown *query.UnknownError
	if errors.As(err, &several) || errors.As(err, &unknown) {
		return errors.Join(write(out, render.Meanings(c, err)), err)
	}
	return err
}

const namesHelp = "A NAME is a bare or qualified name, path::name, path:line, or an id as printed. One that\n" +
	"means several things is refused, with a list of them.\n\n"

func newExplainCommand() *cobra.Command {
	var o namesOptions
	cmd := &cobra.Command{
		Use:   "explain NAME",
		Short: "Describe one symbol: where it is, and everything that touches it",
		Long: "explain shows a symbol with full counts by relation, then its edges within the budget;\n" +
			"of a type also those of its members.\n\n" + namesHelp + graphExitCodes,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.on(cmd.Context(), cmd.OutOrStdout(), func(c *query.Catalog) error {
				x, err := c.Explain(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if o.json {
					return render.ExplanationJSON(cmd.OutOrStdout(), x)
				}
				return write(cmd.OutOrStdout(), render.Explanation(x, o.budget))
			})
		},
	}
	o.addFlags(cmd)
	return cmd
}

func newPathCommand() *cobra.Command {
	var o namesOptions
	var p query.PathOptions
	cmd := &cobra.Command{
		Use:   "path FROM TO",
		Short: "Find a shortest path between two symbols",
		Long: "path follows calls, references, inheritance and members from one symbol to another, and\n" +
			"passes through no hub. Where nothing leads along the edges it says so.\n\n" + namesHelp + graphExitCodes,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if p.MaxHops < 1 || p.MaxHops > query.MaxPathHops {
				return usageError{fmt.Errorf("--depth is %d, must be in 1..%d", p.MaxHops, query.MaxPathHops)}
			}
			return o.on(cmd.Context(), cmd.OutOrStdout(), func(c *query.Catalog) error {
				hops, err := c.PathBetween(cmd.Context(), args[0], args[1], p)
				if err != nil {
					return err
				}
				if o.json {
					return render.PathJSON(cmd.OutOrStdout(), c, hops)
				}
				return write(cmd.OutOrStdout(), render.Path(c, hops, p.Undirected, o.budget))
			})
		},
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&p.Undirected, "undirected", false, "also follow edges backwards")
	cmd.Flags().IntVar(&p.MaxHops, "depth", query.MaxPathHops, "longest path")
	return cmd
}

func newAffectedCommand() *cobra.Command {
	var o namesOptions
	var depth int
	var relations []string
	cmd := &cobra.Command{
		Use:   "affected NAME",
		Short: "List what a change of a symbol reaches",
		Long: "affected follows calls, references, imports and inheritance backwards from a symbol and its\n" +
			"members; hubs are reached and not passed through.\n\n" + namesHelp + graphExitCodes,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if depth < 1 || depth > compat.MaxDepth {
				return usageError{fmt.Errorf("--depth is %d, must be in 1..%d", depth, compat.MaxDepth)}
			}
			set, err := query.RelationsNamed(relations)
			if err != nil {
				return usageError{fmt.Errorf("--relation: %w", err)}
			}
			return o.on(cmd.Context(), cmd.OutOrStdout(), func(c *query.Catalog) error {
				n, _, err := c.One(args[0])
				if err != nil {
					return err
				}
				list, err := c.Affected(cmd.Context(), []int32{n}, set, depth)
				if err != nil {
					return err
				}
				if o.json {
					return render.AffectedJSON(cmd.OutOrStdout(), c, list)
				}
				return write(cmd.OutOrStdout(), render.Affected(c, c.Name(n), list, depth, o.budget))
			})
		},
	}
	o.addFlags(cmd)
	cmd.Flags().IntVar(&depth, "depth", query.DefaultDepth, "hops")
	cmd.Flags().StringSliceVar(&relations, "relation", nil, "only these relations, such as calls; may be repeated")
	return cmd
}
