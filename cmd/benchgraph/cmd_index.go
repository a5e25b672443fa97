package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"sortedheap/internal/codegraph/index"
	"sortedheap/internal/codegraph/store"
	"sortedheap/internal/ui"
)

// graphFolder is where the graph of a tree is kept unless --graph says otherwise.
const graphFolder = ".codegraph"

// collectAt is by how many percent memory grows before it is collected in a run
// that parses many files; one that does not ends before it is worth it.
const collectAt = 400

// indexFlags are the flags of index.
type indexFlags struct {
	graph, cache, schema string
	skips, more          []string
	limits               index.Options
}

// newIndexCommand makes the code graph of a tree.
func newIndexCommand(p process) *cobra.Command {
	flags := indexFlags{limits: index.DefaultOptions("")}
	cmd := &cobra.Command{
		Use:   "index DIR",
		Short: "Make the code graph of a folder: who calls, uses, implements what",
		Long: "index reads the sources of a folder (C, C++, Go, Java, JavaScript, PHP, Python, Ruby,\n" +
			"Rust, TypeScript, Markdown headings) and stores what they define and how they use\n" +
			"each other. A later run reads only what changed. Standard output has a summary as\n" +
			"JSON; files that could not be read or parsed are named in it and are no failure.\n\n" +
			"The graph is kept in a folder, or in tables of a database with extension sorted_heap\n" +
			"when --graph is a connection string.\n\n" + exitCodes,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runIndex(cmd, p, args[0], flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.graph, "graph", "", "folder or connection string to keep the graph in (default DIR/"+graphFolder+")")
	f.StringVar(&flags.schema, "schema", store.DefaultSchema, "schema of the tables of --graph in a database; it is replaced")
	f.StringVar(&flags.cache, "cache", "", "folder of facts from the last run (default the graph's folder; none for a database)")
	f.StringSliceVar(&flags.skips, "skip", index.DefaultSkips(), "names or paths to leave out, with * and ?; replaces the list")
	f.StringSliceVar(&flags.more, "skip-also", nil, "names or paths to leave out besides those of --skip")
	f.IntVar(&flags.limits.Limits.MaxBytes, "max-bytes", flags.limits.Limits.MaxBytes, "largest source")
	f.DurationVar(&flags.limits.Limits.MaxTime, "max-time", flags.limits.Limits.MaxTime, "longest parse of one source")
	f.IntVar(&flags.limits.Workers, "workers", flags.limits.Workers, "files handled at once")
	return cmd
}

func runIndex(cmd *cobra.Command, p process, dir string, flags indexFlags) error {
	ctx := cmd.Context()
	opts := flags.limits
	opts.Root, opts.Now = dir, p.now()
	opts.Skips = append(append([]string(nil), flags.skips...), flags.more...)
	if opts.Workers < 1 {
		return usageError{errors.New("--workers must be at least 1")}
	}
	if err := opts.Limits.Validate(); err != nil {
		return usageError{err}
	}
	where := flags.graph
	if where == "" {
		where = filepath.Join(dir, graphFolder)
	}
	opts.Cache = flags.cache
	if !store.IsDSN(where) {
		opts.Graph = where
		opts.Cache = cmp.Or(opts.Cache, where)
	} else if err := store.CheckTables(ctx, where, flags.schema); err != nil {
		return err // before minutes of reading
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	opts.Many = func() { debug.SetGCPercent(collectAt) }
	progress := ui.New(cmd.ErrOrStderr())
	defer progress.Close()
	g, summary, err := index.Run(ctx, opts, progress)
	if err != nil {
		return err
	}
	if opts.Graph == "" {
		progress.Step("store graph", 0)
		if err := store.SaveTables(ctx, where, flags.schema, g); err != nil {
			return err
		}
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	summary.Seconds, summary.PeakBytes = p.now().Sub(opts.Now).Seconds(), memory.Sys
	out := json.NewEncoder(cmd.OutOrStdout())
	out.SetIndent("", "  ")
	if err := out.Encode(summary); err != nil {
		return fmt.Errorf("write summary: %w", err)
	}
	return nil
}
