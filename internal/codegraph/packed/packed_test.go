package packed

import (
	"errors"
	"math"
	"testing"
)

func TestValuesSurvive(t *testing.T) {
	var w Writer
	w.Uint(0)
	w.Uint(math.MaxUint64)
	w.Int(math.MinInt64)
	w.Int(-1)
	w.Bool(true)
	w.Float(0.8)
	for _, s := range []string{"a", "", "b\x00\xff", "a", "b\x00\xff"} {
		w.String(s)
	}
	w.Once("once")
	w.String("last")
	w.String("a")
	w.Blob([]byte{1, 2})
	w.Int(7)
	r := NewReader(w.Bytes())
	if r.Uint() != 0 || r.Uint() != math.MaxUint64 || r.Int() != math.MinInt64 || r.Int() != -1 || !r.Bool() || r.Float() != 0.8 {
		t.Error("numbers changed")
	}
	for _, s := range []string{"a", "", "b\x00\xff", "a", "b\x00\xff"} {
		if got := r.String(); got != s {
			t.Errorf("%q reads back as %q", s, got)
		}
	}
	for _, s := range []string{"once", "last", "a"} {
		if got := r.String(); got != s {
			t.Errorf("%q reads back as %q", s, got)
		}
	}
	if b := r.Blob(); len(b) != 2 || b[1] != 2 || r.Int32() != 7 || r.Err() != nil || r.Left() != 0 {
		t.Errorf("the end: %v, %d bytes left", r.Err(), r.Left())
	}
}

// However bytes are cut or changed, a Reader ends with an error or with values,
// and allocates no more than it was given.
func TestDamage(t *testing.T) {
	var w Writer
	w.String("hello")
	w.Uint(3)
	w.String("hello")
	w.Bool(false)
	whole := w.Bytes()
	read := func(b []byte) error {
		r := NewReader(b)
		_ = r.String()
		_ = r.Uint()
		_ = r.String()
		_ = r.Bool()
		return r.Err()
	}
	if err := read(whole); err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if err := read(whole[:n]); !errors.Is(err, ErrDamaged) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
	for i := range whole {
		for bit := range 8 {
			broken := append([]byte(nil), whole...)
			broken[i] ^= 1 << bit
			_ = read(broken) // must return
		}
	}
	if NewReader([]byte{0xff, 0xff, 0xff, 0xff, 0x0f}).Len() != 0 {
		t.Error("a list longer than the data is taken")
	}
}
