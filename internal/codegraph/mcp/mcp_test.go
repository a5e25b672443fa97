package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/query/querytest"
)

const before = `
node a function charge app/a.go:3 qual=app.charge
node b function pay app/b.go:5 qual=app.pay
node c type charge lib/c.go:9 qual=lib.charge test
edge b calls a at=app/b.go:7
node x function twin app/x.go:1 qual=app.twin
node y function twin lib/y.go:1 qual=lib.twin
`

const later = before + `
node d function refund app/d.go:5 qual=app.refund
edge d calls a at=app/d.go:8
`

// stored is a graph that can be replaced and broken.
type stored struct {
	version, text string
	err           error
	released      int
	gone          *bool // whether the connection of the last graph is
}

// cut breaks the connection of the graph that was loaded last.
func (s *stored) cut() { *s.gone = true }

func (s *stored) source(t *testing.T) Source {
	return Source{
		Version: func(context.Context) (string, error) { return s.version, nil },
		Load: func(context.Context) (graph.Backend, func(), error) {
			if s.err != nil {
				return nil, nil, s.err
			}
			s.gone = new(bool)
			return cut{querytest.Graph(t, s.text), s.gone}, func() { s.released++ }, nil
		},
	}
}

// connected is a client of a server in this process.
func connected(t *testing.T, s *stored) *sdk.ClientSession {
	t.Helper()
	here, there := sdk.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, s.source(t), "test", there) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
		if s.released == 0 {
			t.Error("the graph is not released")
		}
	})
	return session
}

func call(t *testing.T, session *sdk.ClientSession, name string, arguments map[string]any) (string, bool) {
	t.Helper()
	r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, c := range r.Content {
		text, ok := c.(*sdk.TextContent)
		if !ok {
			t.Fatalf("content %T", c)
		}
		b.WriteString(text.Text)
	}
	return b.String(), r.IsError
}

func TestTools(t *testing.T) {
	session := connected(t, &stored{version: "1", text: before})
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"affected", "ask", "explain", "path"}) {
		t.Errorf("tools %q", names)
	}
	for _, c := range []struct {
		name, tool string
		arguments  map[string]any
		want       string
		fault      bool
	}{
		{"callers", "ask", map[string]any{"question": "who calls charge?"}, "1. app.pay() app/b.go:7 calls EXTRACTED", false},
		{"explain", "explain", map[string]any{"name": "app.charge"}, "<-- app.pay() [calls] [EXTRACTED] app/b.go:7", false},
		{"path", "path", map[string]any{"from": "pay", "to": "charge"}, "app.pay() --calls [EXTRACTED]--> app.charge()", false},
		{"no path", "path", map[string]any{"from": "charge", "to": "pay"}, "No directed path found", false},
		{"affected", "affected", map[string]any{"name": "charge"}, "- app.pay() [calls] app/b.go:7", false},
		{"affected by another relation", "affected", map[string]any{"name": "charge", "relations": []string{"imports"}}, "No affected nodes found.", false},
		{"two things", "explain", map[string]any{"name": "twin"}, "lib.twin() lib/y.go:1 (function) y", true},
		{"nothing", "explain", map[string]any{"name": "chargeback"}, `nothing is named "chargeback"`, true},
		{"both ends", "path", map[string]any{"from": "charge", "to": "app.charge"}, "both ends are app.charge()", true},
		{"budget", "ask", map[string]any{"question": "who calls charge", "budget": 3}, "budget is 3, must be in 60..50000", true},
		{"relation", "affected", map[string]any{"name": "charge", "relations": []string{"x"}}, `unknown relation "x"`, true},
		{"depth", "affected", map[string]any{"name": "charge", "depth": 99}, "depth is 99, must be in 1..8", true},
		{"empty", "ask", map[string]any{"question": " "}, "question is empty", true},
	} {
		text, fault := call(t, session, c.tool, c.arguments)
		if !strings.Contains(text, c.want) || fault != c.fault {
			t.Errorf("%s: error %v, text %q, want %q", c.name, fault, text, c.want)
		}
	}
}

