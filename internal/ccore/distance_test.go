package ccore

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	huge := float32(math.MaxFloat32)
	tiny := float32(math.SmallestNonzeroFloat32)
	for _, test := range []struct {
		name   string
		metric Metric
		a, b   []float32
		want   float64
	}{
		{"cosine orthogonal", Cosine, []float32{1, 0}, []float32{0, 2}, 1},
		{"cosine opposite", Cosine, []float32{1, 0}, []float32{-3, 0}, 2},
		{"cosine same direction", Cosine, []float32{3, 4}, []float32{6, 8}, 0},
		{"cosine zero norm", Cosine, []float32{0, 0}, []float32{1, 1}, math.NaN()},
		{"cosine huge and tiny", Cosine, []float32{huge, 0}, []float32{tiny, 0}, 0},
		{"l2", L2, []float32{1, 2}, []float32{4, 6}, 5},
		{"l2 tiny", L2, []float32{0}, []float32{tiny}, float64(tiny)},
		{"ip", InnerProduct, []float32{1, 2}, []float32{3, 4}, -11},
		{"ip huge", InnerProduct, []float32{huge}, []float32{huge}, -float64(huge) * float64(huge)},
		{"l1", L1, []float32{1, -2, 0}, []float32{-1, 1, 0}, 5},
		{"l1 huge", L1, []float32{huge}, []float32{-huge}, 2 * float64(huge)},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Distance(test.metric, test.a, test.b)
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestDistanceRefuses(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, test := range []struct {
		name   string
		metric Metric
		a, b   []float32
		want   string
	}{
		{"lengths", L2, []float32{1}, []float32{1, 2}, "different lengths 1 and 2"},
		{"empty", L2, nil, nil, "no components"},
		{"NaN", L2, []float32{1, nan}, []float32{1, 2}, "component 1 is NaN"},
		{"infinity", L2, []float32{1, 2}, []float32{inf, 2}, "component 0 is +Inf"},
		{"metric", Metric(4), []float32{1}, []float32{1}, "invalid metric 4"},
		{"negative metric", Metric(-1), []float32{1}, []float32{1}, "invalid metric -1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Distance(test.metric, test.a, test.b)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestISAIsAvailable(t *testing.T) {
	if !slices.Contains(availableISAs(), ISA()) {
		t.Errorf("%s is in use but not among %v", ISA(), availableISAs())
	}
}

func TestMetricString(t *testing.T) {
	for metric, want := range map[Metric]string{
		Cosine: "cosine", L2: "l2", InnerProduct: "ip", L1: "l1", Metric(9): "Metric(9)",
	} {
		if got := metric.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// FuzzDistance reads two vectors from the bits of its input and compares every
// instruction set with float64.
func FuzzDistance(f *testing.F) {
	seeds := [][]float32{
		{1, 2},
		{0, 0, 1, 1},
		{math.MaxFloat32, -math.MaxFloat32, math.MaxFloat32, math.MaxFloat32},
		{math.SmallestNonzeroFloat32, 0x1p-126, 0x1p-75, 0x1p-75},
		{1e20, 1, -1e20, 1, 1e20, 1, 1e20, 1},
		slices.Repeat([]float32{0.1}, 2*8),
		slices.Repeat([]float32{0.1, -0.3, 7}, 2*31),
		slices.Repeat([]float32{1e-3, 1e3}, 2*64+3),
		slices.Repeat([]float32{-1, 0, 0, 0x1p-23}, 2*100),
	}
	for _, seed := range seeds {
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
		for _, metric := range allMetrics {
			want, size := reference(metric, a, b)
			for _, isa := range isas {
				got, err := distanceBy(isa, metric, a, b)
				if err != nil {
					t.Fatal(err)
				}
				if math.IsNaN(want) && math.IsNaN(got) {
					continue
				}
				if !(math.Abs(got-want) <= tolerance(size, len(a))) {
					t.Errorf("%s %v of %v and %v: got %v, want %v", isa, metric, a, b, got, want)
				}
			}
		}
	})
}

// vectorPair takes the first half of the bits as one vector, the second as the
// other. Bit patterns of NaN and infinity become finite.
func vectorPair(data []byte) (a, b []float32) {
	n := len(data) / 8
	v := make([]float32, 2*n)
	for i := range v {
		bits := binary.LittleEndian.Uint32(data[4*i:])
		if bits&0x7F800000 == 0x7F800000 {
			bits &^= 0x00800000
		}
		v[i] = math.Float32frombits(bits)
	}
	return v[:n], v[n:]
}
