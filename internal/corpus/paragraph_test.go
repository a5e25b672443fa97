package corpus

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"plain", "a\nb", "a\nb"},
		{"windows lines", "a\r\nb\r\n\r\nc", "a\nb\n\nc"},
		{"old mac lines", "a\rb\r\rc", "a\nb\n\nc"},
		{"mixed", "a\n\r\nb\r\r\nc", "a\n\nb\n\nc"},
		{"stray byte", "a\xffb", "ab"},
		{"cut sequence", "a\xe2\x82b\xe2\x82", "ab"},
		{"surrogate", "a\xed\xa0\x80b", "ab"},
		{"overlong", "a\xc0\xafb", "ab"},
		{"beyond unicode", "a\xf4\x90\x80\x80b", "ab"},
		{"stray byte inside a line break", "a\r\xff\nb", "a\nb"},
		{"byte order mark", "\ufeffa", "\ufeffa"},
	} {
		if got := decode([]byte(c.raw)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestParagraphs(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"length limits are exclusive", x(50) + "\n\n" + x(51) + "\n\n" + x(1999) + "\n\n" + x(2000), []string{x(51), x(1999)}},
		{"characters, not bytes", strings.Repeat("é", 50) + "\n\n" + strings.Repeat("é", 51) + "\n\n" + strings.Repeat("€", 1999),
			[]string{strings.Repeat("é", 51), strings.Repeat("€", 1999)}},
		{"lines are joined and stripped", "  " + x(30) + " \t\n\u00a0\x1c" + x(30) + "\u3000\n", []string{x(30) + " " + x(30)}},
		{"inner blanks stay", x(30) + "  " + x(30), []string{x(30) + "  " + x(30)}},
		{"three line feeds", x(60) + "\n\n\n" + x(61), []string{x(60), x(61)}},
		{"a line of blanks does not separate", x(30) + "\n \n" + x(30), []string{x(30) + " " + x(30)}},
		{"a zero-width space is no blank", "\u200b" + x(50), []string{"\u200b" + x(50)}},
		{"nothing", "\n\n\n\n", nil},
	} {
		if got := paragraphs(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestReadParagraphs(t *testing.T) {
	dir := t.TempDir()
	long := func(c string) string { return strings.Repeat(c, 60) }
	text := "short\n\n" + strings.Join([]string{long("a"), long("b"), long("c"), long("d")}, "\n\n")
	if err := os.WriteFile(filepath.Join(dir, "book.txt"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		skip, limit int
		want        string
	}{{0, 0, "abcd"}, {1, 0, "bcd"}, {1, 2, "bc"}, {4, 0, ""}, {9, 3, ""}} {
		found, err := readParagraphs(os.DirFS(dir), "book.txt", c.skip, c.limit)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, p := range found {
			got += p[:1]
		}
		if got != c.want {
			t.Errorf("skip %d, limit %d: got %q, want %q", c.skip, c.limit, got, c.want)
		}
	}
}

func TestBookFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.txt", "a.txt", "Z.txt", "notes.md", "a.TXT", "é.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.txt"), 0o700); err != nil {
		t.Fatal(err)
	}
	names, err := bookFiles(os.DirFS(dir), 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"Z.txt", "a.txt", "b.txt", "é.txt"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	if names, err = bookFiles(os.DirFS(dir), 2); err != nil || len(names) != 2 {
		t.Errorf("two books asked for: got %v, %v", names, err)
	}
	if _, err := bookFiles(os.DirFS(t.TempDir()), 0); err == nil {
		t.Error("a directory without books: no error")
	}
	if _, err := bookFiles(os.DirFS(filepath.Join(dir, "absent")), 0); err == nil {
		t.Error("an absent directory: no error")
	}
}
