package ask

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// File is a file of questions about one tree.
type File struct {
	Source    Source     `json:"source"`
	Questions []Question `json:"questions"`
}

// Source is the tree that the questions are about.
type Source struct {
	Repo       string   `json:"repo"`
	CapturedAt string   `json:"captured_at"`
	Extensions []string `json:"extensions,omitempty"`
	Note       string   `json:"note,omitempty"`
}

// Question has its complete true answer.
type Question struct {
	Label    string  `json:"label"`
	Question string  `json:"question"`
	Relation string  `json:"relation"` // calls, uses, implements, ...
	Truth    []Truth `json:"truth"`
	Note     string  `json:"note,omitempty"`
}

// Truth is one true row: a site, the name of what it is in, or both.
type Truth struct {
	Name string `json:"name,omitempty"` // qualified, or the last parts of it
	File string `json:"file,omitempty"` // relative, with slashes
	Line int    `json:"line,omitempty"` // of the call, or of what the row names
}

// ReadFile reads questions and refuses what it does not understand.
func ReadFile(name string) (*File, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read questions: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	f := &File{}
	if err := dec.Decode(f); err != nil {
		return nil, fmt.Errorf("read questions %s: %w", name, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read questions %s: text after the questions", name)
	}
	if err := f.validate(); err != nil {
		return nil, fmt.Errorf("read questions %s: %w", name, err)
	}
	return f, nil
}

func (f *File) validate() error {
	var errs []error
	if len(f.Questions) == 0 {
		errs = append(errs, errors.New("no questions"))
	}
	seen := map[string]bool{}
	for i, q := range f.Questions {
		switch {
		case q.Label == "" || q.Question == "" || q.Relation == "":
			errs = append(errs, fmt.Errorf("question %d has no label, question or relation", i+1))
		case seen[q.Label]:
			errs = append(errs, fmt.Errorf("label %q is there twice", q.Label))
		case len(q.Truth) == 0:
			errs = append(errs, fmt.Errorf("question %q has no truth", q.Label))
		}
		seen[q.Label] = true
		for _, t := range q.Truth {
			if t.Name == "" && (t.File == "" || t.Line < 1) {
				errs = append(errs, fmt.Errorf("question %q has a truth with neither name nor place", q.Label))
			}
			if t.File != "" && (path.IsAbs(t.File) || path.Clean(t.File) != t.File || strings.HasPrefix(t.File, "..")) {
				errs = append(errs, fmt.Errorf("question %q names the file %q, want a clean relative path", q.Label, t.File))
			}
		}
	}
	return errors.Join(errs...)
}
