package corpus

import (
	"fmt"

	"sortedheap/internal/embed"
)

// checkDim says what is wrong with a corpus's dimension beside its embedder, which
// may be nil.
func checkDim(dim int, e embed.Embedder) error {
	if dim < 1 || dim > embed.MaxDim {
		return fmt.Errorf("dim %d is outside 1..%d", dim, embed.MaxDim)
	}
	if e != nil && e.Dim() != dim {
		return fmt.Errorf("dim is %d, but embedder %s has %d", dim, e.Name(), e.Dim())
	}
	return nil
}

// orHash returns the embedder, or, where it is nil, the hash of a mode.
func orHash(e embed.Embedder, mode embed.Mode, dim int) (embed.Embedder, error) {
	if e != nil {
		return e, nil
	}
	hash, err := embed.NewHash(mode, dim)
	if err != nil {
		return nil, err
	}
	return hash, nil
}
