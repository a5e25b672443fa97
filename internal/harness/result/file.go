package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Write stores a result so that readers see the old file or the whole new one.
func Write(path string, f *File) error {
	if err := f.Validate(); err != nil {
		return fmt.Errorf("write result %s: %w", path, err)
	}
	text, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return fmt.Errorf("write result %s: %w", path, err)
	}
	if err := Replace(path, append(text, '\n')); err != nil {
		return fmt.Errorf("write result %s: %w", path, err)
	}
	return nil
}

// Replace stores a file so that readers see the old one or the whole new one, and
// makes the folders above it.
func Replace(path string, text []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".benchgraph-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(text)
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// Read loads a result and refuses what it does not understand: another schema,
// unknown fields, trailing text, or a file that Validate faults.
func Read(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("read result %s: not a result file: %w", path, err)
	}
	if head.Schema != Schema {
		return nil, fmt.Errorf("read result %s: schema is %q, this program reads %q", path, head.Schema, Schema)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	f := &File{}
	if err := dec.Decode(f); err != nil {
		return nil, fmt.Errorf("read result %s: %w", path, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read result %s: text after the result", path)
	}
	f.renameEngines()
	if err := f.Validate(); err != nil {
		return nil, fmt.Errorf("read result %s: %w", path, err)
	}
	return f, nil
}

// renameEngines gives engines of older files the names that they have now, so
// that they compare.
func (f *File) renameEngines() {
	for i := range f.Rows {
		if f.Rows[i].Engine == "sortedheap" {
			f.Rows[i].Engine = "sorted_heap"
		}
	}
}

// Validate returns every fault of a file at once.
func (f *File) Validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if f.Schema != Schema {
		fault("schema is %q, must be %q", f.Schema, Schema)
	}
	if f.Env.Time == "" || f.Env.CPU == "" || f.Env.Cores < 1 || f.Env.Commit == "" {
		fault("environment is incomplete: time %q, cpu %q, cores %d, commit %q", f.Env.Time, f.Env.CPU, f.Env.Cores, f.Env.Commit)
	}
	if len(f.Rows) == 0 {
		fault("no rows")
	}
	seen := map[string]bool{}
	for i, r := range f.Rows {
		id := r.Scenario + "/" + r.Corpus + "/" + r.Engine + "/" + r.Case
		if r.Point != "" {
			id += " at " + r.Point
		}
		switch {
		case r.Scenario == "" || r.Engine == "":
			fault("row %d has no scenario or engine", i)
		case seen[id]:
			fault("row %d repeats %s", i, id)
		case r.Error == "" && (r.Case == "" || r.ClientMS == nil || r.Samples < 1):
			fault("row %s has neither samples nor an error", id)
		}
		seen[id] = true
	}
	return errors.Join(errs...)
}
