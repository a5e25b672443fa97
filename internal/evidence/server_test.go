package evidence_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/embed"
	"sortedheap/internal/evidence"
	"sortedheap/internal/pgtest"
	"sortedheap/internal/tokens"
	"sortedheap/internal/ui"
)

var tree = []evidence.File{
	{Path: "queue/queue.go", Text: `package queue

// Queue holds jobs that wait for room.
type Queue struct{ jobs []Job }

// Push delays a job until there is room.
func (q *Queue) Push(j Job) { q.jobs = append(q.jobs, j) }

// Drain starts the jobs that fit.
func (q *Queue) Drain(room int) {
	for room > 0 && len(q.jobs) > 0 {
		launch(q.jobs[0])
		q.jobs = q.jobs[1:]
		room--
	}
}
`},
	{Path: "queue/launch.go", Text: `package queue

import "os"

// launch hands a job to the system.
func launch(j Job) error {
	cmd, err := os.StartProcess(j.path, j.args, nil)
	if err != nil {
		return err
	}
	return cmd.Release()
}
`},
	{Path: "queue/queue_test.go", Text: "package queue\n\nfunc TestDrain(t *testing.T) { new(Queue).Drain(1) }\n"},
	{Path: "notes.txt", Text: "Weather is fine.\n\nNothing about code.\n"},
}

func options(t testing.TB) evidence.Options {
	t.Helper()
	h, err := embed.NewHash(embed.CodeAware, 64)
	if err != nil {
		t.Fatal(err)
	}
	return evidence.Options{Counter: tokens.NewCounter(), Embedder: h}
}

func ask(t testing.TB, x *evidence.Index, question string, b evidence.Budget) evidence.Answer {
	t.Helper()
	a, err := x.Ask(context.Background(), question, b)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestIndex(t *testing.T) {
	conn := pgtest.Database(t, pgtest.Start(t))
	o := options(t)
	stats, err := evidence.Build(t.Context(), conn, tree, o)
	if err != nil {
		t.Fatal(err)
	}
	if stats.Files != 4 || stats.Windows != 1 || stats.Edges == 0 {
		t.Errorf("built %+v", stats)
	}
	x, err := evidence.Open(t.Context(), conn, o)
	if err != nil {
		t.Fatal(err)
	}
	const question = "How does Queue.Drain start a job?"
	whole := ask(t, x, question, evidence.DefaultBudget())
	if len(whole.Passages) == 0 || !strings.HasSuffix(whole.Passages[0].Symbol, "Queue.Drain") {
		t.Fatalf("first passage of %+v", whole.Passages)
	}
	t.Run("what is called comes along", func(t *testing.T) {
		for _, p := range whole.Passages {
			if p.File == "queue/launch.go" && strings.HasSuffix(p.Symbol, "launch") {
				return
			}
		}
		t.Errorf("launch is not among %+v", whole.Passages)
	})
	t.Run("every line is the file's", func(t *testing.T) { checkLines(t, whole) })
	t.Run("budgets hold", func(t *testing.T) {
		for budget := 1; budget < 200; budget += 7 {
			a := ask(t, x, question, evidence.Budget{Tokens: budget, Files: 2})
			n, err := o.Counter.Count(a.Text())
			if err != nil || n > a.Tokens || a.Tokens > budget {
				t.Errorf("budget %d: says %d tokens, has %d, error %v", budget, a.Tokens, n, err)
			}
			if len(a.Sections()) > 2 {
				t.Errorf("budget %d: %d files", budget, len(a.Sections()))
			}
			checkLines(t, a)
		}
		if _, err := x.Ask(t.Context(), question, evidence.Budget{Files: 1}); err == nil {
			t.Error("no error for a budget of nothing")
		}
	})
	t.Run("words without a hit", func(t *testing.T) { ask(t, x, "zzz \x01 '{}\" \\", evidence.DefaultBudget()) })
	t.Run("a second build answers alike", func(t *testing.T) {
		if _, err := evidence.Build(t.Context(), conn, tree, o); err != nil {
			t.Fatal(err)
		}
		if got := ask(t, x, question, evidence.DefaultBudget()); got.Text() != whole.Text() {
			t.Errorf("got %s, had %s", got.Text(), whole.Text())
		}
	})
	t.Run("plans", func(t *testing.T) {
		plans, err := x.Plans(t.Context(), "What's \"it\\\" {a}?", make([]float32, 64))
		if err != nil || len(plans) != len(evidence.Statements()) {
			t.Errorf("%d plans, error %v", len(plans), err)
		}
	})
	t.Run("another embedder", func(t *testing.T) {
		other := o
		other.Embedder, err = embed.NewHash(embed.Lexical, 64)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := evidence.Open(t.Context(), conn, other); err == nil || !strings.Contains(err.Error(), "embedder") {
			t.Errorf("got error %v", err)
		}
	})
	t.Run("a build that was not finished", func(t *testing.T) {
		pgtest.Exec(t, conn, "DELETE FROM evidence_about")
		if _, err := evidence.Open(t.Context(), conn, o); err == nil {
			t.Error("no error")
		}
	})
}

func checkLines(t *testing.T, a evidence.Answer) {
	t.Helper()
	for _, p := range a.Passages {
		var lines []string
		for _, f := range tree {
			if f.Path == p.File {
				lines = strings.Split(f.Text, "\n")
			}
		}
		for _, l := range p.Lines {
			if l.Number < p.StartLine || l.Number > p.EndLine || lines[l.Number-1] != l.Text {
				t.Errorf("%s:%d is not %q", p.File, l.Number, l.Text)
			}
		}
	}
}

// concepts embeds a text by what its words mean: the words of a line are one.
type concepts [][]string

func (c concepts) Name() string { return "concepts" }
func (c concepts) Dim() int     { return len(c) + 1 }

func (c concepts) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = make([]float32, c.Dim())
		out[i][len(c)] = 0.1 // no vector is zero
		for axis, words := range c {
			for _, w := range words {
				if strings.Contains(strings.ToLower(text), w) {
					out[i][axis] = 1
				}
			}
		}
	}
	return out, nil
}

