package store

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/packed"
)

// GraphFile is the name of the file of a graph in its folder.
const GraphFile = "graph.cg"

// magic begins the file of a graph; the number is that of the format.
var magic = []byte("sorted-heap codegraph 2\n")

// ErrNoGraph says that a folder holds no graph.
var ErrNoGraph = errors.New("no graph here")

// ErrOtherVersion says that a graph is of a format that this program does not
// read.
var ErrOtherVersion = errors.New("the graph is of another format")

// Parts is a graph as its folder keeps it: a packed part for each file.
type Parts struct {
	Info graph.Info
	Part map[string][]byte // by path, as PackPart makes them
	// Sum is the checksum of all of it as it is stored.
	Sum uint32
}

// SaveFolder writes the parts of a graph into a folder, which is made when it is
// missing, and sets their checksum. A reader sees the old graph or the new one,
// never a part.
func SaveFolder(dir string, p *Parts) error {
	file, err := p.Write(dir, p.Pack())
	if err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return fmt.Errorf("save graph: %w", errors.Join(err, file.Drop()))
	}
	return nil
}

// Pack returns the body of the file of a graph and sets its checksum.
func (p *Parts) Pack() [][]byte {
	var w packed.Writer
	packInfo(&w, p.Info)
	w.Uint(uint64(len(p.Part)))
	body := make([][]byte, 1, 1+2*len(p.Part))
	lengths := make([]byte, 0, 4*len(p.Part)) // in one piece
	for _, name := range slices.Sorted(maps.Keys(p.Part)) {
		from := len(lengths)
		lengths = binary.AppendUvarint(lengths, uint64(len(p.Part[name])))
		body = append(body, lengths[from:len(lengths):len(lengths)], p.Part[name])
	}
	body[0] = w.Bytes()
	p.Sum = Sum(body...)
	return body
}

// Write writes what Pack returned into a folder, where Commit makes it the graph.
func (p *Parts) Write(dir string, body [][]byte) (*Pending, error) {
	file, err := WriteFile(filepath.Join(dir, GraphFile), magic, p.Sum, body...)
	if err != nil {
		return nil, fmt.Errorf("save graph: %w", err)
	}
	return file, nil
}

// LoadParts reads the parts of the graph of a folder. It returns ErrNoGraph,
// wrapped, when there is none, ErrOtherVersion for one of another format, and
// packed.ErrDamaged when the file is not as written. What is in the parts is not
// looked at.
func LoadParts(dir string) (*Parts, error) {
	name := filepath.Join(dir, GraphFile)
	body, sum, err := ReadFile(name, magic)
	if err != nil {
		return nil, fmt.Errorf("load graph: %w", err)
	}
	p, err := unpackParts(body)
	if err != nil {
		return nil, fmt.Errorf("load graph %s: %w", name, err)
	}
	p.Sum = sum
	return p, nil
}

func unpackParts(body []byte) (*Parts, error) {
	r := packed.NewReader(body)
	p := &Parts{Info: unpackInfo(r)}
	n := r.Len()
	p.Part = make(map[string][]byte, n)
	for range n {
		part := r.Blob()
		name, err := partPath(part)
		if err := cmp.Or(err, r.Err()); err != nil {
			return nil, err
		}
		p.Part[name] = part
	}
	if r.Err() != nil || r.Left() != 0 || len(p.Part) != n {
		return nil, cmp.Or(r.Err(), fmt.Errorf("%w: %d bytes too many, %d parts of %d files", packed.ErrDamaged, r.Left(), n, len(p.Part)))
	}
	return p, nil
}

// Graph makes the graph of parts. An error is packed.ErrDamaged, wrapped: parts
// are checked before they are packed.
func (p *Parts) Graph() (*graph.Graph, error) {
	names := slices.Sorted(maps.Keys(p.Part))
	parts := make([]graph.Part, len(names))
	failed := make([]error, len(names))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := int(next.Add(1) - 1); i < len(names); i = int(next.Add(1) - 1) {
				parts[i], failed[i] = unpackPart(p.Part[names[i]])
			}
		})
	}
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	g, err := graph.Assemble(p.Info, parts)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", packed.ErrDamaged, err)
	}
	return g, nil
}

