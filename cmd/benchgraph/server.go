package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"sortedheap/internal/harness/provider"
)

// serverOptions choose the PostgreSQL of a run.
type serverOptions struct {
	pg            string
	sharedBuffers string
}

// addFlags keeps what o holds already as defaults.
func (o *serverOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.pg, "pg", "local", "server: local, local:VERSION, local:PATH of a pg_config, container, container:VERSION, "+
		"or a connection string to a database, where the run keeps to a schema of its own")
	f.StringVar(&o.sharedBuffers, "shared-buffers", cmp.Or(o.sharedBuffers, "64MB"), "shared_buffers of a server made for the run")
}

// server is a database to work in.
type server struct {
	dsn   string
	close func() error
}

// provider is what makes the server; the error is one of usage.
func (o serverOptions) provider() (provider.Provider, error) {
	p, err := provider.Parse(o.pg, provider.Options{SharedBuffers: o.sharedBuffers, Root: sourceRoot()})
	if err != nil {
		return nil, usageError{fmt.Errorf("--pg %w", err)}
	}
	return p, nil
}

// start makes a server; close removes it with all that was made in it.
func (o serverOptions) start(ctx context.Context) (*server, error) {
	p, err := o.provider()
	if err != nil {
		return nil, err
	}
	s, err := p.Open(ctx)
	if err != nil {
		return nil, errors.Join(ctx.Err(), fmt.Errorf("start server: %w", err))
	}
	return &server{dsn: s.DSN(), close: s.Close}, nil
}

// sourceRoot is the source tree around this program, as in bin/, or around the
// working directory; where there is none, the working directory.
func sourceRoot() string {
	var starts []string
	if self, err := os.Executable(); err == nil {
		starts = append(starts, filepath.Dir(self))
	}
	if wd, err := os.Getwd(); err == nil {
		starts = append(starts, wd)
	}
	for _, dir := range starts {
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, "pgext", "sorted_heap.control")); err == nil {
				return dir
			}
		}
	}
	return "."
}
