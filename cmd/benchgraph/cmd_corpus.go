package main

import (
	"errors"

	"github.com/spf13/cobra"

	"sortedheap/internal/corpus"
)

// newCorpusCommand shows what a corpus holds.
func newCorpusCommand(p process) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "corpus NAME",
		Short: "Show what a corpus holds: counts and a sample",
		Long:  "corpus generates or reads a corpus and shows row counts, parameters and a few rows.\n\n" + exitCodes,
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return usageError{errors.New("name a corpus: multihop, gutenberg, synthetic, butler or code")}
		},
	}
	cmd.AddCommand(
		newDescribeCommand("multihop", "person -> parent -> city facts", newMultihopOptions(p.getenv)),
		newDescribeCommand("gutenberg", "paragraphs of books", newGutenbergOptions(p.getenv)),
		newDescribeCommand("synthetic", "a regular graph of formula vectors", newSyntheticOptions()),
		newDescribeCommand("butler", "seven facts of an assistant's memory", newButlerOptions(p.getenv)),
		newDescribeCommand("code", "a source tree: chunks, dependencies and summaries of files", newCodeOptions(p.getenv)))
	return cmd
}

func newDescribeCommand(name, short string, options corpusOptions) *cobra.Command {
	var sample int
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			source, err := options.open(cmd.Context())
			if err != nil {
				return err
			}
			description, err := corpus.Describe(cmd.Context(), source, sample)
			if err != nil {
				return err
			}
			return description.WriteText(cmd.OutOrStdout())
		},
	}
	options.addFlags(cmd)
	cmd.Flags().IntVar(&sample, "sample", 5, "rows to show")
	return cmd
}
