package evidence

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Lists and tokens of lines are stored packed, big-endian, for the server writes an
// array to the client one element at a time and packed bytes at once.

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

// packTokens packs the tokens of lines in two bytes each.
func packTokens(tokens []int) []byte {
	out := make([]byte, 0, 2*len(tokens))
	for _, n := range tokens {
		out = binary.BigEndian.AppendUint16(out, uint16(min(n, math.MaxUint16)))
	}
	return out
}

func unpackTokens(packed []byte) ([]int, error) {
	if len(packed)%2 != 0 {
		return nil, fmt.Errorf("tokens of lines in %d bytes are not two bytes each", len(packed))
	}
	tokens := make([]int, len(packed)/2)
	for i := range tokens {
		tokens[i] = int(binary.BigEndian.Uint16(packed[2*i:]))
	}
	return tokens, nil
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
