// Package childproc runs helper processes that must not outlive this one.
package childproc

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is a started process.
type Process struct {
	cmd   *exec.Cmd
	words *tail
	done  chan struct{} // closed when it has been reaped and all its words are heard
}

// outputPatience is how long output of a process that has ended is waited for,
// where a child of its own still holds it.
const outputPatience = time.Second

// Start starts a command in a process group of its own, so that a Ctrl-C of the
// terminal reaches it through us alone. What it writes to standard error, and to
// standard output where the command does not say where that goes, is kept for
// LastWords.
//
// The kernel ends the process when this one dies. Its parent-death signal follows
// the thread that forked, so that thread is kept until the child is gone.
func Start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, words: &tail{}, done: make(chan struct{})}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = outputPatience
	cmd.Stderr = p.words
	if cmd.Stdout == nil {
		cmd.Stdout = p.words
	}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(p.done)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is in its words
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", filepath.Base(cmd.Path), err)
	}
	return p, nil
}

// PID is its process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Kill asks the kernel to end it, and does not wait.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() }

// Stop sends a signal and waits; a process that takes longer than patience to end
// is killed, which is an error.
func (p *Process) Stop(signal syscall.Signal, patience time.Duration) error {
	select {
	case <-p.done:
		return nil
	default:
	}
	if err := p.cmd.Process.Signal(signal); err != nil {
		<-p.done // it has ended meanwhile
		return nil
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(patience):
		p.Kill()
		<-p.done
		return fmt.Errorf("%s did not stop within %s and was killed", filepath.Base(p.cmd.Path), patience)
	}
}

// LastWords is the last line that the process wrote. Complete once it is done.
func (p *Process) LastWords() string { return p.words.lastLine() }

// ErrSilent stands for the words of a process that wrote nothing.
var ErrSilent = errors.New("it wrote nothing")

// Died is an error about a process that has ended too early, with its last words.
func (p *Process) Died() error {
	words := p.LastWords()
	if words == "" {
		return fmt.Errorf("%s has ended: %w", filepath.Base(p.cmd.Path), ErrSilent)
	}
	return fmt.Errorf("%s has ended: %s", filepath.Base(p.cmd.Path), words)
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 4096

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - tailBytes; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

func (t *tail) lastLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return lines[len(lines)-1]
}
