package engine

import "context"

// Profiled is the ability of calls whose server can tell what it did.
type Profiled interface {
	// Profile tells of the last Run, in an untimed moment; ok is false where the
	// server has nothing to tell of such a call.
	Profile(ctx context.Context) (p Profile, ok bool, err error)
}

// Profile is where the server's time went in one call, by its own clock.
type Profile struct {
	Stages []Stage // in the order of the call, always the same ones
	// While seeds were searched, Codes were compared, or Sketches of them in a search
	// that goes by sketches. Such a search compares the nearest by codes, too; the
	// server does not tell how many, and they count among Sketches.
	Codes, Sketches int64
	// Vectors were compared in single precision where rows were read.
	Vectors int64
}

// Newcomer is the ability of engines to answer in sessions of their own.
type Newcomer interface {
	// First opens a session, sets it up as the engine's own with further settings
	// over it, and answers the question twice. It returns the client's ms of each
	// time, preparing the statement included in the first, the connection in none.
	First(ctx context.Context, t Task, q Question, settings map[string]string) (first, second float64, err error)
}
