package embed

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"sync"
)

// MaxDim is the largest dimension of a hash embedding: what a vector column
// of the extension holds.
const MaxDim = 16000

// laneTokens is how many tokens the eight byte-wide counters of a lane can hold
// before they must be emptied.
const laneTokens = 255

// Hash embeds text as the normalised, weighted sum of the sign hashes of its
// tokens, rounded to six decimals.
//
// The sign of dimension i is bit i of the token's digest, least significant
// bit of each byte first, 1 for plus; every further 256 dimensions hash the
// digest again. Weights are multiples of one half and tokens at most 512, so
// every sum and sum of squares is exact in a float64, whatever the order.
//
// A text whose every token is muted has the zero vector.
type Hash struct {
	mode   Mode
	dim    int
	spread [256]uint64 // byte -> eight lanes of one bit, bit 0 in the lowest byte
}

var _ Embedder = (*Hash)(nil)

// NewHash returns the hash embedder of a mode with 1 to MaxDim dimensions.
func NewHash(mode Mode, dim int) (*Hash, error) {
	if mode < Lexical || mode > CodeAware {
		return nil, fmt.Errorf("new hash embedder: unrecognized mode %d", int(mode))
	}
	if dim < 1 || dim > MaxDim {
		return nil, fmt.Errorf("new hash embedder: dimension %d is outside 1..%d", dim, MaxDim)
	}
	h := &Hash{mode: mode, dim: dim}
	for b := range h.spread {
		for bit := range 8 {
			h.spread[b] |= uint64(b>>bit&1) << (8 * bit)
		}
	}
	return h, nil
}

// Name returns "hash-" and the mode.
func (h *Hash) Name() string { return "hash-" + h.mode.String() }

// Dim returns the number of components.
func (h *Hash) Dim() int { return h.dim }

// Embed embeds the texts on all processors. It fails only when ctx ends.
func (h *Hash) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	slab := make([]float32, len(texts)*h.dim)
	workers := min(runtime.GOMAXPROCS(0), len(texts))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			s := h.newSums()
			for i := w; i < len(texts) && ctx.Err() == nil; i += workers {
				out[i] = slab[i*h.dim : (i+1)*h.dim : (i+1)*h.dim]
				s.embed(texts[i], out[i])
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("embed %d texts: %w", len(texts), err)
	}
	return out, nil
}

// One embeds a single text.
func (h *Hash) One(text string) []float32 {
	out := make([]float32, h.dim)
	h.newSums().embed(text, out)
	return out
}

// sums is the working memory of one text after another: per weight, how many
// tokens had the bit of each dimension set.
type sums struct {
	*Hash
	classes []class
	total   []float64
}

// class counts the tokens of one weight. A dimension's signed sum is twice the
// number of set bits minus the number of tokens.
type class struct {
	weight  float64
	tokens  int
	pending int      // tokens in lanes, at most laneTokens
	lanes   []uint64 // eight dimensions each, one byte a dimension
	ones    []int32  // per dimension, what the lanes held when emptied
}

func (h *Hash) newSums() *sums {
	return &sums{Hash: h, total: make([]float64, h.dim)}
}

func (s *sums) embed(text string, out []float32) {
	s.mode.each(text, func(token string) {
		if hashed, weight := s.mode.weigh(token); weight != 0 {
			s.class(weight).add(hashed, &s.spread)
		}
	})
	clear(s.total)
	for i := range s.classes {
		s.classes[i].drain(s.total)
	}
	square := 0.0
	for _, x := range s.total {
		square += x * x
	}
	norm := math.Sqrt(square)
	if norm == 0 {
		norm = 1
	}
	for i, x := range s.total {
		out[i] = Written(x / norm)
	}
}

func (s *sums) class(weight float64) *class {
	for i := range s.classes {
		if s.classes[i].weight == weight {
			return &s.classes[i]
		}
	}
	lanes := (s.dim + 7) / 8
	s.classes = append(s.classes, class{weight: weight, lanes: make([]uint64, lanes), ones: make([]int32, lanes*8)})
	return &s.classes[len(s.classes)-1]
}

func (c *class) add(token string, spread *[256]uint64) {
	if c.pending == laneTokens {
		c.empty()
	}
	c.tokens++
	c.pending++
	digest := sha256.Sum256([]byte(token))
	for lanes := c.lanes; ; digest = sha256.Sum256(digest[:]) {
		n := min(len(lanes), len(digest))
		for i, b := range digest[:n] {
			lanes[i] += spread[b]
		}
		if lanes = lanes[n:]; len(lanes) == 0 {
			return
		}
	}
}

func (c *class) empty() {
	var lane [8]byte
	for i, packed := range c.lanes {
		binary.LittleEndian.PutUint64(lane[:], packed)
		for j, n := range lane {
			c.ones[i*8+j] += int32(n)
		}
	}
	clear(c.lanes)
	c.pending = 0
}

// drain adds the class's signed, weighted sums to total and resets the class.
func (c *class) drain(total []float64) {
	if c.tokens == 0 {
		return
	}
	c.empty()
	for i := range total {
		total[i] += c.weight * float64(2*int(c.ones[i])-c.tokens)
	}
	clear(c.ones)
	c.tokens = 0
}

// Written returns the float32 that a server reads where x is printed with six
// decimals: the decimal rounding is of x exactly, ties to even, as printf's.
func Written(x float64) float32 {
	scaled := x * 1e6
	rounded := math.RoundToEven(scaled)
	// Away from a tie the product's own rounding error cannot matter, and
	// an exact integer divided by an exact 1e6 is the nearest double of the
	// decimal, which parsing gives too.
	if math.Abs(scaled) < 1<<40 && math.Abs(math.Abs(scaled-rounded)-0.5) > 1e-3 {
		return float32(rounded / 1e6)
	}
	// The one possible error is a value beyond float32, returned as infinity.
	parsed, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 6, 64), 32)
	return float32(parsed)
}
