package store

import (
	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/packed"
)

// PackPart writes a part of a graph as the file of the graph has it, with its
// length before it. The bytes stand alone: they are copied from one file to the
// next while their source and what it means stay as they are.
func PackPart(p *graph.Part) []byte {
	var w packed.Writer
	w.Grow(128*len(p.Nodes) + 24*len(p.Edges) + 48*len(p.Ends))
	w.String(p.Path)
	w.Uint(uint64(len(p.Nodes)))
	for i := range p.Nodes {
		packNode(&w, &p.Nodes[i])
	}
	w.Bool(p.Packaged)
	w.String(p.Package)
	w.Uint(uint64(len(p.Ends)))
	for _, e := range p.Ends {
		w.Int(int64(e.Own))
		if e.Own < 0 {
			w.Once(e.ID)
		}
	}
	w.Uint(uint64(len(p.Edges)))
	for _, e := range p.Edges {
		w.Uint(uint64(e.Source))
		w.Uint(uint64(e.Target))
		w.Uint(uint64(e.Relation))
		w.String(e.Context)
		w.Uint(uint64(e.Confidence))
		w.Float(e.Score)
		w.Uint(uint64(e.Line))
		w.String(e.Why)
	}
	w.Uint(uint64(len(p.Unresolved)))
	for _, c := range p.Unresolved {
		w.Uint(uint64(c.Source))
		w.Uint(uint64(c.Relation))
		w.String(c.Name)
		w.String(c.Receiver)
		w.Uint(uint64(c.Line))
		w.Uint(uint64(c.Total))
		w.Uint(uint64(len(c.Candidates)))
		for _, n := range c.Candidates {
			w.Uint(uint64(n))
		}
	}
	return packed.AppendBlob(nil, w.Bytes())
}

// packNode writes a node. The id of a definition begins with the path of the
// file and nearly always goes on with the qualified name.
func packNode(w *packed.Writer, n *graph.Node) {
	w.String(n.File)
	rest := n.ID[min(len(n.File), len(n.ID)):]
	regular := rest == "::"+n.Qualified
	w.Bool(regular)
	if !regular {
		w.String(n.ID)
	}
	w.String(n.Label)
	w.String(n.Qualified)
	w.Uint(uint64(n.Kind))
	w.String(n.Form)
	w.String(n.Lang)
	w.String(string(n.FileType))
	w.Uint(uint64(n.Line))
	w.Uint(uint64(n.EndLine))
	w.Uint(uint64(n.Community))
	w.Bool(n.Test)
	w.Once(n.Signature)
	w.Once(n.Doc)
}

func unpackNode(r *packed.Reader) graph.Node {
	n := graph.Node{File: r.String()}
	regular := r.Bool()
	if !regular {
		n.ID = r.String()
	}
	n.Label, n.Qualified = r.String(), r.String()
	if regular {
		n.ID = n.File + "::" + n.Qualified
	}
	n.Kind, n.Form, n.Lang, n.FileType = graph.Kind(r.Byte(255)), r.String(), r.String(), graph.FileType(r.String())
	n.Line, n.EndLine, n.Community = int(r.Uint()), int(r.Uint()), int(r.Uint())
	n.Test, n.Signature, n.Doc = r.Bool(), r.String(), r.String()
	return n
}

// partPath reads whose part it is.
func partPath(data []byte) (string, error) {
	r := packed.NewReader(data)
	return r.String(), r.Err()
}

// UnpackPart reads what PackPart wrote.
func UnpackPart(frame []byte) (graph.Part, error) {
	r := packed.NewReader(packed.NewReader(frame).Blob())
	p := graph.Part{Path: r.String()}
	p.Nodes = make([]graph.Node, r.Len())
	for i := range p.Nodes {
		p.Nodes[i] = unpackNode(r)
	}
	p.Packaged, p.Package = r.Bool(), r.String()
	p.Ends = make([]graph.End, r.Len())
	for i := range p.Ends {
		if p.Ends[i].Own = r.Int32(); p.Ends[i].Own < 0 {
			p.Ends[i].ID = r.String()
		}
	}
	p.Edges = make([]graph.PartEdge, r.Len())
	for i := range p.Edges {
		p.Edges[i] = graph.PartEdge{
			Source: int32(r.Below(len(p.Ends))), Target: int32(r.Below(len(p.Ends))), Relation: graph.Relation(r.Byte(255)), Context: r.String(),
			Confidence: graph.Confidence(r.Byte(255)), Score: r.Float(), Line: r.Natural(), Why: r.String(),
		}
	}
	p.Unresolved = make([]graph.PartCall, r.Len())
	for i := range p.Unresolved {
		c := &p.Unresolved[i]
		*c = graph.PartCall{Source: int32(r.Below(len(p.Ends))), Relation: graph.Relation(r.Byte(255)), Name: r.String(), Receiver: r.String(), Line: r.Natural(), Total: int(r.Natural())}
		c.Candidates = make([]int32, r.Len())
		for j := range c.Candidates {
			c.Candidates[j] = int32(r.Below(len(p.Ends)))
		}
	}
	switch {
	case r.Err() != nil:
		return p, r.Err()
	case r.Left() != 0:
		return p, packed.ErrDamaged
	default:
		return p, nil
	}
}
