package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The same holds for a server in a container, even when the run is killed outright.
func TestInterruptContainerLeavesNothing(t *testing.T) {
	version := os.Getenv("SORTED_HEAP_CONTAINER")
	if version == "" || testing.Short() {
		t.Skip("SORTED_HEAP_CONTAINER names no version to run in a container, or the test is to be short")
	}
	const run, repeat, sweep = "run multihop --runs 1000", "repeat multihop --builds 2 --runs 10", "sweep multihop --vary m=8,12 --runs 10"
	for _, c := range []struct {
		command, steps string
		signal         syscall.Signal
		code           int // -1: killed
	}{
		{run, "start server", syscall.SIGINT, exitInterrupted},
		{run, "load heap", syscall.SIGTERM, exitInterrupted},
		{run, "measure multihop", syscall.SIGINT, exitInterrupted},
		{run, "measure multihop", syscall.SIGKILL, -1},
		{repeat, "build 2 of 2|start server", syscall.SIGINT, exitInterrupted},
		{repeat, "build 2 of 2|load heap", syscall.SIGKILL, -1},
		{sweep, "point m=8|measure multihop|load heap", syscall.SIGINT, exitInterrupted},
	} {
		t.Run(c.command+", "+c.steps+", "+c.signal.String(), func(t *testing.T) {
			dir := serverDir(t)
			args := append(strings.Fields(c.command), "--pg", "container:"+version, "--engines", "heap",
				"--chains", "500", "--queries", "20", "--warm-up", "1", "--case-seconds", "0", "--cases", "seed_only")
			cmd := exec.CommandContext(t.Context(), "benchgraph", args...)
			cmd.Env = append(os.Environ(), "TMPDIR="+dir)
			said, wait := startUntil(t, cmd, strings.Split(c.steps, "|")...)
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			if code := wait(); code != c.code {
				t.Errorf("exit code %d, want %d; it said\n%s", code, c.code, said.String())
			}
			noContainerOf(t, cmd.Process.Pid)
			if c.code >= 0 {
				nothingLeft(t, dir)
				return
			}
			// What a killed run leaves on disk goes with the next one.
			next := exec.CommandContext(t.Context(), "benchgraph", "run", "butler", "--pg", "container:"+version, "--engines", "heap", "--runs", "1")
			next.Env = cmd.Env
			if out, err := next.CombinedOutput(); err != nil {
				t.Errorf("the next run: %v\n%s", err, out)
			}
			nothingLeft(t, dir)
		})
	}
}

// noContainerOf waits until no container belongs to a process.
func noContainerOf(t *testing.T, pid int) {
	t.Helper()
	mark := fmt.Sprintf(" %d ", pid)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		out, err := exec.CommandContext(t.Context(), "docker", "ps", "-a", "--format", `{{.ID}} {{.Label "benchgraph.owner"}} {{.Status}}`).CombinedOutput()
		if err != nil {
			t.Fatalf("docker ps: %v\n%s", err, out)
		}
		if !strings.Contains(string(out), mark) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("a container is still there:\n%s", out)
		}
	}
}
