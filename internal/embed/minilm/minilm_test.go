package minilm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// open loads the model that the environment names, or skips.
func open(t testing.TB, o Options) *Model {
	t.Helper()
	dir := os.Getenv("SORTED_HEAP_EMBEDDER")
	if dir == "" {
		t.Skip("SORTED_HEAP_EMBEDDER names no directory: run make embedder")
	}
	m, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// recorded is what Python computed with the same files; record.py tells how.
type recorded struct {
	Texts   []string    `json:"texts"`
	Vectors [][]float64 `json:"vectors"`
}

func readRecorded(t *testing.T) recorded {
	t.Helper()
	text, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Texts) == 0 || len(r.Texts) != len(r.Vectors) {
		t.Fatalf("%d texts and %d vectors are recorded", len(r.Texts), len(r.Vectors))
	}
	return r
}

func TestVectorsAreThoseOfPython(t *testing.T) {
	r := readRecorded(t)
	m := open(t, DefaultOptions())
	for _, batch := range []int{1, 1024, 1 << 20} {
		m.options.BatchTokens = batch
		got, err := m.Embed(t.Context(), r.Texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range r.Vectors {
			if len(got[i]) != m.Dim() || m.Dim() != len(want) {
				t.Fatalf("%d components, Dim is %d, recorded are %d", len(got[i]), m.Dim(), len(want))
			}
			for j := range want {
				if off := math.Abs(float64(got[i][j]) - want[j]); !(off < 1e-4) {
					t.Fatalf("batches of %d tokens, %.40q: component %d is %v, Python has %v", batch, r.Texts[i], j, got[i][j], want[j])
				}
			}
		}
	}
}

func TestSimilarTextsAreNear(t *testing.T) {
	m := open(t, DefaultOptions())
	v, err := m.Embed(t.Context(), []string{
		"how is a query plan chosen", "the optimizer picks the cheapest way to run a statement", "a recipe for apple pie",
	})
	if err != nil {
		t.Fatal(err)
	}
	dot := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		return sum
	}
	if near, far := dot(v[0], v[1]), dot(v[0], v[2]); near <= far+0.1 {
		t.Errorf("likeness %.3f of texts on one matter, %.3f of texts on two", near, far)
	}
	if norm := dot(v[0], v[0]); math.Abs(norm-1) > 1e-5 {
		t.Errorf("square of the length %v", norm)
	}
}

func TestOptionsNameTheModel(t *testing.T) {
	short := DefaultOptions()
	short.MaxTokens = 8
	a, b := open(t, DefaultOptions()), open(t, short)
	if a.Name() == b.Name() || !strings.HasPrefix(a.Name(), "local-minilm-") {
		t.Errorf("names %q and %q", a.Name(), b.Name())
	}
}

func TestEmbedStops(t *testing.T) {
	m := open(t, DefaultOptions())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v", err)
	}
	if got, err := m.Embed(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("no texts: got %v, %v", got, err)
	}
}

func TestOpenTellsWhatIsMissing(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{FileLibrary, FileModel, FileTokenizer} {
		_, err := Open(dir, DefaultOptions())
		if !errors.Is(err, ErrAbsent) || !strings.Contains(err.Error(), name) {
			t.Errorf("got error %v, want one about %s", err, name)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(dir, DefaultOptions()); err == nil || errors.Is(err, ErrAbsent) {
		t.Errorf("files of nonsense: got error %v", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	if err := DefaultOptions().Validate(); err != nil {
		t.Error(err)
	}
	for _, o := range []Options{{0, 1, 2}, {1, 0, 2}, {1, 1, 1}, {1, 1, 513}} {
		if o.Validate() == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

func TestPoolRefusesWhatHasNoDirection(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, states := range [][]float32{{0, 0}, {1, 0, -1, 0}, {nan, 1}, {inf, 1}, {inf, 1, -inf, 1}} {
		if v, err := pool(states, 2); err == nil {
			t.Errorf("%v: got %v", states, v)
		}
	}
	if v, err := pool([]float32{3, 0, 3, 8}, 2); err != nil || math.Abs(float64(v[0])-0.6) > 1e-7 || math.Abs(float64(v[1])-0.8) > 1e-7 {
		t.Errorf("got %v, %v", v, err)
	}
}

func BenchmarkEmbed(b *testing.B) {
	line := "void Plan::ScheduleWork(map<Edge*, Want>::iterator want_e) { if (want_e->second == kWantToFinish) return; }\n"
	for _, shape := range []struct {
		name  string
		lines int
	}{{"words=short", 0}, {"lines=4", 4}} {
		texts := make([]string, 64)
		for i := range texts {
			texts[i] = fmt.Sprintf("how is work %d scheduled", i) + strings.Repeat(line, shape.lines)
		}
		for _, o := range []Options{{1, 1, 256}, {1, 1024, 256}, {2, 1, 256}, {2, 1024, 256}, {2, 4096, 256}} {
			b.Run(fmt.Sprintf("%s/threads=%d/batch=%d", shape.name, o.Threads, o.BatchTokens), func(b *testing.B) {
				m := open(b, o)
				for b.Loop() {
					if _, err := m.Embed(b.Context(), texts); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(len(texts)*b.N)/b.Elapsed().Seconds(), "texts/s")
			})
		}
	}
}
