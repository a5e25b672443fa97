package measure

import (
	"context"
	"errors"
	"slices"
	"testing"
)

func TestClosedLoop(t *testing.T) {
	var calls [2][]int
	var clients []func(context.Context, int) error
	for k := range calls {
		clients = append(clients, func(_ context.Context, call int) error {
			calls[k] = append(calls[k], call)
			return nil
		})
	}
	loop, err := ClosedLoop(t.Context(), clients, 0)
	if err != nil {
		t.Fatal(err)
	}
	// No time: one call each all the same.
	if !slices.Equal(calls[0], []int{0}) || !slices.Equal(calls[1], []int{0}) || len(loop.ClientMS) != 2 || loop.Seconds <= 0 {
		t.Errorf("calls %v, loop %+v", calls, loop)
	}
}

// A failing client ends the others, however much time is left, and its error is
// the loop's.
func TestClosedLoopEnds(t *testing.T) {
	broken := errors.New("broken")
	_, err := ClosedLoop(t.Context(), []func(context.Context, int) error{
		func(context.Context, int) error { return nil },
		func(_ context.Context, call int) error {
			if call == 2 {
				return broken
			}
			return nil
		},
	}, 3600)
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}
