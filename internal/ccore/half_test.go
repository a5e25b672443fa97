package ccore

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

func TestHalvesRoundTrip(t *testing.T) {
	all := make([]uint16, 0, 1<<16)
	for h := range 1 << 16 {
		if h&0x7C00 != 0x7C00 {
			all = append(all, uint16(h))
		}
	}
	if back := HalvesFromFloats(FloatsFromHalves(all)); !slices.Equal(back, all) {
		t.Error("a finite half came back as another")
	}
	if got := HalvesFromFloats([]float32{65519, 65520, 1 + 0x1p-11, -0x1p-25}); !slices.Equal(got,
		[]uint16{0x7BFF, 0x7C00, 0x3C00, 0x8000}) {
		t.Errorf("rounded to %x", got)
	}
}

func TestHalvesAcrossChunks(t *testing.T) {
	values := make([]float32, 2*chunk+3)
	for i := range values {
		values[i] = float32(i % 2048)
	}
	if !slices.Equal(FloatsFromHalves(HalvesFromFloats(values)), values) {
		t.Error("whole numbers below 2048 changed")
	}
	if len(FloatsFromHalves(nil)) != 0 || len(HalvesFromFloats(nil)) != 0 {
		t.Error("nothing became something")
	}
}

// FuzzHalfDistance compares every instruction set with float64 over halves.
func FuzzHalfDistance(f *testing.F) {
	for _, n := range []int{1, 3, 8, 15, 33, 64, 70} {
		data := make([]byte, 4*n)
		for i := range data {
			data[i] = byte(i*37 + n)
		}
		f.Add(data)
	}
	isas := availableISAs()
	f.Fuzz(func(t *testing.T, data []byte) {
		n := len(data) / 4
		if n == 0 {
			return
		}
		v := make([]uint16, 2*n)
		for i := range v {
			v[i] = binary.LittleEndian.Uint16(data[2*i:])
			if v[i]&0x7C00 == 0x7C00 {
				v[i] &^= 0x0400
			}
		}
		a, b := v[:n], v[n:]
		wideA, wideB := FloatsFromHalves(a), FloatsFromHalves(b)
		for _, metric := range allMetrics {
			want, size := reference(metric, wideA, wideB)
			for _, isa := range isas {
				got := halfDistanceBy(isa, metric, a, b)
				if math.IsNaN(want) && math.IsNaN(got) {
					continue
				}
				if !(math.Abs(got-want) <= tolerance(size, n)) {
					t.Errorf("%s %v of %v and %v: got %v, want %v", isa, metric, wideA, wideB, got, want)
				}
			}
		}
	})
}

// FuzzCode holds the codes of any two vectors to the bounds of dist_code.h, and
// every instruction set to the same distances.
func FuzzCode(f *testing.F) {
	for _, seed := range [][]float32{
		{1, 2}, {0, 0, 1, 1}, {1e38, -1e38, 1e-38, 0}, {1e-45, 2e-45}, slices.Repeat([]float32{0.1, -0.3, 7}, 2*31),
	} {
		var data []byte
		for _, x := range seed {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
		f.Add(data)
	}
	isas := availableISAs()
	f.Fuzz(func(t *testing.T, data []byte) {
		a, b := vectorPair(data)
		if len(a) == 0 {
			return
		}
		ca, cb := newCode(a), newCode(b)
		for _, c := range []struct {
			v []float32
			code
		}{{a, ca}, {b, cb}} {
			bound := 0.5001*c.scale() + 0x1p-142
			for i, x := range c.x {
				if lost := math.Abs(float64(c.v[i]) - float64(x)*c.scale()); !(lost <= bound) {
					t.Errorf("component %d of %v became %v, off by %v, bound %v", i, c.v, x, lost, bound)
				}
			}
		}
		n := float64(len(a))
		e := 0.5001*(ca.scale()+cb.scale()) + 0x1p-141
		want, size := reference(L2, a, b)
		zero := make([]float32, len(a))
		normA, _ := reference(L2, a, zero)
		normB, _ := reference(L2, b, zero)
		first := codeDistanceBy("scalar", L2, ca, cb)
		if !(math.Abs(first-want) <= (e*math.Sqrt(n)+0x1p-25*(normA+normB)+0x1p-50*size)*(1+0x1p-20)) {
			t.Errorf("L2 of codes of %v and %v is %v, want %v", a, b, first, want)
		}
		for _, isa := range isas {
			for _, metric := range []Metric{Cosine, L2, InnerProduct} {
				got, scalar := codeDistanceBy(isa, metric, ca, cb), codeDistanceBy("scalar", metric, ca, cb)
				if got != scalar && !(math.IsNaN(got) && math.IsNaN(scalar)) {
					t.Errorf("%s %v of codes of %v and %v: %v, scalar %v", isa, metric, a, b, got, scalar)
				}
			}
		}
	})
}
