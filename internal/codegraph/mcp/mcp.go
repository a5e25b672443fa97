// Package mcp serves a code graph to assistants over the Model Context Protocol.
//
// The graph may be replaced while it is served. Before each call the server asks
// for its version, and reads it again when that changed. A graph that cannot be
// read then leaves the one that was there, and the answers say so.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/query"
	"sortedheap/internal/codegraph/render"
)

// Source is where a graph comes from.
type Source struct {
	// Version changes when the stored graph does.
	Version func(ctx context.Context) (string, error)
	// Load reads the graph; release is called when nobody uses it any more.
	Load func(ctx context.Context) (b graph.Backend, release func(), err error)
	// Staleness says what changed in the sources since; empty for nothing.
	Staleness func(ctx context.Context, c *query.Catalog) string
}

// held is the graph that is served.
type held struct {
	source  Source
	mu      sync.RWMutex // held for reading during each call
	catalog *query.Catalog
	backend graph.Backend
	release func()
	version string
	fault   string // why a newer graph is not served
}

// open reads the first graph; without one there is nothing to serve.
func open(ctx context.Context, s Source) (*held, error) {
	h := &held{source: s}
	version, err := s.Version(ctx)
	if err != nil {
		return nil, err
	}
	if err := h.load(ctx, version); err != nil {
		return nil, err
	}
	return h, nil
}

func (h *held) load(ctx context.Context, version string) error {
	b, release, err := h.source.Load(ctx)
	if err != nil {
		return err
	}
	c, err := query.Open(ctx, b)
	if err != nil {
		release()
		return err
	}
	if h.release != nil {
		h.release()
	}
	h.catalog, h.backend, h.release, h.version, h.fault = c, b, release, version, ""
	return nil
}

// lost says whether the graph can be asked no more, as when the connection to its
// server broke, and sees to it that the next look reads it again.
func (h *held) lost(ctx context.Context) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	var first []int32 // of a graph of no nodes there is nothing to ask
	if h.catalog.Len() > 0 {
		first = []int32{0}
	}
	_, err := h.backend.Nodes(ctx, first)
	if err == nil || ctx.Err() != nil {
		return false
	}
	h.version = ""
	return true
}

// use calls f with the graph as it is now and with what is stale about it.
func (h *held) use(ctx context.Context, f func(c *query.Catalog, staleness string) error) error {
	h.refresh(ctx)
	h.mu.RLock()
	defer h.mu.RUnlock()
	staleness := h.fault
	if staleness == "" && h.source.Staleness != nil {
		staleness = h.source.Staleness(ctx, h.catalog)
	}
	return f(h.catalog, staleness)
}

