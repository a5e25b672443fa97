package corpus

import (
	"context"
	"errors"
	"fmt"
	"math"

	"sortedheap/internal/corpus/codedeps"
	"sortedheap/internal/embed"
)

// Relations of a source tree.
const (
	RelationChunk    int16 = 1 // file -> chunk of its text
	RelationRequires int16 = 2 // file -> file that it requires, includes or imports
	RelationSummary  int16 = 3 // file -> itself, with the beginning of its text
)

// Wording says in which words a question is asked.
type Wording string

const (
	// WordingPrompt names identifiers, as who knows the source would.
	WordingPrompt Wording = "prompt"
	// WordingGeneric names none, as who does not know it would.
	WordingGeneric Wording = "generic"
)

// CodeOptions says which source tree to load, and what to ask about it.
type CodeOptions struct {
	Dir        string         // root of the tree; empty for the small built-in one
	Extensions []string       // suffixes of the files to take, dots included; nil: those of the questions, else DefaultExtensions
	Embedder   embed.Embedder // of rows and questions
	Questions  *QuestionFile  // nil: nothing is asked
	Wording    Wording        // empty: WordingPrompt
}

// DefaultExtensions are the suffixes of languages whose imports are followed, and of
// plain text.
func DefaultExtensions() []string {
	return []string{".c", ".h", ".cc", ".hh", ".cpp", ".hpp", ".cxx", ".hxx", ".cr", ".go", ".java", ".js", ".jsx", ".mjs", ".cjs",
		".php", ".py", ".rb", ".rs", ".ts", ".tsx", ".md", ".txt"}
}

// Validate reports every option that makes no sense.
func (o CodeOptions) Validate() error {
	var errs []error
	if o.Embedder == nil {
		errs = append(errs, errors.New("no embedder is given"))
	}
	for _, e := range o.Extensions {
		if len(e) < 2 || e[0] != '.' {
			errs = append(errs, fmt.Errorf("extension %q is not a dot and a name", e))
		}
	}
	switch o.Wording {
	case "", WordingPrompt:
	case WordingGeneric:
		if o.Questions != nil {
			errs = append(errs, o.Questions.hasGeneric())
		}
	default:
		errs = append(errs, fmt.Errorf("unrecognized wording %q, the wordings are %s and %s", o.Wording, WordingPrompt, WordingGeneric))
	}
	return errors.Join(errs...)
}

// CodeFile is one file of a source tree. Its entity id is its place in Code.Files
// plus 1.
type CodeFile struct {
	Path     string // below the root, with slashes
	Text     string
	Requires []int32 // ids of the files that it depends on, in the order of the text
}

// LexicalSeed is a file in a few words of its own: a row of a table to choose files
// by words from.
type LexicalSeed struct {
	Entity    int32
	Embedding []float32
	Payload   string
}

// AskedQuestion is a question in the wording that is asked.
type AskedQuestion struct {
	CodeQuestion
	Text      string
	Embedding []float32
	Terms     []string // of Text, as PromptTerms has them
	Symbols   []string // of Text, as PromptSymbols has them
}

// Code is a source tree as a fact graph: files are entities, and a row is a chunk of
// a file, the beginning of one (its summary), or that it requires another.
type Code struct {
	Facts
	Files []CodeFile
	Seeds []LexicalSeed // one a file
	Asked []AskedQuestion
}

// OpenCode reads a source tree and embeds its rows and questions.
//
// Files have the ids 1, 2, ... in the order of paths. Rows come file by file:
// (file, 3, file) the summary, (file, 1, chunk) the chunks, whose ids run over all
// files, and (file, 2, required) the dependencies.
func OpenCode(ctx context.Context, o CodeOptions) (*Code, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("open code corpus: %w", err)
	}
	extensions := o.Extensions
	switch {
	case len(extensions) > 0:
	case o.Questions != nil:
		extensions = o.Questions.Source.Extensions
	default:
		extensions = DefaultExtensions()
	}
	root, err := o.root()
	if err != nil {
		return nil, fmt.Errorf("open code corpus: %w", err)
	}
	files, modules, err := readTree(ctx, root, extensions)
	if err != nil {
		return nil, fmt.Errorf("open code corpus in %q: %w", o.Dir, err)
	}
	c := &Code{Files: files}
	c.link(modules)
	counts, err := c.cut()
	if err != nil {
		return nil, fmt.Errorf("open code corpus in %q: %w", o.Dir, err)
	}
	c.ask(o)
	if err := c.embed(ctx, o.Embedder); err != nil {
		return nil, fmt.Errorf("open code corpus in %q: %w", o.Dir, err)
	}
	c.describe(o, extensions, counts)
	return c, nil
}

