package ccore

/*
#include "../../pgext/core/dist_code.h"

static double
half_distance_by(const char *isa, DistMetric metric, const DistHalf *a, const DistHalf *b,
				 uint32_t n)
{
	return dist_f16_by(dist_kernels_isa(isa), metric, a, b, n);
}

static void
widen(const DistHalf *from, float *to, uint32_t n)
{
	dist_kernels()->f16_to_f32(from, to, n);
}

static void
narrow(const float *from, DistHalf *to, uint32_t n)
{
	dist_kernels()->f32_to_f16(from, to, n);
}

static double
code_distance_by(const char *isa, DistMetric metric, DistCode a, DistCode b, uint32_t n)
{
	DistCodeQuery dq;

	dist_code_query_init_by(&dq, dist_kernels_isa(isa), metric, a, n);
	return dist_code(&dq, b);
}

// A code without its pointer, which Go must not keep.
typedef struct CodeFacts
{
	float		scale;
	int32_t		square;
} CodeFacts;

static CodeFacts
code_facts(const float *v, uint32_t n, int8_t *room)
{
	DistCode	code = dist_code_f32(v, n, room);

	return (CodeFacts) {code.scale, code.square};
}

static double
code_pair_by(const char *isa, DistMetric metric, const int8_t *a, CodeFacts fa,
			 const int8_t *b, CodeFacts fb, uint32_t n)
{
	return code_distance_by(isa, metric, (DistCode) {a, fa.scale, fa.square},
							(DistCode) {b, fb.scale, fb.square}, n);
}
*/
import "C"

import (
	"slices"
	"unsafe"
)

// chunk keeps a length within C's uint32_t.
const chunk = 1 << 20

// FloatsFromHalves widens IEEE binary16 values, exactly.
func FloatsFromHalves(halves []uint16) []float32 {
	result := make([]float32, 0, len(halves))
	for part := range slices.Chunk(halves, chunk) {
		wide := result[len(result) : len(result)+len(part)]
		C.widen(halfPointer(part), floats(wide), C.uint32_t(len(part)))
		result = result[:len(result)+len(part)]
	}
	return result
}

// HalvesFromFloats rounds to the nearest IEEE binary16 values, ties to even.
// What is beyond 65504 by half a unit or more becomes infinite.
func HalvesFromFloats(values []float32) []uint16 {
	result := make([]uint16, 0, len(values))
	for part := range slices.Chunk(values, chunk) {
		narrow := result[len(result) : len(result)+len(part)]
		C.narrow(floats(part), halfPointer(narrow), C.uint32_t(len(part)))
		result = result[:len(result)+len(part)]
	}
	return result
}

// halfDistanceBy is the distance of two vectors of finite halves, not empty and
// of the same length, by an available instruction set.
func halfDistanceBy(isa string, metric Metric, a, b []uint16) float64 {
	name := C.CString(isa)
	defer freeString(name)
	return float64(C.half_distance_by(name, C.DistMetric(metric), halfPointer(a), halfPointer(b),
		C.uint32_t(len(a))))
}

// code is an int8 code: components of a vector in steps of scale.
type code struct {
	x     []int8
	facts C.CodeFacts
}

// newCode quantises finite components, at least one.
func newCode(v []float32) code {
	c := code{x: make([]int8, len(v))}
	c.facts = C.code_facts(floats(v), C.uint32_t(len(v)), bytePointer(c.x))
	return c
}

func (c code) scale() float64 { return float64(c.facts.scale) }

// codeDistanceBy is the distance of two codes of the same length by an
// available instruction set.
func codeDistanceBy(isa string, metric Metric, a, b code) float64 {
	name := C.CString(isa)
	defer freeString(name)
	return float64(C.code_pair_by(name, C.DistMetric(metric), bytePointer(a.x), a.facts,
		bytePointer(b.x), b.facts, C.uint32_t(len(a.x))))
}

func halfPointer(v []uint16) *C.DistHalf {
	return (*C.DistHalf)(unsafe.Pointer(unsafe.SliceData(v)))
}

func bytePointer(v []int8) *C.int8_t {
	return (*C.int8_t)(unsafe.Pointer(unsafe.SliceData(v)))
}
