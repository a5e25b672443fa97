package measure

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Loop is what a closed loop has seen.
type Loop struct {
	ClientMS []float64 // of each call of any client
	Seconds  float64   // from the common start to the last answer
}

// ClosedLoop lets clients work at once for so many seconds: each calls again as
// soon as its last call has ended, with 0, 1, 2 ... A client makes at least one
// call. The first error ends all.
func ClosedLoop(ctx context.Context, clients []func(ctx context.Context, call int) error, seconds float64) (Loop, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		workers sync.WaitGroup
		mu      sync.Mutex
		loop    Loop
		errs    []error
	)
	started := time.Now()
	for _, client := range clients {
		workers.Go(func() {
			var times []float64
			var failed error
			for call := 0; call == 0 || time.Since(started).Seconds() < seconds; call++ {
				begun := time.Now()
				if failed = errors.Join(ctx.Err(), client(ctx, call)); failed != nil {
					cancel()
					break
				}
				times = append(times, float64(time.Since(begun).Nanoseconds())/1e6)
			}
			mu.Lock()
			defer mu.Unlock()
			loop.ClientMS = append(loop.ClientMS, times...)
			if failed != nil {
				errs = append(errs, failed)
			}
		})
	}
	workers.Wait()
	loop.Seconds = time.Since(started).Seconds()
	if len(errs) > 0 {
		return Loop{}, errs[0] // the others were cancelled by it
	}
	return loop, nil
}
