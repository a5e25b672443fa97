// Package qdrantdouble is a test double of a Qdrant server, made of the client's own
// protobuf definitions: it stores points and searches them exhaustively. It tells
// nothing of the real server's speed or recall; it proves how we speak to one.
package qdrantdouble

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"os"
	"slices"
	"sync"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Double is the state of a server. What a test sets or reads, it touches while no
// request is under way.
type Double struct {
	mu          sync.Mutex
	collections map[string]*collection

	Created   []*qdrant.CreateCollection
	Updated   []*qdrant.UpdateCollection
	Queries   []*qdrant.QueryPoints
	Yellow    int    // how many times a collection is still being indexed when asked
	Indexer   string // error of the optimizer
	UUIDs     bool   // points come back with ids that nobody gave
	FailQuery error
}

// Collections are the names of what it holds, beside one of somebody else.
func (d *Double) Collections() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.collections))
}

// collection has an index of the points that were there when it was told to index,
// as the server that is meant has: later ones stay out while they are few.
type collection struct {
	dim     int
	points  map[uint64][]float32
	indexed int
}

// index covers all points when the server is told to index from a size on that they
// have.
func (c *collection) index(o *qdrant.OptimizersConfigDiff) {
	if from := o.GetIndexingThreshold(); from > 0 && len(c.points)*c.dim*4 >= int(from)*1024 {
		c.indexed = len(c.points)
	}
}

// PortVariable has the port that a server program is to listen on.
const PortVariable = "QDRANT__SERVICE__GRPC_PORT"

// Main is the double as a program: started the way a server program is, with its
// port in the environment, it serves until it is told to end. It says why it
// cannot, and returns the exit code.
func Main(getenv func(string) string, stderr io.Writer) int {
	listener, err := net.Listen("tcp", net.JoinHostPort(getenv("QDRANT__SERVICE__HOST"), getenv(PortVariable)))
	if err == nil {
		// A server makes its folders.
		err = os.MkdirAll(getenv("QDRANT__STORAGE__STORAGE_PATH"), 0o700)
	}
	if err == nil {
		err = (&Double{}).Server().Serve(listener)
	}
	fmt.Fprintln(stderr, err)
	return 1
}

// Server is the double as a gRPC server, which serves nothing yet.
func (d *Double) Server() *grpc.Server {
	d.collections = map[string]*collection{"of somebody else": {}}
	s := grpc.NewServer()
	qdrant.RegisterQdrantServer(s, health{})
	qdrant.RegisterCollectionsServer(s, collections{Double: d})
	qdrant.RegisterPointsServer(s, points{Double: d})
	return s
}

// The three services of a server over one state.
type (
	health struct {
		qdrant.UnimplementedQdrantServer
	}
	collections struct {
		qdrant.UnimplementedCollectionsServer
		*Double
	}
	points struct {
		qdrant.UnimplementedPointsServer
		*Double
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
	d.Created = append(d.Created, r)
	d.collections[r.GetCollectionName()] = &collection{
		dim: int(r.GetVectorsConfig().GetParams().GetSize()), points: map[uint64][]float32{}}
	return &qdrant.CollectionOperationResponse{Result: true}, nil
}

func (d collections) Update(_ context.Context, r *qdrant.UpdateCollection) (*qdrant.CollectionOperationResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.collections[r.GetCollectionName()]
	if c == nil {
		return nil, status.Error(codes.NotFound, "no such collection")
	}
	d.Updated = append(d.Updated, r)
	c.index(r.GetOptimizersConfig())
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
	info := &qdrant.CollectionInfo{Status: qdrant.CollectionStatus_Green, OptimizerStatus: &qdrant.OptimizerStatus{Ok: d.Indexer == "", Error: d.Indexer},
		IndexedVectorsCount: qdrant.PtrOf(uint64(c.indexed))}
	if d.Yellow--; d.Yellow >= 0 {
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
	d.Queries = append(d.Queries, r)
	if d.FailQuery != nil {
		return nil, d.FailQuery
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
	if d.UUIDs {
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
