package result_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sortedheap/internal/harness/result"
)

func valid() *result.File {
	one, low, high := 1.0, 0.9, 1.1
	return &result.File{
		Schema: result.Schema,
		Env:    result.Env{Time: "2026-01-02T03:04:05Z", Commit: "abc", CPU: "a cpu", Cores: 2, Settings: map[string]string{"jit": "off"}},
		Params: map[string]any{"dim": 8.0},
		Rows: []result.Row{
			{Scenario: "s", Corpus: "c", Engine: "heap", Case: "k", Params: map[string]any{}, Queries: 3, Samples: 9,
				ClientMS: &result.Latency{P50: 1, P95: 2, P99: 3, Mean: 1.5, P50Lo: &low, P50Hi: &high},
				Quality:  &result.Quality{HitAt1: &one}, Answers: []string{"00000001"}},
			{Scenario: "s", Corpus: "c", Engine: "gone", Params: map[string]any{}, Error: "not installed"},
		},
		Warnings: []string{"careful"},
	}
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "r.json")
	if err := result.Write(path, valid()); err != nil {
		t.Fatal(err)
	}
	got, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, valid()) {
		t.Errorf("read %+v, want what was written", got)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A failed write must not touch the old file.
func TestWriteIsAllOrNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	if err := result.Write(path, valid()); err != nil {
		t.Fatal(err)
	}
	broken := valid()
	broken.Rows = nil
	if err := result.Write(path, broken); err == nil {
		t.Error("a file without rows is written")
	}
	if _, err := result.Read(path); err != nil {
		t.Errorf("the old file is gone: %v", err)
	}
}

func TestReadIsStrict(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	if err := result.Write(path, valid()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ old, new, want string }{
		"other schema":  {`"benchgraph/1"`, `"benchgraph/9"`, `schema is "benchgraph/9"`},
		"unknown field": {`"engine": "heap"`, `"engine": "heap", "speed": 1`, `unknown field "speed"`},
		"text after":    {"", "x", "not a result file"},
		"second value":  {"", "{}", "not a result file"},
		"not JSON":      {`"schema"`, `schema`, "not a result file"},
		"no samples":    {`"samples": 9`, `"samples": 0`, "neither samples nor an error"},
		"no cpu":        {`"a cpu"`, `""`, "environment is incomplete"},
		"row twice":     {"\"engine\": \"gone\",\n   \"engine_version\": \"\",\n   \"case\": \"\"", `"engine": "heap", "case": "k"`, "repeats s/c/heap/k"},
	} {
		changed := string(text) + c.new
		if c.old != "" {
			changed = strings.Replace(string(text), c.old, c.new, 1)
		}
		if changed == string(text) {
			t.Fatalf("%s: the file does not hold %q", name, c.old)
		}
		bad := filepath.Join(t.TempDir(), "bad.json")
		if err := os.WriteFile(bad, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := result.Read(bad); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	if _, err := result.Read(filepath.Join(t.TempDir(), "none.json")); err == nil {
		t.Error("a missing file is read")
	}
}

// Files written before engines had one name each still compare.
func TestOldEngineNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	old := valid()
	old.Rows[0].Engine = "sortedheap"
	if err := result.Write(path, old); err != nil {
		t.Fatal(err)
	}
	got, err := result.Read(path)
	if err != nil || got.Rows[0].Engine != "sorted_heap" {
		t.Errorf("engine %q, error %v, want sorted_heap", got.Rows[0].Engine, err)
	}
}

func TestMachine(t *testing.T) {
	e := result.Machine("stamp")
	if e.Commit != "stamp" || e.Cores < 1 || e.CPU == "" || e.Kernel == "" || e.GoVersion == "" {
		t.Errorf("machine %+v", e)
	}
}
