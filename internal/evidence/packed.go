package evidence

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Lists, references and numbers are stored packed, big-endian, for the server writes
// rows, columns and elements of arrays to the client one by one, and packed bytes at
// once.

// postingBytes is the size of a packed posting: fragment and impact.
const postingBytes = 8

func packPostings(list []posting) []byte {
	out := make([]byte, 0, postingBytes*len(list))
	for _, p := range list {
		out = binary.BigEndian.AppendUint32(out, uint32(p.fragment))
		out = binary.BigEndian.AppendUint32(out, math.Float32bits(p.impact))
	}
	return out
}

func unpackPostings(packed []byte) ([]posting, error) {
	if len(packed)%postingBytes != 0 {
		return nil, fmt.Errorf("a list of %d bytes is not made of postings of %d", len(packed), postingBytes)
	}
	list := make([]posting, len(packed)/postingBytes)
	for i := range list {
		p := packed[postingBytes*i:]
		list[i] = posting{int32(binary.BigEndian.Uint32(p)), math.Float32frombits(binary.BigEndian.Uint32(p[4:]))}
	}
	return list, nil
}

// figuresBytes is the size of a fragment's numbers before the tokens of its lines:
// first line, lines that lead, rarity, and whether it was cut by counting lines.
const figuresBytes = 11

// packFigures packs the numbers of a fragment; tokens of lines take two bytes each.
func packFigures(f *Fragment, rarity float32) []byte {
	out := make([]byte, 0, figuresBytes+2*len(f.Tokens))
	out = binary.BigEndian.AppendUint32(out, uint32(f.StartLine))
	out = binary.BigEndian.AppendUint16(out, uint16(f.Lead))
	out = binary.BigEndian.AppendUint32(out, math.Float32bits(rarity))
	var window byte
	if f.Cut == CutWindow {
		window = 1
	}
	out = append(out, window)
	for _, n := range f.Tokens {
		out = binary.BigEndian.AppendUint16(out, uint16(min(n, math.MaxUint16)))
	}
	return out
}

// unpackFigures sets the numbers of a fragment and returns its rarity.
func unpackFigures(f *Fragment, packed []byte) (float32, error) {
	if len(packed) < figuresBytes || (len(packed)-figuresBytes)%2 != 0 {
		return 0, fmt.Errorf("figures of %d bytes are not %d and two for each line", len(packed), figuresBytes)
	}
	f.StartLine = int(binary.BigEndian.Uint32(packed))
	f.Lead = int(binary.BigEndian.Uint16(packed[4:]))
	rarity := math.Float32frombits(binary.BigEndian.Uint32(packed[6:]))
	f.Cut = CutSyntax
	if packed[10] != 0 {
		f.Cut = CutWindow
	}
	packed = packed[figuresBytes:]
	f.Tokens = make([]int, len(packed)/2)
	for i := range f.Tokens {
		f.Tokens[i] = int(binary.BigEndian.Uint16(packed[2*i:]))
	}
	f.EndLine = f.StartLine + len(f.Tokens) - 1
	return rarity, nil
}

// referenceBytes is the size of a packed reference: relation and fragment.
const referenceBytes = 5

// packReferences packs the edges of one fragment, as numbers of the table, which
// counts from 1.
func packReferences(edges []edge) []byte {
	out := make([]byte, 0, referenceBytes*len(edges))
	for _, e := range edges {
		out = append(out, byte(e.rel))
		out = binary.BigEndian.AppendUint32(out, uint32(e.to+1))
	}
	return out
}

// unpackReferences appends the edges of a fragment, by numbers of the table.
func unpackReferences(edges []edge, from int32, packed []byte) ([]edge, error) {
	if len(packed)%referenceBytes != 0 {
		return nil, fmt.Errorf("references in %d bytes are not %d bytes each", len(packed), referenceBytes)
	}
	for ; len(packed) > 0; packed = packed[referenceBytes:] {
		edges = append(edges, edge{from: from, to: int32(binary.BigEndian.Uint32(packed[1:])), rel: relation(packed[0])})
	}
	return edges, nil
}
