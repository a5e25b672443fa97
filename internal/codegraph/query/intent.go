package query

import (
	"slices"
	"strings"
	"unicode"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/query/terms"
)

// Intent is what a question asks for.
type Intent struct {
	Ask       Ask
	Direction graph.Direction // In: done to the subject; Out: done by it
	Subject   string          // as written; empty when no word names a node
	Nodes     []int32         // what the subject means
	Others    []int32         // what else has the name
	Focus     []int32         // a second name: who is asked to do it, or where a path ends
	FocusName string
	// Unknown is a word that looks like a name of code and names nothing here.
	Unknown string
	kind    bool // the question says which kind of thing is meant
}

// word is one of a question.
type word struct {
	text    string // as written, without punctuation around it
	folded  string
	quoted  bool
	shaped  bool // looks like a name in code
	lexemes []lexeme
	found   Resolved
	joined  int // how many words the name spans
}

// Parse reads a question: which relation it is about, in which direction, and
// which name. It knows several ways and languages of asking; what it does not
// know is a question without relation.
func (c *Catalog) Parse(question string) Intent {
	words := c.read(question)
	relation := relationWord(words)
	subject, focus := pickSubject(words, relation)
	var in Intent
	in.Unknown = unknownName(words, subject)
	if subject >= 0 {
		w := &words[subject]
		in.Subject, in.Nodes, in.Others = w.text, w.found.Nodes, w.found.Others
		c.narrow(&in, words, subject, relation)
	}
	if focus >= 0 {
		in.Focus, in.FocusName = words[focus].found.Nodes, words[focus].text
	}
	in.Ask, in.Direction = direction(words, relation, subject, focus)
	if in.Ask == AskPath && focus < 0 {
		in.Ask = AskNothing
	}
	if in.Ask == AskPath && subject > focus {
		in.Subject, in.FocusName = in.FocusName, in.Subject
		in.Nodes, in.Focus = in.Focus, in.Nodes
	}
	return in
}

// read cuts a question into words and looks each one up.
func (c *Catalog) read(question string) []word {
	var words []word
	for _, chunk := range cutQuestion(question) {
		w := word{text: chunk.text, quoted: chunk.quoted, folded: terms.Fold(chunk.text), joined: 1}
		w.shaped = chunk.quoted || looksLikeCode(w.text)
		if !chunk.quoted {
			w.lexemes = meaning(w.folded)
		}
		if w.text != "" {
			words = append(words, w)
		}
	}
	for i := range words {
		w := &words[i]
		if strings.ContainsFunc(w.text, unicode.IsLetter) {
			w.found = c.Resolve(w.text)
		}
		if !w.shaped {
			c.joinWords(words, i)
		}
	}
	return words
}

// maxJoined is how many words of a question may make one name.
const maxJoined = 5

// joinWords finds a name that a question spells in several words.
func (c *Catalog) joinWords(words []word, at int) {
	if len(words[at].lexemes) > 0 || fillers[words[at].folded] {
		return
	}
	joined := words[at].folded
	for n := 2; n <= maxJoined && at+n <= len(words); n++ {
		joined += " " + words[at+n-1].folded
		if words[at+n-1].shaped {
			return
		}
		if found := c.folded[squash(joined)]; len(found) > 0 {
			words[at].found, words[at].joined, words[at].text = c.prefer(slices.Clone(found), false), n, joined
		}
	}
}

// meaning looks a folded word up, or the words within a run of an East Asian
// script.
func meaning(folded string) []lexeme {
	if l := lexicon[folded]; l != nil {
		return l
	}
	if isASCII(folded) {
		return nil
	}
	for _, w := range hanWords() {
		if strings.Contains(folded, terms.Fold(w.text)) {
			return []lexeme{w.lexeme}
		}
	}
	return nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

type chunk struct {
	text   string
	quoted bool
}

// punctuation that may stand around a word of a question.
const punctuation = "?!,;:…\"'“”‘’«»‹›()[]{}<>¿¡。、？！，：；（）「」『』.`"

// cutQuestion cuts at spaces and quotes, and where the script changes between
// East Asian characters and others. Call parentheses stay.
func cutQuestion(question string) []chunk {
	var chunks []chunk
	for i, part := range strings.Split(question, "`") {
		if i%2 == 1 {
			chunks = append(chunks, chunk{strings.TrimSpace(part), true})
			continue
		}
		for _, field := range strings.Fields(part) {
			for _, piece := range cutScripts(field) {
				chunks = append(chunks, trimWord(piece)...)
			}
		}
	}
	return chunks
}

func trimWord(piece string) []chunk {
	quoted := len(piece) > 2 && strings.ContainsAny(piece[:1], `"'`)
	text := strings.TrimLeft(piece, strings.ReplaceAll(punctuation, ".", ""))
	if strings.HasPrefix(piece, "(*") { // a Go method of a pointer
		text = piece
	}
	call := strings.Contains(text, "()")
	text = strings.TrimRight(text, punctuation)
	for _, possessive := range []string{"'s", "’s"} {
		text = strings.TrimSuffix(text, possessive)
	}
	if text == "" {
		return nil
	}
	if call && !strings.HasSuffix(text, "()") {
		text += "()"
	}
	var chunks []chunk
	// Elided articles of French and Italian: qu'appelle, l'interface.
	if at := strings.IndexAny(text, "'’"); at > 0 && at <= 4 && !quoted {
		_, after, _ := strings.Cut(strings.ReplaceAll(text, "’", "'"), "'")
		chunks = append(chunks, chunk{text: text[:at]})
		text = after
	}
	return append(chunks, chunk{text, quoted})
}

func cutScripts(field string) []string {
	var pieces []string
	start, last := 0, 0
	for i, r := range field {
		script := 1
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー' {
			script = 2
		}
		if last != 0 && script != last {
			pieces = append(pieces, field[start:i])
			start = i
		}
		last = script
	}
	return append(pieces, field[start:])
}

// looksLikeCode says whether a word is written as names in code are: with
// capitals inside, underscores, separators, a sigil or call parentheses.
func looksLikeCode(w string) bool {
	if strings.ContainsAny(w, "_$\\") || strings.Contains(w, "::") || strings.HasSuffix(w, "()") || strings.Contains(w, "->") {
		return true
	}
	inner := strings.Trim(w, ".")
	if i := strings.IndexAny(inner, "./#"); i > 0 && i < len(inner)-1 {
		return true
	}
	if strings.HasPrefix(w, ".") {
		return true
	}
	lower := false
	for _, r := range w {
		if unicode.IsUpper(r) && lower {
			return true
		}
		lower = lower || unicode.IsLower(r) || unicode.IsDigit(r)
	}
	// Two capitals and then a small letter: HTTPServer.
	runes := []rune(w)
	for i := 2; i < len(runes); i++ {
		if unicode.IsUpper(runes[i-2]) && unicode.IsUpper(runes[i-1]) && unicode.IsLower(runes[i]) {
			return true
		}
	}
	return false
}