// link finds the dependencies of all files.
func (c *Code) link(modules map[string]string) {
	paths := make([]string, len(c.Files))
	ids := map[string]int32{}
	for i, f := range c.Files {
		paths[i], ids[f.Path] = f.Path, int32(i+1)
	}
	tree := codedeps.NewTree(paths, modules)
	for i := range c.Files {
		f := &c.Files[i]
		for _, required := range tree.Of(f.Path, f.Text) {
			f.Requires = append(f.Requires, ids[required])
		}
	}
}

// cut makes the rows and lexical seeds, without vectors, and counts the rows by
// relation.
func (c *Code) cut() (map[int16]int, error) {
	counts := map[int16]int{}
	for i, f := range c.Files {
		id := int32(i + 1)
		chunks := cutChunks(f)
		summary := summarize(f, chunks)
		c.Rows = append(c.Rows, Fact{Entity: id, Relation: RelationSummary, Target: id, Payload: summary})
		for _, text := range chunks {
			if counts[RelationChunk] == math.MaxInt32 {
				return nil, errors.New("its chunks exceed the ids of int4")
			}
			counts[RelationChunk]++
			c.Rows = append(c.Rows, Fact{Entity: id, Relation: RelationChunk, Target: int32(counts[RelationChunk]), Payload: text})
		}
		var required []string
		for _, target := range f.Requires {
			required = append(required, c.Files[target-1].Path)
			c.Rows = append(c.Rows, Fact{Entity: id, Relation: RelationRequires, Target: target,
				Payload: fmt.Sprintf("# Dependency: %s -> %s", f.Path, c.Files[target-1].Path)})
		}
		counts[RelationRequires] += len(required)
		c.Seeds = append(c.Seeds, LexicalSeed{Entity: id, Payload: lexicalSeed(f.Path, required, summary)})
	}
	counts[RelationSummary] = len(c.Files)
	return counts, nil
}

func (c *Code) ask(o CodeOptions) {
	if o.Questions == nil {
		return
	}
	for _, q := range o.Questions.Questions {
		text := q.Prompt
		if o.Wording == WordingGeneric {
			text = q.Generic
		}
		c.Asked = append(c.Asked, AskedQuestion{CodeQuestion: q, Text: text, Terms: PromptTerms(text), Symbols: PromptSymbols(text)})
	}
}

// embed gives rows, seeds and questions their vectors, in one call so that the
// embedder can batch.
func (c *Code) embed(ctx context.Context, e embed.Embedder) error {
	texts := make([]string, 0, len(c.Rows)+len(c.Seeds)+len(c.Asked))
	for _, r := range c.Rows {
		texts = append(texts, r.Payload)
	}
	for _, s := range c.Seeds {
		texts = append(texts, s.Payload)
	}
	for _, q := range c.Asked {
		texts = append(texts, q.Text)
	}
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return err
	}
	if len(vectors) != len(texts) {
		return fmt.Errorf("embedder %s returned %d vectors for %d texts", e.Name(), len(vectors), len(texts))
	}
	for i := range c.Rows {
		c.Rows[i].Embedding = vectors[i]
	}
	vectors = vectors[len(c.Rows):]
	for i := range c.Seeds {
		c.Seeds[i].Embedding = vectors[i]
	}
	vectors = vectors[len(c.Seeds):]
	for i := range c.Asked {
		c.Asked[i].Embedding = vectors[i]
		c.Queries = append(c.Queries, Query{Text: c.Asked[i].Text, Embedding: vectors[i]})
	}
	return nil
}

func (c *Code) describe(o CodeOptions, extensions []string, counts map[int16]int) {
	c.Name, c.Dim = "code", o.Embedder.Dim()
	c.Params = map[string]any{
		"source": o.directory(), "extensions": extensions, "files": len(c.Files),
		"chunks": counts[RelationChunk], "edges": counts[RelationRequires],
		"dim": c.Dim, "embedder": o.Embedder.Name(), "queries": len(c.Asked),
	}
	if o.Questions != nil {
		c.Params["questions"], c.Params["repo"] = o.Questions.Name, o.Questions.Source.Repo
		c.Params["wording"] = string(WordingPrompt)
		if o.Wording != "" {
			c.Params["wording"] = string(o.Wording)
		}
	}
}
