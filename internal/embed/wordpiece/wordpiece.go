// Package wordpiece splits text into the tokens of BERT's uncased vocabulary, as
// the Python package tokenizers does for a tokenizer.json of that kind.
//
// Vocabulary:
//
//   - word: a maximal run of characters that are neither white space nor
//     punctuation; each punctuation character is a word, and so is each Chinese
//     one. Words are in lower case and without accents.
//   - piece: an entry of the vocabulary; one that continues a word is written with
//     "##" before it. A word is cut into the longest pieces from the left; a word
//     that cannot be cut is the piece [UNK].
//   - special token: [CLS] before every text and [SEP] after it; where a text
//     spells one, that is the token, not its letters.
package wordpiece

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// MinTokens is the smallest limit of Encode: the two tokens around each text.
const MinTokens = 2

// Tokenizer is a vocabulary. It is safe for concurrent use.
type Tokenizer struct {
	first, later  map[string]int32 // pieces at the start of a word, and without "##" within one
	special       []specialToken
	cls, sep, unk int32
	maxWord       int // characters of a word that is looked up
}

type specialToken struct {
	text string
	id   int32
}

// file is what is read of a tokenizer.json.
type file struct {
	Added []struct {
		ID      int32  `json:"id"`
		Content string `json:"content"`
	} `json:"added_tokens"`
	Normalizer struct {
		Type         string `json:"type"`
		CleanText    bool   `json:"clean_text"`
		Chinese      bool   `json:"handle_chinese_chars"`
		StripAccents *bool  `json:"strip_accents"`
		Lowercase    bool   `json:"lowercase"`
	} `json:"normalizer"`
	PreTokenizer struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Model struct {
		Type    string           `json:"type"`
		Unknown string           `json:"unk_token"`
		Prefix  string           `json:"continuing_subword_prefix"`
		MaxWord int              `json:"max_input_chars_per_word"`
		Vocab   map[string]int32 `json:"vocab"`
	} `json:"model"`
}

// Load reads a tokenizer.json. It fails where the file asks for anything but
// BERT's uncased word pieces: other kinds would be cut wrongly, not roughly.
func Load(r io.Reader) (*Tokenizer, error) {
	var f file
	if err := json.NewDecoder(r).Decode(&f); err != nil {
		return nil, fmt.Errorf("read a tokenizer: %w", err)
	}
	if err := f.supported(); err != nil {
		return nil, fmt.Errorf("read a tokenizer: %w", err)
	}
	t := &Tokenizer{
		first: make(map[string]int32, len(f.Model.Vocab)), later: make(map[string]int32),
		maxWord: f.Model.MaxWord,
	}
	for piece, id := range f.Model.Vocab {
		if id < 0 {
			return nil, fmt.Errorf("read a tokenizer: token %q has the id %d", piece, id)
		}
		if rest, ok := strings.CutPrefix(piece, f.Model.Prefix); ok && rest != "" {
			t.later[rest] = id
		}
		// A piece with the prefix is one at the start of a word too: only
		// punctuation splits words, so no word begins with it.
		t.first[piece] = id
	}
	for _, token := range f.Added {
		if token.Content == "" {
			return nil, errors.New("read a tokenizer: a special token is empty")
		}
		t.special = append(t.special, specialToken{token.Content, token.ID})
	}
	for name, id := range map[string]*int32{"[CLS]": &t.cls, "[SEP]": &t.sep, f.Model.Unknown: &t.unk} {
		found, ok := f.Model.Vocab[name]
		if !ok {
			return nil, fmt.Errorf("read a tokenizer: its vocabulary lacks %q", name)
		}
		*id = found
	}
	return t, nil
}

func (f *file) supported() error {
	n, m := f.Normalizer, f.Model
	switch {
	case n.Type != "BertNormalizer" || !n.CleanText || !n.Chinese || !n.Lowercase || (n.StripAccents != nil && !*n.StripAccents):
		return errors.New("its normalizer is not BERT's for uncased text")
	case f.PreTokenizer.Type != "BertPreTokenizer":
		return fmt.Errorf("its pre-tokenizer is %q, not BERT's", f.PreTokenizer.Type)
	case m.Type != "WordPiece" || m.Prefix != "##" || m.MaxWord < 1:
		return errors.New("its model is not BERT's word pieces")
	}
	return nil
}

// Encode returns the tokens of text between [CLS] and [SEP], at most limit with
// these two; the end of a longer text is not read. A limit below MinTokens is
// taken as MinTokens.
func (t *Tokenizer) Encode(text string, limit int) []int32 {
	e := encoder{t: t, limit: max(limit, MinTokens) - 1, ids: make([]int32, 1, min(max(limit, MinTokens), len(text)/3+8))}
	e.ids[0] = t.cls
	for text != "" && !e.full() {
		at, token := t.nextSpecial(text)
		e.plain(text[:at])
		if token == nil {
			break
		}
		e.add(token.id)
		text = text[at+len(token.text):]
	}
	return append(e.ids, t.sep)
}

// nextSpecial finds the first special token spelled in a text; nil and the
// text's length where there is none.
func (t *Tokenizer) nextSpecial(text string) (int, *specialToken) {
	at := len(text)
	var token *specialToken
	for i := range t.special {
		if found := strings.Index(text[:min(len(text), at+len(t.special[i].text))], t.special[i].text); found >= 0 && found < at {
			at, token = found, &t.special[i]
		}
	}
	return at, token
}

// encoder collects the tokens of one text.
type encoder struct {
	t     *Tokenizer
	limit int // of ids, without [SEP]
	ids   []int32
}

func (e *encoder) full() bool { return len(e.ids) >= e.limit }

func (e *encoder) add(id int32) {
	if !e.full() {
		e.ids = append(e.ids, id)
	}
}

// plain adds the tokens of a text that spells no special one.
func (e *encoder) plain(text string) {
	words(text, func(word string) bool {
		e.word(word)
		return !e.full()
	})
}

// word adds the longest pieces from the left, or [UNK] for the whole word.
func (e *encoder) word(word string) {
	if len(word) > e.t.maxWord && utf8.RuneCountInString(word) > e.t.maxWord {
		e.add(e.t.unk)
		return
	}
	begun := len(e.ids)
	vocabulary := e.t.first
	for rest := word; rest != ""; vocabulary = e.t.later {
		end, id := len(rest), int32(math.MinInt32)
		for ; end > 0; end-- {
			if end < len(rest) && !utf8.RuneStart(rest[end]) {
				continue
			}
			if found, ok := vocabulary[rest[:end]]; ok {
				id = found
				break
			}
		}
		if end == 0 {
			e.ids = append(e.ids[:begun], e.t.unk)
			return
		}
		e.ids = append(e.ids, id)
		rest = rest[end:]
	}
	e.ids = e.ids[:min(len(e.ids), e.limit)]
}
