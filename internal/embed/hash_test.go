package embed

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func newHash(t testing.TB, mode Mode, dim int) *Hash {
	t.Helper()
	h, err := NewHash(mode, dim)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// text prints a vector as a loader writes it.
func text(v []float32) []string {
	out := make([]string, len(v))
	for i, x := range v {
		out[i] = fmt.Sprintf("%.6f", x)
	}
	return out
}

// The expected components come from an independent implementation in Python
// (numpy, one sign vector per token), printed with "%.6f": the first four and the last four.
func TestHashLiterals(t *testing.T) {
	for _, c := range []struct {
		dim  int
		text string
		want string
	}{
		{4, "Where does the parent of Person_17 live?", "-0.449013 -0.628619 0.449013 -0.449013 -0.449013 -0.628619 0.449013 -0.449013"},
		{4, "Parent_17 lives in City_670487.", "-0.300965 -0.300965 -0.060193 -0.902894 -0.300965 -0.300965 -0.060193 -0.902894"},
		{4, "The parent's parent's city", "-0.223607 -0.670820 0.223607 -0.670820 -0.223607 -0.670820 0.223607 -0.670820"},
		{32, "Where does the parent of Person_17 live?", "-0.209795 -0.293713 0.209795 -0.209795 0.125877 -0.083918 -0.083918 0.209795"},
		{32, "Parent_17 lives in City_670487.", "-0.091045 -0.091045 -0.018209 -0.273134 0.091045 -0.091045 -0.345970 0.091045"},
		{32, "The parent's parent's city", "-0.085749 -0.257248 0.085749 -0.257248 0.085749 -0.085749 -0.257248 0.085749"},
		{300, "Where does the parent of Person_17 live?", "-0.078909 -0.110473 0.078909 -0.078909 0.031564 -0.078909 0.031564 -0.047345"},
		{300, "Parent_17 lives in City_670487.", "-0.031204 -0.031204 -0.006241 -0.093611 -0.006241 -0.093611 -0.006241 -0.093611"},
		{300, "The parent's parent's city", "-0.025222 -0.075665 0.025222 -0.075665 -0.075665 -0.075665 -0.025222 -0.075665"},
	} {
		got := text(newHash(t, Multihop, c.dim).One(c.text))
		ends := append(slices.Clone(got[:4]), got[len(got)-4:]...)
		if strings.Join(ends, " ") != c.want {
			t.Errorf("%d dimensions of %q: got %v, want %s", c.dim, c.text, ends, c.want)
		}
	}
}

// plain is the definition, one dimension and token at a time.
func plain(mode Mode, dim int, s string) []float32 {
	found := regexp.MustCompile(`[A-Za-z0-9']+`).FindAllString(s, 256)
	if len(found) == 0 {
		if s == "" {
			s = "_"
		}
		found = []string{s}
	} else {
		for i := range found {
			found[i] = strings.ToLower(found[i])
		}
	}
	sum := make([]float64, dim)
	for _, token := range found {
		weight := 1.0
		if mode == Multihop {
			token = strings.TrimSuffix(token, "'s")
			if slices.Contains([]string{"parent", "lives", "live", "city"}, token) {
				weight = 2.5
			}
			if slices.Contains([]string{"", "where", "does", "the", "a", "an", "of", "in"}, token) {
				continue
			}
		}
		digest := sha256.Sum256([]byte(token))
		for i := range dim {
			if i > 0 && i%256 == 0 {
				digest = sha256.Sum256(digest[:])
			}
			if digest[i/8%32]>>(i%8)&1 == 1 {
				sum[i] += weight
			} else {
				sum[i] -= weight
			}
		}
	}
	norm := 0.0
	for _, x := range sum {
		norm += x * x
	}
	norm = math.Sqrt(norm)
	out := make([]float32, dim)
	for i, x := range sum {
		if norm > 0 {
			out[i] = printed(x / norm)
		}
	}
	return out
}

func printed(x float64) float32 {
	v, err := strconv.ParseFloat(fmt.Sprintf("%.6f", x), 32)
	if err != nil {
		panic(err)
	}
	return float32(v)
}

var awkward = []string{
	"", "_", "...", "Ünïcödé", "naïve café's l'été", "a", "The of in", "'s", "x's 's s'", "City_12 lives",
	"one two\tthree\r\nFOUR", strings.Repeat("again ", 254), strings.Repeat("again ", 255),
	strings.Repeat("again ", 256), strings.Repeat("live ", 300) + "unread",
	strings.Repeat("w1 parent's ", 127) + "x y z", "end at token", "\xff broken \xc3 bytes",
}

func TestHashAgainstDefinition(t *testing.T) {
	for _, mode := range []Mode{Lexical, Multihop} {
		for _, dim := range []int{1, 4, 8, 32, 255, 256, 257, 384, 1000} {
			h := newHash(t, mode, dim)
			got, err := h.Embed(context.Background(), awkward)
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range awkward {
				want := plain(mode, dim, s)
				if !slices.Equal(got[i], want) {
					t.Errorf("%v, %d dimensions, text %d (%.20q): differs from the definition", mode, dim, i, s)
				}
				if one := h.One(s); !slices.Equal(one, want) {
					t.Errorf("%v, %d dimensions, text %d (%.20q): One differs", mode, dim, i, s)
				}
			}
		}
	}
}

func TestHashIgnoresWhatComesAfterTheLimit(t *testing.T) {
	h := newHash(t, Lexical, 64)
	full := strings.Repeat("word ", 255) + "last"
	if !slices.Equal(h.One(full), h.One(full+" more")) {
		t.Error("token 257 counts")
	}
	if slices.Equal(h.One(full), h.One(strings.Repeat("word ", 255))) {
		t.Error("token 256 does not count")
	}
}

func TestMutedTextIsZero(t *testing.T) {
	for _, x := range newHash(t, Multihop, 16).One("Where does the") {
		if x != 0 {
			t.Fatalf("component %v of a muted text", x)
		}
	}
}

func TestWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	check := func(x float64) {
		t.Helper()
		got, want := Written(x), printed(x)
		if math.Float32bits(got) != math.Float32bits(want) {
			t.Fatalf("%v: got %v, want %v", x, got, want)
		}
	}
	for range 50_000 {
		check(rng.Float64()*2 - 1)
		tie := (float64(rng.IntN(2_000_000)-1_000_000) + 0.5) / 1e6
		check(tie)
		check(math.Nextafter(tie, 2))
		check(math.Nextafter(tie, -2))
	}
	for _, x := range []float64{0, math.Copysign(0, -1), -1e-9, 5e-7, -5e-7, 1.0 / 128, -1.0 / 128, 1, -1, 1e7, 123456789.5, 1e30} {
		check(x)
	}
}

func TestEmbedStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := newHash(t, Lexical, 8).Embed(ctx, []string{"a", "b"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want context.Canceled", err)
	}
	got, err := newHash(t, Lexical, 8).Embed(context.Background(), nil)
	if err != nil || len(got) != 0 {
		t.Errorf("no texts: got %v, %v", got, err)
	}
}

func TestNewHashRefuses(t *testing.T) {
	for _, c := range []struct {
		mode Mode
		dim  int
	}{{Lexical, 0}, {Lexical, -1}, {Lexical, MaxDim + 1}, {Mode(9), 8}} {
		if _, err := NewHash(c.mode, c.dim); err == nil {
			t.Errorf("mode %v, %d dimensions: no error", c.mode, c.dim)
		}
	}
	if got := newHash(t, Multihop, 3).Name(); got != "hash-multihop" {
		t.Errorf("name %q", got)
	}
}

func BenchmarkEmbed(b *testing.B) {
	texts := make([]string, 10_000)
	for i := range texts {
		texts[i] = fmt.Sprintf("Parent_%d lives in City_%d.", i, i*37)
	}
	h := newHash(b, Multihop, 384)
	for b.Loop() {
		if _, err := h.Embed(context.Background(), texts); err != nil {
			b.Fatal(err)
		}
	}
}