// A question without a word of the source finds a function by its vector, and what
// has its words, but no vector, by them.
func TestFeedback(t *testing.T) {
	conn := pgtest.Database(t, pgtest.Start(t))
	o := options(t)
	o.Embedder = concepts{{"drain", "leave"}, {"launch", "begin"}}
	if _, err := evidence.Build(t.Context(), conn, tree, o); err != nil {
		t.Fatal(err)
	}
	x, err := evidence.Open(t.Context(), conn, o)
	if err != nil {
		t.Fatal(err)
	}
	found := func(question, file string) []string {
		for _, p := range ask(t, x, question, evidence.DefaultBudget()).Passages {
			if p.File == file {
				return p.Found
			}
		}
		return nil
	}
	const plain, test = "Why do they leave?", "queue/queue_test.go"
	if by := found(plain, test); !slices.Contains(by, "meaning") || slices.Contains(by, "terms") || slices.Contains(by, "vector") {
		t.Errorf("the test was found by %q", by)
	}
	if by := found("Why do they leave Queue.Drain?", test); slices.Contains(by, "meaning") {
		t.Errorf("for a question with a symbol the test was found by %q", by)
	}
}

// Text search and lists hold the same terms: what has a rare one, the other has too.
func TestTextSearch(t *testing.T) {
	conn := pgtest.Database(t, pgtest.Start(t))
	o := options(t)
	fragments, err := evidence.Cut(t.Context(), tree)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := evidence.BuildFrom(t.Context(), conn, fragments, o); err != nil {
		t.Fatal(err)
	}
	x, err := evidence.Open(t.Context(), conn, o)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // what Drop leaves is not in the way of the next
		text, err := evidence.BuildTextSearch(t.Context(), conn, fragments)
		if err != nil {
			t.Fatal(err)
		}
		for _, question := range []string{"How does Queue.Drain start a job?", "weather", "StartProcess", "zzz \x01 '{}\" \\"} {
			byText, err := text.Best(t.Context(), question)
			if err != nil {
				t.Fatal(err)
			}
			byTerms, err := x.ByTerms(t.Context(), question)
			if err != nil {
				t.Fatal(err)
			}
			if len(byText) > 0 && byText[0] != byTerms[0] {
				t.Errorf("%q: text search puts %d first, the lists %d", question, byText[0], byTerms[0])
			}
			slices.Sort(byText)
			slices.Sort(byTerms)
			if !slices.Equal(byText, byTerms) {
				t.Errorf("%q: text search finds %d, the lists %d", question, byText, byTerms)
			}
		}
		if err := text.Drop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTablesOfAnotherVersion(t *testing.T) {
	conn := pgtest.Database(t, pgtest.Start(t))
	o := options(t)
	if _, err := evidence.Build(t.Context(), conn, tree, o); err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, conn, "ALTER TABLE evidence_fragments RENAME figures TO numbers")
	if _, err := evidence.Open(t.Context(), conn, o); err == nil || !strings.Contains(err.Error(), "another version") {
		t.Errorf("got error %v", err)
	}
}

// steps notes what a build says of itself.
type steps struct {
	ui.Progress
	names []string
}

func (s *steps) Step(name string, _ int) { s.names = append(s.names, name) }

func TestProgress(t *testing.T) {
	conn := pgtest.Database(t, pgtest.Start(t))
	o := options(t)
	seen := &steps{}
	o.Progress = seen
	if _, err := evidence.Build(t.Context(), conn, tree, o); err != nil {
		t.Fatal(err)
	}
	want := []string{"make tables", "store fragments", "store terms", "store vectors", "store terms of fragments", "index"}
	if !slices.Equal(seen.names, want) {
		t.Errorf("a build tells of %q, want %q", seen.names, want)
	}
}
