package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"sortedheap/internal/harness/childproc"
	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/harness/provider"
)

// A cluster that outlives its command is held by a keeper: this program again,
// in a session of its own. The server dies with its keeper, so `down` ends the
// keeper and nothing else. A state file tells the other commands about it.

// keeperOptions name and shape a kept cluster.
type keeperOptions struct {
	serverOptions
	name string
}

func (o *keeperOptions) addName(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.name, "name", "default", "which cluster, when there are several")
}

func (o *keeperOptions) addFlags(cmd *cobra.Command) {
	o.addName(cmd)
	o.serverOptions.addFlags(cmd)
	cmd.Flags().Lookup("pg").Usage = "server: local, local:VERSION or local:PATH of a pg_config"
}

// keeperState is what a keeper tells.
type keeperState struct {
	PID   int      `json:"pid"`
	Start string   `json:"start"` // of the process, so that a reused pid is not taken for it
	DSN   string   `json:"dsn"`
	Env   []string `json:"env"`
	Psql  string   `json:"psql"`
}

const (
	keeperPoll    = 50 * time.Millisecond
	keeperTimeout = 90 * time.Second
)

// localSpec is what --pg says behind "local:". A kept cluster is never a server
// that runs already.
func localSpec(pg string) (string, error) {
	kind, spec, _ := strings.Cut(pg, ":")
	if kind != "local" {
		return "", usageError{fmt.Errorf("--pg %q is not local, local:VERSION or local:PATH of a pg_config", pg)}
	}
	return spec, nil
}

// statePath is private to the user, since it names a server that trusts all.
func statePath(p process, name string) (string, error) {
	if name == "" || strings.ContainsAny(name, "/.") {
		return "", usageError{fmt.Errorf("--name %q must be a plain word", name)}
	}
	dir := p.getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		dir = os.TempDir()
	}
	dir = filepath.Join(dir, "benchgraph-"+strconv.Itoa(os.Getuid()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make directory for cluster state: %w", err)
	}
	return filepath.Join(dir, name+".json"), nil
}

// noClusterError names the cluster that is not there. What to do about it depends
// on the command.
type noClusterError string

func (e noClusterError) Error() string { return fmt.Sprintf("no cluster %q is up", string(e)) }

// readState finds a living keeper.
func readState(p process, name string) (*keeperState, error) {
	path, err := statePath(p, name)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, noClusterError(name)
	}
	if err != nil {
		return nil, fmt.Errorf("read cluster state: %w", err)
	}
	state := &keeperState{}
	if err := json.Unmarshal(text, state); err != nil {
		return nil, fmt.Errorf("read cluster state %s: %w", path, err)
	}
	if childproc.StartOf(state.PID) != state.Start {
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("remove stale cluster state: %w", err)
		}
		return nil, fmt.Errorf("%w: its keeper died", noClusterError(name))
	}
	return state, nil
}

// startKeeper starts a keeper and waits until its server answers.
func startKeeper(ctx context.Context, p process, o keeperOptions) (state *keeperState, err error) {
	if _, err := localSpec(o.pg); err != nil {
		return nil, err
	}
	if state, err := readState(p, o.name); err == nil {
		return nil, fmt.Errorf("cluster %q is up already: %s", o.name, state.DSN)
	}
	path, err := statePath(p, o.name)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	log, err := os.Create(strings.TrimSuffix(path, ".json") + ".log")
	if err != nil {
		return nil, fmt.Errorf("start keeper: %w", err)
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	cmd := exec.Command(self, "cluster", "keep", "--name", o.name, "--pg", o.pg, "--shared-buffers", o.sharedBuffers)
	cmd.Stderr = log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	ready, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start keeper: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start keeper: %w", err)
	}
	answer := make(chan error, 1)
	go func() {
		_, err := bufio.NewReader(ready).ReadString('\n')
		answer <- err
	}()
	select {
	case err = <-answer:
	case <-ctx.Done():
		err = errors.Join(ctx.Err(), cmd.Process.Signal(syscall.SIGTERM))
	}
	if err != nil {
		_ = cmd.Wait() // its log says more than its exit status
		said, readErr := os.ReadFile(log.Name())
		return nil, errors.Join(fmt.Errorf("start cluster: %s", strings.TrimSpace(string(said))), readErr, ctx.Err())
	}
	return readState(p, o.name)
}

// keep holds a cluster until the context ends.
func keep(ctx context.Context, p process, o keeperOptions) (err error) {
	spec, err := localSpec(o.pg)
	if err != nil {
		return err
	}
	c, err := cluster.Start(ctx, cluster.Config{PGConfig: spec, Settings: provider.Settings(o.sharedBuffers)})
	if err != nil {
		return fmt.Errorf("start server: %w", err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	path, err := statePath(p, o.name)
	if err != nil {
		return err
	}
	text, err := json.Marshal(keeperState{PID: os.Getpid(), Start: childproc.StartOf(os.Getpid()), DSN: c.DSN(""), Env: c.Env(),
		Psql: filepath.Join(c.Install.BinDir, "psql")})
	if err != nil {
		return fmt.Errorf("write cluster state: %w", err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return fmt.Errorf("write cluster state: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(path), os.Remove(strings.TrimSuffix(path, ".json")+".log")) }()
	if _, err := fmt.Fprintln(p.stdout, "ready"); err != nil {
		return fmt.Errorf("report readiness: %w", err)
	}
	<-ctx.Done()
	return nil
}

// stopKeeper asks a keeper to end and waits until it has.
func stopKeeper(ctx context.Context, p process, name string) error {
	state, err := readState(p, name)
	if err != nil {
		return err
	}
	if err := syscall.Kill(state.PID, syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop keeper %d: %w", state.PID, err)
	}
	ctx, cancel := context.WithTimeout(ctx, keeperTimeout)
	defer cancel()
	for childproc.StartOf(state.PID) == state.Start {
		select {
		case <-ctx.Done():
			return fmt.Errorf("stop keeper %d: %w", state.PID, ctx.Err())
		case <-time.After(keeperPoll):
		}
	}
	return nil
}
