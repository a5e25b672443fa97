package embed_test

import (
	"crypto/sha256"
	"math"
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/embed"
)

func TestWords(t *testing.T) {
	for identifier, want := range map[string]string{
		"": "", "plain": "plain", "snake_case_name": "snake case name", "_leading__two_": "leading two",
		"camelCase": "camel case", "HTTPServer": "http server", "parseHTTP": "parse http", "HTTP2Server": "http 2 server",
		"x86_64": "x 86 64", "A": "a", "ABC": "abc", "aB": "a b", "Größe": "größe", "ns::Name": "ns name", "don't": "don t",
	} {
		if got := strings.Join(embed.Words(identifier), " "); got != want {
			t.Errorf("words of %q are %q, want %q", identifier, got, want)
		}
	}
}

func TestCodeTokens(t *testing.T) {
	got := embed.CodeTokens("if (RetrieveReadyEdges(pool_)) x = 0x1F; // don't", 100)
	want := []string{"if", "retrievereadyedges", "retrieve", "ready", "edges", "pool_", "pool", "x",
		"0x1f", "0", "x", "1", "f", "don't", "don", "t"}
	if !slices.Equal(got, want) {
		t.Errorf("tokens %q, want %q", got, want)
	}
	for limit := range want {
		if got := embed.CodeTokens("if (RetrieveReadyEdges(pool_)) x = 0x1F; // don't", limit); !slices.Equal(got, want[:limit]) {
			t.Errorf("the first %d tokens are %q", limit, got)
		}
	}
}

// The vector is the normalised sum of the sign hashes of the tokens, each in turn.
func TestCodeAwareVector(t *testing.T) {
	const dim = 300 // more than one digest
	h, err := embed.NewHash(embed.CodeAware, dim)
	if err != nil {
		t.Fatal(err)
	}
	for text, tokens := range map[string][]string{
		"fooBar(fooBar, baz_2)":     {"foobar", "foo", "bar", "foobar", "foo", "bar", "baz_2", "baz", "2"},
		"":                          {"_"},
		"(+) Ä":                     {"(+) ä"},
		strings.Repeat("aB ", 1000): slices.Repeat([]string{"ab", "a", "b"}, 171)[:512],
	} {
		want := make([]float64, dim)
		for _, token := range tokens {
			digest := sha256.Sum256([]byte(token))
			for i := range want {
				if i > 0 && i%256 == 0 {
					digest = sha256.Sum256(digest[:])
				}
				want[i] += float64(2*int(digest[i/8%32]>>(i%8)&1) - 1)
			}
		}
		norm := 0.0
		for _, x := range want {
			norm += x * x
		}
		for i, x := range h.One(text) {
			if w := embed.Written(want[i] / math.Sqrt(norm)); x != w {
				t.Fatalf("component %d of %.20q is %v, want %v", i, text, x, w)
			}
		}
	}
	if h.Name() != "hash-code-aware" {
		t.Errorf("name %q", h.Name())
	}
}