func (h *held) refresh(ctx context.Context) {
	version, err := h.source.Version(ctx)
	h.mu.RLock()
	same := err == nil && version == h.version && h.fault == ""
	h.mu.RUnlock()
	if same {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil && version == h.version {
		h.fault = ""
		return
	}
	if err == nil {
		err = h.load(ctx, version)
	}
	if err != nil {
		h.fault = fmt.Sprintf("the graph changed but cannot be read (%v), so this is the one before", err)
	}
}

// Serve answers over the transport until the client leaves or ctx ends.
func Serve(ctx context.Context, s Source, version string, t sdk.Transport) error {
	h, err := open(ctx, s)
	if err != nil {
		return err
	}
	defer func() { h.release() }()
	server := sdk.NewServer(&sdk.Implementation{Name: "benchgraph", Version: version}, nil)
	h.addTools(server)
	if err := server.Run(ctx, t); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

type askInput struct {
	Question string   `json:"question" jsonschema:"a question about the code, such as: who calls ChargeService::charge?"`
	Contexts []string `json:"contexts,omitempty" jsonschema:"keep only edges of these contexts, such as call, field, parameter_type"`
	Budget   int      `json:"budget,omitempty" jsonschema:"tokens of the answer, 2000 unless given"`
}

type nameInput struct {
	Name   string `json:"name" jsonschema:"a name: bare, qualified, path::name, path:line or a printed id"`
	Budget int    `json:"budget,omitempty" jsonschema:"tokens of the answer, 2000 unless given"`
}

type pathInput struct {
	From       string `json:"from" jsonschema:"where the path begins"`
	To         string `json:"to" jsonschema:"where it ends"`
	Undirected bool   `json:"undirected,omitempty" jsonschema:"also follow edges backwards"`
	Budget     int    `json:"budget,omitempty" jsonschema:"tokens of the answer, 2000 unless given"`
}

type affectedInput struct {
	Name      string   `json:"name" jsonschema:"what would change"`
	Depth     int      `json:"depth,omitempty" jsonschema:"hops, 2 unless given"`
	Relations []string `json:"relations,omitempty" jsonschema:"only these relations, such as calls or imports"`
	Budget    int      `json:"budget,omitempty" jsonschema:"tokens of the answer, 2000 unless given"`
}

func (h *held) addTools(server *sdk.Server) {
	sdk.AddTool(server, &sdk.Tool{Name: "ask", Description: "Answer a question about the code graph: who calls, uses, implements, extends or imports something, " +
		"what it calls, where it is. Rows with file:line first, what is near after."}, tool(h, h.ask))
	sdk.AddTool(server, &sdk.Tool{Name: "explain", Description: "Describe one symbol: where it is, how many edges of each kind, and the edges themselves."},
		tool(h, h.explain))
	sdk.AddTool(server, &sdk.Tool{Name: "path", Description: "Find a shortest path between two symbols along calls, references and inheritance."}, tool(h, h.path))
	sdk.AddTool(server, &sdk.Tool{Name: "affected", Description: "List what a change of a symbol reaches, following edges backwards."}, tool(h, h.affected))
}

// tool wraps a method that answers with text. An error that a caller can mend is
// an answer that says so.
func tool[In any](h *held, answer func(context.Context, *query.Catalog, string, In) (string, error)) sdk.ToolHandlerFor[In, any] {
	return func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
		result := &sdk.CallToolResult{}
		try := func() error {
			return h.use(ctx, func(c *query.Catalog, staleness string) error {
				text, err := answer(ctx, c, staleness, in)
				if err != nil && ctx.Err() != nil {
					return err
				}
				result.IsError = err != nil
				if err != nil {
					text = render.Fault(c, err)
				}
				result.Content = []sdk.Content{&sdk.TextContent{Text: text}}
				return nil
			})
		}
		err := try()
		if err == nil && result.IsError && h.lost(ctx) {
			err = try()
		}
		return result, nil, err
	}
}

// maxBudget bounds what one call may ask for.
const maxBudget = 50000

func budget(tokens int) (int, error) {
	switch {
	case tokens == 0:
		return render.DefaultBudget, nil
	case tokens < render.MinBudget || tokens > maxBudget:
		return 0, fmt.Errorf("budget is %d, must be in %d..%d", tokens, render.MinBudget, maxBudget)
	}
	return tokens, nil
}

func (h *held) ask(ctx context.Context, c *query.Catalog, staleness string, in askInput) (string, error) {
	tokens, err := budget(in.Budget)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(in.Question) == "" {
		return "", errors.New("question is empty")
	}
	a, err := c.Ask(ctx, in.Question, query.Options{Contexts: in.Contexts})
	if err != nil {
		return "", err
	}
	return render.Answer(a, tokens, staleness).Body, nil
}

func (h *held) explain(ctx context.Context, c *query.Catalog, _ string, in nameInput) (string, error) {
	tokens, err := budget(in.Budget)
	if err != nil {
		return "", err
	}
	x, err := c.Explain(ctx, in.Name)
	if err != nil {
		return "", err
	}
	return render.Explanation(x, tokens), nil
}

func (h *held) path(ctx context.Context, c *query.Catalog, _ string, in pathInput) (string, error) {
	tokens, err := budget(in.Budget)
	if err != nil {
		return "", err
	}
	hops, err := c.PathBetween(ctx, in.From, in.To, query.PathOptions{Undirected: in.Undirected})
	if err != nil {
		return "", err
	}
	return render.Path(c, hops, in.Undirected, tokens), nil
}

func (h *held) affected(ctx context.Context, c *query.Catalog, _ string, in affectedInput) (string, error) {
	tokens, err := budget(in.Budget)
	if err != nil {
		return "", err
	}
	relations, err := query.RelationsNamed(in.Relations)
	if err != nil {
		return "", err
	}
	if in.Depth < 0 || in.Depth > query.MaxDepth {
		return "", fmt.Errorf("depth is %d, must be in 1..%d", in.Depth, query.MaxDepth)
	}
	n, _, err := c.One(in.Name)
	if err != nil {
		return "", err
	}
	depth := in.Depth
	if depth == 0 {
		depth = query.DefaultDepth
	}
	list, err := c.Affected(ctx, []int32{n}, relations, depth)
	if err != nil {
		return "", err
	}
	return render.Affected(c, c.Name(n), list, depth, tokens), nil
}
