package corpus_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/corpus"
)

func vectorsDigest(t *testing.T, v *corpus.Vectors) string {
	t.Helper()
	sum, err := v.Digest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// The digests were computed by a few lines of Python from the generators'
// description.
func TestVectorsDigests(t *testing.T) {
	clustered, err := corpus.Clustered(t.Context(), corpus.ClusteredOptions{Rows: 300, Dim: 12, Clusters: 7, Queries: 5, Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	if got := vectorsDigest(t, clustered); got != "c4235a87d67286db9ef8b9c8049db7e9d44044c4852bd01f17cc0efe7d94c27a" {
		t.Errorf("clustered: digest %s", got)
	}
	synthetic, err := corpus.SyntheticVectors(t.Context(), corpus.SyntheticVectorsOptions{Rows: 300, Dim: 12, Queries: 5})
	if err != nil {
		t.Fatal(err)
	}
	if got := vectorsDigest(t, synthetic); got != "53fc35e5c62a89b99b10e2a985877f8ac5c0a657dd68ab51b4fa3927044f40f3" {
		t.Errorf("synthetic: digest %s", got)
	}
}

// A smaller corpus is the beginning of a larger one, whatever goroutine made it.
func TestClusteredPrefix(t *testing.T) {
	o := corpus.ClusteredOptions{Rows: 10_000, Dim: 3, Clusters: 20, Queries: 4, Seed: 1}
	large, err := corpus.Clustered(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.Rows = 4097
	small, err := corpus.Clustered(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(small.Rows, large.Rows[:4097*3]) || !slices.Equal(small.Queries[0].Vectors, large.Queries[0].Vectors) {
		t.Error("4097 rows are not the first of 10000")
	}
	o.Seed = 2
	if other, err := corpus.Clustered(t.Context(), o); err != nil || slices.Equal(small.Rows, other.Rows) {
		t.Errorf("another seed gives the same rows, error %v", err)
	}
}

// Rows of one cluster lie nearer to each other than rows of different ones, on
// average, and no two rows are the same.
func TestClusteredShape(t *testing.T) {
	v, err := corpus.Clustered(t.Context(), corpus.ClusteredOptions{Rows: 400, Dim: 64, Clusters: 4, Queries: 1, Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	near, far := math.Inf(1), 0.0
	for i := range v.Len() {
		nearest := math.Inf(1)
		for j := range v.Len() {
			sum := 0.0
			for d := range v.Dim {
				x := float64(v.Row(i)[d] - v.Row(j)[d])
				sum += x * x
			}
			if i != j {
				nearest = min(nearest, math.Sqrt(sum))
				far = max(far, math.Sqrt(sum))
			}
		}
		near = min(near, nearest)
	}
	// Components have a deviation near 1.15, a cluster's 0.6 of it.
	if near < 1 || far > 40 || far < 10 {
		t.Errorf("distances are from %.2f to %.2f", near, far)
	}
}

func TestVectorsRefuse(t *testing.T) {
	err := corpus.ClusteredOptions{Dim: 20_000}.Validate()
	for _, want := range []string{"rows 0", "dim 20000", "clusters 0", "queries 0"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not mention %s", err, want)
		}
	}
	for _, o := range []corpus.SyntheticVectorsOptions{{Rows: 0, Dim: 4, Queries: 1}, {Rows: 8, Dim: 4, Queries: 9}, {Rows: 80, Dim: 0, Queries: 1}} {
		if o.Validate() == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// Queries of "between" have no row at distance 0, those of "stored" are rows.
func TestSyntheticVectorQueries(t *testing.T) {
	v, err := corpus.SyntheticVectors(t.Context(), corpus.SyntheticVectorsOptions{Rows: 83, Dim: 8, Queries: 10})
	if err != nil {
		t.Fatal(err)
	}
	if v.Len() != 83 || len(v.Queries) != 2 {
		t.Fatalf("%d rows, %d query sets", v.Len(), len(v.Queries))
	}
	for k, want := range []bool{true, false} {
		set := v.Queries[k]
		for q := range 10 {
			found := false
			for i := range v.Len() {
				found = found || slices.Equal(v.Row(i), set.Vectors[q*8:(q+1)*8])
			}
			if found != want {
				t.Errorf("query %d of %s is a row: %t", q, set.Name, found)
			}
		}
	}
}

// Every thousand rows have each value once, so a filter's selectivity is exact,
// and the values do not follow the rows.
func TestBuckets(t *testing.T) {
	buckets := corpus.Buckets(10_000, 42)
	counts := make([]int, corpus.BucketValues)
	neighbours := 0
	for i, b := range buckets {
		counts[b]++
		if i > 0 && b == buckets[i-1]+1 {
			neighbours++
		}
	}
	for value, n := range counts {
		if n != 10 {
			t.Errorf("value %d comes %d times in 10000", value, n)
		}
	}
	if neighbours > 50 {
		t.Errorf("%d rows have the value after their neighbour's", neighbours)
	}
	if !slices.Equal(buckets[:10], corpus.Buckets(10_000, 42)[:10]) || slices.Equal(buckets, corpus.Buckets(10_000, 43)) {
		t.Error("buckets do not follow from the seed")
	}
}

// writeNPY writes a matrix of elements of size bytes, given as bits.
func writeNPY(t *testing.T, path, element string, size, columns int, bits []uint32) {
	t.Helper()
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", element, len(bits)/columns, columns)
	header += strings.Repeat(" ", 117-len(header)) + "\n"
	data := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	data = append(data, header...)
	for _, b := range bits {
		data = append(data, binary.LittleEndian.AppendUint32(nil, b)[:size]...)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// folder has four rows of two components, two sentence queries and their truth.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeNPY(t, filepath.Join(dir, "base.f16.npy"), "<f2", 2, 2, []uint32{0x3C00, 0xC000, 0x3555, 0x7BFF, 0x0001, 0x0400, 0, 0x8000})
	writeNPY(t, filepath.Join(dir, "query-sentence.f16.npy"), "<f2", 2, 2, []uint32{0x3C00, 0, 0, 0x3C00})
	writeNPY(t, filepath.Join(dir, "truth-sentence.i32.npy"), "<i4", 4, 2, []uint32{0, 1, 1, 0})
	return dir
}

func TestOpenVectors(t *testing.T) {
	dir := folder(t)
	v, err := corpus.OpenVectors(t.Context(), corpus.VectorsDirOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	want := []float32{1, -2, 0.333251953125, 65504, 0x1p-24, 0x1p-14, 0, float32(math.Copysign(0, -1))}
	if v.Dim != 2 || !slices.Equal(v.Rows, want) || !math.Signbit(float64(v.Rows[7])) {
		t.Errorf("rows %v of %d components, want %v", v.Rows, v.Dim, want)
	}
	if len(v.Queries) != 1 || v.Queries[0].Name != "sentence" || !slices.Equal(v.Queries[0].Nearest[1], []int32{1, 0}) {
		t.Errorf("queries %+v", v.Queries)
	}
	part, err := corpus.OpenVectors(t.Context(), corpus.VectorsDirOptions{Dir: dir, Rows: 3, Queries: 1})
	if err != nil {
		t.Fatal(err)
	}
	if part.Len() != 3 || len(part.Queries[0].Vectors) != 2 || part.Queries[0].Nearest != nil {
		t.Errorf("%d rows, queries %+v; the truth over fewer rows is another", part.Len(), part.Queries)
	}
}

func TestOpenVectorsRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(dir string)
		want  string
	}{
		"no base":    {func(dir string) { _ = os.Remove(filepath.Join(dir, "base.f16.npy")) }, "no such file"},
		"no queries": {func(dir string) { _ = os.Remove(filepath.Join(dir, "query-sentence.f16.npy")) }, "no query-NAME"},
		"other type": {func(dir string) { writeNPY(t, filepath.Join(dir, "base.f16.npy"), "<f4", 4, 2, []uint32{0, 0}) }, `"<f4", want "<f2"`},
		"other dim": {func(dir string) {
			writeNPY(t, filepath.Join(dir, "query-sentence.f16.npy"), "<f2", 2, 1, []uint32{0, 0})
		}, "1 components"},
		"truth short": {func(dir string) {
			writeNPY(t, filepath.Join(dir, "truth-sentence.i32.npy"), "<i4", 4, 2, []uint32{0, 1})
		},
			"truth has 1 rows for 2"},
		"truth wrong": {func(dir string) {
			writeNPY(t, filepath.Join(dir, "truth-sentence.i32.npy"), "<i4", 4, 2, []uint32{0, 1, 4, 0})
		}, "names a row that is not there"},
		"cut off": {func(dir string) {
			if err := os.Truncate(filepath.Join(dir, "base.f16.npy"), 140); err != nil {
				t.Fatal(err)
			}
		}, "row 3 of 4"},
		"no npy": {func(dir string) {
			if err := os.WriteFile(filepath.Join(dir, "base.f16.npy"), []byte("text that is long"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "not a .npy file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t)
			c.spoil(dir)
			_, err := corpus.OpenVectors(t.Context(), corpus.VectorsDirOptions{Dir: dir})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
	if _, err := corpus.OpenVectors(t.Context(), corpus.VectorsDirOptions{Dir: folder(t), Rows: 5}); err == nil {
		t.Error("five of four rows are read")
	}
}
