package evidence

import (
	"cmp"
	"math"
	"slices"
)

// Weights of BM25F. A field's count of a term is divided by how long the field
// is against the mean, as far as its b says, and the fields' sum saturates at k1.
const k1 = 1.2

var (
	fieldWeight = [fieldEnd]float64{fieldName: 4, fieldInner: 1.5, fieldDoc: 1.5, fieldPath: 1, fieldBody: 1}
	fieldB      = [fieldEnd]float64{fieldName: 0.3, fieldInner: 0.5, fieldDoc: 0.5, fieldPath: 0, fieldBody: 0.7}
)

// posting says that a fragment holds a term, and what the term adds to its score.
type posting struct {
	fragment int32
	impact   float32
}

// occurrence is a term in a fragment, counted by field.
type occurrence struct {
	fragment int32
	counts   [fieldEnd]int32
}

// inverted is the lexical index in memory, while it is built.
type inverted struct {
	terms   map[string][]occurrence
	lengths [][fieldEnd]int32
	share   []float32 // of its score that a fragment keeps
}

func newInverted() *inverted { return &inverted{terms: map[string][]occurrence{}} }

// add counts the terms of the next fragment, whose number is how many there were.
func (x *inverted) add(f *Fragment) {
	id := int32(len(x.lengths))
	var length [fieldEnd]int32
	found := map[string]*occurrence{}
	for field, b := range f.bags() {
		length[field] = int32(b.size())
		for term, n := range b {
			o := found[term]
			if o == nil {
				o = &occurrence{fragment: id}
				found[term] = o
			}
			o.counts[field] = int32(n)
		}
	}
	for name, in := range f.symbols() {
		o := &occurrence{fragment: id}
		o.counts[in] = 1
		found[clip(symbolMark+name)] = o
	}
	for term, o := range found {
		x.terms[term] = append(x.terms[term], *o)
	}
	x.lengths = append(x.lengths, length)
	share := float32(1)
	if isTest(f.File) {
		share = testShare
	}
	x.share = append(x.share, share)
}

// means are the mean lengths of the fields.
func (x *inverted) means() [fieldEnd]float64 {
	var mean [fieldEnd]float64
	for _, l := range x.lengths {
		for i, n := range l {
			mean[i] += float64(n)
		}
	}
	for i := range mean {
		mean[i] = max(mean[i]/float64(max(len(x.lengths), 1)), 1)
	}
	return mean
}

// list is the posting list of a term: greatest impact first, then by fragment.
func (x *inverted) list(term string, mean *[fieldEnd]float64) []posting {
	holders := x.terms[term]
	idf := inverseFrequency(len(x.lengths), len(holders))
	list := make([]posting, len(holders))
	for i, o := range holders {
		sum := 0.0
		for f, n := range o.counts {
			if n == 0 {
				continue
			}
			norm := 1 - fieldB[f] + fieldB[f]*float64(x.lengths[o.fragment][f])/mean[f]
			sum += fieldWeight[f] * float64(n) / max(norm, 0.1)
		}
		list[i] = posting{o.fragment, float32(idf*sum/(k1+sum)) * x.share[o.fragment]}
	}
	slices.SortFunc(list, func(a, b posting) int {
		return cmp.Or(cmp.Compare(b.impact, a.impact), cmp.Compare(a.fragment, b.fragment))
	})
	return list
}

// inverseFrequency weighs a term by how few of all fragments hold it.
func inverseFrequency(all, holders int) float64 {
	return math.Log(1 + (float64(all)-float64(holders)+0.5)/(float64(holders)+0.5))
}
