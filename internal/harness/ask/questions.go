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

// Schema is the form of question files that this package reads.
const Schema = "codequestions/1"

// File is a file of questions about one tree.
type File struct {
	Schema    string     `json:"schema"`
	Corpus    string     `json:"corpus"`
	Version   string     `json:"version"`             // of the tree
	Extension string     `json:"extension,omitempty"` // of the files that the answers were looked for in
	Skip      []string   `json:"skip,omitempty"`      // what of the tree was left out
	Note      string     `json:"note,omitempty"`
	Questions []Question `json:"questions"`
}

// Question has its complete true answer.
type Question struct {
	ID       string  `json:"id"`
	Question string  `json:"question"`
	Relation string  `json:"relation"`          // calls, uses, implements, ...
	Subject  string  `json:"subject,omitempty"` // qualified
	Grep     string  `json:"grep,omitempty"`    // finds every line that could be true
	Truth    []Truth `json:"truth"`
	Not      []Truth `json:"not,omitempty"` // lines that grep finds and that are no answers
	Note     string  `json:"note,omitempty"`
}

// Truth is one true row: a site, the name of what it is in, or both.
type Truth struct {
	Name string `json:"name,omitempty"` // qualified, or the last parts of it
	File string `json:"file,omitempty"` // relative, with slashes
	Line int    `json:"line,omitempty"` // of the call, or of what the row names
	Why  string `json:"why,omitempty"`  // it is no answer
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
	if f.Schema != Schema {
		errs = append(errs, fmt.Errorf("schema is %q, must be %q", f.Schema, Schema))
	}
	if len(f.Questions) == 0 {
		errs = append(errs, errors.New("no questions"))
	}
	seen := map[string]bool{}
	for i, q := range f.Questions {
		switch {
		case q.ID == "" || q.Question == "" || q.Relation == "":
			errs = append(errs, fmt.Errorf("question %d has no id, question or relation", i+1))
		case seen[q.ID]:
			errs = append(errs, fmt.Errorf("id %q is there twice", q.ID))
		case len(q.Truth) == 0:
			errs = append(errs, fmt.Errorf("question %q has no truth", q.ID))
		}
		seen[q.ID] = true
		for _, t := range q.Truth {
			if t.Name == "" && (t.File == "" || t.Line < 1) {
				errs = append(errs, fmt.Errorf("question %q has a truth with neither name nor place", q.ID))
			}
			if t.File != "" && (path.IsAbs(t.File) || path.Clean(t.File) != t.File || strings.HasPrefix(t.File, "..")) {
				errs = append(errs, fmt.Errorf("question %q names the file %q, want a clean relative path", q.ID, t.File))
			}
		}
	}
	return errors.Join(errs...)
}
