package zvec_test

import (
	"fmt"
	"testing"

	"sortedheap/internal/zvec"
)

func BenchmarkSearch(b *testing.B) {
	const n = 10_000
	rows := vectors(n)
	c := create(b, library(b), rows)
	if err := c.Optimize(); err != nil {
		b.Fatal(err)
	}
	if err := c.Reopen(); err != nil {
		b.Fatal(err)
	}
	for _, k := range []int{1, 10, 64} {
		b.Run(fmt.Sprint("k=", k), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				at := i % n * dim
				if _, err := c.Search(rows[at:at+dim], zvec.Search{K: k, Ef: 64}, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
