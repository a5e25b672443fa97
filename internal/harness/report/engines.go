package report

import (
	"slices"

	"sortedheap/internal/harness/report/chart"
	"sortedheap/internal/harness/result"
)

// ours is the engine that the others are compared with on a page.
const ours = "sorted_heap"

// onHeap is our index on a heap table.
const onHeap = "heap_hnsw"

// rivals are what ours is compared with, the closest first.
var rivals = []string{rival, "zvec", "zvec-latest", "qdrant"}

// look is an engine's class in the style sheet and its mark.
func look(name string) (class string, mark chart.Mark) {
	switch name {
	case ours:
		return "ours", chart.Circle
	case rival:
		return "pgvector", chart.Square
	case "zvec":
		return "zvec", chart.Diamond
	case "zvec-latest":
		return "zvec-latest", chart.Ring
	case "qdrant":
		return "qdrant", chart.Triangle
	case onHeap:
		return "heap-hnsw", chart.Wedge
	case "heap":
		return "heap", chart.Cross
	case "map":
		return "map", chart.Ring
	}
	return "other", chart.Cross
}

// engineOrder is how engines follow one another in legends and bars.
var engineOrder = []string{ours, rival, "zvec", "zvec-latest", "qdrant", onHeap, "heap", "map", "exact"}

// enginesOf lists the engines of rows in that order; unknown ones come last.
func enginesOf(rows []result.Row) []string {
	var names []string
	for _, r := range rows {
		if name := r.Engine; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	place := func(name string) int {
		if i := slices.Index(engineOrder, name); i >= 0 {
			return i
		}
		return len(engineOrder)
	}
	slices.SortStableFunc(names, func(a, b string) int { return place(a) - place(b) })
	return names
}

// where keeps the rows that pass.
func where(rows []result.Row, keep func(result.Row) bool) []result.Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r result.Row) bool { return !keep(r) })
}

// fastest is the row with the smallest median on a clock; nil where none has it.
func fastest(rows []result.Row, clock clock) *result.Row {
	var best *result.Row
	for i := range rows {
		l := clock.of(rows[i])
		if l != nil && (best == nil || l.P50 < clock.of(*best).P50) {
			best = &rows[i]
		}
	}
	return best
}

// clock is one of the two that calls are timed by.
type clock string

const (
	serverClock clock = "server"
	clientClock clock = "client"
)

func (c clock) of(r result.Row) *result.Latency {
	if c == serverClock {
		return r.ServerMS
	}
	return r.ClientMS
}
