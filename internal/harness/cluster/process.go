package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// How a postmaster is told to stop.
const (
	stopFast      = syscall.SIGINT  // roll back, disconnect, checkpoint
	stopImmediate = syscall.SIGQUIT // as after a crash: recovery at the next start
)

// stopTimeout is how long a server may take to stop before it is killed.
const stopTimeout = 60 * time.Second

// process is a postmaster that this process started.
type process struct {
	pid  int
	done chan struct{} // closed when the postmaster has been reaped
	err  error         // its exit, valid after done
}

// launch starts cmd so that the kernel ends it when this process dies.
//
// The parent-death signal follows the thread that forked, so that thread is
// locked and kept until the child is gone.
func launch(cmd *exec.Cmd) (*process, error) {
	p := &process{done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(p.done)
		if err := cmd.Start(); err != nil {
			started <- err
			return
		}
		p.pid = cmd.Process.Pid
		started <- nil
		p.err = cmd.Wait()
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", filepath.Base(cmd.Path), err)
	}
	return p, nil
}

func (p *process) running() bool {
	if p == nil {
		return false
	}
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// stop signals the postmaster and waits; one that does not stop in time is
// killed and reported.
func (p *process) stop(how syscall.Signal) error {
	if !p.running() {
		return nil
	}
	if err := syscall.Kill(p.pid, how); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop server %d: %w", p.pid, err)
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(stopTimeout):
		return errors.Join(fmt.Errorf("server %d did not stop within %s and was killed", p.pid, stopTimeout), p.kill())
	}
}

// kill ends the postmaster and every child it had, with SIGKILL, and waits
// until all are gone.
func (p *process) kill() error {
	if !p.running() {
		return nil
	}
	if err := p.halt(); err != nil {
		return err
	}
	children := childrenOf(p.pid)
	if err := syscall.Kill(p.pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("kill server %d: %w", p.pid, err)
	}
	<-p.done
	for _, pid := range children {
		// Orphans now; a reused pid cannot be ours within this instant.
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("kill server process %d: %w", pid, err)
		}
	}
	deadline := time.Now().Add(stopTimeout)
	for _, pid := range children {
		for alive(pid) {
			if time.Now().After(deadline) {
				return fmt.Errorf("server process %d survives SIGKILL", pid)
			}
			time.Sleep(time.Millisecond)
		}
	}
	return nil
}

// halt stops the postmaster in its tracks, so that it forks no child that kill
// does not see.
func (p *process) halt() error {
	if err := syscall.Kill(p.pid, syscall.SIGSTOP); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("halt server %d: %w", p.pid, err)
	}
	deadline := time.Now().Add(stopTimeout)
	for {
		state, _, ok := readStat(fmt.Sprintf("/proc/%d/stat", p.pid))
		if !ok || state == "T" || state == "Z" {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("server %d does not halt", p.pid)
		}
		time.Sleep(time.Millisecond)
	}
}

// childrenOf lists the direct children of a process.
func childrenOf(pid int) []int {
	var out []int
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	for _, path := range stats {
		state, parent, ok := readStat(path)
		if ok && parent == pid && state != "Z" {
			if child, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				out = append(out, child)
			}
		}
	}
	return out
}

func alive(pid int) bool {
	state, _, ok := readStat(fmt.Sprintf("/proc/%d/stat", pid))
	return ok && state != "Z"
}

// readStat returns state and parent of a process; false when it is gone.
func readStat(path string) (state string, parent int, ok bool) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", 0, false
	}
	// The name in parentheses may hold blanks; fields follow the last one.
	at := strings.LastIndexByte(string(raw), ')')
	fields := strings.Fields(string(raw[at+1:]))
	if len(fields) < 2 {
		return "", 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return fields[0], parent, err == nil
}
