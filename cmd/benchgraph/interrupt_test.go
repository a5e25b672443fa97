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

	"sortedheap/internal/harness/cluster"
)

// However a run ends, in whatever step, it leaves no process and no directory.
func TestInterruptLeavesNothing(t *testing.T) {
	spec := os.Getenv("PG_CONFIG")
	if _, err := cluster.Locate(spec); err != nil {
		t.Skipf("no server to test on: %v", err)
	}
	for _, c := range []struct {
		name, step string // the line on standard error after which the signal comes
		chains     string // enough for the step to last
		signal     syscall.Signal
	}{
		{"starting", "start server", "100", syscall.SIGINT},
		{"loading", "load heap", "1500", syscall.SIGINT},
		{"building", "load pgvector", "1500", syscall.SIGTERM},
		{"measuring", "measure multihop", "100", syscall.SIGINT},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := serverDir(t)
			cmd := exec.CommandContext(t.Context(), "benchgraph", "run", "multihop", "--pg", "local:"+spec,
				"--chains", c.chains, "--runs", "1000", "--warm-up", "1", "--cases", "expand2.*_in", "--out", filepath.Join(dir, "r.json"))
			cmd.Env = append(os.Environ(), "TMPDIR="+dir)
			said, wait := startUntil(t, cmd, c.step)
			if err := cmd.Process.Signal(c.signal); err != nil {
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

// startUntil starts a command and returns when a line of its standard error
// begins with step. wait returns its exit code.
func startUntil(t *testing.T, cmd *exec.Cmd, step string) (said *bytes.Buffer, wait func() int) {
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
	found := false
	for !found && lines.Scan() {
		said.WriteString(lines.Text() + "\n")
		found = strings.HasPrefix(lines.Text(), step)
	}
	return said, func() int {
		for lines.Scan() {
			said.WriteString(lines.Text() + "\n")
		}
		err := cmd.Wait()
		if !found {
			t.Fatalf("no step %q: %v\n%s", step, err, said.String())
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

// processesOf lists processes whose command line names dir. Server processes
// may need a moment after their parent has gone.
func processesOf(t *testing.T, dir string) []string {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		var found []string
		paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			// A process that ended meanwhile is what we hope for.
			if line, err := os.ReadFile(path); err == nil && bytes.Contains(line, []byte(dir)) {
				found = append(found, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
			}
		}
		if len(found) == 0 || time.Now().After(deadline) {
			return found
		}
		time.Sleep(50 * time.Millisecond)
	}
}
