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

	"sortedheap/internal/harness/childproc"
)

//go:embed search.py
var program []byte

// Requests, as search.py lists them.
const (
	opVersion  = 'v'
	opCreate   = 'c'
	opInsert   = 'i'
	opOptimize = 'o'
	opReopen   = 'r'
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
	*childproc.Process
	in      *os.File
	pipe    *os.File // under out
	out     *bufio.Reader
	request bytes.Buffer
	reply   []byte
}

// startChild runs the program in dir.
func startChild(python, dir string) (*child, error) {
	script := filepath.Join(dir, "search.py")
	if err := os.WriteFile(script, program, 0o600); err != nil {
		return nil, fmt.Errorf("write the child's program: %w", err)
	}
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirIn.Close()
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, ourIn.Close())
	}
	defer theirOut.Close()
	if filepath.Base(python) != python { // the child starts in another folder
		if python, err = filepath.Abs(python); err != nil {
			return nil, errors.Join(err, ourIn.Close(), ourOut.Close())
		}
	}
	cmd := exec.Command(python, script)
	cmd.Dir, cmd.Stdin, cmd.Stdout = dir, theirIn, theirOut
	process, err := childproc.Start(cmd)
	if err != nil {
		return nil, errors.Join(err, ourIn.Close(), ourOut.Close())
	}
	return &child{Process: process, in: ourIn, pipe: ourOut, out: bufio.NewReaderSize(ourOut, 1<<16)}, nil
}

// ask sends a request and waits for the reply, which is valid until the next
// ask. A cancelled wait kills the child: its reply would come at the wrong time.
func (c *child) ask(ctx context.Context, operation byte, body ...[]byte) (reply []byte, insideMS float64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	stop := context.AfterFunc(ctx, c.Kill)
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
	c.Kill() // it may have closed its pipes only
	<-c.Done()
	return fmt.Errorf("%w (%w)", c.Died(), err)
}

// stop ends the child and waits until it is gone.
func (c *child) stop() error {
	c.Kill()
	<-c.Done()
	return errors.Join(c.in.Close(), c.pipe.Close())
}
