package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stdio is a transport over a pair of streams, one JSON message a line. When
// the input ends, requests that were read are still answered: whoever pipes
// questions in gets all answers. A line that is no message gets an error for an
// answer, as JSON-RPC has it, and the session goes on.
func Stdio(ctx context.Context, in io.Reader, out io.Writer) sdk.Transport {
	p := &pending{}
	p.none = sync.NewCond(&p.mu)
	context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.over = true
		p.none.Broadcast()
	})
	a := &answers{out: out, pending: p}
	return &sdk.IOTransport{Reader: &requests{in: bufio.NewReader(in), pending: p, answers: a}, Writer: a}
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
		if json.Unmarshal(l.rest[:at], &m) == nil && len(m.ID) > 0 && string(m.ID) != "null" {
			each(m)
		}
		l.rest = l.rest[at+1:]
	}
}

// fault is the error that a line gets which is no message, "" for messages.
func fault(line []byte) string {
	if !json.Valid(line) {
		return `{"code":-32700,"message":"the line is not JSON"}`
	}
	batch := []json.RawMessage{line}
	if line[0] == '[' && json.Unmarshal(line, &batch) != nil {
		batch = nil
	}
	invalid := len(batch) == 0
	for _, one := range batch {
		_, err := jsonrpc.DecodeMessage(one)
		invalid = invalid || err != nil
	}
	if invalid {
		return `{"code":-32600,"message":"the line is no JSON-RPC 2.0 message"}`
	}
	return ""
}

// requests passes on whole lines that are messages.
type requests struct {
	in      *bufio.Reader
	rest    []byte // of a line that did not fit
	pending *pending
	answers *answers
}

// Read passes the input on. The end comes when all that was read is answered.
func (r *requests) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.in.ReadBytes('\n')
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 {
			if refused := fault(trimmed); refused != "" {
				if _, err := r.answers.Write([]byte(`{"jsonrpc":"2.0","id":null,"error":` + refused + "}\n")); err != nil {
					return 0, err
				}
			} else {
				r.rest = append(trimmed, '\n')
				var m message
				if json.Unmarshal(trimmed, &m) == nil && len(m.ID) > 0 && m.Method != "" {
					r.pending.add(1)
				}
			}
		}
		if err != nil && len(r.rest) == 0 {
			if err == io.EOF {
				r.pending.wait()
			}
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
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
	mu      sync.Mutex
	out     io.Writer
	lines   lines
	pending *pending
}

func (a *answers) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, err := a.out.Write(p)
	a.lines.take(p[:n], func(m message) {
		if m.Method == "" {
			a.pending.add(-1)
		}
	})
	return n, err
}

func (a *answers) Close() error { return nil }
