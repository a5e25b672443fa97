package syntax

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	ts "github.com/tree-sitter/go-tree-sitter"
)

// Limits bound what one file may cost.
type Limits struct {
	MaxBytes int           // longest text, in bytes
	MaxTime  time.Duration // longest parse
	MaxDepth int           // deepest nesting of nodes that a tree keeps
}

// DefaultLimits are wide for sources that people write.
func DefaultLimits() Limits {
	return Limits{MaxBytes: 2 << 20, MaxTime: 10 * time.Second, MaxDepth: 400}
}

// Validate reports limits that allow nothing, or more than a tree can hold.
func (l Limits) Validate() error {
	switch {
	case l.MaxBytes < 1 || l.MaxBytes > 1<<30:
		return fmt.Errorf("longest text is %d bytes, want 1 to %d", l.MaxBytes, 1<<30)
	case l.MaxTime <= 0:
		return fmt.Errorf("longest parse is %v, want more than 0", l.MaxTime)
	case l.MaxDepth < 1 || l.MaxDepth > 10_000:
		return fmt.Errorf("deepest nesting is %d, want 1 to 10000", l.MaxDepth)
	}
	return nil
}

// Reasons why a text has no tree.
var (
	ErrTooLarge = errors.New("text is larger than the limit")
	ErrTooSlow  = errors.New("parsing takes longer than the limit")
	ErrBinary   = errors.New("content is binary")
)

// binaryHead is how much of a file IsBinary looks at.
const binaryHead = 8000

// IsBinary reports whether a content is not text: a NUL byte near its start.
func IsBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), binaryHead)], 0) >= 0
}

// Parsers parses texts. It keeps the C parsers that it made for the next text of
// the same language until Close. Any number of goroutines may use one.
type Parsers struct {
	limits Limits

	mu       sync.Mutex
	closed   bool
	grammars [languageEnd]*grammar
	idle     [languageEnd][]*parser
}

// parser is a C parser and what it asks while it parses. The library keeps a
// reference to options for ever, once for each parse: they must hold nothing
// large, and no context of a parse that is over.
type parser struct {
	c       *ts.Parser
	options *ts.ParseOptions
	ctx     context.Context //nolint:containedctx // the callback takes no argument of ours; nil between parses
}

// NewParsers returns parsers with limits.
func NewParsers(limits Limits) (*Parsers, error) {
	if err := limits.Validate(); err != nil {
		return nil, fmt.Errorf("make parsers: %w", err)
	}
	return &Parsers{limits: limits}, nil
}

// Close frees the C parsers. Trees stay valid.
func (p *Parsers) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for l := range p.idle {
		for _, one := range p.idle[l] {
			one.c.Close()
		}
		p.idle[l] = nil
	}
}

// chunk is how much text the parser takes at a time; it copies what it takes.
const chunk = 64 << 10

// Parse returns the tree of a text, which must not change afterwards. A text that
// is not valid in its language still has a tree; Tree.Errors counts what is
// wrong. Errors are ErrBinary, ErrTooLarge, ErrTooSlow, and the context's.
func (p *Parsers) Parse(ctx context.Context, l Language, source []byte) (*Tree, error) {
	if IsBinary(source) {
		return nil, ErrBinary
	}
	if len(source) > p.limits.MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes, limit %d", ErrTooLarge, len(source), p.limits.MaxBytes)
	}
	one, g, err := p.take(l)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, p.limits.MaxTime)
	defer cancel()
	one.ctx = limited
	tree := one.c.ParseWithOptions(func(i int, _ ts.Point) []byte {
		return source[min(i, len(source)):min(i+chunk, len(source))]
	}, nil, one.options)
	one.ctx = nil
	if tree == nil {
		one.c.Reset()
	}
	p.give(l, one)
	if tree == nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %v", ErrTooSlow, p.limits.MaxTime)
	}
	defer tree.Close()
	return flatten(tree, l, g, source, p.limits.MaxDepth), nil
}

// take returns an idle parser of a language, or a new one.
func (p *Parsers) take(l Language) (*parser, *grammar, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, errors.New("parsers are closed")
	}
	if l == NoLanguage || l >= languageEnd {
		return nil, nil, fmt.Errorf("language %d has no parser", l)
	}
	g := p.grammars[l]
	if g == nil {
		var err error
		if g, err = load(l); err != nil {
			return nil, nil, err
		}
		p.grammars[l] = g
	}
	if n := len(p.idle[l]); n > 0 {
		one := p.idle[l][n-1]
		p.idle[l] = p.idle[l][:n-1]
		return one, g, nil
	}
	one := &parser{c: ts.NewParser()}
	one.options = &ts.ParseOptions{ProgressCallback: func(ts.ParseState) bool { return one.ctx.Err() != nil }}
	if err := one.c.SetLanguage(g.language); err != nil {
		one.c.Close()
		return nil, nil, fmt.Errorf("load grammar of %v: %w", l, err)
	}
	return one, g, nil
}

func (p *Parsers) give(l Language, one *parser) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		one.c.Close()
		return
	}
	p.idle[l] = append(p.idle[l], one)
}

// flatten copies a C tree into an array.
func flatten(c *ts.Tree, l Language, g *grammar, source []byte, maxDepth int) *Tree {
	t := &Tree{Lang: l, grammar: g, source: source, lines: lineStarts(source)}
	t.nodes = make([]node, 0, len(source)/8+16)
	root := c.RootNode()
	broken := root.HasError()
	cursor := root.Walk()
	defer cursor.Close()

	var (
		path = make([]NodeID, 1, 64) // the node kept at each depth
		last = make([]NodeID, 1, 64) // its last child kept
	)
	path[0], last[0] = None, None
	for depth := 1; ; {
		n := cursor.Node()
		kind := n.KindId()
		keep := g.kind(kind) != ""
		if broken && (kind == errorKind || n.IsMissing()) {
			t.Errors++
		}
		id := None
		if keep {
			id = NodeID(len(t.nodes))
			parent, before := path[depth-1], last[depth-1]
			start, end := n.ByteRange()
			t.nodes = append(t.nodes, node{
				kind: kind, field: cursor.FieldId(), start: uint32(start), end: uint32(end), parent: parent, first: None, next: None,
			})
			switch {
			case before != None:
				t.nodes[before].next = id
			case parent != None:
				t.nodes[parent].first = id
			}
			last[depth-1] = id
		}
		if keep && depth < maxDepth && cursor.GotoFirstChild() {
			path, last = append(path, id), append(last, None)
			depth++
			continue
		}
		if depth == maxDepth && n.ChildCount() > 0 {
			t.Cut = true
		}
		for !cursor.GotoNextSibling() {
			if !cursor.GotoParent() {
				return t
			}
			depth--
			path, last = path[:depth], last[:depth]
		}
	}
}
