package store

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/packed"
)

// GraphFile is the name of the file of a graph in its folder.
const GraphFile = "graph.cg"

// magic begins the file of a graph; the number is that of the format.
var magic = []byte("sorted-heap codegraph 1\n")

// ErrNoGraph says that a folder holds no graph.
var ErrNoGraph = errors.New("no graph here")

// SaveFolder writes a graph into a folder, which is made when it is missing. A
// reader sees the old graph or the new one, never a part. The checksum is that
// which FolderChecksum returns.
func SaveFolder(dir string, g *graph.Graph) (sum uint32, err error) {
	if sum, err = WriteFile(filepath.Join(dir, GraphFile), magic, encodeGraph(g)); err != nil {
		return 0, fmt.Errorf("save graph: %w", err)
	}
	return sum, nil
}

// FolderChecksum reads the graph of a folder and returns its checksum. Errors are
// those of LoadFolder, as far as the checksum tells.
func FolderChecksum(dir string) (uint32, error) {
	body, err := ReadFile(filepath.Join(dir, GraphFile), magic)
	if err != nil {
		return 0, fmt.Errorf("check graph: %w", err)
	}
	return crc32.Checksum(body, castagnoli), nil
}

// LoadFolder reads the graph of a folder. It returns ErrNoGraph, wrapped, when
// there is none, and packed.ErrDamaged, wrapped, when the file is not as written.
func LoadFolder(dir string) (*graph.Graph, error) {
	body, err := ReadFile(filepath.Join(dir, GraphFile), magic)
	if err != nil {
		return nil, fmt.Errorf("load graph: %w", err)
	}
	g, err := decodeGraph(body)
	if err != nil {
		return nil, fmt.Errorf("load graph %s: %w", filepath.Join(dir, GraphFile), err)
	}
	return g, nil
}

// WriteFile writes a header, the parts of a body and a checksum to a file beside
// the named one and then takes its place. The folder is made when it is missing.
// It returns the checksum.
func WriteFile(name string, header []byte, body ...[]byte) (sum uint32, err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return 0, err
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	for _, part := range body {
		sum = crc32.Update(sum, castagnoli, part)
	}
	out := bufio.NewWriterSize(f, 1<<18) // which keeps the first error
	for _, part := range slices.Concat([][]byte{header}, body, [][]byte{binary.LittleEndian.AppendUint32(nil, sum)}) {
		_, _ = out.Write(part)
	}
	if err := errors.Join(out.Flush(), f.Chmod(0o644), f.Close()); err != nil {
		return 0, err
	}
	return sum, os.Rename(f.Name(), name)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ReadFile reads what WriteFile wrote and returns the body.
func ReadFile(name string, header []byte) ([]byte, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", name, ErrNoGraph)
	}
	if err != nil {
		return nil, err
	}
	body, ok := bytes.CutPrefix(data, header)
	if !ok || len(body) < 4 {
		return nil, fmt.Errorf("%s: %w: it does not begin as format %q", name, packed.ErrDamaged, bytes.TrimSpace(header))
	}
	sum := binary.LittleEndian.Uint32(body[len(body)-4:])
	body = body[:len(body)-4]
	if crc32.Checksum(body, castagnoli) != sum {
		return nil, fmt.Errorf("%s: %w: the checksum differs", name, packed.ErrDamaged)
	}
	return body, nil
}

func encodeGraph(g *graph.Graph) []byte {
	var w packed.Writer
	info := g.Summary()
	w.String(info.Corpus)
	w.String(info.Commit)
	w.String(info.Hash)
	languages := make([]string, 0, len(info.Languages))
	for l := range info.Languages {
		languages = append(languages, l)
	}
	sort.Strings(languages)
	w.Uint(uint64(len(languages)))
	for _, l := range languages {
		w.String(l)
		w.Uint(uint64(info.Languages[l]))
	}
	// What a node and an edge take in trees that were measured.
	w.Grow(256*g.Len() + 48*len(g.Edges()))
	w.Uint(uint64(g.Len()))
	for i := range int32(g.Len()) {
		encodeNode(&w, g.Node(i))
	}
	w.Uint(uint64(len(g.Edges())))
	for _, e := range g.Edges() {
		w.Uint(uint64(e.Source))
		w.Uint(uint64(e.Target))
		w.Uint(uint64(e.Relation))
		w.String(e.Context)
		w.Uint(uint64(e.Confidence))
		w.Float(e.Score)
		w.String(e.File)
		w.Uint(uint64(e.Line))
		w.String(e.Why)
	}
	w.Uint(uint64(len(g.AllUnresolved())))
	for _, u := range g.AllUnresolved() {
		w.Uint(uint64(u.Source))
		w.Uint(uint64(u.Relation))
		w.String(u.Name)
		w.String(u.Receiver)
		w.String(u.File)
		w.Uint(uint64(u.Line))
		w.Uint(uint64(len(u.Candidates)))
		for _, c := range u.Candidates {
			w.Uint(uint64(c))
		}
		w.Uint(uint64(u.Total))
	}
	return w.Bytes()
}

