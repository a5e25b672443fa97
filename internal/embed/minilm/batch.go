package minilm

import (
	"errors"
	"fmt"
	"math"

	ort "github.com/yalue/onnxruntime_go"
)

// batch computes the vectors of some texts, padded to a width in tokens.
func (m *Model) batch(tokens [][]int32, chosen []int, width int) (vectors [][]float32, err error) {
	shape := ort.NewShape(int64(len(chosen)), int64(width))
	ids, mask := make([]int64, len(chosen)*width), make([]int64, len(chosen)*width)
	for row, text := range chosen {
		for i, id := range tokens[text] {
			ids[row*width+i], mask[row*width+i] = int64(id), 1
		}
	}
	var inputs []ort.Value
	defer func() {
		for _, input := range inputs {
			err = errors.Join(err, input.Destroy())
		}
	}()
	for _, data := range [][]int64{ids, mask, make([]int64, len(ids))} { // as inputNames
		input, err := ort.NewTensor(shape, data)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, input)
	}
	outputs := []ort.Value{nil}
	if err := m.session.Run(inputs, outputs); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, outputs[0].Destroy()) }()
	hidden, ok := outputs[0].(*ort.Tensor[float32])
	if !ok {
		return nil, fmt.Errorf("hidden states of the type %T", outputs[0])
	}
	if want := ort.NewShape(int64(len(chosen)), int64(width), int64(m.dim)); !hidden.GetShape().Equals(want) {
		return nil, fmt.Errorf("hidden states of the shape %v, not %v", hidden.GetShape(), want)
	}
	states := hidden.GetData()
	for row, text := range chosen {
		start := row * width * m.dim
		vector, err := pool(states[start:start+len(tokens[text])*m.dim], m.dim)
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, vector)
	}
	return vectors, nil
}

// pool returns the mean of some hidden states, normalised.
func pool(states []float32, dim int) ([]float32, error) {
	sum := make([]float64, dim)
	for i, x := range states {
		sum[i%dim] += float64(x)
	}
	square := 0.0
	for _, x := range sum {
		square += x * x
	}
	norm := math.Sqrt(square)
	if !(norm > 0) || math.IsInf(norm, 0) {
		return nil, fmt.Errorf("the model gave a vector of the length %v", norm)
	}
	vector := make([]float32, dim)
	for i, x := range sum {
		vector[i] = float32(x / norm)
	}
	return vector, nil
}
