// Package questions holds questions about code whose true answers were found by
// searching the sources, not by any graph.
package questions

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
)

// Set is the questions about one tree.
type Set struct {
	Schema  string `json:"schema"` // SchemaVersion
	Corpus  string `json:"corpus"`
	Version string `json:"version"` // where the tree is from
	// Extension and Skip say which files were searched: those with the extension,
	// outside of folders of these names.
	Extension string     `json:"extension"`
	Skip      []string   `json:"skip"`
	Questions []Question `json:"questions"`
}

// SchemaVersion is the form of question files.
const SchemaVersion = "codequestions/1"

// Question asks for the sites of a relation to a subject.
type Question struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Relation string `json:"relation"` // calls, references, implements or instantiates
	Subject  string `json:"subject"`  // qualified name
	// Grep finds every line that could be a site. Each such line is in Truth or,
	// with the reason why it is none, in Not.
	Grep  string  `json:"grep"`
	Truth []Site  `json:"truth"`
	Not   []Other `json:"not"`
}

// Site is a true site.
type Site struct {
	// Name is the function around it by its bare name, with its type where it has
	// one: "Conn.Release", "Article::view".
	Name string `json:"name"`
	File string `json:"file"`
	Line int    `json:"line"`
}

// Other is a line that only looks like a site.
type Other struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Why  string `json:"why"`
}

// Load reads a question file and checks its form.
func Load(file string) (*Set, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("load questions: %w", err)
	}
	var s Set
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("load questions %s: %w", file, err)
	}
	if s.Schema != SchemaVersion {
		return nil, fmt.Errorf("load questions %s: schema is %q, want %q", file, s.Schema, SchemaVersion)
	}
	seen := map[string]bool{}
	for _, q := range s.Questions {
		var problem error
		switch _, err := regexp.Compile(q.Grep); {
		case err != nil:
			problem = err
		case q.ID == "" || q.Question == "" || q.Subject == "" || q.Grep == "":
			problem = errors.New("id, question, subject and grep are needed")
		case seen[q.ID]:
			problem = errors.New("the id is taken")
		case len(q.Truth) == 0:
			problem = errors.New("no true site")
		}
		if problem != nil {
			return nil, fmt.Errorf("load questions %s: question %q: %w", file, q.ID, problem)
		}
		seen[q.ID] = true
	}
	return &s, nil
}
