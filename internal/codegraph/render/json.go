package render

import (
	"encoding/json"
	"fmt"
	"io"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/query"
)

// The JSON forms. Names come from sources and are not cleaned here: JSON escapes
// what it must, and programs want them as they are.
type (
	nodeJSON struct {
		ID        string `json:"id"`
		Name      string `json:"name"`
		Kind      string `json:"kind"`
		File      string `json:"file,omitempty"`
		Line      int    `json:"line,omitempty"`
		Test      bool   `json:"test,omitempty"`
		Signature string `json:"signature,omitempty"`
	}
	rowJSON struct {
		Node       nodeJSON     `json:"node"`
		Owner      string       `json:"owner,omitempty"`
		Target     string       `json:"target"`
		Relations  []string     `json:"relations"`
		Context    string       `json:"context,omitempty"`
		Confidence string       `json:"confidence"`
		Standing   string       `json:"standing"` // the section of the text it is in
		Why        string       `json:"why,omitempty"`
		Sites      []query.Site `json:"sites"`
		Hops       int          `json:"hops,omitempty"`
	}
	edgeJSON struct {
		Source     string `json:"source"`
		Target     string `json:"target"`
		Relation   string `json:"relation"`
		Context    string `json:"context,omitempty"`
		Confidence string `json:"confidence"`
		File       string `json:"file,omitempty"`
		Line       int    `json:"line,omitempty"`
	}
	graphJSON struct {
		Corpus    string `json:"corpus"`
		Commit    string `json:"commit,omitempty"`
		Nodes     int    `json:"nodes"`
		Edges     int    `json:"edges"`
		Staleness string `json:"staleness,omitempty"`
	}
	filterJSON struct {
		Contexts []string `json:"contexts"`
		Removed  int      `json:"removed"`
	}
	answerJSON struct {
		Question  string       `json:"question"`
		Graph     graphJSON    `json:"graph"`
		Reading   string       `json:"reading"`
		Relation  string       `json:"relation,omitempty"`
		Direction string       `json:"direction,omitempty"` // in: done to the subject, out: done by it
		Subject   []nodeJSON   `json:"subject"`
		Others    []nodeJSON   `json:"others,omitempty"`
		Rows      []rowJSON    `json:"rows"`
		Found     []nodeJSON   `json:"found,omitempty"`
		Path      [][]edgeJSON `json:"path,omitempty"`
		Near      []edgeJSON   `json:"near,omitempty"`
		Filter    *filterJSON  `json:"filter,omitempty"`
		Inside    int          `json:"inside,omitempty"`
		Notes     []string     `json:"notes,omitempty"`
		Omitted   int          `json:"omitted,omitempty"` // rows that the budget cut
	}
)

func nodeOf(c *query.Catalog, n int32) nodeJSON {
	node := c.Node(n)
	return nodeJSON{node.ID, c.Name(n), kindName(node), node.File, node.Line, node.Test, node.Signature}
}

func nodesOf(c *query.Catalog, list []int32) []nodeJSON {
	nodes := make([]nodeJSON, len(list))
	for i, n := range list {
		nodes[i] = nodeOf(c, n)
	}
	return nodes
}

func edgeOf(c *query.Catalog, e *graph.Edge) edgeJSON {
	return edgeJSON{c.Node(e.Source).ID, c.Node(e.Target).ID, e.Relation.String(), e.Context, e.Confidence.String(), e.File, e.Line}
}

func rowOf(a *query.Answer, r *query.Row) rowJSON {
	c := a.Catalog
	row := rowJSON{Node: nodeOf(c, r.Node), Target: c.Node(r.Target).ID, Context: r.Context, Confidence: r.Confidence.String(),
		Standing: title(r), Why: r.Why, Sites: r.Sites}
	if r.Owner >= 0 {
		row.Owner = c.Name(r.Owner)
	}
	for _, rel := range r.Relations {
		row.Relations = append(row.Relations, rel.String())
	}
	return row
}

