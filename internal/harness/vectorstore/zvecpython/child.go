package zvecpython

import (
	"bufio"
	"bytes"
	"context"
	_ "embed" // the child's program
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

//go:embed search.py
var program []byte

// Requests, as search.py lists them.
const (
	opVersion  = 'v'
	opCreate   = 'c'
	opInsert   = 'i'
	opOptimize = 'o'
	opSearch   = 's'
)

// Statuses of replies.
const (
	statusDone    = 'k'
	statusSpoiled = 'f'
)

// replyHead is a reply's status, time and length.
const replyHead = 1 + 8 + 4

// maxReply bounds what a broken child can make us read.
const maxReply = 1 << 26

// errSpoiled is an answer that the child says is not one.
var errSpoiled = errors.New("spoiled answer")

// child is a Python process with a collection.
type child struct {
	in      io.WriteCloser
	out     *bufio.Reader
	pipe    io.Closer // under out
	errors  *tail     // end of its standard error, complete when heard is closed
	request bytes.Buffer
	reply   []byte
	kill    func() error
	done    chan struct{} // closed when the process has been reaped
	heard   chan struct{} // closed when all that it said on standard error is in errors
}

// startChild runs the program in dir. The kernel ends the process when this one
// dies: its parent-death signal follows the thread that forked, so that thread is
// kept until the child is gone.
func startChild(python, dir string) (*child, error) {
	script := filepath.Join(dir, "search.py")
	if err := os.WriteFile(script, program, 0o600); err != nil {
		return nil, fmt.Errorf("write the child's program: %w", err)
	}
	cmd := exec.Command(python, script)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	c := &child{errors: &tail{}, done: make(chan struct{}), heard: make(chan struct{})}
	words, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out, c.pipe = bufio.NewReaderSize(out, 1<<16), out
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(c.done)
		err := cmd.Start()
		started <- err
		if err == nil {
			_, _ = cmd.Process.Wait() // how it ended shows in its replies
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	c.kill = cmd.Process.Kill
	go func() {
		defer close(c.heard)
		defer words.Close()
		_, _ = io.Copy(c.errors, words) // a tail takes every write
	}()
	return c, nil
}

// ask sends a request and waits for the reply, which is valid until the next
// ask. A cancelled wait kills the child: its reply would come at the wrong time.
func (c *child) ask(ctx context.Context, operation byte, body ...[]byte) (reply []byte, insideMS float64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.kill() })
	defer stop()
	reply, insideMS, err = c.exchange(operation, body)
	if ctx.Err() != nil {
		return nil, 0, ctx.Err()
	}
	return reply, insideMS, err
}

func (c *child) exchange(operation byte, body [][]byte) ([]byte, float64, error) {
	length := 0
	for _, part := range body {
		length += len(part)
	}
	if length > math.MaxUint32 {
		return nil, 0, fmt.Errorf("request of %d bytes", length)
	}
	c.request.Reset()
	c.request.WriteByte(operation)
	c.request.Write(binary.LittleEndian.AppendUint32(nil, uint32(length)))
	for _, part := range body {
		c.request.Write(part)
	}
	if _, err := c.in.Write(c.request.Bytes()); err != nil {
		return nil, 0, c.died(err)
	}
	var head [replyHead]byte
	if _, err := io.ReadFull(c.out, head[:]); err != nil {
		return nil, 0, c.died(err)
	}
	insideMS := math.Float64frombits(binary.LittleEndian.Uint64(head[1:]))
	size := binary.LittleEndian.Uint32(head[9:])
	if size > maxReply {
		return nil, 0, fmt.Errorf("reply of %d bytes", size)
	}
	if cap(c.reply) < int(size) {
		c.reply = make([]byte, size)
	}
	c.reply = c.reply[:size]
	if _, err := io.ReadFull(c.out, c.reply); err != nil {
		return nil, 0, c.died(err)
	}
	switch head[0] {
	case statusDone:
		return c.reply, insideMS, nil
	case statusSpoiled:
		return nil, insideMS, fmt.Errorf("%w: %s", errSpoiled, c.reply)
	}
	return nil, insideMS, fmt.Errorf("zvec in Python: %s", c.reply)
}

// died explains a broken pipe with the child's last words.
func (c *child) died(err error) error {
	_ = c.kill() // it may have closed its pipes only
	<-c.done
	<-c.heard
	return fmt.Errorf("the Python process is gone (%w): %s", err, c.errors.lastLine())
}

// stop ends the child and waits until it is gone.
func (c *child) stop() error {
	err := c.kill()
	<-c.done
	// Nobody is at the other end any more.
	_ = c.in.Close()
	_ = c.pipe.Close()
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("end the Python process: %w", err)
	}
	return nil
}

// tail keeps the end of what is written to it. It is read when heard is closed.
type tail struct{ text []byte }

const tailBytes = 4096

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if extra := len(t.text) - tailBytes; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

func (t *tail) lastLine() string {
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return lines[len(lines)-1]
}
