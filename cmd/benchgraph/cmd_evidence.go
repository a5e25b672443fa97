package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"sortedheap/internal/evidence"
	"sortedheap/internal/tokens"
)

type evidenceOptions struct {
	server               serverOptions
	source               string
	extensions           []string
	questions            []string
	verbose, stats       bool
	budget               evidence.Budget
	runs                 int
	one, dsn, cpuprofile string
	wordings             []string
	embedder             embedderOptions
	dim                  int
	noBuild              bool
}

func newEvidenceCommand(p process) *cobra.Command {
	o := evidenceOptions{embedder: newEmbedderOptions(p.getenv, hashCodeAware), budget: evidence.DefaultBudget()}
	cmd := &cobra.Command{
		Use:    "evidence [QUESTION]",
		Short:  "Index a source tree and answer questions with lines of it",
		Hidden: true,
		Args:   cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.one = args[0]
			}
			return o.run(cmd.Context(), p.stdout)
		},
	}
	f := cmd.Flags()
	o.server.addFlags(cmd)
	f.StringVar(&o.source, "source", ".", "source `directory`")
	f.StringSliceVar(&o.extensions, "ext", nil, "extensions")
	f.StringSliceVar(&o.questions, "questions", nil, "question files")
	f.IntVar(&o.budget.Tokens, "token-budget", o.budget.Tokens, "tokens")
	f.IntVar(&o.budget.Files, "top-k", o.budget.Files, "files")
	f.BoolVar(&o.verbose, "v", false, "verbose")
	o.embedder.addFlags(f)
	f.IntVar(&o.dim, "dim", 384, "components")
	f.StringVar(&o.dsn, "dsn", "", "database")
	f.BoolVar(&o.noBuild, "no-build", false, "use what is there")
	f.StringVar(&o.cpuprofile, "cpuprofile", "", "file")
	f.StringSliceVar(&o.wordings, "wordings", []string{"prompt", "generic"}, "wordings")
	f.BoolVar(&o.stats, "stats", false, "pg_stat_statements")
	f.IntVar(&o.runs, "runs", 1, "passes")
	return cmd
}

type evQuestions struct {
	Half      string
	Questions []struct {
		Label, Prompt, Generic string
		Keywords               []string
		Spans                  []evidence.Span
	}
}

func readTree(root string, exts []string) ([]evidence.File, error) {
	var files []evidence.File
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() || (len(exts) > 0 && !slices.Contains(exts, filepath.Ext(path))) {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !utf8.Valid(b) || strings.ContainsRune(string(b), 0) {
			b = []byte(strings.ReplaceAll(strings.ToValidUTF8(string(b), "?"), "\x00", ""))
		}
		rel, _ := filepath.Rel(root, path)
		files = append(files, evidence.File{Path: filepath.ToSlash(rel), Text: string(b)})
		return nil
	})
	sort.Slice(files, func(i, j int) bool { return files[i].Path < files[j].Path })
	return files, err
}

func (o *evidenceOptions) run(ctx context.Context, w io.Writer) (err error) {
	files, err := readTree(o.source, o.extensions)
	if err != nil {
		return err
	}
	dsn := o.dsn
	if dsn == "" {
		srv, err := o.server.start(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, srv.close()) }()
		dsn = srv.dsn
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, s := range []string{"CREATE EXTENSION IF NOT EXISTS sorted_heap", "CREATE EXTENSION IF NOT EXISTS pg_stat_statements"} {
		if _, err := conn.Exec(ctx, s); err != nil {
			return err
		}
	}
	h, err := o.embedder.open(ctx, o.dim)
	if err != nil {
		return err
	}
	opts := evidence.Options{Counter: tokens.NewCounter(), Embedder: h}
	t0 := time.Now()
	if !o.noBuild {
		st, err := evidence.Build(ctx, conn, files, opts)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%+v in %v\n", st, time.Since(t0))
	}
	x, err := evidence.Open(ctx, conn, opts)
	if err != nil {
		return err
	}
	if o.one != "" && len(o.questions) == 0 {
		a, err := x.Ask(ctx, o.one, o.budget)
		if err != nil {
			return err
		}
		for _, p := range a.Passages {
			fmt.Fprintf(w, "%-28s %-40s %5d %.3f %v %d lines\n", p.File, p.Symbol, p.StartLine, p.Score, p.Found, len(p.Lines))
		}
		fmt.Fprintln(w, a.Text())
		return nil
	}
	if o.cpuprofile != "" {
		pf, err := os.Create(o.cpuprofile)
		if err != nil {
			return err
		}
		defer pf.Close()
		_ = pprof.StartCPUProfile(pf)
		defer pprof.StopCPUProfile()
	}
	for _, name := range o.questions {
		if err := o.grade(ctx, w, conn, x, opts, name); err != nil {
			return err
		}
	}
	return nil
}

