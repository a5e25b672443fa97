package ccore

import "testing"

func TestMeasureProducts(t *testing.T) {
	for _, dim := range []int{1, 100, 384} { // less than a block of four bits, a part of one, blocks
		p, err := MeasureProducts(dim)
		if err != nil {
			t.Fatal(err)
		}
		for _, ns := range []float64{p.Float32, p.Int8, p.Int4} {
			if ns <= 0 || ns > 1e6 {
				t.Errorf("products of %d components take %+v ns", dim, p)
			}
		}
	}
	for _, dim := range []int{0, 16001} {
		if _, err := MeasureProducts(dim); err == nil {
			t.Errorf("%d components were measured", dim)
		}
	}
}
