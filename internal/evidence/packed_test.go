package evidence

import (
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

func TestPackedTokens(t *testing.T) {
	got, err := unpackTokens(packTokens([]int{0, 1, 300, 65535, 70000}))
	if want := []int{0, 1, 300, 65535, 65535}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if _, err := unpackTokens([]byte{1}); err == nil {
		t.Error("half a number is read")
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
