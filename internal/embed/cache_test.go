package embed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// counting embeds "N" as (N, -N) and counts what it is asked.
type counting struct {
	name  string
	mutex sync.Mutex
	asked []string
	err   error
	short bool
}

func (c *counting) Name() string { return c.name }
func (c *counting) Dim() int     { return 2 }

func (c *counting) Embed(_ context.Context, texts []string) ([][]float32, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.asked = append(c.asked, texts...)
	if c.err != nil {
		return nil, c.err
	}
	var out [][]float32
	for _, text := range texts {
		n, err := strconv.ParseFloat(text, 32)
		if err != nil {
			return nil, err
		}
		out = append(out, []float32{float32(n), float32(-n)}[:2:2])
		if c.short {
			out[len(out)-1] = out[len(out)-1][:1]
		}
	}
	return out, nil
}

func openCache(t *testing.T, dir string, e Embedder) *Cached {
	t.Helper()
	c, err := OpenCache(dir, e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // some tests have closed it
	return c
}

func mustEmbed(t *testing.T, e Embedder, texts ...string) {
	t.Helper()
	got, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		n, err := strconv.ParseFloat(text, 32)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got[i], []float32{float32(n), float32(-n)}) {
			t.Errorf("%q has the vector %v", text, got[i])
		}
	}
}

func cacheFile(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.vectors"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	return files[0]
}

func TestCacheEmbedsEachTextOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	e := &counting{name: "http-a/b@c:1"}
	c := openCache(t, dir, e)
	mustEmbed(t, c, "1", "2", "1", "3")
	mustEmbed(t, c, "3", "4", "1")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	mustEmbed(t, openCache(t, dir, e), "4", "3", "2", "1", "5")
	if want := []string{"1", "2", "3", "4", "5"}; !slices.Equal(e.asked, want) {
		t.Errorf("asked for %q, want %q", e.asked, want)
	}
	if c.Name() != e.name || c.Dim() != 2 {
		t.Errorf("name %q, dimension %d", c.Name(), c.Dim())
	}
}

func TestCacheKeepsEmbeddersApart(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", 100)
	for _, name := range []string{"a/b", "a_b", long + "1", long + "2"} {
		e := &counting{name: name}
		mustEmbed(t, openCache(t, dir, e), "1")
		if len(e.asked) != 1 {
			t.Errorf("%q was asked for %q", name, e.asked)
		}
	}
}

func TestCacheIsSharedWhileOpen(t *testing.T) {
	dir := t.TempDir()
	a, b := &counting{name: "e"}, &counting{name: "e"}
	first, second := openCache(t, dir, a), openCache(t, dir, b)
	mustEmbed(t, first, "1", "2")
	mustEmbed(t, second, "2", "3") // does not know of 2 yet; appends 3 alone
	mustEmbed(t, second, "1")      // has caught up
	if want := []string{"2", "3"}; !slices.Equal(b.asked, want) {
		t.Errorf("asked for %q, want %q", b.asked, want)
	}
	e := &counting{name: "e"}
	mustEmbed(t, openCache(t, dir, e), "1", "2", "3")
	if len(e.asked) != 0 {
		t.Errorf("asked for %q", e.asked)
	}
}

func TestCacheUnderConcurrency(t *testing.T) {
	dir := t.TempDir()
	var open []*Cached
	for range 3 {
		open = append(open, openCache(t, dir, &counting{name: "e"}))
	}
	var wg sync.WaitGroup
	for w := range 6 {
		wg.Go(func() {
			for i := range 40 {
				mustEmbed(t, open[w%3], fmt.Sprint(i), fmt.Sprint(100+w*50+i))
			}
		})
	}
	wg.Wait()
	e := &counting{name: "e"}
	c := openCache(t, dir, e)
	for i := range 40 {
		mustEmbed(t, c, fmt.Sprint(i), fmt.Sprint(100+i), fmt.Sprint(350+i))
	}
	if len(e.asked) != 0 {
		t.Errorf("asked for %q", e.asked)
	}
}

// Whatever a crash or a disk leaves, texts get their own vectors.
func TestCacheSurvivesDamage(t *testing.T) {
	whole := t.TempDir()
	mustEmbed(t, openCache(t, whole, &counting{name: "e"}), "1", "2", "3")
	file := cacheFile(t, whole)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for length := 0; length < len(good); length += 3 {
		checkDamaged(t, filepath.Base(file), good[:length], fmt.Sprintf("cut to %d bytes", length))
	}
	for at := cacheHeader; at < len(good); at += 11 {
		bad := bytes.Clone(good)
		bad[at] ^= 0x10
		checkDamaged(t, filepath.Base(file), bad, fmt.Sprintf("byte %d is changed", at))
	}
	foreign := append([]byte("other"), good[5:]...)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), foreign, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCache(dir, &counting{name: "e"}); err == nil || !strings.Contains(err.Error(), "something else") {
		t.Errorf("a file of something else: got error %v", err)
	}
}

func checkDamaged(t *testing.T, name string, content []byte, what string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
		t.Fatal(err)
	}
	mustEmbed(t, openCache(t, dir, &counting{name: "e"}), "1", "2", "3", "4")
	again := &counting{name: "e"}
	mustEmbed(t, openCache(t, dir, again), "4", "3", "2", "1")
	if len(again.asked) != 0 {
		t.Errorf("%s: %q were not kept", what, again.asked)
	}
}

func TestCachePassesErrorsOn(t *testing.T) {
	broken := &counting{name: "e", err: errors.New("no vectors today")}
	c := openCache(t, t.TempDir(), broken)
	if _, err := c.Embed(t.Context(), []string{"1"}); !errors.Is(err, broken.err) {
		t.Errorf("got error %v", err)
	}
	broken.err, broken.short = nil, true
	if _, err := c.Embed(t.Context(), []string{"1"}); err == nil || !strings.Contains(err.Error(), "1 components, not 2") {
		t.Errorf("a short vector: got error %v", err)
	}
	broken.short = false
	mustEmbed(t, c, "1")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Embed(t.Context(), []string{"1"}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed: got error %v", err)
	}
	if _, err := c.Embed(t.Context(), []string{"2"}); err == nil {
		t.Error("closed: a text was embedded and lost")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCache(file, broken); err == nil {
		t.Error("a file as directory: no error")
	}
}
