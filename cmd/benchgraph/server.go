package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"sortedheap/internal/harness/cluster"
)

// serverOptions choose the PostgreSQL of a run.
type serverOptions struct {
	pg            string
	sharedBuffers string
}

// addFlags keeps what o holds already as defaults.
func (o *serverOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.pg, "pg", "local", "server: local, local:VERSION, local:PATH of a pg_config, or a connection string (needs a superuser)")
	f.StringVar(&o.sharedBuffers, "shared-buffers", cmp.Or(o.sharedBuffers, "64MB"), "shared_buffers of a local server")
}

// server is a database to work in.
type server struct {
	dsn   string
	close func() error
}

// start makes a throw-away cluster, or a scratch database on a running server.
// close removes either.
func (o serverOptions) start(ctx context.Context) (*server, error) {
	kind, rest, _ := strings.Cut(o.pg, ":")
	switch {
	case kind == "local":
		return o.startLocal(ctx, rest)
	case kind == "container":
		return nil, usageError{errors.New("--pg container is not there yet; use local or a connection string")}
	case strings.Contains(o.pg, "=") || strings.HasPrefix(rest, "//"):
		return scratchDatabase(ctx, o.pg)
	}
	return nil, usageError{fmt.Errorf("--pg %q is neither local, local:VERSION nor a connection string", o.pg)}
}

func (o serverOptions) startLocal(ctx context.Context, spec string) (*server, error) {
	settings := benchSettings(o.sharedBuffers)
	c, err := cluster.Start(ctx, cluster.Config{PGConfig: spec, Settings: settings})
	if err != nil {
		return nil, fmt.Errorf("start server: %w", err)
	}
	return &server{dsn: c.DSN(""), close: c.Close}, nil
}

// benchSettings are the published ones, with the server clock.
func benchSettings(sharedBuffers string) map[string]string {
	settings := cluster.BenchSettings()
	settings["shared_buffers"] = sharedBuffers
	settings["shared_preload_libraries"] = "pg_stat_statements"
	settings["pg_stat_statements.track_planning"] = "on"
	return settings
}

// scratchDatabase keeps a run away from whatever else the server holds.
func scratchDatabase(ctx context.Context, dsn string) (*server, error) {
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, usageError{fmt.Errorf("--pg: %w", err)}
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("connect to server: %w", err)
	}
	name := fmt.Sprintf("benchgraph_%d", conn.PgConn().PID())
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return nil, errors.Join(fmt.Errorf("create scratch database: %w", err), conn.Close(context.WithoutCancel(ctx)))
	}
	return &server{
		dsn: withDatabase(dsn, name),
		close: func() error {
			ctx := context.WithoutCancel(ctx)
			if conn.IsClosed() {
				if conn, err = pgx.ConnectConfig(ctx, cfg); err != nil {
					return fmt.Errorf("drop scratch database %s: %w", name, err)
				}
			}
			if _, err := conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
				return errors.Join(fmt.Errorf("drop scratch database %s: %w", name, err), conn.Close(ctx))
			}
			return conn.Close(ctx)
		},
	}, nil
}
