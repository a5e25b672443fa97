package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"sortedheap/internal/harness/report"
	"sortedheap/internal/harness/result"
)

func newReportCommand() *cobra.Command {
	var markdown, csv bool
	cmd := &cobra.Command{
		Use:   "report FILE.json...",
		Short: "Show result files as tables",
		Long:  "report writes result files as tables for people, or as Markdown or CSV.\n\n" + exitCodes,
		Args: func(_ *cobra.Command, paths []string) error {
			if len(paths) == 0 {
				return errors.New("name one or more result files")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, paths []string) error {
			format := report.Text
			switch {
			case markdown && csv:
				return usageError{errors.New("--markdown and --csv exclude each other")}
			case markdown:
				format = report.Markdown
			case csv:
				format = report.CSV
			}
			files, err := readResults(paths)
			if err != nil {
				return err
			}
			return report.Write(cmd.OutOrStdout(), files, format)
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "Markdown tables")
	cmd.Flags().BoolVar(&csv, "csv", false, "one CSV table of all rows")
	return cmd
}

func newCompareCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compare A.json B.json",
		Short: "Show the ratios of one run to another",
		Long: "compare shows, row by row, the median of B over that of A with a 95 % interval, the\n" +
			"share of queries with the same answer, and what makes the files hard to compare.\n\n" + exitCodes,
		Args: func(_ *cobra.Command, paths []string) error {
			if len(paths) != 2 {
				return fmt.Errorf("name two result files, not %d", len(paths))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, paths []string) error {
			files, err := readResults(paths)
			if err != nil {
				return err
			}
			return report.Compare(cmd.OutOrStdout(), files[0], files[1])
		},
	}
}

func readResults(paths []string) ([]*result.File, error) {
	files := make([]*result.File, len(paths))
	for i, path := range paths {
		var err error
		if files[i], err = result.Read(path); err != nil {
			return nil, err
		}
	}
	return files, nil
}
