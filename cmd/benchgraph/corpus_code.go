package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sortedheap/fixtures"
	"sortedheap/internal/corpus"
)

// codeOptions reads a source tree.
type codeOptions struct {
	corpus.CodeOptions
	dim       int
	embedder  embedderOptions
	questions string
	wording   string
}

const builtInQuestions = "lighthouse"

func newCodeOptions(getenv func(string) string) *codeOptions {
	return &codeOptions{embedder: newEmbedderOptions(getenv, hashMultihop, hashCodeAware)}
}

func (o *codeOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Dir, "source", "", "root of the source tree; default: a small one inside this program")
	f.StringSliceVar(&o.Extensions, "extensions", nil, "suffixes of the files to take; default: what the questions name, else all languages and plain text")
	f.StringVar(&o.questions, "questions", "", "questions: a JSON file, a Crystal program with a bank of them, or the name of those inside this program: "+
		strings.Join(builtInQuestionFiles(), ", ")+"; default: "+builtInQuestions+", where --source is not given")
	f.StringVar(&o.wording, "wording", string(corpus.WordingPrompt), "prompt: as who knows the source asks; generic: without a name of it")
	o.embedder.addFlags(f)
	f.IntVar(&o.dim, "dim", 384, "components of each embedding")
}

// builtInQuestionFiles are the names of the question files inside this program.
func builtInQuestionFiles() []string {
	dir, err := fixtures.Questions()
	if err != nil {
		return nil
	}
	files, err := fs.Glob(dir, "*.json")
	if err != nil {
		return nil
	}
	for i := range files {
		files[i] = strings.TrimSuffix(files[i], ".json")
	}
	return files
}

func (o *codeOptions) open(ctx context.Context) (corpus.Source, error) {
	code, err := o.openCode(ctx)
	if err != nil {
		return nil, err
	}
	return code, nil
}

func (o *codeOptions) openCode(ctx context.Context) (*corpus.Code, error) {
	embedder, err := o.embedder.open(ctx, o.dim)
	if err != nil {
		return nil, err
	}
	o.Embedder, o.Wording = embedder, corpus.Wording(o.wording)
	options := o.CodeOptions
	if options.Questions, err = o.readQuestions(); err != nil {
		return nil, err
	}
	if err := options.Validate(); err != nil {
		return nil, usageError{err}
	}
	code, err := corpus.OpenCode(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("--source: %w", err)
	}
	return code, nil
}

// readQuestions finds the questions that are asked for; nil: none.
func (o *codeOptions) readQuestions() (*corpus.QuestionFile, error) {
	name := o.questions
	if name == "" {
		if o.Dir != "" {
			return nil, nil
		}
		name = builtInQuestions
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) && filepath.Ext(name) == "" {
		return builtInFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("--questions: %w", err)
	}
	base := filepath.Base(name)
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	if filepath.Ext(base) == ".cr" {
		return corpus.ParseQuestionBank(stem, string(text))
	}
	return corpus.ParseQuestions(stem, text)
}

func builtInFile(name string) (*corpus.QuestionFile, error) {
	dir, err := fixtures.Questions()
	if err != nil {
		return nil, err
	}
	text, err := fs.ReadFile(dir, name+".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usageError{fmt.Errorf("--questions: there is no file %q, and none of this name inside this program, which has %s",
			name, strings.Join(builtInQuestionFiles(), ", "))}
	}
	if err != nil {
		return nil, err
	}
	return corpus.ParseQuestions(name, text)
}
