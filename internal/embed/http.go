package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// HTTPOptions are a server with OpenAI's interface for embeddings.
type HTTPOptions struct {
	// URL is the address of the interface, such as https://host/v1; the path
	// /embeddings is added where it is not there.
	URL string
	// Model is the name that the server knows.
	Model string
	// Key is sent as a bearer token unless it is empty. It goes over https or
	// to this machine only.
	Key string
	// Dim is the dimension that the model must have; 0 asks the server.
	Dim int
	// Batch is how many texts go into one request, at least 1.
	Batch int
	// Attempts of one request, at least 1: an answer 429 or 5xx, or none at
	// all, is tried again.
	Attempts int
	// Deadline is the time that one request has with all its attempts.
	Deadline time.Duration
	// Pause before the second attempt; it doubles with each further one. A
	// server's Retry-After in seconds is waited for where it is longer.
	Pause time.Duration
}

// DefaultHTTPOptions sends 64 texts at once and tries five times within two
// minutes.
func DefaultHTTPOptions() HTTPOptions {
	return HTTPOptions{Batch: 64, Attempts: 5, Deadline: 2 * time.Minute, Pause: 500 * time.Millisecond}
}

// maxResponse bounds what is read of an answer, in bytes for each text: the
// largest dimension with some thirty characters a number.
const maxResponse = MaxDim * 32

// maxComplaint is how much of a server's error is repeated, in bytes.
const maxComplaint = 300

// HTTP embeds text by asking a server. Vectors are taken as they come; a server
// that answers with other dimensions or with numbers that are none is refused.
type HTTP struct {
	options  HTTPOptions
	endpoint string
	name     string
	dim      int
	client   *http.Client
}

var _ Embedder = (*HTTP)(nil)

// NewHTTP returns the embedder of a server. Unless the options tell the
// dimension it asks the server for a first vector.
func NewHTTP(ctx context.Context, o HTTPOptions) (*HTTP, error) {
	endpoint, err := o.endpoint()
	if err != nil {
		return nil, fmt.Errorf("new http embedder: %w", err)
	}
	h := &HTTP{options: o, endpoint: endpoint.String(), name: "http-" + o.Model + "@" + endpoint.Host, dim: o.Dim, client: &http.Client{}}
	if h.dim == 0 {
		first, err := h.request(ctx, []string{"dimension"})
		if err != nil {
			return nil, fmt.Errorf("new http embedder: ask for the dimension: %w", err)
		}
		h.dim = len(first[0])
	}
	return h, nil
}

func (o HTTPOptions) endpoint() (*url.URL, error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return nil, err
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%q is no http address", u.Redacted())
	case u.User != nil:
		return nil, errors.New("the address holds a user, give the key through the environment")
	case o.Model == "":
		return nil, errors.New("no model is named")
	case o.Dim < 0 || o.Dim > MaxDim:
		return nil, fmt.Errorf("dimension %d is outside 1..%d", o.Dim, MaxDim)
	case o.Batch < 1 || o.Attempts < 1 || o.Deadline <= 0 || o.Pause < 0:
		return nil, fmt.Errorf("batches of %d texts, %d attempts within %v: each must be positive", o.Batch, o.Attempts, o.Deadline)
	case o.Key != "" && u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, fmt.Errorf("the key is sent over https only, not to %s", u.Redacted())
	}
	if path := strings.TrimRight(u.Path, "/"); strings.HasSuffix(path, "/embeddings") {
		u.Path = path
	} else {
		u.Path = path + "/embeddings"
	}
	return u, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Name is "http-", the model and the server.
func (h *HTTP) Name() string { return h.name }

// Dim returns the number of components.
func (h *HTTP) Dim() int { return h.dim }

// Embed asks for the texts' vectors, one batch after the other.
func (h *HTTP) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := min(len(texts), h.options.Batch)
		vectors, err := h.request(ctx, texts[:n])
		if err != nil {
			return nil, fmt.Errorf("embed through %s: %w", h.name, err)
		}
		out, texts = append(out, vectors...), texts[n:]
	}
	return out, nil
}

