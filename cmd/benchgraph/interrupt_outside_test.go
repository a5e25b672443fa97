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
// are the run's: as many of them as this machine has, and the double of Qdrant.
func TestInterruptOutsideLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	spec := pgtest.Need(t)
	library, python, server := os.Getenv("SORTED_HEAP_ZVEC_LIB"), os.Getenv("SORTED_HEAP_ZVEC_PYTHON"), os.Getenv("SORTED_HEAP_QDRANT")
	for _, c := range []struct {
		name, engine, flag, where, step string
	}{
		{"zvec building", "zvec", "--zvec-lib", library, "load zvec"},
		{"zvec measuring", "zvec", "--zvec-lib", library, "measure multihop"},
		{"zvec-latest building", "zvec-latest", "--zvec-python", python, "load zvec-latest"},
		{"zvec-latest measuring", "zvec-latest", "--zvec-python", python, "measure multihop"},
		{"qdrant building", "qdrant", "--qdrant", server, "load qdrant"},
		{"qdrant measuring", "qdrant", "--qdrant", server, "measure multihop"},
		{"double building", "qdrant", "--qdrant", qdrantProgram(t), "load qdrant"},
		{"double measuring", "qdrant", "--qdrant", qdrantProgram(t), "measure multihop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.where == "" {
				t.Skip("the environment names none: SORTED_HEAP_ZVEC_LIB, SORTED_HEAP_ZVEC_PYTHON, SORTED_HEAP_QDRANT")
			}
			interrupted(t, syscall.SIGINT, []string{"run", "multihop", "--pg", "local:" + spec, "--engines", c.engine, c.flag, c.where,
				"--chains", "1500", "--queries", "20", "--runs", "1000", "--warm-up", "1", "--case-seconds", "0", "--cases", "seed_only"}, c.step)
		})
	}
}

// qdrantProgram is the path of the double as a program.
func qdrantProgram(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("qdrant-double")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A server of the run that is killed in the middle ends the run with one clear line.
func TestDeadServer(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	spec := pgtest.Need(t)
	for _, c := range []struct{ name, command, want string }{
		{"Qdrant", "qdrant-double", "qdrant"},
		{"PostgreSQL", "/postgres -D", "heap"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := serverDir(t)
			cmd := exec.CommandContext(t.Context(), "benchgraph", "run", "multihop", "--pg", "local:"+spec, "--engines", "heap,qdrant", "--qdrant", qdrantProgram(t),
				"--chains", "200", "--queries", "20", "--runs", "1000", "--case-seconds", "0", "--cases", "seed_only")
			cmd.Env = append(os.Environ(), "TMPDIR="+dir)
			said, wait := startUntil(t, cmd, "measure multihop")
			killChildren(t, dir, c.command)
			if code := wait(); code != exitFailure || !strings.Contains(complaint(said.String()), c.want) {
				t.Errorf("exit code %d, want %d; it said\n%s", code, exitFailure, said.String())
			}
			nothingLeft(t, dir)
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
	killChildren(t, dir, "search.py")
	if code := wait(); code != exitFailure || !strings.Contains(complaint(said.String()), "python has ended") {
		t.Errorf("exit code %d, want %d; it said\n%s", code, exitFailure, said.String())
	}
	if left := entries(t, dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// killChildren ends the one process that has dir in its environment or command line,
// and what in the latter.
func killChildren(t *testing.T, dir, what string) {
	t.Helper()
	killed := 0
	for _, line := range processesNow(t, dir) {
		path, command, _ := strings.Cut(line, " ")
		if !strings.Contains(command, what) || strings.Contains(command, "benchgraph run") {
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

// pidOf is the process of a folder below /proc.
func pidOf(t *testing.T, path string) int {
	t.Helper()
	pid, err := strconv.Atoi(filepath.Base(path))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}
