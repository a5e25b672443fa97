package corpus_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/corpus"
)

const fixtures = "../../fixtures/books"

// booksVariable names a directory of real books for TestRealBooks.
const booksVariable = "BENCHGRAPH_BOOKS"

func open(t *testing.T, o corpus.GutenbergOptions) *corpus.Library {
	t.Helper()
	l, err := corpus.OpenGutenberg(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The digests were computed by an independent Python implementation over the
// same files, with the most books 64 and unlimited: the ids differ.
func TestGutenbergDigests(t *testing.T) {
	for _, c := range []struct {
		maxBooks int
		want     string
	}{
		{64, "81bb9fd8dc3a3aa87dcac7ab98e32e9d8aecc969901c9b77cf026c5915576178"},
		{0, "ea860207cba13b1831c281a62bfd60cf744bdd918762a6c64d3710bba3f3dd49"},
	} {
		o := corpus.DefaultGutenberg(fixtures)
		o.MaxBooks = c.maxBooks
		if got := digest(t, open(t, o)); got != c.want {
			t.Errorf("at most %d books: digest %s, want %s", c.maxBooks, got, c.want)
		}
		o.Dir = ""
		if got := digest(t, open(t, o)); got != c.want {
			t.Errorf("the built-in books: digest %s, want %s", got, c.want)
		}
	}
}

func TestGutenbergShape(t *testing.T) {
	o := corpus.DefaultGutenberg(fixtures)
	o.MaxParagraphs = 10
	facts, err := corpus.Gutenberg(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	// Five books of ten paragraphs, with ids from max books + 1 on.
	if len(facts.Rows) != 5*(2*10-1) {
		t.Fatalf("%d rows, want %d", len(facts.Rows), 5*19)
	}
	at := 0
	for book := int32(1); book <= 5; book++ {
		for i := range int32(10) {
			id := 64 + (book-1)*10 + i + 1
			held := facts.Rows[at]
			if held.Entity != book || held.Relation != corpus.RelationHolds || held.Target != id {
				t.Fatalf("row %d: %d -%d-> %d, want book %d holding %d", at, held.Entity, held.Relation, held.Target, book, id)
			}
			if at++; i == 9 {
				continue
			}
			next := facts.Rows[at]
			if next.Entity != id || next.Relation != corpus.RelationNext || next.Target != id+1 {
				t.Fatalf("row %d: %d -%d-> %d, want %d before %d", at, next.Entity, next.Relation, next.Target, id, id+1)
			}
			at++
			if after := facts.Rows[at]; next.Payload != after.Payload || !slices.Equal(next.Embedding, after.Embedding) {
				t.Fatalf("row %d does not carry the text and vector of the next paragraph", at-1)
			}
		}
	}
}

// Twice the paragraphs, less one for each book that has any: also where a book
// has one or none.
func TestGutenbergRowCount(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("word ", 12)
	for name, n := range map[string]int{"a.txt": 0, "b.txt": 1, "c.txt": 2, "d.txt": 7} {
		text := strings.Repeat(long+"\n\n", n)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := corpus.DefaultGutenberg(dir)
	o.SkipParagraphs = 0
	l := open(t, o)
	if l.Books() != 4 || l.Paragraphs() != 10 || l.RowCount() != 2*10-3 {
		t.Errorf("%d books, %d paragraphs, %d rows", l.Books(), l.Paragraphs(), l.RowCount())
	}
	checkRowCount(t, l)
	if got := len(l.Info().Queries); got != 1+6 {
		t.Errorf("%d queries, want one for each of the 7 relation-2 rows", got)
	}
}

// checkRowCount counts what a library yields, by relation and book.
func checkRowCount(t *testing.T, l *corpus.Library) {
	t.Helper()
	rows, held := 0, 0
	books := map[int32]bool{}
	for fact, err := range l.All(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if rows++; fact.Relation == corpus.RelationHolds {
			held++
			books[fact.Entity] = true
		}
	}
	if rows != 2*held-len(books) || rows != l.RowCount() || held != l.Paragraphs() {
		t.Errorf("%d rows of %d paragraphs in %d books; announced %d rows of %d paragraphs",
			rows, held, len(books), l.RowCount(), l.Paragraphs())
	}
}

func TestRealBooks(t *testing.T) {
	dir := os.Getenv(booksVariable)
	if dir == "" {
		t.Skipf("%s names no directory of books", booksVariable)
	}
	for _, limits := range [][2]int{{64, 128}, {128, 256}, {0, 0}} {
		if testing.Short() && limits[0] == 0 {
			continue
		}
		o := corpus.DefaultGutenberg(dir)
		o.MaxBooks, o.MaxParagraphs = limits[0], limits[1]
		l := open(t, o)
		checkRowCount(t, l)
		t.Logf("at most %d books of %d paragraphs: %d books, %d paragraphs, %d rows",
			limits[0], limits[1], l.Books(), l.Paragraphs(), l.RowCount())
	}
}

func TestOriginalQueries(t *testing.T) {
	o := corpus.DefaultGutenberg(fixtures)
	o.Queries = 30
	facts, err := corpus.Gutenberg(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	var next []corpus.Fact
	for _, f := range facts.Rows {
		if f.Relation == corpus.RelationNext {
			next = append(next, f)
		}
	}
	slices.SortFunc(next, func(a, b corpus.Fact) int { return int(a.Entity - b.Entity) })
	for i, q := range facts.Queries {
		if q.Text != next[i].Payload || !slices.Equal(q.Embedding, next[i].Embedding) {
			t.Errorf("query %d is not relation-2 row %d", i, i)
		}
		if q.Hop1 != corpus.RelationNext || q.Hop2 != corpus.RelationNext || q.Answer != 0 {
			t.Errorf("query %d follows %d, %d to answer %d", i, q.Hop1, q.Hop2, q.Answer)
		}
	}
	if len(facts.Queries) != 30 {
		t.Errorf("%d queries, want 30", len(facts.Queries))
	}
}

func TestFairQueries(t *testing.T) {
	o := corpus.DefaultGutenberg(fixtures)
	o.Set, o.Queries = corpus.Fair, 40
	facts, err := corpus.Gutenberg(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(facts.Queries) != 40 {
		t.Fatalf("%d queries, want 40", len(facts.Queries))
	}
	// Which book a query was cut from; its text must not be a row's.
	perBook := map[int32]int{}
	seen := map[string]bool{}
	for _, q := range facts.Queries {
		if seen[q.Text] {
			t.Errorf("query %q is repeated", q.Text)
		}
		seen[q.Text] = true
		for _, f := range facts.Rows {
			if f.Payload == q.Text {
				t.Errorf("query %q is in the table as it stands", q.Text)
			}
			if f.Relation == corpus.RelationHolds && strings.HasPrefix(f.Payload, q.Text) {
				perBook[f.Entity]++
			}
		}
	}
	for book := int32(1); book <= 5; book++ {
		if perBook[book] < 6 || perBook[book] > 10 {
			t.Errorf("book %d gives %d of 40 queries", book, perBook[book])
		}
	}
	o.Queries = 1_000_000
	if got := len(open(t, o).Info().Queries); got != 120 {
		t.Errorf("%d queries asked of 120 relation-2 rows, got %d", o.Queries, got)
	}
}

func TestGutenbergRefuses(t *testing.T) {
	for name, change := range map[string]func(*corpus.GutenbergOptions){
		"absent directory": func(o *corpus.GutenbergOptions) { o.Dir = "absent" },
		"negative books":   func(o *corpus.GutenbergOptions) { o.MaxBooks = -1 },
		"negative skip":    func(o *corpus.GutenbergOptions) { o.SkipParagraphs = -1 },
		"no dimension":     func(o *corpus.GutenbergOptions) { o.Dim = 0 },
		"unknown set":      func(o *corpus.GutenbergOptions) { o.Set = "best" },
	} {
		o := corpus.DefaultGutenberg(fixtures)
		change(&o)
		if _, err := corpus.OpenGutenberg(context.Background(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestSourcesStop(t *testing.T) {
	l := open(t, corpus.DefaultGutenberg(fixtures))
	facts, err := corpus.Collect(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []corpus.Source{l, facts} {
		seen := 0
		for _, err := range s.All(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			if seen++; seen == 3 {
				break
			}
		}
		if seen != 3 {
			t.Errorf("%T: %d rows before the break", s, seen)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := corpus.Collect(ctx, s); !errors.Is(err, context.Canceled) {
			t.Errorf("%T: got error %v, want context.Canceled", s, err)
		}
	}
}

func TestDescribe(t *testing.T) {
	l := open(t, corpus.DefaultGutenberg(fixtures))
	d, err := corpus.Describe(context.Background(), l, 4)
	if err != nil {
		t.Fatal(err)
	}
	if d.Rows != 245 || d.Relations[1] != 125 || d.Relations[2] != 120 || d.Entities != 5+120 || d.Targets != 125 {
		t.Errorf("counts %d, %v, %d, %d", d.Rows, d.Relations, d.Entities, d.Targets)
	}
	if d.VectorBytes != 245*32*4 || d.ZeroVectors != 0 || d.Queries != 64 || d.Answered != 0 || d.Digest != digest(t, l) {
		t.Errorf("%d vector bytes, %d zero, %d queries, %d answered", d.VectorBytes, d.ZeroVectors, d.Queries, d.Answered)
	}
	if len(d.Sample) != 4 || d.Sample[3].Target < 64+80 {
		t.Errorf("sample %v is not spread", d.Sample)
	}
	var out bytes.Buffer
	if err := d.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"gutenberg, 32 dimensions", "rows", "245", "relation 2", "120", d.Digest, "skip_paragraphs", "fact", "query"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, out.String())
		}
	}
	for line := range strings.Lines(out.String()) {
		if len([]rune(line)) > 130 {
			t.Errorf("line of %d characters: %s", len([]rune(line)), line)
		}
	}
}