// longText is from where on signatures are hardly ever the same.
const longText = 40

func encodeNode(w *packed.Writer, n *graph.Node) {
	if n.Kind == graph.File { // edges and other nodes name it again
		w.String(n.ID)
	} else {
		w.Once(n.ID)
	}
	w.String(n.Label)
	if n.Qualified == n.ID {
		w.String(n.Qualified)
	} else {
		w.Once(n.Qualified)
	}
	w.Uint(uint64(n.Kind))
	w.String(n.Form)
	w.String(n.Lang)
	w.String(string(n.FileType))
	w.String(n.File)
	w.Uint(uint64(n.Line))
	w.Uint(uint64(n.EndLine))
	w.Uint(uint64(n.Community))
	w.Bool(n.Test)
	if len(n.Signature) < longText {
		w.String(n.Signature)
	} else {
		w.Once(n.Signature)
	}
	w.Once(n.Doc)
}

// decodeGraph builds a graph through the builder, which checks what it is given.
func decodeGraph(body []byte) (*graph.Graph, error) {
	r := packed.NewReader(body)
	info := graph.Info{Corpus: r.String(), Commit: r.String(), Hash: r.String()}
	if n := r.Len(); n > 0 {
		info.Languages = make(map[string]int, n)
		for range n {
			l := r.String()
			info.Languages[l] = int(r.Uint())
		}
	}
	b := graph.NewBuilder(info)
	nodes := r.Len()
	for range nodes {
		n := graph.Node{
			ID: r.String(), Label: r.String(), Qualified: r.String(), Kind: graph.Kind(r.Byte(255)), Form: r.String(), Lang: r.String(),
			FileType: graph.FileType(r.String()), File: r.String(), Line: int(r.Uint()), EndLine: int(r.Uint()), Community: int(r.Uint()),
			Test: r.Bool(), Signature: r.String(), Doc: r.String(),
		}
		if r.Err() != nil {
			return nil, r.Err()
		}
		if _, err := b.AddNode(n); err != nil {
			return nil, fmt.Errorf("%w: %w", packed.ErrDamaged, err)
		}
	}
	number := func() int32 { return int32(min(r.Uint(), uint64(nodes))) }
	for range r.Len() {
		e := graph.Edge{
			Source: number(), Target: number(), Relation: graph.Relation(r.Byte(255)), Context: r.String(), Confidence: graph.Confidence(r.Byte(255)),
			Score: r.Float(), File: r.String(), Line: int(r.Uint()), Why: r.String(),
		}
		if r.Err() != nil {
			return nil, r.Err()
		}
		if err := b.AddEdge(e); err != nil {
			return nil, fmt.Errorf("%w: %w", packed.ErrDamaged, err)
		}
	}
	for range r.Len() {
		u := graph.Unresolved{
			Source: number(), Relation: graph.Relation(r.Byte(255)), Name: r.String(), Receiver: r.String(), File: r.String(), Line: int(r.Uint()),
		}
		for range r.Len() {
			u.Candidates = append(u.Candidates, number())
		}
		u.Total = int(r.Uint())
		if r.Err() != nil {
			return nil, r.Err()
		}
		if err := b.AddUnresolved(u); err != nil {
			return nil, fmt.Errorf("%w: %w", packed.ErrDamaged, err)
		}
	}
	if r.Left() != 0 {
		return nil, fmt.Errorf("%w: %d bytes too many", packed.ErrDamaged, r.Left())
	}
	return b.Build(), nil
}
