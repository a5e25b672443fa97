package index

import (
	"errors"
	"fmt"
	"maps"
	"sync"

	"sortedheap/internal/codegraph/store"
)

// save keeps the graph and the facts, as far as they are not those that are kept
// already. Both are written at once, but the facts, which know the checksum of the
// graph, take their place after it, so that what breaks off in between is done
// again.
func (r *run) save(parts *store.Parts, kept bool) error {
	var files [2]*store.Pending // in the order in which they take their places
	var failed [2]error
	var writing sync.WaitGroup
	if dir := r.opts.partsFolder(); dir != "" && !kept {
		r.progress.Step("store graph", 0)
		body := parts.Pack()
		r.new.graph = parts.Sum
		writing.Go(func() { files[0], failed[0] = parts.Write(dir, body) })
	}
	if r.opts.Cache != "" && !(kept && maps.Equal(r.old.records, r.new.records)) {
		r.progress.Step("save facts", 0)
		files[1], failed[1] = r.new.write(r.opts.Cache)
	}
	writing.Wait()
	err := errors.Join(failed[:]...)
	for _, file := range files {
		if file == nil {
			continue
		}
		if err == nil {
			err = file.Commit()
		}
		if err != nil {
			err = fmt.Errorf("save: %w", errors.Join(err, file.Drop()))
		}
	}
	return err
}
