package provider

import (
	"context"

	"sortedheap/internal/harness/cluster"
)

// local makes throw-away clusters of an installation on this machine.
type local struct {
	pgConfig string // as cluster.Locate takes it
	options  Options
}

type localServer struct{ *cluster.Cluster }

// Open implements Provider.
func (l local) Open(ctx context.Context) (Server, error) {
	c, err := cluster.Start(ctx, cluster.Config{PGConfig: l.pgConfig, Parent: l.options.Parent, Settings: Settings(l.options.SharedBuffers)})
	if err != nil {
		return nil, err
	}
	return localServer{c}, nil
}

// DSN implements Server.
func (s localServer) DSN() string { return s.Cluster.DSN("") }