// LoadFolder reads the graph of a folder. Errors are those of LoadParts.
func LoadFolder(dir string) (*graph.Graph, error) {
	p, err := LoadParts(dir)
	if err != nil {
		return nil, err
	}
	g, err := p.Graph()
	if err != nil {
		return nil, fmt.Errorf("load graph %s: %w", filepath.Join(dir, GraphFile), err)
	}
	return g, nil
}

// Sum is the checksum of the parts of a body.
func Sum(body ...[]byte) (sum uint32) {
	for _, part := range body {
		sum = crc32.Update(sum, castagnoli, part)
	}
	return sum
}

// Pending is a file that is written beside the one that it is to replace.
type Pending struct{ temp, name string }

// WriteFile writes a header, the parts of a body and their checksum to a file
// beside the named one, which Commit replaces by it and Drop does not. The folder
// is made when it is missing.
func WriteFile(name string, header []byte, sum uint32, body ...[]byte) (p *Pending, err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	out := bufio.NewWriterSize(f, 1<<18) // which keeps the first error
	for _, part := range slices.Concat([][]byte{header}, body, [][]byte{binary.LittleEndian.AppendUint32(nil, sum)}) {
		_, _ = out.Write(part)
	}
	if err := errors.Join(out.Flush(), f.Chmod(0o644), f.Close()); err != nil {
		return nil, err
	}
	return &Pending{temp: f.Name(), name: name}, nil
}

// Commit puts the file into its place.
func (p *Pending) Commit() error { return os.Rename(p.temp, p.name) }

// Drop removes the file, which was not committed.
func (p *Pending) Drop() error { return os.Remove(p.temp) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ReadFile reads what WriteFile wrote and returns the body and its checksum.
func ReadFile(name string, header []byte) (body []byte, sum uint32, err error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("%s: %w", name, ErrNoGraph)
	}
	if err != nil {
		return nil, 0, err
	}
	body, ok := bytes.CutPrefix(data, header)
	if was := otherFormat(data, header); was != "" {
		return nil, 0, fmt.Errorf("%s: %w: it is of %q, and this program reads %q", name, ErrOtherVersion, was, bytes.TrimSpace(header))
	}
	if !ok || len(body) < 4 {
		return nil, 0, fmt.Errorf("%s: %w: it does not begin as format %q", name, packed.ErrDamaged, bytes.TrimSpace(header))
	}
	sum = binary.LittleEndian.Uint32(body[len(body)-4:])
	body = body[:len(body)-4]
	if crc32.Checksum(body, castagnoli) != sum {
		return nil, 0, fmt.Errorf("%s: %w: the checksum differs", name, packed.ErrDamaged)
	}
	return body, sum, nil
}

// otherFormat returns the header of data that has the words of another header and
// another number behind them, "" for any other data.
func otherFormat(data, header []byte) string {
	words := bytes.TrimRight(header, "0123456789\n")
	rest, ok := bytes.CutPrefix(data, words)
	number, _, ends := bytes.Cut(rest[:min(len(rest), 12)], []byte("\n"))
	if _, err := strconv.ParseUint(string(number), 10, 31); !ok || !ends || err != nil || bytes.HasPrefix(data, header) {
		return ""
	}
	return string(words) + string(number)
}

func packInfo(w *packed.Writer, info graph.Info) {
	w.String(info.Corpus)
	w.String(info.Commit)
	w.String(info.Hash)
	w.Uint(uint64(len(info.Languages)))
	for _, l := range slices.Sorted(maps.Keys(info.Languages)) {
		w.String(l)
		w.Uint(uint64(info.Languages[l]))
	}
}

func unpackInfo(r *packed.Reader) graph.Info {
	info := graph.Info{Corpus: r.String(), Commit: r.String(), Hash: r.String()}
	if n := r.Len(); n > 0 {
		info.Languages = make(map[string]int, n)
		for range n {
			l := r.String()
			info.Languages[l] = int(r.Uint())
		}
	}
	return info
}
