package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sortedheap/internal/pgtest"
)

// However a run ends, in whatever step, it leaves no process and no directory.
func TestInterruptLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	spec := pgtest.Need(t)
	for _, c := range []struct {
		scenario, step string // the line on standard error after which the signal comes
		signal         syscall.Signal
		args           string // enough for the step to last
	}{
		{"multihop", "start server", syscall.SIGINT, "--chains 100"},
		{"multihop", "load heap", syscall.SIGINT, "--chains 1500"},
		{"multihop", "load pgvector", syscall.SIGTERM, "--chains 1500"},
		{"multihop", "measure multihop", syscall.SIGINT, "--chains 100 --runs 1000 --warm-up 1 --cases expand2.*_in"},
		{"gutenberg", "load sorted_heap", syscall.SIGINT, "--runs 1000"},
		{"gutenberg", "measure gutenberg", syscall.SIGTERM, "--queries 20 --runs 1000 --warm-up 1 --cases expand_rel_in"},
		{"synthetic", "load map", syscall.SIGINT, "--entities 1000 --runs 1000"},
		{"synthetic", "measure synthetic", syscall.SIGINT, "--entities 100 --runs 1000 --warm-up 1 --cases expand_in"},
		{"butler", "load sorted_heap", syscall.SIGINT, "--runs 1000"},
		{"butler", "measure butler", syscall.SIGINT, "--runs 10000 --warm-up 1 --case-seconds 0"},
		{"crud", "load tables", syscall.SIGINT, "--rows 20000"},
		{"crud", "measure ", syscall.SIGINT, "--rows 1000 --copy-rows 10 --wide-copy-rows 10 --seconds 30"},
		{"openshare", "load open", syscall.SIGINT, "--entities 2000 --stray-entities 0"},
		{"openshare", "measure openshare", syscall.SIGINT, "--entities 200 --shares 0 --stray-entities 0 --keys 2 --warm-up 1 --runs 100000 --case-seconds 0"},
		{"ann", "load sorted_heap", syscall.SIGINT, "--rows 3000 --dim 64 --queries 20"},
		{"ann", "build index", syscall.SIGINT, "--rows 3000 --dim 64 --queries 20"},
		{"ann", "measure ", syscall.SIGINT, "--rows 500 --dim 16 --queries 20 --runs 10000 --case-seconds 0"},
	} {
		t.Run(c.scenario+", "+c.step, func(t *testing.T) {
			args := append([]string{"run", c.scenario, "--pg", "local:" + spec}, strings.Fields(c.args)...)
			interrupted(t, c.signal, args, c.step)
		})
	}
}

// interrupted sends a command a signal once it has told of all steps, one after the
// other, and finds nothing left of it: no process, no directory, no result file.
func interrupted(t *testing.T, signal syscall.Signal, args []string, steps ...string) {
	t.Helper()
	dir := serverDir(t)
	cmd := exec.CommandContext(t.Context(), "benchgraph", append(args, "--out", filepath.Join(dir, "r.json"))...)
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	said, wait := startUntil(t, cmd, steps...)
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	if code := wait(); code != exitInterrupted {
		t.Errorf("exit code %d, want %d; it said\n%s", code, exitInterrupted, said.String())
	}
	nothingLeft(t, dir)
}

// nothingLeft looks for files in dir and for processes that know it.
func nothingLeft(t *testing.T, dir string) {
	t.Helper()
	if left := entries(t, dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if pids := processesOf(t, dir); len(pids) > 0 {
		t.Errorf("still running: %v", pids)
	}
}

// serverDir is a short path that the server's user may pass.
func serverDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bg")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// startUntil starts a command and returns when lines of its standard error began
// with all steps, one after the other. wait returns its exit code.
func startUntil(t *testing.T, cmd *exec.Cmd, steps ...string) (said *bytes.Buffer, wait func() int) {
	t.Helper()
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said = &bytes.Buffer{}
	lines := bufio.NewScanner(pipe)
	for len(steps) > 0 && lines.Scan() {
		said.WriteString(lines.Text() + "\n")
		if strings.HasPrefix(lines.Text(), steps[0]) {
			steps = steps[1:]
		}
	}
	return said, func() int {
		for lines.Scan() {
			said.WriteString(lines.Text() + "\n")
		}
		err := cmd.Wait()
		if len(steps) > 0 {
			t.Fatalf("no step %q: %v\n%s", steps[0], err, said.String())
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return exit.ExitCode()
		}
		return 0
	}
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// processesOf lists the processes that know dir, once those of a server that need a
// moment after their parent has gone had it.
func processesOf(t *testing.T, dir string) []string {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		found := processesNow(t, dir)
		if len(found) == 0 || time.Now().After(deadline) {
			return found
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// processesNow lists processes whose command line or environment names dir, each as
// its folder below /proc and its command line.
func processesNow(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, path := range paths {
		// A process that ended meanwhile is what we hope for.
		line, err := os.ReadFile(path + "/cmdline")
		if err != nil {
			continue
		}
		environ, err := os.ReadFile(path + "/environ")
		if err == nil && bytes.Contains(append(environ, line...), []byte(dir)) {
			found = append(found, path+" "+string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return found
}
