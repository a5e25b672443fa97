// Package pgtest gives tests a throw-away PostgreSQL server with the extension
// installed.
//
// Two variables of the environment steer it, since tests have no flags in
// common: PG_CONFIG names the pg_config of the server to use (a path or a major
// version), and SORTED_HEAP_REQUIRE_PG=1 turns "no server here" from a skip
// into a failure, which is what `make test` sets.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/cluster"
)

// Option changes how a server for a test is started.
type Option func(*cluster.Config)

// WithSettings adds server settings over cluster.TestSettings.
func WithSettings(settings map[string]string) Option {
	return func(cfg *cluster.Config) {
		for k, v := range settings {
			cfg.Settings[k] = v
		}
	}
}

// Start gives the test a server of its own with extension sorted_heap created
// in the database postgres. The server is gone when the test ends; when the
// test failed, the end of the server's log is in its output.
func Start(t testing.TB, options ...Option) *cluster.Cluster {
	t.Helper()
	cfg := cluster.Config{PGConfig: os.Getenv("PG_CONFIG"), Settings: cluster.TestSettings()}
	for _, o := range options {
		o(&cfg)
	}
	Need(t)
	c, err := cluster.Start(t.Context(), cfg)
	if err != nil {
		t.Fatalf("start server: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("end of the server's log:\n%s", c.LogTail(30))
		}
		if err := c.Close(); err != nil {
			t.Errorf("close server: %v", err)
		}
	})
	Exec(t, Connect(t, c, "postgres"), "CREATE EXTENSION sorted_heap")
	return c
}

// Need returns which PostgreSQL tests use, as cluster.Locate takes it. Without
// one that has the extension's files it skips the test, or fails it where a
// server is required.
func Need(t testing.TB) string {
	t.Helper()
	spec := os.Getenv("PG_CONFIG")
	reason := missing(t.Context(), spec)
	if reason == nil {
		return spec
	}
	if os.Getenv("SORTED_HEAP_REQUIRE_PG") != "" {
		t.Fatal(reason)
	}
	t.Skipf("no server to test on: %v", reason)
	return ""
}

func missing(ctx context.Context, spec string) error {
	path, err := cluster.Locate(spec)
	if err != nil {
		return err
	}
	install, err := cluster.Describe(ctx, path)
	if err != nil {
		return err
	}
	for _, file := range []string{
		filepath.Join(install.ShareDir, "extension", "sorted_heap.control"),
		filepath.Join(install.PkgLib, "sorted_heap.so"),
	} {
		if _, err := os.Stat(file); err != nil {
			return fmt.Errorf("extension sorted_heap is not installed, run `make install`: %w", err)
		}
	}
	return nil
}

// Connect opens a connection to a database as superuser for the length of the
// test.
func Connect(t testing.TB, c *cluster.Cluster, database string) *pgx.Conn {
	t.Helper()
	conn, err := c.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		// The server may have been crashed on purpose by now.
		if err := conn.Close(ctx); err != nil && !conn.IsClosed() {
			t.Logf("close connection: %v", err)
		}
	})
	return conn
}

// ConnectAs opens a connection as another role.
func ConnectAs(t testing.TB, c *cluster.Cluster, database, role string) *pgx.Conn {
	t.Helper()
	cfg, err := pgx.ParseConfig(c.DSN(database))
	if err != nil {
		t.Fatalf("parse DSN: %v", err)
	}
	cfg.User = role
	conn, err := pgx.ConnectConfig(t.Context(), cfg)
	if err != nil {
		t.Fatalf("connect as %s: %v", role, err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := conn.Close(ctx); err != nil && !conn.IsClosed() {
			t.Logf("close connection: %v", err)
		}
	})
	return conn
}

var databases atomic.Int64

// Database creates an empty database with extension sorted_heap and connects
// to it.
func Database(t testing.TB, c *cluster.Cluster) *pgx.Conn {
	t.Helper()
	name := fmt.Sprintf("test%d", databases.Add(1))
	Exec(t, Connect(t, c, "postgres"), "CREATE DATABASE "+name)
	conn := Connect(t, c, name)
	Exec(t, conn, "CREATE EXTENSION sorted_heap")
	return conn
}

// Exec runs statements that must succeed.
func Exec(t testing.TB, conn *pgx.Conn, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", firstLine(sql), err)
		}
	}
}

// One runs a query that must give one row with one value.
func One[T any](t testing.TB, conn *pgx.Conn, sql string, args ...any) T {
	t.Helper()
	rows, err := conn.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", firstLine(sql), err)
	}
	v, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatalf("%s: %v", firstLine(sql), err)
	}
	return v
}

// Column runs a query that must give rows with one value each.
func Column[T any](t testing.TB, conn *pgx.Conn, sql string, args ...any) []T {
	t.Helper()
	rows, err := conn.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", firstLine(sql), err)
	}
	v, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatalf("%s: %v", firstLine(sql), err)
	}
	return v
}

// WaitFor polls a query that gives one boolean until it is true. Every wait in
// a test goes through here or a channel; none sleeps for a guessed time.
func WaitFor(t testing.TB, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	for {
		var ok bool
		err := conn.QueryRow(ctx, sql, args...).Scan(&ok)
		if err == nil && ok {
			return
		}
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			t.Fatalf("wait for %s: %v", firstLine(sql), err)
		}
		select {
		case <-ctx.Done():
			t.Fatalf("wait for %s: %v", firstLine(sql), ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func firstLine(sql string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(sql), "\n")
	return line
}
