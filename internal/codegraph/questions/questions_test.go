package questions

import (
	"bufio"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var mediawiki = flag.String("mediawiki", "", "the tree that fixtures/questions/codegraph/mediawiki.json names, to verify its truth")

func load(t *testing.T, corpus string) *Set {
	t.Helper()
	s, err := Load("../../../fixtures/questions/codegraph/" + corpus + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Questions) != 20 {
		t.Errorf("%d questions, want 20", len(s.Questions))
	}
	return s
}

func TestTruthOfPgx(t *testing.T) {
	s := load(t, "pgx")
	module, version, _ := strings.Cut(s.Version, " ")
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module+"@"+version).Output()
	if err != nil {
		t.Skipf("%s is not in the module cache and cannot be fetched: %v", s.Version, err)
	}
	dir := regexp.MustCompile(`"Dir": "([^"]+)"`).FindSubmatch(out)
	if dir == nil {
		t.Fatalf("no folder in %s", out)
	}
	verify(t, s, string(dir[1]))
}

func TestTruthOfMediaWiki(t *testing.T) {
	s := load(t, "mediawiki")
	if *mediawiki == "" {
		t.Skip("-mediawiki names no tree")
	}
	verify(t, s, *mediawiki)
}

// verify searches the tree: the lines found are those that the questions list.
func verify(t *testing.T, s *Set, root string) {
	t.Helper()
	patterns := make([]*regexp.Regexp, len(s.Questions))
	for i, q := range s.Questions {
		patterns[i] = regexp.MustCompile(q.Grep)
	}
	found := make([][]string, len(s.Questions))
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains(s.Skip, d.Name()) {
			return filepath.SkipDir
		}
		if !d.Type().IsRegular() || filepath.Ext(name) != s.Extension {
			return nil
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // only read
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 16<<20)
		for line := 1; lines.Scan(); line++ {
			for i, p := range patterns {
				if p.Match(lines.Bytes()) {
					found[i] = append(found[i], fmt.Sprintf("%s:%d", rel, line))
				}
			}
		}
		return lines.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range s.Questions {
		var listed []string
		for _, site := range q.Truth {
			listed = append(listed, fmt.Sprintf("%s:%d", site.File, site.Line))
		}
		for _, other := range q.Not {
			if other.Why == "" {
				t.Errorf("%s: %s:%d is no site without a reason", q.ID, other.File, other.Line)
			}
			listed = append(listed, fmt.Sprintf("%s:%d", other.File, other.Line))
		}
		slices.Sort(listed)
		slices.Sort(found[i])
		if !slices.Equal(listed, found[i]) {
			t.Errorf("%s: the search finds\n%v\nand the question lists\n%v", q.ID, found[i], listed)
		}
	}
}
