package evidence

import (
	"path"
	"strings"
)

// field is a part of a fragment whose terms weigh alike.
type field int

const (
	fieldName  field = iota // name of what it defines
	fieldInner              // names of definitions inside, qualifiers of its own
	fieldDoc                // comment and signature
	fieldPath               // of the file
	fieldBody
	fieldEnd
)

// symbolMark begins the terms that stand for names of definitions, case and all.
const symbolMark = "="

// bag counts terms.
type bag map[string]int

// addText counts the terms of a text: each word, each identifier, its parts.
func (b bag) addText(text string) {
	identifiers(text, func(_ int, word string) { b.addIdentifier(word) })
}

func (b bag) addIdentifier(word string) {
	p := parts(word)
	if len(p) > 1 {
		b[clip(strings.ToLower(word))]++
	}
	for _, part := range p {
		if len(part) > 1 && !stopWords[strings.ToLower(part)] {
			b[stemmed(part)]++
		}
	}
}

func clip(term string) string {
	if len(term) > maxTermBytes {
		return strings.ToValidUTF8(term[:maxTermBytes], "")
	}
	return term
}

// size is the number of terms, each as often as it occurs.
func (b bag) size() int {
	n := 0
	for _, count := range b {
		n += count
	}
	return n
}

// bags are the terms of a fragment by field.
func (f *Fragment) bags() [fieldEnd]bag {
	var b [fieldEnd]bag
	for i := range b {
		b[i] = bag{}
	}
	if len(f.Names) > 0 && f.Symbol != "" {
		b[fieldName].addIdentifier(f.Names[0])
		for _, name := range f.Names[1:] {
			b[fieldInner].addIdentifier(name)
		}
	} else {
		for _, name := range f.Names {
			b[fieldInner].addIdentifier(name)
		}
	}
	for _, name := range f.Declares {
		b[fieldInner].addIdentifier(name)
	}
	b[fieldInner].addText(f.qualifier())
	b[fieldPath].addText(strings.TrimSuffix(f.File, path.Ext(f.File)))
	b[fieldDoc].addText(f.Head)
	lead, body := f.split()
	b[fieldDoc].addText(lead)
	b[fieldBody].addText(body)
	return b
}

// symbols are the exact names by which a fragment is found, and as what they
// count: its own name with and without its owner's as a name, but not of a type in the
// fragments after its first; all others, a constructor's, and methods that it
// implements, as names inside.
func (f *Fragment) symbols() map[string]field {
	out := map[string]field{}
	for _, name := range f.Declares {
		out[name] = fieldInner
	}
	for _, name := range f.Names {
		out[name] = fieldInner
	}
	for _, name := range f.Implements {
		out[name] = fieldInner
	}
	if f.Symbol == "" || f.Head != "" && f.isType() {
		return out
	}
	name, owner := f.Names[0], lastName(f.qualifier())
	if owner != name {
		out[name] = fieldName
	}
	if owner != "" {
		out[owner+"."+name] = fieldName
	}
	return out
}

// qualifier is what comes before the name in the symbol.
func (f *Fragment) qualifier() string {
	if len(f.Names) == 0 {
		return ""
	}
	return strings.TrimSuffix(f.Symbol, f.Names[0])
}

// split returns comment and signature apart from the rest.
func (f *Fragment) split() (lead, body string) {
	end := 0
	for range f.Lead {
		next := strings.IndexByte(f.Text[end:], '\n')
		if next < 0 {
			return f.Text, ""
		}
		end += next + 1
	}
	return f.Text[:end], f.Text[end:]
}

// described is how many words of a fragment an embedder reads. Models of sentences
// tell less of longer texts, and take longer for them.
const described = 80

// Description is what an embedder reads of a fragment: the words of its file's name,
// of its symbol, of its comments and of its code, identifiers taken apart.
func (f *Fragment) Description() string {
	words := make([]string, 0, described)
	for _, text := range []string{strings.TrimSuffix(path.Base(f.File), path.Ext(f.File)), f.Symbol, f.Head, f.Text} {
		identifiers(text, func(_ int, word string) {
			for _, p := range parts(word) {
				if len(words) < described {
					words = append(words, strings.ToLower(p))
				}
			}
		})
	}
	return strings.Join(words, " ")
}

// card is what an embedder that tells meanings reads of a fragment: the words of what
// it defines and of its file's path. Comments and code beside them made the vectors of
// a sentence model worse, and take it ten times as long.
func (f *Fragment) card() string {
	var said, place []string
	note := func(to *[]string, text string) {
		identifiers(text, func(_ int, word string) {
			for _, p := range parts(word) {
				if len(*to) < described {
					*to = append(*to, strings.ToLower(p))
				}
			}
		})
	}
	if f.Symbol != "" {
		note(&said, f.Symbol)
	} else {
		for _, name := range f.Names {
			note(&said, name)
		}
	}
	note(&place, strings.TrimSuffix(f.File, path.Ext(f.File)))
	return strings.Join(said, " ") + " . " + strings.Join(place, " ")
}
