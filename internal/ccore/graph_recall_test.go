package ccore

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

var graphVectors = flag.String("graph-vectors", "",
	"directory of base, query and truth files (*.npy); compares the graph's recall on them with hnswlib's")

// hnswlibFigures is fixtures/graphs/hnswlib.json, which says how it was made.
type hnswlibFigures struct {
	EfConstruction int             `json:"ef_construction"`
	Corpora        []hnswlibCorpus `json:"corpora"`
}

type hnswlibCorpus struct {
	Name   string          `json:"name"`
	Recall []hnswlibRecall `json:"recall"`
}

type hnswlibRecall struct {
	M       int     `json:"m"`
	Queries string  `json:"queries"`
	Ef      int     `json:"ef"`
	Recall  float64 `json:"recall_at_10"`
}

// At the same m, ef_construction and ef the graph must find no less than
// hnswlib does, on real text vectors. Prints the table of the core's README.
func TestGraphRecallBesideHnswlib(t *testing.T) {
	if *graphVectors == "" {
		t.Skip("no -graph-vectors directory is given")
	}
	var figures hnswlibFigures
	data, err := os.ReadFile("../../fixtures/graphs/hnswlib.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &figures); err != nil {
		t.Fatal(err)
	}
	text := slices.IndexFunc(figures.Corpora, func(c hnswlibCorpus) bool { return c.Name == "text" })
	if text < 0 {
		t.Fatal("no figures of corpus text")
	}
	base, dim := readHalves(t, "base.f16.npy")
	for _, m := range []int{16, 24} {
		t.Run(fmt.Sprintf("m=%d", m), func(t *testing.T) {
			g := buildGraph(t, GraphOptions{
				Metric: Cosine, Dim: dim, M: m, EfConstruction: figures.EfConstruction, Seed: 42,
			}, base)
			for _, figure := range figures.Corpora[text].Recall {
				if figure.M == m {
					compareRecall(t, g, figure)
				}
			}
		})
	}
}

func compareRecall(t *testing.T, g *Graph, figure hnswlibRecall) {
	t.Helper()
	queries, _ := readHalves(t, "query-"+figure.Queries+".f16.npy")
	truth, ntruth := readInts(t, "truth-"+figure.Queries+".i32.npy")
	recall, evaluated := recallOfRows(t, g, queries, truth, ntruth, figure.Ef)
	t.Logf("| %d | %s | %d | %.4f | %.4f | %.0f |",
		figure.M, figure.Queries, figure.Ef, recall, figure.Recall, evaluated)
	if recall < figure.Recall {
		t.Errorf("m %d, %s queries, ef %d: recall@10 %.4f, below hnswlib's %.4f",
			figure.M, figure.Queries, figure.Ef, recall, figure.Recall)
	}
}

// recallOfRows compares by row number with the 10 first of each row of truth.
func recallOfRows(t *testing.T, g *Graph, queries []float32, truth []int32, ntruth, ef int) (recall, evaluated float64) {
	t.Helper()
	const k = 10
	dim := g.options.Dim
	nqueries := len(queries) / dim
	hits := 0
	for q := range nqueries {
		found, walk, err := g.Search(queries[q*dim:(q+1)*dim], ef, k)
		if err != nil {
			t.Fatal(err)
		}
		evaluated += float64(walk.Evaluated)
		for _, n := range found {
			for _, want := range truth[q*ntruth : q*ntruth+k] {
				if n.Row == int(want) {
					hits++
				}
			}
		}
	}
	return float64(hits) / float64(nqueries*k), evaluated / float64(nqueries)
}

var npyShape = regexp.MustCompile(`'shape': \((\d+), (\d+)\)`)

// readMatrix returns the elements of a two-dimensional version 1.0 .npy file in
// C order, and its number of columns.
func readMatrix(t *testing.T, name string, size int) (elements []byte, columns int) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(*graphVectors, name))
	if err != nil {
		t.Fatal(err)
	}
	if len(data) < 10 || string(data[:8]) != "\x93NUMPY\x01\x00" {
		t.Fatalf("%s is not a version 1.0 .npy file", name)
	}
	end := 10 + int(binary.LittleEndian.Uint16(data[8:]))
	shape := npyShape.FindSubmatch(data[10:end])
	if shape == nil {
		t.Fatalf("%s has no shape of two dimensions", name)
	}
	rows, _ := strconv.Atoi(string(shape[1]))
	columns, _ = strconv.Atoi(string(shape[2]))
	if len(data)-end != rows*columns*size {
		t.Fatalf("%s holds %d bytes, not %d x %d x %d", name, len(data)-end, rows, columns, size)
	}
	return data[end:], columns
}

func readHalves(t *testing.T, name string) (values []float32, columns int) {
	t.Helper()
	data, columns := readMatrix(t, name, 2)
	for ; len(data) > 0; data = data[2:] {
		values = append(values, halfToFloat(binary.LittleEndian.Uint16(data)))
	}
	return values, columns
}

func readInts(t *testing.T, name string) (values []int32, columns int) {
	t.Helper()
	data, columns := readMatrix(t, name, 4)
	for ; len(data) > 0; data = data[4:] {
		values = append(values, int32(binary.LittleEndian.Uint32(data)))
	}
	return values, columns
}

// halfToFloat widens a finite binary16 number.
func halfToFloat(half uint16) float32 {
	sign := uint32(half&0x8000) << 16
	exponent := int(half >> 10 & 0x1F)
	fraction := float64(half & 0x3FF)
	value := math.Ldexp(1024+fraction, exponent-25)
	if exponent == 0 {
		value = math.Ldexp(fraction, -24)
	}
	return math.Float32frombits(math.Float32bits(float32(value)) | sign)
}

func TestHalfToFloat(t *testing.T) {
	for half, want := range map[uint16]float32{
		0x3C00: 1, 0xC000: -2, 0x3555: 0.333251953125, 0x7BFF: 65504, 0x0001: 0x1p-24, 0x0400: 0x1p-14, 0: 0,
	} {
		t.Run(fmt.Sprintf("%04x", half), func(t *testing.T) {
			if got := halfToFloat(half); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}
