// Command withserver runs a command against a throw-away PostgreSQL server:
//
//	withserver [-pg-config PATH] COMMAND [ARGUMENT...]
//
// The command finds the server through libpq's variables. The server is gone
// when the command ends, whichever way it ends; the exit code is the command's,
// or 125 when the server could not be started or stopped.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"sortedheap/internal/harness/cluster"
)

const exitServer = 125

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args, env []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("withserver", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: withserver [-pg-config PATH] COMMAND [ARGUMENT...]")
		flags.PrintDefaults()
	}
	pgConfig := flags.String("pg-config", "", "pg_config or major version of the server to start")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() == 0 {
		fmt.Fprintln(stderr, "withserver: no command given")
		return 2
	}
	code, err := withServer(ctx, *pgConfig, func(server *cluster.Cluster) (int, error) {
		cmd := exec.CommandContext(ctx, flags.Arg(0), flags.Args()[1:]...)
		cmd.Env = append(env, server.Env()...)
		cmd.Stdout, cmd.Stderr = stdout, stderr
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		err := cmd.Run()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			return max(exit.ExitCode(), 1), nil
		}
		return 0, err
	})
	if err != nil {
		fmt.Fprintln(stderr, "withserver:", err)
		return exitServer
	}
	return code
}

// withServer calls f with a server that ends after it.
func withServer(ctx context.Context, pgConfig string, f func(*cluster.Cluster) (int, error)) (code int, err error) {
	server, err := cluster.Start(ctx, cluster.Config{PGConfig: pgConfig, Settings: cluster.TestSettings()})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	return f(server)
}
