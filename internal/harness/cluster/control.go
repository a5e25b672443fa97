package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// pollEvery is the pause between two readiness checks.
const pollEvery = 20 * time.Millisecond

// Command prepares a program of the installation (pg_dump, psql, ...) with the
// server's user, the cluster's directory as working directory and the libpq
// variables of this server.
func (c *Cluster) Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(c.Install.BinDir, name), args...)
	cmd.Dir = c.base
	cmd.Env = append(environment(c.owner), c.Env()...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.owner.credential(), Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return cmd
}

// environment is what a server program sees of ours: nothing that would change
// its answers.
func environment(owner *osUser) []string {
	env := []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
	if owner != nil {
		env = append(env, "HOME="+owner.home)
	}
	return env
}

// StartServer starts a stopped or crashed server and waits until it answers
// queries (on a standby: read-only ones).
func (c *Cluster) StartServer(ctx context.Context) error {
	if c.server.running() {
		return errors.New("start server: it is running")
	}
	log, err := os.OpenFile(c.LogPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("start server: %w", err)
	}
	defer log.Close()
	// The context must not kill the postmaster: Close and Stop end it cleanly.
	cmd := c.Command(context.WithoutCancel(ctx), "postgres", "-D", c.dataDir())
	cmd.SysProcAttr.Pdeathsig = stopImmediate
	cmd.Stdout, cmd.Stderr = log, log
	if c.server, err = launch(cmd); err != nil {
		return err
	}
	if err := c.waitReady(ctx); err != nil {
		return errors.Join(fmt.Errorf("start server: %w\n%s", err, c.LogTail(20)), c.server.stop(stopImmediate))
	}
	return nil
}

func (c *Cluster) waitReady(ctx context.Context) error {
	timeout := c.cfg.ReadyTimeout
	if timeout == 0 {
		timeout = 60 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, c.DSN(""))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-c.server.done:
			return fmt.Errorf("the server ended: %w", exitError(c.server.err))
		case <-ctx.Done():
			return fmt.Errorf("not ready: %w (last answer: %w)", ctx.Err(), err)
		case <-time.After(pollEvery):
		}
	}
}

func exitError(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}

// Stop shuts the server down in fast mode: open transactions roll back, a
// checkpoint is written.
func (c *Cluster) Stop() error { return c.server.stop(stopFast) }

// Restart stops in fast mode and starts again.
func (c *Cluster) Restart(ctx context.Context) error {
	if err := c.Stop(); err != nil {
		return err
	}
	return c.StartServer(ctx)
}

// Crash kills the postmaster and its children with SIGKILL, in the middle of
// whatever they did. StartServer then recovers.
func (c *Cluster) Crash() error {
	if err := c.server.kill(); err != nil {
		return err
	}
	for _, left := range []string{
		filepath.Join(c.dataDir(), "postmaster.pid"),
		filepath.Join(c.base, ".s.PGSQL."+strconv.Itoa(c.port)+".lock"),
	} {
		if err := os.Remove(left); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("clear after crash: %w", err)
		}
	}
	return nil
}

// LogTail returns the last lines of the server's log, or what went wrong when
// it was read.
func (c *Cluster) LogTail(lines int) string {
	raw, err := os.ReadFile(c.LogPath())
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(raw), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
