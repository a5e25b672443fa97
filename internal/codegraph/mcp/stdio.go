package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stdio is a transport over a pair of streams, one JSON message a line. When
// the input ends, requests that were read are still answered: whoever pipes
// questions in gets all answers.
func Stdio(ctx context.Context, in io.Reader, out io.Writer) sdk.Transport {
	p := &pending{}
	p.none = sync.NewCond(&p.mu)
	context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.over = true
		p.none.Broadcast()
	})
	return &sdk.IOTransport{Reader: &requests{in: in, pending: p}, Writer: &answers{out: out, pending: p}}
}

// pending counts requests without an answer.
type pending struct {
	mu    sync.Mutex
	none  *sync.Cond
	count int
	over  bool // nobody waits any more
}

func (p *pending) add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count += n
	if p.count <= 0 {
		p.none.Broadcast()
	}
}

func (p *pending) wait() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.count > 0 && !p.over {
		p.none.Wait()
	}
}

// message is what of a JSON-RPC message tells requests from answers.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// lines calls each for every whole line of a stream that comes in pieces.
type lines struct{ rest []byte }

func (l *lines) take(piece []byte, each func(m message)) {
	l.rest = append(l.rest, piece...)
	for {
		at := bytes.IndexByte(l.rest, '\n')
		if at < 0 {
			return
		}
		var m message
		if json.Unmarshal(l.rest[:at], &m) == nil && len(m.ID) > 0 {
			each(m)
		}
		l.rest = l.rest[at+1:]
	}
}

type requests struct {
	in      io.Reader
	lines   lines
	pending *pending
}

// Read passes the input on. The end comes when all that was read is answered.
func (r *requests) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.lines.take(p[:n], func(m message) {
		if m.Method != "" {
			r.pending.add(1)
		}
	})
	if err == io.EOF {
		r.pending.wait()
	}
	return n, err
}

// Close leaves the input open: it is the process's.
func (r *requests) Close() error {
	r.pending.mu.Lock()
	defer r.pending.mu.Unlock()
	r.pending.over = true
	r.pending.none.Broadcast()
	return nil
}

type answers struct {
	out     io.Writer
	lines   lines
	pending *pending
}

func (a *answers) Write(p []byte) (int, error) {
	n, err := a.out.Write(p)
	a.lines.take(p[:n], func(m message) {
		if m.Method == "" {
			a.pending.add(-1)
		}
	})
	return n, err
}

func (a *answers) Close() error { return nil }
