package corpus

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
)

// Vectors are rows without facts, for nearest neighbour search: one flat matrix
// in memory, with the queries put to it. They are read-only once handed out.
type Vectors struct {
	Name    string
	Dim     int            // components of each row and query, at least 1
	Rows    []float32      // Dim components of each row, row after row
	Queries []QuerySet     // at least one
	Params  map[string]any // the options that produced them, for the result file
}

// QuerySet are queries of one kind.
type QuerySet struct {
	Name    string
	Vectors []float32 // flat, as the rows
	// Nearest has the numbers of the exact nearest rows by cosine, best first,
	// for each query; nil where nobody has computed them.
	Nearest [][]int32
}

// Len is the number of rows.
func (v *Vectors) Len() int { return len(v.Rows) / v.Dim }

// Row is row i, from 0. It is a part of the matrix.
func (v *Vectors) Row(i int) []float32 { return v.Rows[i*v.Dim : (i+1)*v.Dim] }

// Digest is the SHA-256 of all components of rows and queries, in hexadecimal:
// the fingerprint of a corpus of vectors.
func (v *Vectors) Digest(ctx context.Context) (string, error) {
	sum := sha256.New()
	parts := [][]float32{v.Rows}
	for _, set := range v.Queries {
		parts = append(parts, set.Vectors)
	}
	const chunk = 1 << 14 // components
	bytes := make([]byte, 0, 4*chunk)
	for _, part := range parts {
		for ; len(part) > 0; part = part[min(chunk, len(part)):] {
			if err := ctx.Err(); err != nil {
				return "", fmt.Errorf("digest of %s: %w", v.Name, err)
			}
			bytes = bytes[:0]
			for _, x := range part[:min(chunk, len(part))] {
				bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(x))
			}
			_, _ = sum.Write(bytes) // a hash never fails
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// BucketValues is how many values Buckets deals out.
const BucketValues = 1000

// Buckets gives each of n rows a value from 0 to BucketValues-1: every thousand
// rows in all get each value once, in an order that has nothing to do with the
// rows'. "bucket < 10" is a filter that one row in a hundred passes.
func Buckets(n int, seed int64) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i % BucketValues)
	}
	draws := newDraws(seed, streamBuckets, 0)
	for i := n - 1; i > 0; i-- {
		j := draws.below(i + 1)
		out[i], out[j] = out[j], out[i]
	}
	return out
}
