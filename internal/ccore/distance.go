package ccore

/*
#cgo CFLAGS: -std=gnu11 -Wall -Wextra
#cgo LDFLAGS: -lm
#include <stdlib.h>
#include "../../pgext/core/dist.h"

static double
distance_by(const char *isa, DistMetric metric, const float *a, const float *b,
			uint32_t n)
{
	return dist_f32_by(dist_kernels_isa(isa), metric, a, b, n);
}
*/
import "C"

import (
	"fmt"
	"math"
	"unsafe"
)

// Metric is a way to measure how far two vectors are apart.
type Metric int

// The metrics of the extension's operators <=>, <->, <#> and <+>.
const (
	Cosine       Metric = iota // 1 - cos(a, b), in [0, 2]; NaN when a norm is zero
	L2                         // Euclidean distance
	InnerProduct               // negative inner product
	L1                         // taxicab distance
)

var metricNames = [...]string{"cosine", "l2", "ip", "l1"}

// String returns the metric's short name: cosine, l2, ip or l1.
func (m Metric) String() string {
	if m < 0 || int(m) >= len(metricNames) {
		return fmt.Sprintf("Metric(%d)", int(m))
	}
	return metricNames[m]
}

func (m Metric) validate() error {
	if m < Cosine || m > L1 {
		return fmt.Errorf("invalid metric %d", int(m))
	}
	return nil
}

// ISA names the instruction set whose kernels are in use: scalar, avx2, avx512,
// avx512vnni, neon or neondot.
func ISA() string {
	return C.GoString(C.dist_kernels().isa)
}

// Distance returns the distance between two vectors of the same length, as the
// extension computes it. It is an error when the lengths differ or are zero,
// or when a component is NaN or infinite.
func Distance(metric Metric, a, b []float32) (float64, error) {
	if err := validatePair(metric, a, b); err != nil {
		return 0, err
	}
	d := C.dist_f32(C.DistMetric(metric), floats(a), floats(b), C.uint32_t(len(a)))
	return float64(d), nil
}

// availableISAs lists the instruction sets that this processor can run.
func availableISAs() []string {
	var isas []string
	for _, isa := range []string{"scalar", "avx2", "avx512", "avx512vnni", "neon", "neondot"} {
		name := C.CString(isa)
		if C.dist_kernels_isa(name) != nil {
			isas = append(isas, isa)
		}
		freeString(name)
	}
	return isas
}

// distanceBy is Distance by the kernels of an available instruction set.
func distanceBy(isa string, metric Metric, a, b []float32) (float64, error) {
	if err := validatePair(metric, a, b); err != nil {
		return 0, err
	}
	name := C.CString(isa)
	defer freeString(name)
	d := C.distance_by(name, C.DistMetric(metric), floats(a), floats(b), C.uint32_t(len(a)))
	return float64(d), nil
}

func validatePair(metric Metric, a, b []float32) error {
	if err := metric.validate(); err != nil {
		return err
	}
	if len(a) != len(b) {
		return fmt.Errorf("vectors have different lengths %d and %d", len(a), len(b))
	}
	if len(a) == 0 {
		return fmt.Errorf("vectors have no components")
	}
	if len(a) > maxDim {
		return fmt.Errorf("vectors have %d components, more than %d", len(a), maxDim)
	}
	for _, v := range [][]float32{a, b} {
		if i := firstNotFinite(v); i >= 0 {
			return fmt.Errorf("component %d is %v", i, v[i])
		}
	}
	return nil
}

// maxDim keeps a length within C's uint32_t; the extension's own limit is lower.
const maxDim = math.MaxInt32

// firstNotFinite returns the index of the first NaN or infinity, or -1.
func firstNotFinite(v []float32) int {
	for i, x := range v {
		if x-x != 0 {
			return i
		}
	}
	return -1
}

func freeString(s *C.char) {
	C.free(unsafe.Pointer(s))
}

// floats points C at the components; v is not empty.
func floats(v []float32) *C.float {
	return (*C.float)(unsafe.Pointer(unsafe.SliceData(v)))
}
