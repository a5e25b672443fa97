package wordpiece

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// recorded is what the Python package tokenizers made of some texts.
type recorded struct {
	Limit int       `json:"limit"`
	Texts []string  `json:"texts"`
	IDs   [][]int32 `json:"ids"`
}

func readRecorded(t *testing.T) recorded {
	t.Helper()
	text, err := os.ReadFile("testdata/recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Texts) == 0 || len(r.Texts) != len(r.IDs) {
		t.Fatalf("%d texts and %d token lists are recorded", len(r.Texts), len(r.IDs))
	}
	return r
}

func load(t testing.TB, file string) *Tokenizer {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tokenizer, err := Load(f)
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer
}

func checkRecorded(t *testing.T, tokenizer *Tokenizer) {
	t.Helper()
	r := readRecorded(t)
	for i, text := range r.Texts {
		if got := tokenizer.Encode(text, r.Limit); !slices.Equal(got, r.IDs[i]) {
			t.Errorf("%.60q:\n got %v\nwant %v", text, got, r.IDs[i])
		}
	}
}

func TestTokensAreThoseOfPython(t *testing.T) { checkRecorded(t, load(t, "testdata/vocabulary.json")) }

// The whole vocabulary must give the same: it has longer pieces to choose from.
func TestTokensAreThoseOfPythonInTheWholeVocabulary(t *testing.T) {
	dir := os.Getenv("SORTED_HEAP_EMBEDDER")
	if dir == "" {
		t.Skip("SORTED_HEAP_EMBEDDER names no directory: run make embedder")
	}
	checkRecorded(t, load(t, filepath.Join(dir, "tokenizer.json")))
}

func TestEncodeStopsAtTheLimit(t *testing.T) {
	tokenizer := load(t, "testdata/vocabulary.json")
	text := strings.Repeat("where [MASK] job!", 9)
	whole := tokenizer.Encode(text, 1000)
	if len(whole) != 9*4+MinTokens {
		t.Fatalf("%d tokens", len(whole))
	}
	for limit := -1; limit <= len(whole)+1; limit++ {
		n := min(max(limit, MinTokens), len(whole))
		want := append(slices.Clone(whole[:n-1]), tokenizer.sep)
		if got := tokenizer.Encode(text, limit); !slices.Equal(got, want) {
			t.Errorf("limit %d: got %v, want %v", limit, got, want)
		}
	}
}

func TestBrokenBytesAreDropped(t *testing.T) {
	tokenizer := load(t, "testdata/vocabulary.json")
	if got, want := tokenizer.Encode("wh\xffere\xc3 jo\xe2\x82b", 9), tokenizer.Encode("where job", 9); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLoadRefusesOtherKinds(t *testing.T) {
	whole, err := os.ReadFile("testdata/vocabulary.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new, want string }{
		{"a broken file", `{`, `[`, "read a tokenizer"},
		{"cased text", `"lowercase":true`, `"lowercase":false`, "normalizer"},
		{"kept accents", `"strip_accents":null`, `"strip_accents":false`, "normalizer"},
		{"other words", `BertPreTokenizer`, `Whitespace`, "Whitespace"},
		{"byte pairs", `"type":"WordPiece","unk_token"`, `"type":"BPE","unk_token"`, "word pieces"},
		{"no [SEP]", `"[SEP]":102`, `"[SEPARATOR]":102`, `"[SEP]"`},
		{"a negative id", `"[SEP]":102`, `"[SEP]":-102`, "-102"},
	} {
		changed := strings.Replace(string(whole), c.old, c.new, 1)
		if changed == string(whole) {
			t.Fatalf("%s: the file holds no %s", c.name, c.old)
		}
		if _, err := Load(strings.NewReader(changed)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want one with %q", c.name, err, c.want)
		}
	}
}

func FuzzEncode(f *testing.F) {
	tokenizer := load(f, "testdata/vocabulary.json")
	f.Add("where [CLS] jöb\xff", 5)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		got := tokenizer.Encode(text, limit)
		if len(got) < MinTokens || len(got) > max(limit, MinTokens) {
			t.Errorf("%d tokens with the limit %d", len(got), limit)
		}
		if got[0] != tokenizer.cls || got[len(got)-1] != tokenizer.sep {
			t.Errorf("got %v", got)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	tokenizer := load(b, "testdata/vocabulary.json")
	text := strings.Repeat("void Plan::ScheduleWork(map<Edge*, Want>::iterator want_e) { ", 10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tokenizer.Encode(text, 1000)
	}
}
