package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"sortedheap/internal/pgtest"
)

// The same holds for engines outside of PostgreSQL, whose processes and folders
// are the run's: as many of them as this machine has.
func TestInterruptOutsideLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	spec := pgtest.Need(t)
	library, python, server := os.Getenv("SORTED_HEAP_ZVEC_LIB"), os.Getenv("SORTED_HEAP_ZVEC_PYTHON"), os.Getenv("SORTED_HEAP_QDRANT")
	for _, c := range []struct {
		name, engine, needs, step string
	}{
		{"zvec building", "zvec", library, "load zvec"},
		{"zvec measuring", "zvec", library, "measure multihop"},
		{"zvec-latest building", "zvec-latest", python, "load zvec-latest"},
		{"zvec-latest measuring", "zvec-latest", python, "measure multihop"},
		{"qdrant building", "qdrant", server, "load qdrant"},
		{"qdrant measuring", "qdrant", server, "measure multihop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.needs == "" {
				t.Skip("the environment names none: SORTED_HEAP_ZVEC_LIB, SORTED_HEAP_ZVEC_PYTHON, SORTED_HEAP_QDRANT")
			}
			dir := serverDir(t)
			cmd := exec.CommandContext(t.Context(), "benchgraph", "run", "multihop", "--pg", "local:"+spec, "--engines", c.engine,
				"--zvec-lib", library, "--zvec-python", python, "--qdrant", server,
				"--chains", "1500", "--queries", "20", "--runs", "1000", "--warm-up", "1", "--case-seconds", "0", "--cases", "seed_only")
			cmd.Env = append(os.Environ(), "TMPDIR="+dir)
			said, wait := startUntil(t, cmd, c.step)
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			if code := wait(); code != exitInterrupted {
				t.Errorf("exit code %d, want %d; it said\n%s", code, exitInterrupted, said.String())
			}
			if left := entries(t, dir); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			if pids := processesOf(t, dir); len(pids) > 0 {
				t.Errorf("still running: %v", pids)
			}
		})
	}
}

// A child that is killed in the middle of a run ends it with one clear line.
func TestDeadChild(t *testing.T) {
	python := os.Getenv("SORTED_HEAP_ZVEC_PYTHON")
	if python == "" || testing.Short() {
		t.Skip("SORTED_HEAP_ZVEC_PYTHON names no Python with zvec, or the test is to be short")
	}
	spec := pgtest.Need(t)
	dir := serverDir(t)
	cmd := exec.CommandContext(t.Context(), "benchgraph", "run", "multihop", "--pg", "local:"+spec, "--engines", "zvec-latest", "--zvec-python", python,
		"--chains", "200", "--queries", "20", "--runs", "1000", "--case-seconds", "0", "--cases", "seed_only")
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	said, wait := startUntil(t, cmd, "measure multihop")
	killChildren(t, dir)
	if code := wait(); code != exitFailure || !strings.Contains(said.String(), "python has ended") {
		t.Errorf("exit code %d, want %d; it said\n%s", code, exitFailure, said.String())
	}
	if left := entries(t, dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// killChildren ends the Python processes that run from dir.
func killChildren(t *testing.T, dir string) {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	for _, path := range paths {
		line, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(line), dir) || !strings.Contains(string(line), "search.py") {
			continue
		}
		process, err := os.FindProcess(pidOf(t, path))
		if err != nil {
			t.Fatal(err)
		}
		if err := process.Kill(); err != nil {
			t.Fatal(err)
		}
		killed++
	}
	if killed != 1 {
		t.Fatalf("%d children run from %s, want 1", killed, dir)
	}
}

// pidOf is the process of a path below /proc.
func pidOf(t *testing.T, path string) int {
	t.Helper()
	pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}