func TestReplacedGraph(t *testing.T) {
	s := &stored{version: "1", text: before}
	session := connected(t, s)
	ask := func() string {
		text, fault := call(t, session, "ask", map[string]any{"question": "who calls charge?"})
		if fault {
			t.Fatal(text)
		}
		return text
	}
	if text := ask(); strings.Contains(text, "refund") || !strings.Contains(text, "pay") {
		t.Errorf("first answer %q", text)
	}
	s.version, s.err = "2", errors.New("cut off")
	if text := ask(); !strings.Contains(text, "pay") || !strings.Contains(text, "cannot be read (cut off)") {
		t.Errorf("with a broken graph %q, want the old one and a word about it", text)
	}
	s.err, s.text = nil, later
	if text := ask(); !strings.Contains(text, "app.refund() app/d.go:8") || strings.Contains(text, "cannot be read") {
		t.Errorf("with the new graph %q", text)
	}
	if s.released != 1 {
		t.Errorf("%d graphs are released, want the first", s.released)
	}
	s.version = "1"
	s.text = before
	if text := ask(); strings.Contains(text, "refund") {
		t.Errorf("back at the first %q", text)
	}
}

// cut is a backend whose connection may be gone.
type cut struct {
	graph.Backend
	gone *bool
}

var errGone = errors.New("conn closed")

func (c cut) Nodes(ctx context.Context, numbers []int32) ([]graph.Node, error) {
	if *c.gone {
		return nil, errGone
	}
	return c.Backend.Nodes(ctx, numbers)
}

func (c cut) Neighbours(ctx context.Context, nodes []int32, d graph.Direction, relations graph.RelationSet) ([]graph.Edge, error) {
	if *c.gone {
		return nil, errGone
	}
	return c.Backend.Neighbours(ctx, nodes, d, relations)
}

// A graph whose connection broke is opened again, though its version is the same.
func TestLostConnection(t *testing.T) {
	s := &stored{version: "1", text: before}
	session := connected(t, s)
	ask := func() (string, bool) { return call(t, session, "ask", map[string]any{"question": "who calls charge?"}) }
	for range 2 {
		if text, fault := ask(); fault || !strings.Contains(text, "app.pay()") || strings.Contains(text, "cannot be read") {
			t.Errorf("answer %q", text)
		}
		s.cut()
	}
	s.err = errors.New("still down")
	s.cut()
	if text, fault := ask(); !fault || !strings.Contains(text, "conn closed") {
		t.Errorf("with the server down: %q", text)
	}
	s.err = nil
	if text, fault := ask(); fault || strings.Contains(text, "still down") {
		t.Errorf("with the server up again: %q", text)
	}
}

func TestNothingToServe(t *testing.T) {
	_, there := sdk.NewInMemoryTransports()
	err := Serve(t.Context(), (&stored{err: errors.New("no such graph")}).source(t), "test", there)
	if err == nil || !strings.Contains(err.Error(), "no such graph") {
		t.Errorf("error %v", err)
	}
}

// Requests that are piped in are answered though the input ends behind them.
func TestPipedRequests(t *testing.T) {
	const session = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ask","arguments":{"question":"who calls charge?"}}}
`
	var out strings.Builder
	s := &stored{version: "1", text: before}
	if err := Serve(t.Context(), s.source(t), "test", Stdio(t.Context(), strings.NewReader(session), &out)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id":1`, `"name":"affected"`, "app.pay() app/b.go:7 calls"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// A line that is no message is answered with an error, and the session goes on.
func TestLinesThatAreNoMessages(t *testing.T) {
	const session = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
not json
[]

{"id":5}
{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}
{"jsonrpc":"2.0","id":3,"method":"no/such"}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"ask","arguments":{"question":"who calls charge?"}}}`
	var out strings.Builder
	s := &stored{version: "1", text: before}
	if err := Serve(t.Context(), s.source(t), "test", Stdio(t.Context(), strings.NewReader(session), &out)); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	if n := strings.Count(got, `"id":null,"error":{"code":-32700`); n != 1 {
		t.Errorf("%d lines are no JSON, want 1:\n%s", n, got)
	}
	if n := strings.Count(got, `"id":null,"error":{"code":-32600`); n != 3 {
		t.Errorf("%d lines are no messages, want 3:\n%s", n, got)
	}
	if !strings.Contains(got, "app.pay() app/b.go:7 calls") || !strings.Contains(got, `"id":3,"error"`) {
		t.Errorf("what follows is not answered:\n%s", got)
	}
}
