package index

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
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
	facts  *extract.File // nil when there are none or they are still packed
	read   bool
	parsed bool
}

// read handles all files, several at once, and keeps the outcomes in the order of
// the files.
func (r *run) read(ctx context.Context, entries []entry) error {
	r.progress.Step("read sources", len(entries))
	outcomes := make([]outcome, len(entries))
	err := r.parallel(ctx, len(entries), func(i int) error {
		outcomes[i] = r.one(ctx, entries[i])
		return nil
	})
	if err != nil {
		return err
	}
	for i := range outcomes {
		r.take(&outcomes[i])
	}
	return nil
}

// parallel calls each for the numbers below n, several at once, and tells the
// progress. It returns the context's error or those of the calls.
func (r *run) parallel(ctx context.Context, n int, each func(i int) error) error {
	failed := make([]error, n)
	next := make(chan int, 64)
	var wg sync.WaitGroup
	for range max(r.opts.Workers, 1) {
		wg.Go(func() {
			for i := range next {
				failed[i] = each(i)
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		next <- i
		r.progress.Done(i)
	}
	close(next)
	wg.Wait()
	return cmp.Or(ctx.Err(), errors.Join(failed...))
}

// sourceName reports whether a file may be a source by its name; one without an
// extension is looked into.
func sourceName(p string) bool {
	if isDocument(p) || path.Base(p) == "go.mod" || path.Ext(p) == "" {
		return true
	}
	_, ok := syntax.Detect(p, nil)
	return ok
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
	one := o.record
	r.new.records[one.path] = one
	switch {
	case one.reason == NoSource:
		s.Skipped[NoSource]++
		return
	case one.reason != "":
		s.skip(one.reason, one.path, errors.New(one.detail))
		return
	case !one.hasFacts():
		return
	}
	s.Files++
	if o.parsed {
		r.fresh[one.path] = o.facts
	}
	s.Bytes += one.stamp.size
	s.SyntaxErrors += int(one.errors)
	if one.errors > 0 {
		s.SyntaxErrorFiles++
	}
	if one.cut {
		s.TooDeep++
	}
	s.Languages[one.language]++
}

// one handles one file: from the last run where it is the same.
func (r *run) one(ctx context.Context, e entry) outcome {
	old := r.old.records[e.path]
	if old != nil && old.stamp == e.stamp && e.stamp.mtime != 0 {
		return outcome{record: old}
	}
	o := outcome{record: &record{path: e.path, stamp: e.stamp}}
	if r.opts.Now.Sub(time.Unix(0, max(e.stamp.mtime, e.stamp.ctime))) < racy {
		o.record.stamp.mtime = 0
	}
	if e.stamp.size > int64(r.opts.Limits.MaxBytes) {
		return o.without(fmt.Errorf("%w: %d bytes, limit %d", syntax.ErrTooLarge, e.stamp.size, r.opts.Limits.MaxBytes))
	}
	content, err := os.ReadFile(e.name)
	if err != nil {
		return o.without(err)
	}
	o.record.hash = sha256.Sum256(content)
	if old != nil && old.hash == o.record.hash && old.reason == "" {
		again := *old
		again.stamp, again.packed = o.record.stamp, nil
		o.record = &again
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
		o.record.reason = NoSource
		return o
	}
	if r.parses.Add(1) == many && r.opts.Many != nil {
		r.opts.Many()
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
