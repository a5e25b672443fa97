package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// embeddingServer gives every text a vector of three components and counts the
// texts. Without the key it answers nothing.
func embeddingServer(t *testing.T, texts *atomic.Int32) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Input []string `json:"input"`
		}
		if r.Header.Get("Authorization") != "Bearer sesame" || json.NewDecoder(r.Body).Decode(&asked) != nil {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		texts.Add(int32(len(asked.Input)))
		var data []string
		for i, text := range asked.Input {
			data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[1,%d,%d]}`, i, len(text), i))
		}
		_, _ = fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(data, ","))
	}))
	t.Cleanup(s.Close)
	return s
}

// benchgraphWith runs a command line with a key in the environment.
func benchgraphWith(t *testing.T, key string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, diagnostics bytes.Buffer
	code = run(t.Context(), process{args: args, stdout: &out, stderr: &diagnostics,
		getenv: func(name string) string {
			if name == embedKeyVariable {
				return key
			}
			return ""
		}, environ: func() []string { return nil }})
	return code, out.String(), diagnostics.String()
}

func TestEmbedderOfEveryTextCorpus(t *testing.T) {
	for _, c := range []struct {
		corpus []string
		texts  int32
	}{
		{[]string{"multihop", "--chains", "5", "--queries", "2"}, 12},
		{[]string{"butler", "--queries", "2"}, 9},
		{[]string{"gutenberg", "--max-books", "1", "--max-paragraphs", "4", "--queries", "1"}, 4},
		{[]string{"code"}, 1},
	} {
		t.Run(c.corpus[0], func(t *testing.T) {
			var texts atomic.Int32
			s := embeddingServer(t, &texts)
			args := append([]string{"corpus"}, c.corpus...)
			args = append(args, "--embedder", "http", "--embed-url", s.URL, "--embed-model", "tiny", "--embed-cache", t.TempDir())
			code, stdout, stderr := benchgraphWith(t, "sesame", args...)
			if code != exitOK || !strings.Contains(stdout, "http-tiny@") {
				t.Fatalf("exit code %d, output %s%s", code, stdout, stderr)
			}
			first := texts.Swap(0)
			if first < c.texts+1 { // one is asked for the dimension
				t.Errorf("the server embedded %d texts, want %d or more", first, c.texts+1)
			}
			if code, _, stderr := benchgraphWith(t, "sesame", append(args, "--dim", "3")...); code != exitOK || texts.Load() != 0 {
				t.Errorf("again: exit code %d, the server embedded %d texts once more: %s", code, texts.Load(), stderr)
			}
			if code, _, stderr := benchgraphWith(t, "sesame", append(args, "--dim", "4", "--embed-cache", t.TempDir())...); code == exitOK || !strings.Contains(stderr, "3 components, not 4") {
				t.Errorf("another dimension: exit code %d: %s", code, stderr)
			}
		})
	}
}

func TestEmbedderMistakes(t *testing.T) {
	var texts atomic.Int32
	s := embeddingServer(t, &texts)
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"another name", []string{"--embedder", "word2vec"}, exitUsage, "must be one of generic, code-aware, local, http"},
		{"no model", []string{"--embedder", "local", "--embed-dir", t.TempDir()}, exitFailure, "run `make embedder`"},
		{"no threads", []string{"--embedder", "local", "--embed-threads", "0"}, exitUsage, "0 threads"},
		{"no server", []string{"--embedder", "http"}, exitUsage, "--embed-url and --embed-model"},
		{"a wrong key", []string{"--embedder", "http", "--embed-url", s.URL, "--embed-model", "tiny"}, exitFailure, "401"},
		{"no dimension", []string{"--dim", "0"}, exitUsage, "--dim"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, stderr := benchgraphWith(t, "simsim", append([]string{"corpus", "code"}, c.args...)...)
			if code != c.code || !strings.Contains(stderr, c.want) || strings.Contains(stderr, "simsim") {
				t.Errorf("exit code %d, want %d: %s", code, c.code, stderr)
			}
		})
	}
}
