package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// server answers like OpenAI's interface: the vector of a text is its length and
// a one. failures are answered first, one a request.
type server struct {
	*httptest.Server

	mutex    sync.Mutex // a handler may outlive the connection it serves
	failures []func(w http.ResponseWriter)
	batches  [][]string
	header   http.Header
	path     string
}

// asked returns the texts of each request so far.
func (s *server) asked() [][]string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.batches
}

func startServer(t *testing.T, failures ...func(w http.ResponseWriter)) *server {
	t.Helper()
	s := &server{failures: failures}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Model string   `json:"model"`
			Input []string `json:"input"`
		}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(body, &asked)
		}
		if err != nil || asked.Model != "small" {
			http.Error(w, "asked for "+asked.Model, http.StatusBadRequest)
			return
		}
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.batches, s.header, s.path = append(s.batches, asked.Input), r.Header, r.URL.Path
		if len(s.failures) > 0 {
			fail := s.failures[0]
			s.failures = s.failures[1:]
			fail(w)
			return
		}
		var data []string
		for i, text := range slices.Backward(asked.Input) { // order is the index's, not the list's
			data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d,1]}`, i, len(text)))
		}
		_, _ = fmt.Fprintf(w, `{"object":"list","data":[%s],"model":"small","usage":{}}`, strings.Join(data, ","))
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) options() HTTPOptions {
	o := DefaultHTTPOptions()
	o.URL, o.Model, o.Pause = s.URL+"/v1", "small", time.Microsecond
	return o
}

func status(code int, body string) func(w http.ResponseWriter) {
	return func(w http.ResponseWriter) { http.Error(w, body, code) }
}

func raw(body string) func(w http.ResponseWriter) {
	return func(w http.ResponseWriter) { _, _ = fmt.Fprint(w, body) }
}

func hangUp(http.ResponseWriter) { panic(http.ErrAbortHandler) }

func newHTTP(t *testing.T, o HTTPOptions) *HTTP {
	t.Helper()
	h, err := NewHTTP(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHTTPEmbedsInBatches(t *testing.T) {
	s := startServer(t)
	o := s.options()
	o.Batch, o.Key = 2, "secret"
	h := newHTTP(t, o)
	if h.Dim() != 2 || h.Name() != "http-small@"+strings.TrimPrefix(s.URL, "http://") {
		t.Errorf("dimension %d, name %q", h.Dim(), h.Name())
	}
	known := len(s.asked())
	got, err := h.Embed(t.Context(), []string{"a", "", "ccc", "dddd", "eeeee"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{1, 0, 3, 4, 5} {
		if !slices.Equal(got[i], []float32{want, 1}) {
			t.Errorf("text %d: got %v", i, got[i])
		}
	}
	if asked := s.asked()[known:]; len(asked) != 3 || !slices.Equal(asked[2], []string{"eeeee"}) {
		t.Errorf("asked for %q", asked)
	}
	if s.header.Get("Authorization") != "Bearer secret" || s.path != "/v1/embeddings" {
		t.Errorf("asked %s with %v", s.path, s.header)
	}
}

func TestHTTPTriesAgain(t *testing.T) {
	s := startServer(t, status(429, "slow down"), status(503, "later"), hangUp)
	h := newHTTP(t, s.options())
	if len(s.asked()) != 4 {
		t.Errorf("%d requests for the dimension %d", len(s.asked()), h.Dim())
	}
}

func TestHTTPGivesUp(t *testing.T) {
	for _, c := range []struct {
		name     string
		failure  func(w http.ResponseWriter)
		requests int
		want     string
	}{
		{"no access", status(401, "the key secret is wrong"), 1, "the key *** is wrong"},
		{"always busy", status(500, "ouch"), 3, "500"},
		{"connection lost", hangUp, 3, "EOF"},
		{"no JSON", raw("<html>"), 1, "answer"},
		{"NaN", raw(`{"data":[{"index":0,"embedding":[NaN,1]}]}`), 1, "answer"},
		{"null", raw(`{"data":[{"index":0,"embedding":[null,1]}]}`), 1, "without a value"},
		{"beyond a float4", raw(`{"data":[{"index":0,"embedding":[1e39,1]}]}`), 1, "beyond"},
		{"beyond a float8", raw(`{"data":[{"index":0,"embedding":[1e399,1]}]}`), 1, "1e399"},
		{"other dimension", raw(`{"data":[{"index":0,"embedding":[1,2,3]}]}`), 1, "3 components, not 2"},
		{"no dimension", raw(`{"data":[{"index":0,"embedding":[]}]}`), 1, "0 components"},
		{"in base64", raw(`{"data":[{"index":0,"embedding":"AAAA"}]}`), 1, "vector 0"},
		{"too few", raw(`{"data":[]}`), 1, "0 vectors to 1 texts"},
		{"wrong number", raw(`{"data":[{"index":1,"embedding":[1,1]}]}`), 1, "numbered"},
		{"no number", raw(`{"data":[{"embedding":[1,1]}]}`), 1, "numbered"},
		{"endless", raw(strings.Repeat(" ", maxResponse+1)), 1, "longer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startServer(t, c.failure, c.failure, c.failure, c.failure)
			o := s.options()
			o.Dim, o.Attempts, o.Key = 2, 3, "secret"
			_, err := newHTTP(t, o).Embed(t.Context(), []string{"text"})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
			if len(s.asked()) != c.requests {
				t.Errorf("%d requests, want %d", len(s.asked()), c.requests)
			}
		})
	}
}

func TestHTTPObeysTheDeadline(t *testing.T) {
	busy := func(w http.ResponseWriter) {
		w.Header().Set("Retry-After", "3000")
		w.WriteHeader(http.StatusTooManyRequests)
	}
	s := startServer(t, busy, busy)
	o := s.options()
	o.Dim, o.Deadline = 2, 200*time.Millisecond
	_, err := newHTTP(t, o).Embed(t.Context(), []string{"text"})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "429") {
		t.Errorf("got error %v, want the deadline and the server's answer", err)
	}
	if len(s.asked()) != 1 {
		t.Errorf("%d requests before the time that the server asks for", len(s.asked()))
	}
}

func TestHTTPStopsWithItsCaller(t *testing.T) {
	s := startServer(t)
	o := s.options()
	o.Dim = 2
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newHTTP(t, o).Embed(ctx, []string{"text"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v", err)
	}
}

func TestHTTPRefusesOptions(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(o *HTTPOptions)
		want   string
	}{
		{"no address", func(o *HTTPOptions) { o.URL = "" }, "no http address"},
		{"a file", func(o *HTTPOptions) { o.URL = "file:///etc/passwd" }, "no http address"},
		{"a password", func(o *HTTPOptions) { o.URL = "https://me:secret@host/v1" }, "through the environment"},
		{"no model", func(o *HTTPOptions) { o.Model = "" }, "no model"},
		{"a key in the clear", func(o *HTTPOptions) { o.URL, o.Key = "http://host/v1", "secret" }, "https"},
		{"no batch", func(o *HTTPOptions) { o.Batch = 0 }, "batches of 0"},
		{"a negative dimension", func(o *HTTPOptions) { o.Dim = -1 }, "dimension -1"},
	} {
		o := DefaultHTTPOptions()
		o.URL, o.Model, o.Dim = "http://127.0.0.1:1/v1", "small", 2
		c.change(&o)
		if _, err := NewHTTP(t.Context(), o); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got error %v, want one with %q", c.name, err, c.want)
		}
	}
}

func TestHTTPEndpoint(t *testing.T) {
	for given, want := range map[string]string{
		"http://localhost:1":                      "http://localhost:1/embeddings",
		"http://[::1]:1/v1/":                      "http://[::1]:1/v1/embeddings",
		"https://host/v1/embeddings?api-version=": "https://host/v1/embeddings?api-version=",
	} {
		o := DefaultHTTPOptions()
		o.URL, o.Model, o.Key = given, "small", "secret"
		if got, err := o.endpoint(); err != nil || got.String() != want {
			t.Errorf("%s: got %v, %v, want %s", given, got, err, want)
		}
	}
}
