package childproc_test

import (
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
