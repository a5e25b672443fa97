package difftest

import (
	"errors"
	"fmt"
	"slices"
)

// Config is one run. Default gives a small one.
type Config struct {
	// Seed of all random choices.
	Seed uint64
	// Operations is how many transactions and maintenance commands to run, over
	// all connections; greater than 0.
	Operations int
	// Connections that write at the same time; greater than 0.
	Connections int
	// Checkers compare the twins at the same time; 0 compares only at the end.
	Checkers int
	// Key is the type of the first key column, one of KeyTypes.
	Key string
	// AccessMethod of the mapped twin: heap or sorted_heap.
	AccessMethod string
	// Btree gives the mapped twin a btree on the key as well, so that graph
	// functions choose between the two. SQL then rarely reads the map.
	Btree bool
	// Unlogged makes both twins unlogged: a crash empties them.
	Unlogged bool
	// Rows to begin with; greater than 0.
	Rows int
	// Crashes is how often the server is killed, spread over the run.
	Crashes int
	// Standby adds a streaming standby, on which one checker more compares.
	Standby bool
	// Discard makes connections forget all they know of tables, again and again
	// (debug_discard_caches), in one statement of many: it takes a second or so.
	// Only a server that is built with assertions can do that.
	Discard bool
	// Settings of the server, over those of tests.
	Settings map[string]string
}

// Default is a run of a few seconds.
func Default() Config {
	return Config{Seed: 1, Operations: 300, Connections: 4, Checkers: 2, Key: "int", AccessMethod: "heap", Rows: 6000}
}

// Validate reports everything that is wrong with the configuration.
func (c Config) Validate() error {
	var problems []error
	for _, p := range []struct {
		wrong bool
		text  string
	}{
		{c.Operations <= 0, "operations must be greater than 0"},
		{c.Connections <= 0, "connections must be greater than 0"},
		{c.Checkers < 0, "checkers must not be negative"},
		{c.Rows <= 0, "rows must be greater than 0"},
		{c.Crashes < 0, "crashes must not be negative"},
		{c.Standby && c.Unlogged, "a standby has no unlogged tables"},
		{c.Standby && c.Crashes > 0, "crashes with a standby are not supported"},
		{!slices.Contains(KeyTypes(), c.Key), fmt.Sprintf("unrecognized key type %q", c.Key)},
		{c.AccessMethod != "heap" && c.AccessMethod != "sorted_heap", fmt.Sprintf("unrecognized access method %q", c.AccessMethod)},
	} {
		if p.wrong {
			problems = append(problems, errors.New(p.text))
		}
	}
	return errors.Join(problems...)
}

// expands says whether the graph functions can read the twins: entities are
// integers.
func (c Config) expands() bool { return c.Key == "int" }

// String names the run in one line, enough to start it again.
func (c Config) String() string {
	return fmt.Sprintf("seed=%d operations=%d connections=%d checkers=%d key=%s am=%s btree=%t unlogged=%t rows=%d crashes=%d standby=%t discard=%t settings=%v",
		c.Seed, c.Operations, c.Connections, c.Checkers, c.Key, c.AccessMethod, c.Btree, c.Unlogged, c.Rows, c.Crashes, c.Standby, c.Discard, c.Settings)
}
