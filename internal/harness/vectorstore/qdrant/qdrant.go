// Package qdrant is a Qdrant server, reached through its gRPC client: one that
// runs already, a server program started on the loopback interface for this run,
// or a container.
package qdrant

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/vectorstore"
)

// Name is the engine's name.
const Name = "qdrant"

// Container as the place of a store stands for a server in a container.
const Container = "container"

const (
	batchRows = 256 // points of one request
	// smallest values of thresholds that the server takes: an index is built
	// and used however small the collection is, as in every other engine
	indexFromKB    = 1
	fullScanBelow  = 10
	neverIndex     = 0 // an indexing threshold by which no index is built
	segments       = 1 // one graph, as in every other engine
	maxMessage     = 64 << 20
	readinessPolls = 50 * time.Millisecond
	// indexPatience bounds how long an idle server may leave rows unindexed
	indexPatience = time.Minute
	startPatience = time.Minute
)

// Options are where a server is and what it builds.
type Options struct {
	// Where is an address HOST:PORT of gRPC, the path of a server program
	// (with a slash), or Container. Empty: there is none.
	Where string
	Shape vectorstore.Shape
	// Dir is where a started server keeps its files; empty: a folder of its own.
	Dir string
}

// Store is one collection on a server.
type Store struct {
	options    Options
	server     server
	client     *qdrant.Client
	version    string
	collection string
	dim        int
	loaded     bool
	hits       []vectorstore.Hit
}

var _ vectorstore.Store = (*Store)(nil)

// server is what Open found or started.
type server struct {
	address string // HOST:PORT
	kind    string // for people
	dir     string // of its files, empty where they are not ours to see
	stop    func(ctx context.Context) error
}

// New returns a store. It does no I/O.
func New(o Options) *Store {
	return &Store{options: o, collection: fmt.Sprintf("benchgraph_%d", os.Getpid())}
}

// Name implements vectorstore.Store.
func (*Store) Name() string { return Name }

// Version implements vectorstore.Store.
func (s *Store) Version() string { return s.version }

// Settings implements vectorstore.Store.
func (s *Store) Settings() map[string]string {
	return map[string]string{"qdrant_server": s.server.kind, "qdrant_segments": strconv.Itoa(segments),
		"qdrant_indexing_threshold_kb": strconv.Itoa(indexFromKB), "qdrant_full_scan_threshold_kb": strconv.Itoa(fullScanBelow),
		"qdrant_connections": "1, gRPC"}
}

func unavailable(reason string) error {
	return &engine.UnavailableError{Engine: Name, Reason: reason,
		Hint: "--qdrant is the address of a server, the path of a server program, or " + Container}
}

// Open implements vectorstore.Store.
func (s *Store) Open(ctx context.Context) error {
	if s.options.Where == "" {
		return unavailable("not available: no server is given")
	}
	if err := s.open(ctx); err != nil {
		return errors.Join(err, s.Close(context.WithoutCancel(ctx)))
	}
	return nil
}

