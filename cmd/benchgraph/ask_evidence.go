package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/pflag"

	"sortedheap/internal/evidence"
	"sortedheap/internal/tokens"
)

// askEvidence answers a question with lines of the source, from an index that
// `benchgraph evidence --dsn` made.
type askEvidence struct {
	dsn      string
	files    int
	dim      int
	embedder embedderOptions
}

func (o *askEvidence) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.dsn, "evidence", "", "answer with lines of the source instead, from the index that benchgraph evidence made in the database of this `dsn`")
	f.IntVar(&o.files, "files", evidence.DefaultBudget().Files, "with --evidence: files of an answer")
	f.IntVar(&o.dim, "dim", 384, "with --evidence: components of hashed embeddings")
	o.embedder.addFlags(f)
}

func (o *askEvidence) run(ctx context.Context, out io.Writer, question string, budget int) (err error) {
	embedder, err := o.embedder.open(ctx, o.dim)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, o.dsn)
	if err != nil {
		return fmt.Errorf("--evidence: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	index, err := evidence.Open(ctx, conn, evidence.Options{Counter: tokens.NewCounter(), Embedder: embedder})
	if err != nil {
		return err
	}
	return answerQuestion(ctx, out, index, question, evidence.Budget{Tokens: budget, Files: o.files})
}
