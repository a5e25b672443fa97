// Package minilm embeds text with a sentence model on this machine: MiniLM as an
// ONNX file with int8 weights, run by ONNX Runtime's shared library, which is
// loaded at run time. A text's vector is the mean of its tokens' hidden states,
// normalised to length 1, as the model was trained to be used.
//
// `make embedder` fetches the three files of a directory: FileLibrary, FileModel
// and FileTokenizer.
package minilm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	ort "github.com/yalue/onnxruntime_go"

	"sortedheap/internal/embed"
	"sortedheap/internal/embed/wordpiece"
)

// Files of the directory that Open reads.
const (
	FileLibrary   = "libonnxruntime.so"
	FileModel     = "model.onnx"
	FileTokenizer = "tokenizer.json"
)

// ErrAbsent is an error of Open where a file of the directory is not there.
var ErrAbsent = errors.New("the embedding model is not here")

// Options say how a model is run. They change its speed, not its vectors, but for
// MaxTokens.
type Options struct {
	// Threads that compute one batch, at least 1.
	Threads int
	// BatchTokens is how many tokens are computed together, padding
	// included, at least 1; a longer text is a batch of its own.
	BatchTokens int
	// MaxTokens is how much of a text is read, from 2 to 512, with the two
	// tokens around it.
	MaxTokens int
}

// DefaultOptions uses all processors and reads 256 tokens of a text, as the model
// is published.
func DefaultOptions() Options {
	return Options{Threads: runtime.GOMAXPROCS(0), BatchTokens: 1024, MaxTokens: 256}
}

// Validate returns all that is wrong with the options.
func (o Options) Validate() error {
	var errs []error
	if o.Threads < 1 {
		errs = append(errs, fmt.Errorf("%d threads, at least 1 is needed", o.Threads))
	}
	if o.BatchTokens < 1 {
		errs = append(errs, fmt.Errorf("batches of %d tokens, at least 1 is needed", o.BatchTokens))
	}
	if o.MaxTokens < wordpiece.MinTokens || o.MaxTokens > maxPositions {
		errs = append(errs, fmt.Errorf("%d tokens of a text are outside %d..%d", o.MaxTokens, wordpiece.MinTokens, maxPositions))
	}
	return errors.Join(errs...)
}

// maxPositions is how many tokens the model has positions for.
const maxPositions = 512

// Model is a loaded model.
type Model struct {
	name      string
	dim       int
	options   Options
	tokenizer *wordpiece.Tokenizer
	session   *ort.DynamicAdvancedSession
	cleanup   runtime.Cleanup
}

var _ embed.Embedder = (*Model)(nil)

// Open loads the model of a directory. An error that is ErrAbsent names the
// missing file.
//
// ONNX Runtime is loaded by the first call in a process, from that call's
// directory, and stays to its end; the first call must return before another
// begins. Close releases the model, and so does the garbage collector once it is
// no longer reachable.
func Open(dir string, o Options) (*Model, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("open the model in %s: %w", dir, err)
	}
	for _, name := range []string{FileLibrary, FileModel, FileTokenizer} {
		if _, err := os.Stat(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: %s has no %s", ErrAbsent, dir, name)
		} else if err != nil {
			return nil, fmt.Errorf("open the model: %w", err)
		}
	}
	m := &Model{options: o}
	for _, step := range []func(dir string) error{m.loadTokenizer, m.identify, loadRuntime, m.loadModel} {
		if err := step(dir); err != nil {
			return nil, fmt.Errorf("open the model in %s: %w", dir, err)
		}
	}
	m.cleanup = runtime.AddCleanup(m, func(session *ort.DynamicAdvancedSession) {
		_ = session.Destroy() // nobody is left to hear of it
	}, m.session)
	return m, nil
}

func (m *Model) loadTokenizer(dir string) error {
	f, err := os.Open(filepath.Join(dir, FileTokenizer))
	if err != nil {
		return err
	}
	defer f.Close()
	m.tokenizer, err = wordpiece.Load(f)
	return err
}

// identify names the model by its content, so that vectors kept under the name
// are never those of another.
func (m *Model) identify(dir string) error {
	digest := sha256.New()
	for _, name := range []string{FileModel, FileTokenizer} {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		_, err = io.Copy(digest, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	m.name = fmt.Sprintf("local-minilm-%x-%d", digest.Sum(nil)[:4], m.options.MaxTokens)
	return nil
}

func loadRuntime(dir string) error {
	if ort.IsInitialized() {
		return nil
	}
	library, err := filepath.Abs(filepath.Join(dir, FileLibrary))
	if err != nil {
		return err
	}
	ort.SetSharedLibraryPath(library)
	return ort.InitializeEnvironment(ort.WithLogLevelError())
}

// The tensors of the model.
var inputNames = []string{"input_ids", "attention_mask", "token_type_ids"}

func (m *Model) loadModel(dir string) error {
	file := filepath.Join(dir, FileModel)
	inputs, outputs, err := ort.GetInputOutputInfo(file)
	if err != nil {
		return err
	}
	for _, name := range inputNames {
		if !slices.ContainsFunc(inputs, func(i ort.InputOutputInfo) bool { return i.Name == name }) {
			return fmt.Errorf("%s has no input %q", FileModel, name)
		}
	}
	if len(inputs) != len(inputNames) || len(outputs) == 0 || len(outputs[0].Dimensions) != 3 || outputs[0].Dimensions[2] < 1 {
		return fmt.Errorf("%s does not turn tokens into hidden states", FileModel)
	}
	m.dim = int(outputs[0].Dimensions[2])
	options, err := ort.NewSessionOptions()
	if err != nil {
		return err
	}
	err = errors.Join(options.SetIntraOpNumThreads(m.options.Threads), options.SetInterOpNumThreads(1),
		// Spinning threads would take the processor from the server.
		options.AddSessionConfigEntry("session.intra_op.allow_spinning", "0"))
	if err == nil {
		m.session, err = ort.NewDynamicAdvancedSession(file, inputNames, []string{outputs[0].Name}, options)
	}
	return errors.Join(err, options.Destroy())
}

// Name is "local-minilm-", the start of the files' digest and MaxTokens.
func (m *Model) Name() string { return m.name }

// Dim returns the number of components.
func (m *Model) Dim() int { return m.dim }

// Close releases the model. No Embed may run or follow.
func (m *Model) Close() error {
	m.cleanup.Stop()
	return m.session.Destroy()
}

// Embed embeds the texts in batches of similar length. Besides failures of the
// runtime it fails when ctx ends, which it looks at between batches.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	tokens := make([][]int32, len(texts))
	order := make([]int, len(texts))
	for i, text := range texts {
		tokens[i], order[i] = m.tokenizer.Encode(text, m.options.MaxTokens), i
	}
	// Long ones first: the batch that needs the most memory comes first.
	slices.SortStableFunc(order, func(a, b int) int { return len(tokens[b]) - len(tokens[a]) })
	out := make([][]float32, len(texts))
	for len(order) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("embed %d texts: %w", len(texts), err)
		}
		width := len(tokens[order[0]])
		n := min(len(order), max(1, m.options.BatchTokens/width))
		vectors, err := m.batch(tokens, order[:n], width)
		if err != nil {
			return nil, fmt.Errorf("embed %d texts: %w", len(texts), err)
		}
		for i, at := range order[:n] {
			out[at] = vectors[i]
		}
		order = order[n:]
	}
	runtime.KeepAlive(m)
	return out, nil
}
