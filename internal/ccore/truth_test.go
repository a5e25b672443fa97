package ccore

import (
	"encoding/binary"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// vectorsDir holds base.f16.npy, query-NAME.f16.npy and truth-NAME.i32.npy.
var vectorsDir = flag.String("vectors", "", "folder of real vectors with their exact neighbours")

// npy returns the bytes of a version 1 .npy file's array and checks its shape.
func npy(t *testing.T, name, kind, shape string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(*vectorsDir, name))
	if err != nil {
		t.Fatal(err)
	}
	if len(data) < 10 || string(data[:6]) != "\x93NUMPY" || data[6] != 1 {
		t.Fatalf("%s is not a version 1 .npy file", name)
	}
	end := 10 + int(binary.LittleEndian.Uint16(data[8:]))
	header := string(data[10:end])
	if !strings.Contains(header, "'"+kind+"'") || !strings.Contains(header, shape) {
		t.Fatalf("%s has header %q, want type %s and shape %s", name, header, kind, shape)
	}
	return data[end:]
}

func halves(t *testing.T, name, shape string) []float32 {
	t.Helper()
	data := npy(t, name, "<f2", shape)
	h := make([]uint16, len(data)/2)
	for i := range h {
		h[i] = binary.LittleEndian.Uint16(data[2*i:])
	}
	return FloatsFromHalves(h)
}

// TestKNNAgreesWithTruth searches 60,000 real vectors and compares with the
// neighbours that somebody else computed. Run it with -vectors DIR.
func TestKNNAgreesWithTruth(t *testing.T) {
	if *vectorsDir == "" {
		t.Skip("no folder of vectors given by -vectors")
	}
	const dim, k = 384, 100
	rows := halves(t, "base.f16.npy", "(60000, 384)")
	for _, set := range []string{"paragraph", "sentence"} {
		queries := halves(t, "query-"+set+".f16.npy", "(1000, 384)")
		truth := npy(t, "truth-"+set+".i32.npy", "<i4", "(1000, 100)")
		start := time.Now()
		got, err := KNN{Metric: Cosine, Dim: dim, K: k}.Search(t.Context(), rows, queries)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: 1000 queries x 60000 rows in %v", set, time.Since(start).Round(time.Millisecond))
		compareTruth(t, set, got, truth, rows, queries, dim)
	}
}

// compareTruth wants the same row at each rank, or another one as near: rows
// that repeat each other, and roundings of the last bits, leave the order open.
func compareTruth(t *testing.T, set string, got [][]Neighbor, truth []byte, rows, queries []float32, dim int) {
	t.Helper()
	same, total := 0, 0
	for q := range got {
		for rank, n := range got[q] {
			want := int(binary.LittleEndian.Uint32(truth[4*(q*len(got[q])+rank):]))
			total++
			if n.Row == want {
				same++
				continue
			}
			d, _ := reference(Cosine, queries[q*dim:(q+1)*dim], rows[want*dim:(want+1)*dim])
			if math.Abs(d-n.Distance) > 1e-6 {
				t.Errorf("%s query %d rank %d: row %d at %v, truth has row %d at %v",
					set, q, rank, n.Row, n.Distance, want, d)
			}
		}
	}
	t.Logf("%s: %d of %d neighbours are the same row, the rest as near", set, same, total)
}
