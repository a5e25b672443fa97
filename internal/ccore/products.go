package ccore

// #include "products.h"
import "C"

import (
	"fmt"
	"math"
	"unsafe"

	"sortedheap/internal/harness/measure"
)

// Products is what the kernels of this machine take for one row, in ns, with all
// rows in the CPU's first caches: nothing that compares vectors is faster.
type Products struct {
	Float32 float64 // a product in single precision and the row's norm
	Int8    float64 // a product of int8 codes
	Int4    float64 // a product of four bits a component with int8, as of sketches
}

// productRows fit into a second-level cache with 384 dimensions of float32;
// productRounds are tried, of which the fastest counts.
const (
	productRows   = 64
	productRounds = 400
)

// MeasureProducts times the kernels for vectors of dim components, 1 to 16,000. It
// takes some milliseconds.
func MeasureProducts(dim int) (Products, error) {
	if dim < 1 || dim > 16000 {
		return Products{}, fmt.Errorf("measure products of %d components: want 1 to 16000", dim)
	}
	singles := make([]float32, (productRows+1)*dim)
	codes := make([]int8, len(singles))
	for i := range singles {
		codes[i] = int8(i%255 - 127)
		singles[i] = float32(codes[i]) / 127
	}
	query, rows := singles[:dim], singles[dim:]
	queryCodes, rowCodes := codes[:dim], codes[dim:]
	room := int(C.ccore_room_u4(C.uint32_t(dim)))
	querySketch, rowSketches := make([]int8, room), make([]uint8, productRows*room/2)
	for i := range querySketch {
		querySketch[i] = int8(i%255 - 127)
	}
	for i := range rowSketches {
		rowSketches[i] = uint8(i % 256)
	}
	p := Products{Float32: math.Inf(1), Int8: math.Inf(1), Int4: math.Inf(1)}
	for range productRounds {
		watch := measure.Start()
		C.ccore_products_f32(floats(query), floats(rows), C.uint32_t(dim), productRows)
		single := watch.Seconds()
		C.ccore_products_i8(bytePointer(queryCodes), bytePointer(rowCodes), C.uint32_t(dim), productRows)
		code := watch.Seconds()
		C.ccore_products_u4(bytePointer(querySketch), (*C.uint8_t)(unsafe.SliceData(rowSketches)), C.uint32_t(dim), productRows)
		sketch := watch.Seconds()
		p.Float32 = min(p.Float32, 1e9*single/productRows)
		p.Int8 = min(p.Int8, 1e9*(code-single)/productRows)
		p.Int4 = min(p.Int4, 1e9*(sketch-code)/productRows)
	}
	return p, nil
}
