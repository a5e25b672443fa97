package evidence

import (
	"reflect"
	"slices"
	"testing"
)

func TestPackedPostings(t *testing.T) {
	list := []posting{{1, 0.5}, {1 << 30, 12.25}, {7, 0}}
	got, err := unpackPostings(packPostings(list))
	if err != nil || !slices.Equal(got, list) {
		t.Errorf("got %v, %v; want %v", got, err, list)
	}
	if _, err := unpackPostings(make([]byte, postingBytes+1)); err == nil {
		t.Error("half a posting is read")
	}
}

func TestPackedFigures(t *testing.T) {
	for _, want := range []Fragment{
		{StartLine: 1 << 17, EndLine: 1<<17 + 4, Lead: 3, Cut: CutWindow, Tokens: []int{0, 1, 300, 65535, 65535}},
		{StartLine: 1, EndLine: 1, Cut: CutSyntax, Tokens: []int{7}},
	} {
		given := want
		given.Tokens = slices.Clone(want.Tokens)
		if last := len(given.Tokens) - 1; given.Tokens[last] == 65535 {
			given.Tokens[last] = 70000 // more than a line's place holds
		}
		var got Fragment
		rarity, err := unpackFigures(&got, packFigures(&given, 0.375))
		if err != nil || rarity != 0.375 || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %g, %v; want %+v", got, rarity, err, want)
		}
	}
	for _, size := range []int{0, figuresBytes - 1, figuresBytes + 1} {
		if _, err := unpackFigures(&Fragment{}, make([]byte, size)); err == nil {
			t.Errorf("%d bytes are read", size)
		}
	}
}

func TestPackedReferences(t *testing.T) {
	own := []edge{{3, 0, relCalls}, {3, 1 << 30, relParts}}
	got, err := unpackReferences([]edge{{1, 2, relMentions}}, 4, packReferences(own))
	want := []edge{{1, 2, relMentions}, {4, 1, relCalls}, {4, 1<<30 + 1, relParts}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if _, err := unpackReferences(nil, 1, make([]byte, referenceBytes-1)); err == nil {
		t.Error("half a reference is read")
	}
}
