package ccore

import "testing"

func TestMeasureProducts(t *testing.T) {
	p, err := MeasureProducts(384)
	if err != nil {
		t.Fatal(err)
	}
	if p.Float32 <= 0 || p.Int8 <= 0 {
		t.Errorf("products take %+v ns", p)
	}
	for _, dim := range []int{0, 16001} {
		if _, err := MeasureProducts(dim); err == nil {
			t.Errorf("%d components were measured", dim)
		}
	}
}
