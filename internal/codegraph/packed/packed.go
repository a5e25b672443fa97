// Package packed writes and reads values as compact bytes: numbers in as few as
// they need, a string once and then by number. A Reader trusts nothing: what it
// returns is bounded by the bytes that it was given.
package packed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"
)

// Writer appends values. The zero value is ready.
type Writer struct {
	buf     []byte
	strings map[string]uint64
	texts   uint64 // written so far, also those that are not in strings
	recent  [128]text
}

// text is a text with its number.
type text struct {
	s      string
	number uint64
}

// Bytes returns what was written.
func (w *Writer) Bytes() []byte { return w.buf }

// Grow makes room for n bytes more.
func (w *Writer) Grow(n int) { w.buf = slices.Grow(w.buf, n) }

// Reset forgets what was written and keeps the memory.
func (w *Writer) Reset() {
	w.buf = w.buf[:0]
	clear(w.strings)
	w.texts = 0
	w.recent = [len(w.recent)]text{}
}

// Uint writes a number that is not negative.
func (w *Writer) Uint(v uint64) { w.buf = binary.AppendUvarint(w.buf, v) }

// Int writes a number.
func (w *Writer) Int(v int64) { w.buf = binary.AppendVarint(w.buf, v) }

// Bool writes a truth value.
func (w *Writer) Bool(v bool) {
	if v {
		w.buf = append(w.buf, 1)
	} else {
		w.buf = append(w.buf, 0)
	}
}

// Float writes a number with 32 bits.
func (w *Writer) Float(v float32) {
	w.buf = binary.LittleEndian.AppendUint32(w.buf, math.Float32bits(v))
}

// String writes a text.
func (w *Writer) String(s string) {
	if s == "" {
		w.buf = append(w.buf, 1)
		return
	}
	// The same text in the same place need not be hashed again.
	at := unsafe.StringData(s)
	recent := &w.recent[(uintptr(unsafe.Pointer(at))>>3^uintptr(len(s)))%uintptr(len(w.recent))]
	if len(recent.s) == len(s) && unsafe.StringData(recent.s) == at {
		w.Uint(recent.number)
		return
	}
	n, ok := w.strings[s]
	if ok {
		w.Uint(n)
	} else {
		if w.strings == nil {
			w.strings = map[string]uint64{}
		}
		n = w.texts + 2
		w.strings[s] = n
		w.Once(s)
	}
	*recent = text{s, n}
}

// Once writes a text that is hardly ever the same as another, and so is not
// remembered. A Reader reads it as any text.
func (w *Writer) Once(s string) {
	if s == "" {
		w.buf = append(w.buf, 1)
		return
	}
	w.texts++
	w.buf = append(w.buf, 0)
	w.Uint(uint64(len(s)))
	w.buf = append(w.buf, s...)
}

// Blob writes bytes.
func (w *Writer) Blob(b []byte) {
	w.Uint(uint64(len(b)))
	w.buf = append(w.buf, b...)
}

// ErrDamaged says that bytes are not what a Writer wrote.
var ErrDamaged = errors.New("data is damaged")

// Reader reads what a Writer wrote, in the same order. After the first error all
// values are zero; Err tells it.
type Reader struct {
	buf     []byte
	strings []string
	err     error
}

// NewReader reads bytes, which must not change from then on: texts are parts of
// them.
func NewReader(b []byte) *Reader { return &Reader{buf: b} }

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// Left returns how many bytes are not read.
func (r *Reader) Left() int { return len(r.buf) }

func (r *Reader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrDamaged, what)
	}
	r.buf = nil
}

// Uint reads a number that is not negative.
func (r *Reader) Uint() uint64 {
	v, n := binary.Uvarint(r.buf)
	if n <= 0 {
		r.fail("a number is cut off")
		return 0
	}
	r.buf = r.buf[n:]
	return v
}

// Int reads a number.
func (r *Reader) Int() int64 {
	v, n := binary.Varint(r.buf)
	if n <= 0 {
		r.fail("a number is cut off")
		return 0
	}
	r.buf = r.buf[n:]
	return v
}

// Int32 reads a number of 32 bits.
func (r *Reader) Int32() int32 {
	v := r.Int()
	if v < math.MinInt32 || v > math.MaxInt32 {
		r.fail("a number is too large")
		return 0
	}
	return int32(v)
}

// Natural reads a number of 31 bits that is not negative.
func (r *Reader) Natural() int32 {
	v := r.Uint()
	if v > math.MaxInt32 {
		r.fail("a number is too large")
		return 0
	}
	return int32(v)
}

// Len reads the length of a list whose items take at least one byte each.
func (r *Reader) Len() int {
	v := r.Uint()
	if v > uint64(len(r.buf)) {
		r.fail("a list is longer than the data")
		return 0
	}
	return int(v)
}

// Bool reads a truth value.
func (r *Reader) Bool() bool {
	if len(r.buf) == 0 || r.buf[0] > 1 {
		r.fail("a truth value is neither")
		return false
	}
	v := r.buf[0] == 1
	r.buf = r.buf[1:]
	return v
}

// Byte reads a number below limit.
func (r *Reader) Byte(limit uint8) uint8 {
	v := r.Uint()
	if v >= uint64(limit) {
		r.fail("a code is unknown")
		return 0
	}
	return uint8(v)
}

// Below reads a number below limit, which is not negative.
func (r *Reader) Below(limit int) int {
	v := r.Uint()
	if v >= uint64(limit) {
		r.fail("a position is out of range")
		return 0
	}
	return int(v)
}

// Float reads a number with 32 bits.
func (r *Reader) Float() float32 {
	if len(r.buf) < 4 {
		r.fail("a number is cut off")
		return 0
	}
	v := math.Float32frombits(binary.LittleEndian.Uint32(r.buf))
	r.buf = r.buf[4:]
	return v
}

// String reads a text.
func (r *Reader) String() string {
	n := r.Uint()
	switch {
	case n == 1:
		return ""
	case n > 1:
		if n-2 >= uint64(len(r.strings)) {
			r.fail("a text is named that was not written")
			return ""
		}
		return r.strings[n-2]
	}
	if r.err != nil {
		return ""
	}
	b := r.Blob()
	if r.err != nil {
		return ""
	}
	s := unsafe.String(unsafe.SliceData(b), len(b))
	r.strings = append(r.strings, s)
	return s
}

// Blob reads bytes, which are part of what the Reader was given.
func (r *Reader) Blob() []byte {
	n := r.Len()
	if r.err != nil {
		return nil
	}
	b := r.buf[:n:n]
	r.buf = r.buf[n:]
	return b
}
