package corpus_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	inputs "sortedheap/fixtures"
	"sortedheap/internal/corpus"
	"sortedheap/internal/embed"
)

func codeAware(t *testing.T, dim int) embed.Embedder {
	t.Helper()
	h, err := embed.NewHash(embed.CodeAware, dim)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// builtInQuestions reads a question file of the fixtures.
func builtInQuestions(t *testing.T, name string) *corpus.QuestionFile {
	t.Helper()
	dir, err := inputs.Questions()
	if err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(dir, name+".json")
	if err != nil {
		t.Fatal(err)
	}
	q, err := corpus.ParseQuestions(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestLighthouse(t *testing.T) {
	c, err := corpus.OpenCode(t.Context(), corpus.CodeOptions{Embedder: codeAware(t, 64), Questions: builtInQuestions(t, "lighthouse")})
	if err != nil {
		t.Fatal(err)
	}
	if c.RowCount() != 30 || c.Params["files"] != 11 || c.Params["chunks"] != 11 || c.Params["edges"] != 8 || len(c.Asked) != 4 || len(c.Seeds) != 11 {
		t.Errorf("%d rows, parameters %v, %d questions, %d seeds", c.RowCount(), c.Params, len(c.Asked), len(c.Seeds))
	}
	edges := []string{}
	for _, r := range c.Rows {
		if r.Relation == corpus.RelationRequires {
			edges = append(edges, fmt.Sprintf("%d>%d %s", r.Entity, r.Target, strings.TrimPrefix(r.Payload, "# Dependency: ")))
		}
	}
	want := []string{"3>2 control/main.cr -> control/lamp.cr", "3>4 control/main.cr -> control/storage/keeper_log.cr", "3>5 control/main.cr -> control/storage/rotation.cr",
		"4>5 control/storage/keeper_log.cr -> control/storage/rotation.cr", "7>8 native/rotor.c -> native/rotor.h", "8>6 native/rotor.h -> native/clockwork.h",
		"11>10 tools/report.py -> tools/log_reader.py", "11>9 tools/report.py -> tools/hours.py"}
	if !slices.Equal(edges, want) {
		t.Errorf("edges\n%s\nwant\n%s", strings.Join(edges, "\n"), strings.Join(want, "\n"))
	}
	digest, err := corpus.Digest(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if want := "f8af29f2e9d541bb9feb01c2fd6693593c8396558788889c7f0b5512aaa13434"; digest != want {
		t.Errorf("digest %s, want %s", digest, want)
	}
	if q := c.Queries[0]; q.Text != c.Asked[0].Prompt || !slices.Equal(q.Embedding, c.Asked[0].Embedding) {
		t.Errorf("query %+v is not question %+v", q, c.Asked[0])
	}
	generic, err := corpus.OpenCode(t.Context(), corpus.CodeOptions{Embedder: codeAware(t, 64), Questions: builtInQuestions(t, "lighthouse"), Wording: corpus.WordingGeneric})
	if err != nil || generic.Asked[0].Text != generic.Asked[0].Generic || len(generic.Asked[0].Symbols) != 0 {
		t.Errorf("generic wording (%v): %+v", err, generic.Asked[0])
	}
}

// The reproduction that the published figures of ninja are compared with.
func TestNinja(t *testing.T) {
	dir := os.Getenv("SORTED_HEAP_NINJA_SOURCE")
	if dir == "" {
		t.Skip("SORTED_HEAP_NINJA_SOURCE is not set: `make sources` fetches ninja's source")
	}
	c, err := corpus.OpenCode(t.Context(), corpus.CodeOptions{Dir: dir, Embedder: codeAware(t, 8), Questions: builtInQuestions(t, "note-ninja")})
	if err != nil {
		t.Fatal(err)
	}
	if c.RowCount() != 1748 || c.Params["files"] != 103 || c.Params["chunks"] != 1364 || c.Params["edges"] != 281 {
		t.Errorf("%d rows, parameters %v, want 1748, 103 files, 1364 chunks, 281 edges", c.RowCount(), c.Params)
	}
	var all strings.Builder
	for _, f := range c.Files {
		all.WriteString(f.Text)
	}
	for _, q := range c.Asked {
		for _, k := range q.Keywords {
			if !strings.Contains(all.String(), k) {
				t.Errorf("question %s: the source has no %s", q.Label, k)
			}
		}
	}
}

// tree writes files and opens them.
func tree(t *testing.T, extensions []string, files map[string]string) (*corpus.Code, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return corpus.OpenCode(t.Context(), corpus.CodeOptions{Dir: dir, Extensions: extensions, Embedder: codeAware(t, 4)})
}

// A chunk has 800 characters, the next one begins 600 further, the last one ends
// with the file.
func TestChunks(t *testing.T) {
	letters := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteRune([]rune("äbcdefghij")[i%10])
		}
		return b.String()
	}
	for n, want := range map[int][][2]int{
		0: {{0, 0}}, 1: {{0, 1}}, 800: {{0, 800}}, 801: {{0, 800}, {600, 801}}, 1400: {{0, 800}, {600, 1400}},
		1401: {{0, 800}, {600, 1400}, {1200, 1401}},
	} {
		text := letters(n)
		c, err := tree(t, []string{".txt"}, map[string]string{"a.txt": text})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range c.Rows {
			if r.Relation == corpus.RelationChunk {
				got = append(got, r.Payload)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d characters give %d chunks, want %d", n, len(got), len(want))
			continue
		}
		for i, w := range want {
			if got[i] != "# File: a.txt\n"+string([]rune(text)[w[0]:w[1]]) {
				t.Errorf("%d characters: chunk %d is %.40q", n, i+1, got[i])
			}
		}
	}
}

func TestSummary(t *testing.T) {
	c, err := tree(t, []string{".txt"}, map[string]string{"a.txt": strings.Repeat("ab cde\n", 300)})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(c.Rows[0].Payload, "\n")
	words := strings.Fields(strings.Join(lines[1:], " "))
	if lines[0] != "# File Summary: a.txt" || len(lines) != 3 || !strings.HasPrefix(lines[2], "# File: a.txt ") || len(words) != 256 {
		t.Errorf("summary of %d lines, %d words: %.60q", len(lines), len(words), c.Rows[0].Payload)
	}
}

func TestTreeAsRead(t *testing.T) {
	c, err := tree(t, []string{".go", ".h"}, map[string]string{
		"b/x.go": "a\r\nb\x00\xff", "b-a/y.go": "", "a.h": "", "skip.txt": "", "b/z.c": "", "c.h/deep.h": "", "go.mod": "module m\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range c.Files {
		paths = append(paths, f.Path)
	}
	if want := []string{"a.h", "b/x.go", "b-a/y.go", "c.h/deep.h"}; !slices.Equal(paths, want) {
		t.Errorf("files %q, want %q", paths, want)
	}
	if c.Files[1].Text != "a\nb" {
		t.Errorf("text %q", c.Files[1].Text)
	}
	if _, err := tree(t, []string{".rs"}, map[string]string{"a.h": ""}); err == nil || !strings.Contains(err.Error(), ".rs") {
		t.Errorf("a tree without a file: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := corpus.OpenCode(cancelled, corpus.CodeOptions{Embedder: codeAware(t, 4)}); err == nil {
		t.Error("a cancelled read succeeds")
	}
}

// Words of the path and of required files come first, then by number, length and
// alphabet; short words and stop words are left out.
func TestLexicalSeed(t *testing.T) {
	c, err := tree(t, []string{".h"}, map[string]string{
		"deltaQueue.h": "#include \"base.h\"\nzebra zebra apple pear what is an id 7\n", "base.h": "",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "# File Lexical Seed: deltaQueue.h\ndelta queue deltaqueue base file zebra 7 pear apple include summary"
	if got := c.Seeds[1].Payload; got != want {
		t.Errorf("seed %q, want %q", got, want)
	}
}

func TestPromptWords(t *testing.T) {
	text := "How does HTTPServer_v2 handle the 3rd retry? What is MAX, maxDepth or empty? and retry in Butler? x 42"
	if got, want := corpus.PromptTerms(text), []string{"httpserver_v2", "3", "retry", "max", "maxdepth", "empty", "butler", "42"}; !slices.Equal(got, want) {
		t.Errorf("terms %q, want %q", got, want)
	}
	if got, want := corpus.PromptSymbols(text), []string{"HTTPServer_v2", "MAX", "maxDepth"}; !slices.Equal(got, want) {
		t.Errorf("symbols %q, want %q", got, want)
	}
}

func TestCodeOptions(t *testing.T) {
	o := corpus.CodeOptions{Extensions: []string{"go", "."}, Wording: "other"}
	err := o.Validate()
	for _, want := range []string{"embedder", `"go"`, `"."`, `"other"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not mention %s", err, want)
		}
	}
	o = corpus.CodeOptions{Embedder: codeAware(t, 4), Questions: builtInQuestions(t, "note-ninja"), Wording: corpus.WordingGeneric}
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "manifest_and_logs") {
		t.Errorf("questions without a generic wording: %v", err)
	}
}
