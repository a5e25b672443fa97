// Package pyrand reproduces, bit for bit, the draws of CPython's
// random.Random that published corpora are defined by.
//
// The generator is MT19937 (Matsumoto and Nishimura, 1998), seeded by
// init_by_array with the 32-bit words of the absolute seed. Integers below a
// bound come from rejection sampling over the smallest sufficient number of
// bits, and Sample chooses between its two algorithms by CPython's rule, so
// the state of the generator stays in step with Python's whatever is drawn.
//
// It is meant for reproducing data, not for statistics or secrets.
package pyrand

import (
	"errors"
	"fmt"
	"math/bits"
)

const (
	stateSize   = 624
	shiftSize   = 397
	matrix      = 0x9908b0df
	upperMask   = 0x80000000
	lowerMask   = 0x7fffffff
	arraySeed   = 19650218
	smallSet    = 21 // entries that a small CPython set holds beyond a list's cost
	smallSample = 5  // samples up to this size are assumed to fit the small set
)

// ErrSampleSize is returned when a sample is larger than its population, or
// negative.
var ErrSampleSize = errors.New("sample larger than population or negative")

// Rand is a random.Random. It is not safe for concurrent use.
type Rand struct {
	state [stateSize]uint32
	next  int // index of the next word to hand out; stateSize when used up
}

// New returns the generator that random.Random(seed) makes. Python seeds with
// the absolute value, so New(-n) equals New(n).
func New(seed int64) *Rand {
	magnitude := uint64(seed)
	if seed < 0 {
		magnitude = -magnitude
	}
	key := []uint32{uint32(magnitude)}
	if high := uint32(magnitude >> 32); high != 0 {
		key = append(key, high)
	}
	r := &Rand{next: stateSize}
	r.initByArray(key)
	return r
}

func (r *Rand) initByArray(key []uint32) {
	s := &r.state
	s[0] = arraySeed
	for i := 1; i < stateSize; i++ {
		s[i] = 1812433253*(s[i-1]^s[i-1]>>30) + uint32(i)
	}
	i, j := 1, 0
	advance := func() {
		if i++; i == stateSize {
			s[0], i = s[stateSize-1], 1
		}
	}
	for range max(stateSize, len(key)) {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1664525) + key[j] + uint32(j)
		advance()
		j = (j + 1) % len(key)
	}
	for range stateSize - 1 {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1566083941) - uint32(i)
		advance()
	}
	s[0] = upperMask
}

func (r *Rand) refill() {
	s := &r.state
	for i := range stateSize {
		y := s[i]&upperMask | s[(i+1)%stateSize]&lowerMask
		s[i] = s[(i+shiftSize)%stateSize] ^ y>>1 ^ (y&1)*matrix
	}
	r.next = 0
}

// Uint32 returns the next word of the generator, as getrandbits(32) does.
func (r *Rand) Uint32() uint32 {
	if r.next == stateSize {
		r.refill()
	}
	y := r.state[r.next]
	r.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// Bits returns getrandbits(k): k random bits, 0 <= k <= 64. Draws of more than
// 32 bits take the low word first. It panics when k is out of range.
func (r *Rand) Bits(k int) uint64 {
	switch {
	case k < 0 || k > 64:
		panic(fmt.Sprintf("pyrand: %d bits asked for, 0 to 64 possible", k))
	case k == 0:
		return 0
	case k <= 32:
		return uint64(r.Uint32() >> (32 - k))
	default:
		low := uint64(r.Uint32())
		return low | uint64(r.Uint32()>>(64-k))<<32
	}
}

// Below returns randrange(n): a value in 0..n-1. It panics when n is 0.
func (r *Rand) Below(n uint64) uint64 {
	if n == 0 {
		panic("pyrand: empty range")
	}
	// The bit length of n, not of n-1: Python does it so, and spends draws.
	k := bits.Len64(n)
	for {
		if v := r.Bits(k); v < n {
			return v
		}
	}
}

// Sample returns sample(range(n), k): k distinct values of 0..n-1 in the order
// of selection. It fails with ErrSampleSize unless 0 <= k <= n.
func (r *Rand) Sample(n, k int) ([]int, error) {
	if k < 0 || k > n {
		return nil, fmt.Errorf("sample %d of %d: %w", k, n, ErrSampleSize)
	}
	if n <= setSize(k) {
		return r.samplePool(n, k), nil
	}
	return r.sampleSet(n, k), nil
}

// setSize is CPython's estimate of the memory of a set of k entries, in list
// entries; a population up to that size is copied to a list instead. The power
// of four is computed on integers: 3k is never one, so the floating-point
// logarithm that CPython takes cannot round across it.
func setSize(k int) int {
	if k <= smallSample {
		return smallSet
	}
	table := 1
	for table < 3*k {
		table *= 4
	}
	return smallSet + table
}

func (r *Rand) samplePool(n, k int) []int {
	pool := make([]int, n)
	for i := range pool {
		pool[i] = i
	}
	out := make([]int, k)
	for i := range out {
		j := r.Below(uint64(n - i))
		out[i] = pool[j]
		pool[j] = pool[n-i-1]
	}
	return out
}

func (r *Rand) sampleSet(n, k int) []int {
	seen := make(map[int]bool, k)
	out := make([]int, k)
	for i := range out {
		j := int(r.Below(uint64(n)))
		for seen[j] {
			j = int(r.Below(uint64(n)))
		}
		seen[j] = true
		out[i] = j
	}
	return out
}