// JSON writes an answer as one JSON object. A budget above 0 cuts first the
// neighbourhood, then rows from the end, until the text fits.
func JSON(w io.Writer, a *query.Answer, budget int, staleness string) error {
	c := a.Catalog
	out := answerJSON{Question: a.Question, Reading: reading(a), Relation: string(a.Intent.Ask), Subject: nodesOf(c, a.Intent.Nodes),
		Others: nodesOf(c, a.Intent.Others), Rows: []rowJSON{}, Inside: a.Inside, Notes: a.Notes,
		Graph: graphJSON{c.Info.Corpus, c.Info.Commit, c.Info.Nodes, c.Info.Edges, staleness}}
	if a.Intent.Ask != query.AskNothing {
		out.Direction = map[graph.Direction]string{graph.In: "in", graph.Out: "out"}[a.Intent.Direction]
	}
	if len(a.Filter) > 0 {
		out.Filter = &filterJSON{a.Filter, a.Filtered}
	}
	for i := range a.Rows {
		out.Rows = append(out.Rows, rowOf(a, &a.Rows[i]))
	}
	for _, m := range a.Matches {
		out.Found = append(out.Found, nodeOf(c, m.Node))
	}
	for i := range a.Near {
		out.Near = append(out.Near, edgeOf(c, &a.Near[i].Edge))
	}
	for _, h := range a.Path {
		var hop []edgeJSON
		for i := range h.Edges {
			hop = append(hop, edgeOf(c, &h.Edges[i]))
		}
		out.Path = append(out.Path, hop)
	}
	text, err := fit(&out, budget)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// fit shortens lists until the text is within the budget.
func fit(out *answerJSON, budget int) ([]byte, error) {
	for {
		text, err := json.Marshal(out)
		if err != nil {
			return nil, fmt.Errorf("write answer: %w", err)
		}
		switch {
		case budget <= 0 || Tokens(string(text)) <= budget:
			return text, nil
		case len(out.Near) > 0:
			out.Near = out.Near[:len(out.Near)/2]
		case len(out.Rows) > 0:
			cut := max(1, len(out.Rows)/8)
			out.Rows, out.Omitted = out.Rows[:len(out.Rows)-cut], out.Omitted+cut
		case len(out.Found) > 0:
			out.Found = out.Found[:len(out.Found)-1]
		case len(out.Others) > 0:
			out.Others = nil
		default:
			return nil, fmt.Errorf("an answer of %d tokens does not fit into %d", Tokens(string(text)), budget)
		}
	}
}

// ExplanationJSON writes all about one node as one JSON object.
func ExplanationJSON(w io.Writer, x *query.Explanation) error {
	c := x.Catalog
	type count struct {
		Relation string `json:"relation"`
		Incoming bool   `json:"incoming"`
		Links    int    `json:"links"`
		Tests    int    `json:"tests"`
		Files    int    `json:"files"`
	}
	out := struct {
		Node    nodeJSON   `json:"node"`
		Degree  int        `json:"degree"`
		Others  []nodeJSON `json:"others,omitempty"`
		Members []nodeJSON `json:"members,omitempty"`
		Counts  []count    `json:"counts"`
		Links   []edgeJSON `json:"links"`
	}{Node: nodeOf(c, x.Node), Degree: x.Degree, Others: nodesOf(c, x.Others), Members: nodesOf(c, x.Members), Counts: []count{}, Links: []edgeJSON{}}
	for _, k := range x.Counts {
		out.Counts = append(out.Counts, count{k.Relation.String(), k.Incoming, k.Links, k.Tests, k.Files})
	}
	for i := range x.Links {
		out.Links = append(out.Links, edgeOf(c, &x.Links[i].Edge))
	}
	return encode(w, out)
}

// PathJSON writes the hops of a path, each with its edges; null for no path.
func PathJSON(w io.Writer, c *query.Catalog, hops []query.Hop) error {
	type hop struct {
		From  nodeJSON   `json:"from"`
		To    nodeJSON   `json:"to"`
		Edges []edgeJSON `json:"edges"`
	}
	var out []hop
	for _, h := range hops {
		next := hop{From: nodeOf(c, h.From), To: nodeOf(c, h.To)}
		for i := range h.Edges {
			next.Edges = append(next.Edges, edgeOf(c, &h.Edges[i]))
		}
		out = append(out, next)
	}
	return encode(w, out)
}

// AffectedJSON writes what a change reaches.
func AffectedJSON(w io.Writer, c *query.Catalog, list []query.Affected) error {
	out := []rowJSON{}
	a := &query.Answer{Catalog: c}
	for i := range list {
		r := rowOf(a, &list[i].Row)
		r.Hops = list[i].Hops
		out = append(out, r)
	}
	return encode(w, out)
}

func encode(w io.Writer, v any) error {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return nil
}
