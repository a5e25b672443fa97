package main

import (
	"context"
	"runtime/debug"

	"github.com/spf13/cobra"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/mcp"
)

// newMCPCommand serves a graph to an assistant that started this process.
func newMCPCommand(p process) *cobra.Command {
	var o graphOptions
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve a code graph to assistants over standard input and output",
		Long: "mcp speaks the Model Context Protocol, one JSON-RPC message a line, and offers the tools ask,\n" +
			"explain, path and affected. It reads the graph again when that changes; one that cannot be\n" +
			"read then leaves the one before, and answers say so. It ends when its input does.\n\n" + graphExitCodes,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return mcp.Serve(cmd.Context(), o.source(), buildVersion(p.commit),
				mcp.Stdio(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout()))
		},
	}
	o.addFlags(cmd.Flags())
	return cmd
}

// source serves the graph that --graph names.
func (o graphOptions) source() mcp.Source {
	return mcp.Source{
		Version: o.version,
		Load: func(ctx context.Context) (graph.Backend, func(), error) {
			g, err := o.open(ctx)
			if err != nil {
				return nil, nil, err
			}
			return g.backend, func() { _ = g.close(context.WithoutCancel(ctx)) }, nil // it was only read
		},
		Staleness: o.staleness,
	}
}

// buildVersion is the commit of this program.
func buildVersion(stamped string) string {
	if stamped != "" {
		return stamped
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "unknown"
}
