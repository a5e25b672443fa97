package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"sortedheap/internal/embed"
	"sortedheap/internal/embed/minilm"
)

// embedKeyVariable holds the key of an embedding server; a flag would show it to
// everyone on the machine.
const embedKeyVariable = "SORTED_HEAP_EMBED_KEY"

// Embedders that are no hash, as they are called on the command line.
const (
	embedderLocal = "local"
	embedderHTTP  = "http"
)

// hashChoice is an embedder of text by hashing.
type hashChoice struct {
	name, about string
	mode        embed.Mode
}

// Hashes that scenarios offer.
var (
	hashMultihop  = hashChoice{"generic", "hashed words, weighted for persons, parents and cities", embed.Multihop}
	hashLexical   = hashChoice{"lexical", "hashed words", embed.Lexical}
	hashCodeAware = hashChoice{"code-aware", "hashed words of identifiers, which it takes apart", embed.CodeAware}
)

// embedderOptions choose what turns text into vectors.
type embedderOptions struct {
	getenv func(string) string
	hashes []hashChoice // at least one; the first is the default

	name, url, model, dir, cache string
	threads                      int
	flags                        *pflag.FlagSet
}

func newEmbedderOptions(getenv func(string) string, hashes ...hashChoice) embedderOptions {
	return embedderOptions{getenv: getenv, hashes: hashes, name: hashes[0].name, threads: minilm.DefaultOptions().Threads}
}

// addFlags adds the flags of an embedder; the corpus has --dim.
func (o *embedderOptions) addFlags(f *pflag.FlagSet) {
	o.flags = f
	var list []string
	for _, h := range o.hashes {
		list = append(list, h.name+": "+h.about)
	}
	list = append(list, "local: a sentence model on this machine, which make embedder fetches", "http: a server with OpenAI's interface")
	f.StringVar(&o.name, "embedder", o.name, "what turns text into vectors; "+strings.Join(list, "; "))
	f.StringVar(&o.url, "embed-url", "", "address of the server for --embedder http, such as http://localhost:8080/v1; a key is read from "+embedKeyVariable)
	f.StringVar(&o.model, "embed-model", "", "model to ask the server for")
	f.StringVar(&o.dir, "embed-dir", ".cache/embedder", "directory of the model for --embedder local")
	f.IntVar(&o.threads, "embed-threads", o.threads, "threads of the model for --embedder local")
	f.StringVar(&o.cache, "embed-cache", ".cache/vectors", "directory in which the vectors of local and http are kept; empty: nowhere")
}

// open returns the chosen embedder. dim is the value of --dim, which local and
// http obey only where it was given: a model has the dimension it has.
//
// What it opens is released when it is no longer reachable.
func (o *embedderOptions) open(ctx context.Context, dim int) (embed.Embedder, error) {
	if i := slices.IndexFunc(o.hashes, func(h hashChoice) bool { return h.name == o.name }); i >= 0 {
		hash, err := embed.NewHash(o.hashes[i].mode, dim)
		if err != nil {
			return nil, usageError{fmt.Errorf("--dim: %w", err)}
		}
		return hash, nil
	}
	if !o.flags.Changed("dim") {
		dim = 0
	}
	e, err := o.openModel(ctx, dim)
	if err != nil {
		return nil, err
	}
	if dim != 0 && e.Dim() != dim {
		return nil, usageError{fmt.Errorf("--dim is %d, but embedder %s has %d", dim, e.Name(), e.Dim())}
	}
	if o.cache == "" {
		return e, nil
	}
	cached, err := embed.OpenCache(o.cache, e)
	if err != nil {
		return nil, fmt.Errorf("--embed-cache: %w", err)
	}
	return cached, nil
}

func (o *embedderOptions) openModel(ctx context.Context, dim int) (embed.Embedder, error) {
	switch o.name {
	case embedderLocal:
		options := minilm.DefaultOptions()
		options.Threads = o.threads
		if err := options.Validate(); err != nil {
			return nil, usageError{fmt.Errorf("--embed-threads: %w", err)}
		}
		model, err := minilm.Open(o.dir, options)
		if errors.Is(err, minilm.ErrAbsent) {
			return nil, fmt.Errorf("--embedder local: %w; run `make embedder`, or name its directory with --embed-dir", err)
		}
		if err != nil {
			return nil, fmt.Errorf("--embedder local: %w", err)
		}
		return model, nil
	case embedderHTTP:
		if o.url == "" || o.model == "" {
			return nil, usageError{errors.New("--embedder http needs --embed-url and --embed-model")}
		}
		options := embed.DefaultHTTPOptions()
		options.URL, options.Model, options.Key, options.Dim = o.url, o.model, o.getenv(embedKeyVariable), dim
		server, err := embed.NewHTTP(ctx, options)
		if err != nil {
			return nil, fmt.Errorf("--embedder http: %w", err)
		}
		return server, nil
	}
	var names []string
	for _, h := range o.hashes {
		names = append(names, h.name)
	}
	return nil, usageError{fmt.Errorf("--embedder is %q, must be one of %s", o.name,
		strings.Join(append(names, embedderLocal, embedderHTTP), ", "))}
}
