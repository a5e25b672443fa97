package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"sortedheap/internal/harness/report"
	"sortedheap/internal/harness/result"
)

func newReportCommand() *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report FILE.json...",
		Short: "Show result files as tables, or as a page with charts",
		Long: "report writes result files as tables for people, or as Markdown, as CSV, as Go\n" +
			"benchmarks, as one HTML file with charts, which needs no network, or as what the\n" +
			"project's targets come to.\n\n" + exitCodes,
		Args: func(_ *cobra.Command, paths []string) error {
			if len(paths) == 0 {
				return errors.New("name one or more result files")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, paths []string) error {
			format, err := o.format()
			if err != nil {
				return usageError{err}
			}
			files, err := readResults(paths)
			if err != nil {
				return err
			}
			if format == report.Page {
				return writePage(o.page, files)
			}
			return report.Write(cmd.OutOrStdout(), files, format)
		},
	}
	o.addFlags(cmd)
	return cmd
}

// reportOptions choose one way to write results.
type reportOptions struct {
	page                            string
	markdown, csv, goBench, targets bool
}

func (o *reportOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.page, "html", "", "`FILE` to write a page with charts to")
	f.BoolVar(&o.markdown, "markdown", false, "Markdown tables")
	f.BoolVar(&o.csv, "csv", false, "one CSV table of all rows")
	f.BoolVar(&o.goBench, "gobench", false, "Go benchmarks, for benchstat")
	f.BoolVar(&o.targets, "targets", false, "the project's targets beside what the files hold, as Markdown")
}

func (o *reportOptions) format() (report.Format, error) {
	chosen := report.Text
	given := 0
	for _, c := range []struct {
		format report.Format
		given  bool
	}{{report.Page, o.page != ""}, {report.Markdown, o.markdown}, {report.CSV, o.csv}, {report.GoBench, o.goBench}, {report.Targets, o.targets}} {
		if c.given {
			chosen = c.format
			given++
		}
	}
	if given > 1 {
		return "", errors.New("--html, --markdown, --csv, --gobench and --targets exclude each other")
	}
	return chosen, nil
}

// writePage leaves the whole page or the old one.
func writePage(path string, files []*result.File) error {
	var text bytes.Buffer
	if err := report.Write(&text, files, report.Page); err != nil {
		return err
	}
	if err := result.Replace(path, text.Bytes()); err != nil {
		return fmt.Errorf("write page %s: %w", path, err)
	}
	return nil
}

func newCompareCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compare A.json B.json",
		Short: "Show the ratios of one run to another",
		Long: "compare shows, case by case, the median of B over that of A with a 95 % interval, what\n" +
			"became of the quality, the share of queries with the same answer, and what makes the\n" +
			"files hard to compare. Files of benchgraph repeat are compared over their builds.\n\n" + exitCodes,
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
