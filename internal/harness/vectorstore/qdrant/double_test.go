package qdrant_test

import (
	"context"
	"math"
	"net"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// double is a test double of a Qdrant server, made of the client's own protobuf
// definitions: it stores points and searches them exhaustively. It tells nothing
// of the real server's speed or recall; it proves how we speak to one.
type double struct {
	mu          sync.Mutex
	collections map[string]*doubleCollection
	created     []*qdrant.CreateCollection
	queries     []*qdrant.QueryPoints

	yellow    int    // how many times a collection is still being indexed when asked
	indexer   string // error of the optimizer
	uuids     bool   // points come back with ids that nobody gave
	failQuery error
}

type doubleCollection struct {
	dim    int
	points map[uint64][]float32
}

// TestMain is also the double as a program: started the way a server program is,
// with its port in the environment, the test binary serves until it is told to end.
func TestMain(m *testing.M) {
	port := os.Getenv("QDRANT__SERVICE__GRPC_PORT")
	if port == "" {
		os.Exit(m.Run())
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(os.Getenv("QDRANT__SERVICE__HOST"), port))
	if err != nil {
		panic(err)
	}
	// A server makes its folders.
	if err := os.MkdirAll(os.Getenv("QDRANT__STORAGE__STORAGE_PATH"), 0o700); err != nil {
		panic(err)
	}
	if err := (&double{}).server().Serve(listener); err != nil {
		panic(err)
	}
}

// server is the double as a gRPC server.
func (d *double) server() *grpc.Server {
	d.collections = map[string]*doubleCollection{"of somebody else": {}}
	s := grpc.NewServer()
	qdrant.RegisterQdrantServer(s, health{})
	qdrant.RegisterCollectionsServer(s, collections{double: d})
	qdrant.RegisterPointsServer(s, points{double: d})
	return s
}

// serve starts the double on a free port.
func serve(t *testing.T, d *double) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := d.server()
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

// The three services of a server over one state.
type (
	health struct {
		qdrant.UnimplementedQdrantServer
	}
	collections struct {
		qdrant.UnimplementedCollectionsServer
		*double
	}
	points struct {
		qdrant.UnimplementedPointsServer
		*double
	}
)

func (health) HealthCheck(context.Context, *qdrant.HealthCheckRequest) (*qdrant.HealthCheckReply, error) {
	return &qdrant.HealthCheckReply{Title: "test double", Version: "0.0.0-double"}, nil
}

func (d collections) Create(_ context.Context, r *qdrant.CreateCollection) (*qdrant.CollectionOperationResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.collections[r.GetCollectionName()] != nil {
		return nil, status.Error(codes.AlreadyExists, "collection exists")
	}
	d.created = append(d.created, r)
	d.collections[r.GetCollectionName()] = &doubleCollection{
		dim: int(r.GetVectorsConfig().GetParams().GetSize()), points: map[uint64][]float32{}}
	return &qdrant.CollectionOperationResponse{Result: true}, nil
}

func (d collections) Delete(_ context.Context, r *qdrant.DeleteCollection) (*qdrant.CollectionOperationResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.collections, r.GetCollectionName())
	return &qdrant.CollectionOperationResponse{Result: true}, nil
}

func (d collections) Get(_ context.Context, r *qdrant.GetCollectionInfoRequest) (*qdrant.GetCollectionInfoResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.collections[r.GetCollectionName()]
	if c == nil {
		return nil, status.Error(codes.NotFound, "no such collection")
	}
	info := &qdrant.CollectionInfo{Status: qdrant.CollectionStatus_Green, OptimizerStatus: &qdrant.OptimizerStatus{Ok: d.indexer == "", Error: d.indexer},
		IndexedVectorsCount: qdrant.PtrOf(uint64(len(c.points)))}
	if d.yellow--; d.yellow >= 0 {
		info.Status, info.IndexedVectorsCount = qdrant.CollectionStatus_Yellow, qdrant.PtrOf(uint64(0))
	}
	return &qdrant.GetCollectionInfoResponse{Result: info}, nil
}

func (d points) Upsert(_ context.Context, r *qdrant.UpsertPoints) (*qdrant.PointsOperationResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.collections[r.GetCollectionName()]
	if c == nil || !r.GetWait() {
		return nil, status.Error(codes.InvalidArgument, "no such collection, or nobody waits")
	}
	for _, p := range r.GetPoints() {
		vector := p.GetVectors().GetVector().GetDense().GetData()
		if len(vector) != c.dim {
			return nil, status.Errorf(codes.InvalidArgument, "expected dim: %d, got %d", c.dim, len(vector))
		}
		c.points[p.GetId().GetNum()] = slices.Clone(vector)
	}
	return &qdrant.PointsOperationResponse{Result: &qdrant.UpdateResult{Status: qdrant.UpdateStatus_Completed}}, nil
}

func (d points) Query(_ context.Context, r *qdrant.QueryPoints) (*qdrant.QueryResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queries = append(d.queries, r)
	if d.failQuery != nil {
		return nil, d.failQuery
	}
	c := d.collections[r.GetCollectionName()]
	query := r.GetQuery().GetNearest().GetDense().GetData()
	if c == nil || len(query) != c.dim {
		return nil, status.Error(codes.InvalidArgument, "no such collection, or another dimension")
	}
	var found []*qdrant.ScoredPoint
	for id, vector := range c.points {
		found = append(found, &qdrant.ScoredPoint{Id: qdrant.NewIDNum(id), Score: cosine(query, vector)})
	}
	slices.SortFunc(found, func(a, b *qdrant.ScoredPoint) int {
		if a.Score > b.Score {
			return -1
		}
		return 1
	})
	found = found[:min(int(r.GetLimit()), len(found))]
	if d.uuids {
		found[0].Id = qdrant.NewIDUUID("00000000-0000-0000-0000-000000000000")
	}
	return &qdrant.QueryResponse{Result: found, Time: 0.002}, nil
}

func cosine(a, b []float32) float32 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return float32(dot / math.Sqrt(aa*bb))
}
