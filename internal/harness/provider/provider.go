// Package provider gives a run the PostgreSQL that it works on: a throw-away
// cluster on this machine, one in a container, or a schema of its own in a
// database that is there already. Whichever it is, closing it leaves nothing.
package provider

import (
	"context"
	"fmt"
	"strings"

	"sortedheap/internal/harness/cluster"
)

// Provider makes servers. Each Open is a fresh one.
type Provider interface {
	// Open returns when the server answers. When it fails, nothing is left.
	Open(ctx context.Context) (Server, error)
}

// Server is a database to work in. It is not safe for concurrent use, but the
// database is.
type Server interface {
	// DSN leads to it, as a role that may create tables. Names without a schema
	// are made in a schema that belongs to the run.
	DSN() string
	// Close removes it with all that the run made. It may be called twice.
	Close() error
}

// Options shape servers that are made for a run; one that is there already is
// taken as it is.
type Options struct {
	SharedBuffers string
	// Root is the source tree, from which the image of a container is built.
	Root string
	// Parent is where directories of servers are made; empty: the system's
	// temporary directory. Its path must be short, see cluster.Config.
	Parent string
}

// SpecError says that a specification means nothing.
type SpecError struct{ Spec, Reason string }

// Error implements error.
func (e *SpecError) Error() string {
	if e.Spec == "" { // a connection string, which may hold a password
		return e.Reason
	}
	return fmt.Sprintf("%q %s", e.Spec, e.Reason)
}

// Parse reads local, local:VERSION, local:PATH of a pg_config, container,
// container:VERSION, or a connection string. It does no I/O; the error is a
// *SpecError.
func Parse(spec string, o Options) (Provider, error) {
	kind, rest, _ := strings.Cut(spec, ":")
	switch {
	case kind == "local":
		return local{pgConfig: rest, options: o}, nil
	case kind == "container":
		return parseContainer(spec, rest, o)
	case strings.Contains(spec, "=") || strings.HasPrefix(rest, "//"):
		return parseExisting(spec)
	}
	return nil, &SpecError{spec, "is neither local, local:VERSION, container, container:VERSION nor a connection string"}
}

// Settings are the published ones, with the server clock.
func Settings(sharedBuffers string) map[string]string {
	settings := cluster.BenchSettings()
	settings["shared_buffers"] = sharedBuffers
	settings["shared_preload_libraries"] = "pg_stat_statements"
	settings["pg_stat_statements.track_planning"] = "on"
	return settings
}
