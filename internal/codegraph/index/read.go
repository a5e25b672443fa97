package index

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"sortedheap/internal/codegraph/extract"
	"sortedheap/internal/syntax"
)

// racy is how long before a run a change may be of the same time as a later one.
const racy = 2 * time.Second

// outcome is what became of one file.
type outcome struct {
	record *record
	facts  *extract.File // nil when there are none
	read   bool
	parsed bool
}

// read handles all files, several at once, and keeps the outcomes in the order of
// the files.
func (r *run) read(ctx context.Context, entries []entry) error {
	var todo []entry
	for _, e := range entries {
		if r.source(e) {
			todo = append(todo, e)
		} else {
			r.summary.Skipped[NoSource]++
		}
	}
	r.progress.Step("read sources", len(todo))
	outcomes := make([]outcome, len(todo))
	next := make(chan int)
	var wg sync.WaitGroup
	for range max(r.opts.Workers, 1) {
		wg.Go(func() {
			for i := range next {
				outcomes[i] = r.one(ctx, todo[i])
			}
		})
	}
	for i := range todo {
		if ctx.Err() != nil {
			break
		}
		next <- i
		r.progress.Done(i)
	}
	close(next)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for i := range outcomes {
		r.take(&outcomes[i])
	}
	return nil
}

// source reports whether a file may be one by its name; one without an extension
// is looked into.
func (r *run) source(e entry) bool {
	if isDocument(e.path) || path.Base(e.path) == "go.mod" {
		return true
	}
	if _, ok := syntax.Detect(e.path, nil); ok {
		return true
	}
	return path.Ext(e.path) == "" && e.size > 0
}

// take adds an outcome to the run.
func (r *run) take(o *outcome) {
	s := r.summary
	if o.read {
		s.Read++
	}
	if o.parsed {
		s.Parsed++
	}
	if o.record == nil {
		s.Skipped[NoSource]++
		return
	}
	r.new.records[o.record.path] = o.record
	if o.record.reason != "" {
		s.skip(o.record.reason, o.record.path, fmt.Errorf("%s", o.record.detail))
		return
	}
	f := o.facts
	if f == nil {
		return // a go.mod
	}
	r.facts[f.Path] = f
	if o.parsed {
		r.fresh[f.Path] = true
	}
	s.Bytes += o.record.size
	s.SyntaxErrors += f.Errors
	if f.Errors > 0 {
		s.SyntaxErrorFiles++
	}
	if f.Cut {
		s.TooDeep++
	}
	name := f.Lang.String()
	if name == "" {
		name = "document"
	}
	s.Languages[name]++
}

// one handles one file: from the last run where it is the same.
func (r *run) one(ctx context.Context, e entry) outcome {
	old := r.old.records[e.path]
	if old != nil && old.size == e.size && old.mtime == e.mtime && e.mtime != 0 {
		return known(old)
	}
	o := outcome{record: &record{path: e.path, size: e.size, mtime: e.mtime}}
	if r.opts.Now.Sub(time.Unix(0, e.mtime)) < racy {
		o.record.mtime = 0
	}
	if e.size > int64(r.opts.Limits.MaxBytes) {
		return o.without(fmt.Errorf("%w: %d bytes, limit %d", syntax.ErrTooLarge, e.size, r.opts.Limits.MaxBytes))
	}
	content, err := os.ReadFile(e.name)
	if err != nil {
		return o.without(err)
	}
	o.record.hash = sha256.Sum256(content)
	if old != nil && old.hash == o.record.hash && old.reason == "" {
		again := *old
		again.size, again.mtime = e.size, o.record.mtime
		o = known(&again)
	} else {
		o = r.parse(ctx, o, content)
	}
	o.read = true
	return o
}

// without ends an outcome that has no facts.
func (o outcome) without(err error) outcome {
	o.record.reason, o.record.detail = reasonOf(err), err.Error()
	return o
}

// known takes a record of the last run. Facts that cannot be unpacked although
// the state's checksum is right are those of a faulty program: the file is left
// out and named.
func known(old *record) outcome {
	o := outcome{record: old}
	if old.reason != "" || len(old.definitions) == 0 {
		return o
	}
	f, err := extract.UnpackDefinitions(old.definitions)
	if err != nil {
		o.record = &record{path: old.path}
		return o.without(fmt.Errorf("%w: %w", errFault, err))
	}
	o.facts = f
	return o
}

// parse reads a content as what it is.
func (r *run) parse(ctx context.Context, o outcome, content []byte) outcome {
	p := o.record.path
	switch {
	case path.Base(p) == "go.mod":
		o.record.module = goModule(content)
		return o
	case isDocument(p):
		if syntax.IsBinary(content) {
			return o.without(syntax.ErrBinary)
		}
		return o.with(document(p, content))
	}
	l, ok := syntax.Detect(p, content[:min(len(content), 4096)])
	if !ok {
		return outcome{}
	}
	tree, err := r.parsers.Parse(ctx, l, content)
	if err != nil {
		return o.without(err)
	}
	f, err := facts(tree, p)
	if err != nil {
		return o.without(err)
	}
	return o.with(f)
}

func (o outcome) with(f *extract.File) outcome {
	o.facts, o.parsed = f, true
	o.record.setFacts(f)
	return o
}

// facts extracts a tree; a fault in that costs one file, not the run.
func facts(tree *syntax.Tree, p string) (f *extract.File, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			f, err = nil, fmt.Errorf("%w: %v", errFault, cause)
		}
	}()
	return extract.Extract(tree, p), nil
}

// goModule returns the module path of a go.mod.
func goModule(content []byte) string {
	for line := range strings.Lines(string(content)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			name, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			return strings.Trim(name, `"`)
		}
	}
	return ""
}
