package measure

import "time"

// Stopwatch times work that is done once, such as a load.
type Stopwatch struct{ started time.Time }

// Start starts a stopwatch.
func Start() Stopwatch { return Stopwatch{time.Now()} }

// Seconds since Start, by the monotonic clock.
func (s Stopwatch) Seconds() float64 { return time.Since(s.started).Seconds() }
