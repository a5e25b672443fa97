package corpus

import (
	"context"
	"strings"
)

// ask makes the queries: both hops follow relation 2 and there is no answer
// key. One-hop scenarios use the first hop alone.
func (l *Library) ask(ctx context.Context) ([]Query, error) {
	texts := l.originalTexts()
	if l.options.Set == Fair {
		texts = l.fairTexts()
	}
	vectors, err := l.embedder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	queries := make([]Query, len(texts))
	for i, text := range texts {
		queries[i] = Query{Text: text, Embedding: vectors[i], Hop1: RelationNext, Hop2: RelationNext}
	}
	return queries, nil
}

// originalTexts returns the texts of the first relation-2 rows by (entity,
// target): every paragraph but the first of its book, in order. So these are
// neighbours at the start of the first book, each in the table at distance 0.
func (l *Library) originalTexts() []string {
	var texts []string
	for _, book := range l.books {
		for j := 1; j < len(book); j++ {
			if len(texts) == l.options.Queries {
				return texts
			}
			texts = append(texts, book[j])
		}
	}
	return texts
}

// fairTexts returns half texts from the middles of as many equal stretches of
// the relation-2 rows as there are queries.
func (l *Library) fairTexts() []string {
	candidates := 0
	for _, book := range l.books {
		candidates += max(0, len(book)-1)
	}
	n := min(l.options.Queries, candidates)
	texts := make([]string, 0, n)
	passed := 0 // relation-2 rows of the books before
	for _, book := range l.books {
		here := max(0, len(book)-1)
		for len(texts) < n {
			at := (2*len(texts)+1)*candidates/(2*n) - passed
			if at >= here {
				break
			}
			texts = append(texts, firstHalf(book[1+at]))
		}
		passed += here
	}
	return texts
}

// firstHalf returns the first half of a text's words, rounded up.
func firstHalf(text string) string {
	words := strings.Fields(text)
	return strings.Join(words[:(len(words)+1)/2], " ")
}
