package report_test

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sortedheap/internal/harness/report"
	"sortedheap/internal/harness/result"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func read(t *testing.T, name string) *result.File {
	t.Helper()
	f, err := result.Read(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got\n%s", name, got)
	}
}

func TestFormats(t *testing.T) {
	files := []*result.File{read(t, "a.json")}
	for _, format := range []report.Format{report.Text, report.Markdown, report.CSV, report.GoBench} {
		var out strings.Builder
		if err := report.Write(&out, files, format); err != nil {
			t.Fatal(err)
		}
		golden(t, "a."+string(format), out.String())
	}
	if err := report.Write(io.Discard, files, "pictures"); err == nil {
		t.Error("an unknown format is written")
	}
}

// Streams of statements have a table of their own, and lookups are compared with
// the reference that their scenario names.
func TestStorage(t *testing.T) {
	var out strings.Builder
	if err := report.Write(&out, []*result.File{read(t, "storage.json")}, report.Text); err != nil {
		t.Fatal(err)
	}
	golden(t, "storage.text", out.String())
}

// Curves stand side by side; ratios of filters are against the rival's fastest way
// that is good enough.
func TestAnn(t *testing.T) {
	for _, format := range []report.Format{report.Text, report.Markdown} {
		var out strings.Builder
		if err := report.Write(&out, []*result.File{read(t, "ann.json")}, format); err != nil {
			t.Fatal(err)
		}
		golden(t, "ann."+string(format), out.String())
	}
}

func TestCompare(t *testing.T) {
	var out strings.Builder
	if err := report.Compare(&out, read(t, "a.json"), read(t, "b.json")); err != nil {
		t.Fatal(err)
	}
	golden(t, "compare.text", out.String())
}

// Ratios refer to the fastest plain SQL, never to a helper or to exact seeds.
func TestReference(t *testing.T) {
	f := read(t, "a.json")
	f.Rows[1].ServerMS.P50 = 4 // heap's join form becomes the reference
	var out strings.Builder
	if err := report.Write(&out, []*result.File{f}, report.Text); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(out.String(), "\n") {
		if strings.Contains(line, "seed_graph_rag_twohop_path_scan_fn") && !strings.Contains(line, "│  0.50 │ 0.80 │") {
			t.Errorf("2 ms against 4 (heap) and 2.5 (pgvector): %s", line)
		}
	}
}

func TestNothingInCommon(t *testing.T) {
	b := read(t, "b.json")
	for i := range b.Rows {
		b.Rows[i].Scenario = "other"
	}
	if err := report.Compare(io.Discard, read(t, "a.json"), b); err == nil {
		t.Error("files with no common row are compared")
	}
}