// request embeds one batch, trying again where that can help.
func (h *HTTP) request(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(map[string]any{"model": h.options.Model, "input": texts, "encoding_format": "float"})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, h.options.Deadline)
	defer cancel()
	for attempt, pause := 1, h.options.Pause; ; attempt, pause = attempt+1, 2*pause {
		vectors, err := h.attempt(ctx, body, len(texts))
		var again *transientError
		if err == nil || !errors.As(err, &again) || attempt == h.options.Attempts || ctx.Err() != nil {
			return vectors, err
		}
		wait := time.NewTimer(max(pause, again.after))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return nil, fmt.Errorf("%w, after %d attempts: %w", ctx.Err(), attempt, err)
		}
	}
}

// transientError is worth another attempt, after a while that the server asks for.
type transientError struct {
	err   error
	after time.Duration
}

func (e *transientError) Error() string { return e.err.Error() }
func (e *transientError) Unwrap() error { return e.err }

func (h *HTTP) attempt(ctx context.Context, body []byte, texts int) ([][]float32, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if h.options.Key != "" {
		request.Header.Set("Authorization", "Bearer "+h.options.Key)
	}
	response, err := h.client.Do(request)
	if err != nil {
		return nil, &transientError{err: err}
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, h.complaint(response)
	}
	limit := int64(texts) * maxResponse
	text, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		return nil, &transientError{err: err}
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("the server's answer is longer than %d bytes", limit)
	}
	return h.vectors(text, texts)
}

// complaint is the error of an answer that is none.
func (h *HTTP) complaint(response *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(response.Body, maxComplaint))
	said := strings.TrimSpace(string(text))
	if h.options.Key != "" {
		said = strings.ReplaceAll(said, h.options.Key, "***")
	}
	refused := errors.Join(fmt.Errorf("the server answers %s: %s", response.Status, said), err)
	if code := response.StatusCode; code != http.StatusTooManyRequests && code < 500 {
		return refused
	}
	after, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil || after < 0 {
		after = 0 // absent, or a date
	}
	return &transientError{refused, time.Duration(min(after, 3600)) * time.Second}
}

// vectors reads an answer. Places come in any order.
func (h *HTTP) vectors(text []byte, texts int) ([][]float32, error) {
	var answer struct {
		Data []struct {
			Index     *int            `json:"index"`
			Embedding json.RawMessage `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("read the server's answer: %w", err)
	}
	if len(answer.Data) != texts {
		return nil, fmt.Errorf("the server answers %d vectors to %d texts", len(answer.Data), texts)
	}
	out := make([][]float32, texts)
	for _, d := range answer.Data {
		if d.Index == nil || *d.Index < 0 || *d.Index >= texts || out[*d.Index] != nil {
			return nil, errors.New("the server's vectors are not numbered through")
		}
		vector, err := h.vector(d.Embedding)
		if err != nil {
			return nil, fmt.Errorf("read vector %d of the server's answer: %w", *d.Index, err)
		}
		out[*d.Index] = vector
	}
	return out, nil
}

func (h *HTTP) vector(text []byte) ([]float32, error) {
	// A null among numbers would be read as zero.
	if bytes.Contains(text, []byte("null")) {
		return nil, errors.New("it has a component without a value")
	}
	var components []float64
	if err := json.Unmarshal(text, &components); err != nil {
		return nil, err
	}
	if want := h.dim; len(components) == 0 || len(components) > MaxDim || want != 0 && len(components) != want {
		return nil, fmt.Errorf("it has %d components, not %d", len(components), want)
	}
	vector := make([]float32, len(components))
	for i, x := range components {
		vector[i] = float32(x)
		if math.IsInf(float64(vector[i]), 0) || math.IsNaN(x) {
			return nil, fmt.Errorf("component %d is %v, beyond a float4", i, x)
		}
	}
	return vector, nil
}
