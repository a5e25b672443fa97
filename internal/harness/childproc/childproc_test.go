package childproc_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"sortedheap/internal/harness/childproc"
)

func start(t *testing.T, script string) *childproc.Process {
	t.Helper()
	p, err := childproc.Start(exec.Command("/bin/sh", "-c", script))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		<-p.Done()
	})
	return p
}

// parentVariable makes the test binary a parent that starts a child, tells its
// process id and waits to be killed.
const parentVariable = "CHILDPROC_TEST_PARENT"

func TestMain(m *testing.M) {
	if os.Getenv(parentVariable) == "" {
		os.Exit(m.Run())
	}
	p, err := childproc.Start(exec.Command("/bin/sleep", "1000"))
	if err != nil {
		panic(err)
	}
	fmt.Println(p.PID())
	<-p.Done()
}

// A process dies with the one that started it, even when that is killed.
func TestDiesWithParent(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentVariable+"=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var child int
	if _, err := fmt.Fscan(out, &child); err != nil {
		t.Fatal(err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // it was killed
	for deadline := time.Now().Add(time.Minute); running(child); {
		if time.Now().After(deadline) {
			t.Fatalf("process %d survives its parent", child)
		}
	}
}

// running says whether a process is there and no zombie that waits for its reaper.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func TestStop(t *testing.T) {
	p := start(t, "exec sleep 1000")
	if err := p.Stop(syscall.SIGTERM, time.Minute); err != nil {
		t.Error(err)
	}
	if err := syscall.Kill(p.PID(), 0); err == nil {
		t.Error("the process is still there")
	}
	if err := p.Stop(syscall.SIGTERM, time.Minute); err != nil {
		t.Errorf("second stop: %v", err)
	}
}

// A process that ignores the signal is killed, and that is told.
func TestStopInsists(t *testing.T) {
	p := start(t, "trap '' TERM; echo ready >&2; while :; do sleep 1; done")
	for deadline := time.Now().Add(time.Minute); p.LastWords() != "ready"; {
		if time.Now().After(deadline) {
			t.Fatal("the process does not come up")
		}
	}
	if err := p.Stop(syscall.SIGTERM, time.Millisecond); err == nil || !strings.Contains(err.Error(), "was killed") {
		t.Errorf("stop of a stubborn process: %v", err)
	}
}

func TestLastWords(t *testing.T) {
	p := start(t, "echo first; echo 'no such port' >&2; exit 3")
	<-p.Done()
	if err := p.Died(); !strings.Contains(err.Error(), "sh has ended: no such port") {
		t.Errorf("died: %v", err)
	}
	p = start(t, "exit 0")
	<-p.Done()
	if err := p.Died(); !strings.Contains(err.Error(), "wrote nothing") {
		t.Errorf("died silently: %v", err)
	}
	if _, err := childproc.Start(exec.Command("/no/such/program")); err == nil {
		t.Error("a missing program starts")
	}
}
