package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sortedheap/internal/pgtest"
)

// A full disk ends a run with one clear line and the code of a failure, wherever it
// strikes.
func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	spec := pgtest.Need(t)
	for _, c := range []struct{ name, size, args string }{
		{"no room for a cluster", "4m", "run multihop --chains 100"},
		{"no room for the tables", "80m", "run multihop --chains 12000 --queries 1 --engines heap --runs 1"},
		{"no room for the WAL of a copy", "70m", "run crud --rows 100000 --pairs 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := smallDisk(t, c.size)
			code, said := runIn(t, dir, append(strings.Fields(c.args), "--pg", "local:"+spec)...)
			if line := complaint(said); code != exitFailure || !strings.Contains(line, "No space left on device") {
				t.Errorf("exit code %d, want %d; it complains\n%s\nof\n%s", code, exitFailure, line, said)
			}
			nothingLeft(t, dir)
		})
	}
	t.Run("no room for the result file", func(t *testing.T) {
		full, dir := smallDisk(t, "4k"), serverDir(t)
		code, said := runIn(t, dir, "run", "butler", "--pg", "local:"+spec, "--engines", "heap", "--runs", "1", "--out", filepath.Join(full, "r.json"))
		if line := complaint(said); code != exitFailure || !strings.Contains(line, "write result") || !strings.Contains(line, "no space left on device") {
			t.Errorf("exit code %d, want %d; it complains\n%s\nof\n%s", code, exitFailure, line, said)
		}
		nothingLeft(t, full)
		nothingLeft(t, dir)
	})
}

// runIn runs benchgraph with its temporary files in dir, and returns its exit code
// and what it wrote to standard error.
func runIn(t *testing.T, dir string, args ...string) (int, string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "benchgraph", args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	var said strings.Builder
	cmd.Stderr = &said
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), said.String()
}

// complaint is what a run ends with, which must be one line.
func complaint(said string) string {
	_, text, _ := strings.Cut("\n"+said, "\nbenchgraph: ")
	if text = strings.TrimSpace(text); strings.Contains(text, "\n") {
		return "more than one line: " + text
	}
	return text
}

// smallDisk mounts a file system of a few megabytes.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := serverDir(t)
	if err := syscall.Mount("benchgraph", dir, "tmpfs", 0, "mode=755,size="+size); err != nil {
		t.Skipf("cannot mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount the small disk: %v", err)
		}
	})
	return dir
}
