package pyrand

import (
	"errors"
	"slices"
	"testing"
)

// The literals of this file were printed by CPython 3.11, by the expression
// named beside each table.

// r = random.Random(seed); [r.getrandbits(32) for _ in range(3)]
func TestSeeding(t *testing.T) {
	for _, c := range []struct {
		seed int64
		want []uint32
	}{
		{42, []uint32{2746317213, 478163327, 107420369}},
		{-42, []uint32{2746317213, 478163327, 107420369}},
		{0, []uint32{3626764237, 1654615998, 3255389356}},
		{1<<33 + 7, []uint32{3024930075, 3803530016, 644625210}},
		{42 ^ 0x5A17, []uint32{2044943923, 2559747334, 2668464884}},
	} {
		r := New(c.seed)
		if got := []uint32{r.Uint32(), r.Uint32(), r.Uint32()}; !slices.Equal(got, c.want) {
			t.Errorf("seed %d: got %v, want %v", c.seed, got, c.want)
		}
	}
}

// The 2000th word of Random(42) lies past three refills of the state.
func TestRefill(t *testing.T) {
	r := New(42)
	for range 1999 {
		r.Uint32()
	}
	if got := r.Uint32(); got != 1557724698 {
		t.Errorf("got %d, want 1557724698", got)
	}
}

// r = Random(7); [r.getrandbits(k) for k in (1, 5, 31, 32, 33, 48, 64)],
// then randrange(1), randrange(8), randrange(2**40)
func TestBitsAndBelow(t *testing.T) {
	r := New(7)
	want := []uint64{0, 30, 323946139, 1695753998, 2795742288, 231168335884083, 1736392818365009963}
	for i, k := range []int{1, 5, 31, 32, 33, 48, 64} {
		if got := r.Bits(k); got != want[i] {
			t.Errorf("%d bits: got %d, want %d", k, got, want[i])
		}
	}
	for _, c := range []struct{ n, want uint64 }{{1, 0}, {8, 0}, {1 << 40, 82526500300}} {
		if got := r.Below(c.n); got != c.want {
			t.Errorf("below %d: got %d, want %d", c.n, got, c.want)
		}
	}
}

// r = Random(42); [r.randrange(0, 1_000_000) for _ in range(6)]
func TestBelowMillion(t *testing.T) {
	r := New(42)
	for i, want := range []uint64{670487, 116739, 26225, 777572, 288389, 256787} {
		if got := r.Below(1_000_000); got != want {
			t.Errorf("draw %d: got %d, want %d", i, got, want)
		}
	}
}

// r = Random(42 ^ 0x5A17); s = r.sample(range(n), k); s[:4], s[-2:],
// r.getrandbits(32). The pairs stand on both sides of each branch.
func TestSample(t *testing.T) {
	for _, c := range []struct {
		n, k        int
		first, last []int
		after       uint32
	}{
		{21, 5, []int{15, 19, 18, 5}, []int{5, 7}, 412505824},
		{22, 5, []int{15, 19, 18, 5}, []int{5, 7}, 412505824},
		{85, 6, []int{60, 76, 79, 83}, []int{75, 21}, 3170346697},
		{86, 6, []int{60, 76, 79, 75}, []int{21, 73}, 2579681283},
		{100, 64, []int{60, 76, 79, 98}, []int{82, 51}, 2865633741},
		{277, 64, []int{243, 86, 127, 49}, []int{170, 205}, 3555417615},
		{278, 64, []int{243, 86, 127, 49}, []int{149, 253}, 2526614244},
		{1000, 64, []int{487, 610, 636, 874}, []int{749, 379}, 2742090212},
		{5000, 6, []int{3900, 4882, 4906, 4851}, []int{1381, 4685}, 2579681283},
	} {
		r := New(42 ^ 0x5A17)
		got, err := r.Sample(c.n, c.k)
		if err != nil {
			t.Fatalf("sample %d of %d: %v", c.k, c.n, err)
		}
		if !slices.Equal(got[:4], c.first) || !slices.Equal(got[c.k-2:], c.last) {
			t.Errorf("sample %d of %d: got %v...%v, want %v...%v", c.k, c.n, got[:4], got[c.k-2:], c.first, c.last)
		}
		if after := r.Uint32(); after != c.after {
			t.Errorf("sample %d of %d: state differs after it: %d, want %d", c.k, c.n, after, c.after)
		}
	}
}

// r = Random(1); s = r.sample(range(10000), 1000); sum(s), r.getrandbits(32)
func TestSampleWhole(t *testing.T) {
	r := New(1)
	got, err := r.Sample(10000, 1000)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, v := range got {
		sum += v
	}
	if sum != 5065358 {
		t.Errorf("sum %d, want 5065358", sum)
	}
	if after := r.Uint32(); after != 3655625297 {
		t.Errorf("state differs after it: %d, want 3655625297", after)
	}
}

func TestSampleBounds(t *testing.T) {
	for _, k := range []int{-1, 4} {
		if _, err := New(1).Sample(3, k); !errors.Is(err, ErrSampleSize) {
			t.Errorf("sample %d of 3: got error %v, want ErrSampleSize", k, err)
		}
	}
	got, err := New(1).Sample(3, 3)
	slices.Sort(got)
	if err != nil || !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("sample 3 of 3: got %v, %v", got, err)
	}
}