func (s *Store) open(ctx context.Context) error {
	var err error
	if s.server, err = locate(ctx, s.options); err != nil {
		return errors.Join(ctx.Err(), err)
	}
	host, port, err := net.SplitHostPort(s.server.address)
	if err != nil {
		return unavailable(fmt.Sprintf("%q is neither HOST:PORT, a path with a slash nor %s", s.options.Where, Container))
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return unavailable(fmt.Sprintf("port %q is no number", port))
	}
	s.client, err = qdrant.NewClient(&qdrant.Config{Host: host, Port: number, PoolSize: 1, SkipCompatibilityCheck: true,
		GrpcOptions: []grpc.DialOption{grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage))}})
	if err != nil {
		return fmt.Errorf("open qdrant: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	reply, err := s.client.HealthCheck(ctx)
	if err != nil {
		return errors.Join(ctx.Err(), unavailable(fmt.Sprintf("not available: %s does not answer: %s", s.server.address, reason(err))))
	}
	s.version = "qdrant " + reply.GetVersion() + ", " + s.server.kind
	return nil
}

// reason is what a status says, without the wrapping of the client.
func reason(err error) string {
	if s, ok := status.FromError(err); ok && s.Message() != "" {
		return s.Message()
	}
	return err.Error()
}

// Load implements vectorstore.Store.
func (s *Store) Load(ctx context.Context, dim int, rows iter.Seq2[[]float32, error]) (vectorstore.Build, error) {
	build, err := s.load(ctx, dim, rows)
	if err != nil {
		return vectorstore.Build{}, errors.Join(ctx.Err(), fmt.Errorf("load qdrant: %w", err))
	}
	return build, nil
}

func (s *Store) load(ctx context.Context, dim int, rows iter.Seq2[[]float32, error]) (build vectorstore.Build, err error) {
	if err := s.drop(ctx); err != nil {
		return build, err
	}
	watch := measure.Start()
	if err := s.create(ctx, dim); err != nil {
		return build, err
	}
	for batch, err := range vectorstore.Batches(rows, batchRows) {
		if err != nil {
			return build, err
		}
		points := make([]*qdrant.PointStruct, len(batch)/dim)
		for i := range points {
			points[i] = &qdrant.PointStruct{
				Id:      qdrant.NewIDNum(uint64(build.Rows) + uint64(i)),
				Vectors: qdrant.NewVectorsDense(batch[i*dim : (i+1)*dim]),
			}
		}
		_, err := s.client.Upsert(ctx, &qdrant.UpsertPoints{CollectionName: s.collection, Wait: qdrant.PtrOf(true), Points: points})
		if err != nil {
			return build, err
		}
		build.Rows += int64(len(points))
	}
	if err := s.index(ctx, uint64(build.Rows), dim); err != nil {
		return build, err
	}
	s.dim, build.Seconds = dim, watch.Seconds()
	if s.server.dir != "" {
		build.Bytes, err = vectorstore.DirBytes(s.server.dir, "wal")
	}
	return build, err
}

func (s *Store) create(ctx context.Context, dim int) error {
	hnsw := &qdrant.HnswConfigDiff{
		M:                 qdrant.PtrOf(uint64(s.options.Shape.M)),
		EfConstruct:       qdrant.PtrOf(uint64(s.options.Shape.EfConstruction)),
		FullScanThreshold: qdrant.PtrOf(uint64(fullScanBelow)),
	}
	err := s.client.CreateCollection(ctx, &qdrant.CreateCollection{
		CollectionName: s.collection,
		VectorsConfig:  qdrant.NewVectorsConfig(&qdrant.VectorParams{Size: uint64(dim), Distance: qdrant.Distance_Cosine}),
		HnswConfig:     hnsw,
		OptimizersConfig: &qdrant.OptimizersConfigDiff{
			DefaultSegmentNumber: qdrant.PtrOf(uint64(segments)), IndexingThreshold: qdrant.PtrOf(uint64(neverIndex))},
	})
	s.loaded = err == nil
	return err
}

// index lets the server index what was uploaded, all at once. Indexing while rows come
// in, the server would build graphs of parts to throw them away, and may leave the
// last rows out where they are fewer than its threshold.
func (s *Store) index(ctx context.Context, rows uint64, dim int) error {
	const componentBytes = 4
	if rows*uint64(dim)*componentBytes < 1024*indexFromKB {
		return nil // the server has no threshold that low: it scans, as others do for so few
	}
	err := s.client.UpdateCollection(ctx, &qdrant.UpdateCollection{CollectionName: s.collection,
		OptimizersConfig: &qdrant.OptimizersConfigDiff{IndexingThreshold: qdrant.PtrOf(uint64(indexFromKB))}})
	if err != nil {
		return err
	}
	return s.awaitIndex(ctx, rows)
}

// awaitIndex returns when the server is at rest and every row is in an index. A
// server at rest that leaves rows out is an error: its searches would be scans.
func (s *Store) awaitIndex(ctx context.Context, rows uint64) error {
	ticker := time.NewTicker(readinessPolls)
	defer ticker.Stop()
	resting := time.Duration(0)
	for {
		info, err := s.client.GetCollectionInfo(ctx, s.collection)
		if err != nil {
			return err
		}
		if faults := info.GetOptimizerStatus().GetError(); faults != "" {
			return fmt.Errorf("build index: %s", faults)
		}
		green := info.GetStatus() == qdrant.CollectionStatus_Green
		if green && info.GetIndexedVectorsCount() >= rows {
			return nil
		}
		if resting += readinessPolls; info.GetStatus() == qdrant.CollectionStatus_Yellow {
			resting = 0 // it is at work
		}
		if resting > indexPatience {
			return fmt.Errorf("the server is at rest, but its index has %d of %d rows", info.GetIndexedVectorsCount(), rows)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

// Search implements vectorstore.Store.
func (s *Store) Search(ctx context.Context, vector []float32, search vectorstore.Search) (vectorstore.Answer, error) {
	if !s.loaded {
		return vectorstore.Answer{}, errors.New("search qdrant: nothing is loaded")
	}
	reply, err := s.client.GetPointsClient().Query(ctx, &qdrant.QueryPoints{
		CollectionName: s.collection, Query: qdrant.NewQueryDense(vector), Limit: qdrant.PtrOf(uint64(search.K)),
		Params: &qdrant.SearchParams{HnswEf: qdrant.PtrOf(uint64(max(search.Ef, search.K))), Exact: qdrant.PtrOf(search.Exact)},
	})
	if err != nil {
		return vectorstore.Answer{}, errors.Join(ctx.Err(), fmt.Errorf("search qdrant: %w", err))
	}
	s.hits = s.hits[:0]
	for _, point := range reply.GetResult() {
		if _, numbered := point.GetId().GetPointIdOptions().(*qdrant.PointId_Num); !numbered {
			return vectorstore.Answer{}, &engine.FaultError{Engine: Name, Err: fmt.Errorf("a point with id %v is returned", point.GetId())}
		}
		s.hits = append(s.hits, vectorstore.Hit{Row: int(point.GetId().GetNum()), Distance: 1 - float64(point.GetScore())})
	}
	return vectorstore.Answer{Hits: s.hits, InsideMS: 1000 * reply.GetTime()}, nil
}

// drop removes the collection, and leaves all others on the server alone.
func (s *Store) drop(ctx context.Context) error {
	if !s.loaded {
		return nil
	}
	s.loaded = false
	err := s.client.DeleteCollection(ctx, s.collection)
	if status.Code(errors.Unwrap(err)) == codes.NotFound {
		return nil
	}
	return err
}

// closePatience bounds how long a server that is gone can hold up the end.
const closePatience = 10 * time.Second

// Close implements vectorstore.Store. A server of ours takes the collection with
// it.
func (s *Store) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closePatience)
	defer cancel()
	var errs []error
	if s.client != nil {
		if s.server.stop == nil {
			errs = append(errs, s.drop(ctx))
		}
		errs = append(errs, s.client.Close())
		s.client, s.loaded = nil, false
	}
	if s.server.stop != nil {
		errs = append(errs, s.server.stop(ctx))
	}
	s.server = server{}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close qdrant: %w", err)
	}
	return nil
}