func (o *evidenceOptions) grade(ctx context.Context, w io.Writer, conn *pgx.Conn, x *evidence.Index, opts evidence.Options, name string) error {
	raw, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var q evQuestions
	if err := json.Unmarshal(raw, &q); err != nil {
		return err
	}
	for _, wording := range o.wordings {
		if _, err := conn.Exec(ctx, "SELECT pg_stat_statements_reset()"); err != nil {
			return err
		}
		var cov, full, ndcg, tok float64
		var took time.Duration
		n := 0
		for run := range o.runs {
			for _, one := range q.Questions {
				text := one.Prompt
				if wording == "generic" {
					text = one.Generic
				}
				if text == "" {
					continue
				}
				t0 := time.Now()
				a, err := x.Ask(ctx, text, o.budget)
				took += time.Since(t0)
				if err != nil {
					return err
				}
				n++
				if run > 0 {
					continue
				}
				answer := a.Text()
				count, err := opts.Counter.Count(answer)
				if err != nil {
					return err
				}
				if count > o.budget.Tokens || count > a.Tokens {
					fmt.Fprintf(w, "!!! %d tokens, said %d\n", count, a.Tokens)
				}
				c := evidence.Coverage(answer, one.Keywords)
				nd := evidence.NDCG(a.Passages, one.Spans, 10)
				cov += c
				ndcg += nd
				tok += float64(count)
				if c == 1 {
					full++
				}
				if q.Half != "held_out" && o.verbose {
					var miss []string
					for _, k := range one.Keywords {
						if evidence.Coverage(answer, []string{k}) == 0 {
							miss = append(miss, k)
						}
					}
					fmt.Fprintf(w, "  %-28s %.2f ndcg %.2f  missing %v\n", one.Label, c, nd, miss)
					if o.one == one.Label {
						for _, sp := range one.Spans {
							fmt.Fprintf(w, "      span %d %s %s\n", sp.Grade, sp.File, sp.Symbol)
						}
						for _, p := range a.Passages {
							fmt.Fprintf(w, "      %-28s %-44s %5d %.3f %v %d lines\n", p.File, p.Symbol, p.StartLine, p.Score, p.Found, len(p.Lines))
						}
						fmt.Fprintln(w, text)
						fmt.Fprintln(w, answer)
					}
				}
			}
		}
		if n == 0 {
			continue
		}
		m := float64(n / o.runs)
		fmt.Fprintf(w, "%-20s %-8s n=%d keyword %.1f full %.1f (%g) ndcg %.3f tokens %.0f client %.3f ms\n", filepath.Base(name), wording, int(m), 100*cov/m, 100*full/m, full, ndcg/m, tok/m, took.Seconds()*1e3/float64(n))
		if o.stats {
			rows, _ := conn.Query(ctx, `SELECT left(regexp_replace(query,'\s+',' ','g'),60), calls, mean_exec_time, mean_plan_time, shared_blks_hit/calls FROM pg_stat_statements WHERE query ~ 'evidence_' ORDER BY 3 DESC LIMIT 4`)
			var s string
			var calls, hit int64
			var exec, plan float64
			if _, err := pgx.ForEachRow(rows, []any{&s, &calls, &exec, &plan, &hit}, func() error {
				fmt.Fprintf(w, "   %-60s %d %.3f + %.3f ms, %d hit\n", s, calls, exec, plan, hit)
				return nil
			}); err != nil {
				return err
			}
		}
	}
	return nil
}
