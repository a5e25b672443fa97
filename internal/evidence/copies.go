package evidence

import (
	"context"
	"hash/fnv"
	"strconv"
	"strings"
)

// Copies returns fragments so many times over, to measure how an index grows. In
// every copy but the first, half of the words that identifiers are made of are
// replaced by words of that copy, the same ones everywhere in it: so common terms
// become more common, and there are new rare ones.
func Copies(ctx context.Context, fragments []Fragment, copies int) ([]Fragment, error) {
	out := append([]Fragment{}, fragments...)
	for n := 1; n < copies; n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := copier{n: n, known: map[string]string{}}
		for i := range fragments {
			f := fragments[i]
			f.File = "copy" + strconv.Itoa(n) + "/" + f.File
			f.Symbol, f.Head, f.Text = c.text(f.Symbol), c.text(f.Head), c.text(f.Text)
			f.Names, f.Members, f.Declares = c.all(f.Names), c.all(f.Members), c.all(f.Declares)
			f.Tokens = nil
			out = append(out, f)
		}
	}
	return out, nil
}

// copier rewrites the words of one copy.
type copier struct {
	n     int
	known map[string]string
}

func (c *copier) all(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = c.text(w)
	}
	return out
}

func (c *copier) text(text string) string {
	var s strings.Builder
	end := 0
	identifiers(text, func(at int, word string) {
		s.WriteString(text[end:at])
		s.WriteString(c.identifier(word))
		end = at + len(word)
	})
	s.WriteString(text[end:])
	return s.String()
}

func (c *copier) identifier(word string) string {
	out, ok := c.known[word]
	if !ok {
		var s strings.Builder
		rest := word
		for _, p := range parts(word) {
			at := strings.Index(rest, p)
			s.WriteString(rest[:at])
			s.WriteString(c.word(p))
			rest = rest[at+len(p):]
		}
		s.WriteString(rest)
		out = s.String()
		c.known[word] = out
	}
	return out
}

// word puts letters of the copy behind a word, or leaves it, as its hash says.
func (c *copier) word(word string) string {
	lower := strings.ToLower(word)
	if len(word) < 3 || stopWords[lower] {
		return word
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(lower + strconv.Itoa(c.n))) // a hash takes every write
	if h.Sum32()>>8&1 == 0 {
		return word
	}
	tail := []byte("xq")
	for n := c.n; n > 0; n /= 20 {
		tail = append(tail, "bcdfghjklmnpqrstvwxz"[n%20])
	}
	return word + string(tail)
}
