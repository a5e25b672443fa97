package tokens_test

import (
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"sortedheap/internal/tokens"
)

// Counts that are published for the encoding.
func TestCount(t *testing.T) {
	c := tokens.NewCounter()
	if c.Name() != "cl100k_base" {
		t.Errorf("rule %q", c.Name())
	}
	for text, want := range map[string]int{
		"":                             0,
		"hello world":                  2,
		"tiktoken is great!":           6,
		"antidisestablishmentarianism": 6,
		"2 + 2 = 4":                    7,
		"お誕生日おめでとう":                    9,
		"<|endoftext|>":                7, // text, not a mark
	} {
		got, err := c.Count(text)
		if err != nil || got != want {
			t.Errorf("%q has %d tokens (%v), want %d", text, got, err, want)
		}
	}
}

func TestCut(t *testing.T) {
	c := tokens.NewCounter()
	for _, want := range []struct {
		text   string
		budget int
		cut    string
	}{
		{"hello world", 1, "hello"}, {"hello world", 2, "hello world"}, {"hello world", 100, "hello world"},
		{"hello world", 0, ""}, {"hello world", -1, ""}, {"", 5, ""},
	} {
		if got, err := c.Cut(want.text, want.budget); err != nil || got != want.cut {
			t.Errorf("%d tokens of %q are %q (%v), want %q", want.budget, want.text, got, err, want.cut)
		}
	}
	text := strings.Repeat("func お誕生日(x int) { return 誕 }\n", 20)
	before := ""
	for budget := range 60 {
		cut, err := c.Cut(text, budget)
		if err != nil || !utf8.ValidString(cut) || !strings.HasPrefix(text, cut) || !strings.HasPrefix(cut, before) {
			t.Fatalf("%d tokens are %q (%v)", budget, cut, err)
		}
		if n, err := c.Count(cut); err != nil || n > budget {
			t.Errorf("the part of %d tokens has %d (%v)", budget, n, err)
		}
		before = cut
	}
}

func TestConcurrentUse(t *testing.T) {
	c := tokens.NewCounter()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if n, err := c.Count(strings.Repeat("camelCase snake_case ", 50)); err != nil || n < 200 {
				t.Errorf("%d tokens, %v", n, err)
			}
		})
	}
	wg.Wait()
}
