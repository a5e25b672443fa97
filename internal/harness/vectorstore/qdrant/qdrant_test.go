package qdrant_test

import (
	"context"
	"errors"
	"iter"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/vectorstore"
	"sortedheap/internal/harness/vectorstore/qdrant"
	"sortedheap/internal/harness/vectorstore/qdrant/qdrantdouble"
	"sortedheap/internal/harness/vectorstore/storetest"
)

var shape = vectorstore.Shape{M: 24, EfConstruction: 200}

// TestMain is also the double as a program.
func TestMain(m *testing.M) {
	if os.Getenv(qdrantdouble.PortVariable) != "" {
		os.Exit(qdrantdouble.Main(os.Getenv, os.Stderr))
	}
	os.Exit(m.Run())
}

// serve starts the double on a free port.
func serve(t *testing.T, d *qdrantdouble.Double) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := d.Server()
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	t.Cleanup(func() {
		s.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

func TestConformanceOnDouble(t *testing.T) {
	storetest.Conform(t, qdrant.New(qdrant.Options{Where: serve(t, &qdrantdouble.Double{}), Shape: shape}))
}

// The double as a program: it is started on the loopback interface with its
// files in a folder of the run, and both are gone at the end.
func TestProgram(t *testing.T) {
	program, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := qdrant.New(qdrant.Options{Where: program, Shape: shape, Dir: dir})
	storetest.Conform(t, s)
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("files of the server: %v (%v)", files, err)
	}
	if kind := s.Settings()["qdrant_server"]; kind != "server of this run" || !strings.HasPrefix(s.Version(), "qdrant 0.0.0-double") {
		t.Errorf("version %q, server %q", s.Version(), kind)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
	processes, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range processes {
		// A process that ended meanwhile is what we hope for.
		if environ, err := os.ReadFile(path); err == nil && strings.Contains(string(environ), dir) {
			t.Errorf("%s still runs", path)
		}
	}
}

// The real server, where one is given: an address or a program.
func TestConformanceOnServer(t *testing.T) {
	where := os.Getenv("SORTED_HEAP_QDRANT")
	if where == "" {
		t.Skip("SORTED_HEAP_QDRANT names no Qdrant server, neither HOST:PORT nor a program")
	}
	storetest.Conform(t, qdrant.New(qdrant.Options{Where: where, Shape: shape}))
}

// rows yields n points in two dimensions.
func rows(n int) iter.Seq2[[]float32, error] {
	return func(yield func([]float32, error) bool) {
		for i := range n {
			if !yield([]float32{1, float32(i)}, nil) {
				return
			}
		}
	}
}

func open(t *testing.T, d *qdrantdouble.Double) *qdrant.Store {
	t.Helper()
	s := qdrant.New(qdrant.Options{Where: serve(t, d), Shape: shape})
	if err := s.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// The server is told the run's parameters and asked until its index is there.
func TestParameters(t *testing.T) {
	d := &qdrantdouble.Double{Yellow: 3}
	s := open(t, d)
	if _, err := s.Load(t.Context(), 2, rows(300)); err != nil {
		t.Fatal(err)
	}
	if d.Yellow >= 0 {
		t.Error("load returned while the server was still building")
	}
	hnsw := d.Created[0].GetHnswConfig()
	if hnsw.GetM() != 24 || hnsw.GetEfConstruct() != 200 || d.Created[0].GetOptimizersConfig().IndexingThreshold == nil ||
		d.Created[0].GetOptimizersConfig().GetIndexingThreshold() != 0 {
		t.Errorf("collection created with %v, want one that is not indexed while rows come in", d.Created[0])
	}
	if len(d.Updated) != 1 || d.Updated[0].GetOptimizersConfig().GetIndexingThreshold() == 0 {
		t.Errorf("collection updated with %v, want it to be indexed", d.Updated)
	}
	answer, err := s.Search(t.Context(), []float32{1, 0}, vectorstore.Search{K: 5, Ef: 64})
	if err != nil {
		t.Fatal(err)
	}
	if answer.InsideMS != 2 || len(answer.Hits) != 5 || answer.Hits[0].Row != 0 {
		t.Errorf("answer %+v", answer)
	}
	if _, err := s.Search(t.Context(), []float32{1, 0}, vectorstore.Search{K: 100, Ef: 64, Exact: true}); err != nil {
		t.Fatal(err)
	}
	first, second := d.Queries[0].GetParams(), d.Queries[1].GetParams()
	if first.GetHnswEf() != 64 || first.GetExact() || second.GetHnswEf() != 100 || !second.GetExact() || d.Queries[1].GetLimit() != 100 {
		t.Errorf("queries %v", d.Queries)
	}
}

// On a server that is not ours, our collection goes and others stay.
func TestCloseLeavesOthersAlone(t *testing.T) {
	d := &qdrantdouble.Double{}
	s := open(t, d)
	if _, err := s.Load(t.Context(), 2, rows(3)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := d.Collections(); !slices.Equal(left, []string{"of somebody else"}) {
		t.Errorf("collections left: %v", left)
	}
}

func TestFaults(t *testing.T) {
	d := &qdrantdouble.Double{Indexer: "disk full"}
	s := open(t, d)
	if _, err := s.Load(t.Context(), 2, rows(300)); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("load with a failing indexer: %v", err)
	}
	d.Indexer = ""
	if _, err := s.Load(t.Context(), 2, rows(300)); err != nil {
		t.Fatal(err)
	}
	d.UUIDs = true
	var fault *engine.FaultError
	if _, err := s.Search(t.Context(), []float32{1, 0}, vectorstore.Search{K: 1, Ef: 1}); !errors.As(err, &fault) {
		t.Errorf("a point that nobody stored: %v", err)
	}
	d.FailQuery = status.Error(codes.Internal, "segment lost")
	if _, err := s.Search(t.Context(), []float32{1, 0}, vectorstore.Search{K: 1, Ef: 1}); err == nil || !strings.Contains(err.Error(), "segment lost") {
		t.Errorf("a failing search: %v", err)
	}
}

// A port that another program has taken in the meantime is a reason, in the words
// of the server.
func TestPortInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := filepath.Join(t.TempDir(), "qdrant")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"+qdrantdouble.PortVariable+"="+port+" exec "+self+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := qdrant.New(qdrant.Options{Where: program, Shape: shape, Dir: dir})
	err = s.Open(t.Context())
	var missing *engine.UnavailableError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "127.0.0.1:"+port+": bind: address already in use") {
		t.Errorf("a server whose port is taken: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// Whatever keeps the engine from running is a reason, and nothing is left behind.
func TestUnavailable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "qdrant")
	if err := os.WriteFile(broken, []byte("#!/bin/sh\necho 'address already in use' >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for where, want := range map[string]string{
		"":              "no server is given",
		"nonsense":      `"nonsense" is neither HOST:PORT`,
		"localhost:x":   `port "x" is no number`,
		closed:          "does not answer",
		"/no/such/file": "not available: start file",
		broken:          "address already in use",
	} {
		s := qdrant.New(qdrant.Options{Where: where, Shape: shape, Dir: dir})
		err := s.Open(t.Context())
		var missing *engine.UnavailableError
		if !errors.As(err, &missing) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--qdrant") {
			t.Errorf("server %q: %v", where, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("server %q: left behind: %v (%v)", where, left, err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
