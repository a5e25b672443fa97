// Package cachesoak looks for answers that the cache of sorted_hnsw indexes gets
// wrong: rows that are not there, twice, out of order or against a condition,
// and rows left out.
//
// Some connections change two tables in every way that SQL offers, all at once,
// while others ask: each question is answered by the cache, by pages and by
// the table alone under one snapshot, and the three are compared. A scan to the
// end must give every row once; what approximate answers miss is counted for the
// cache and for pages.
package cachesoak

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/cluster"
)

// Config is one run. Default gives a small one.
type Config struct {
	// Seed of all random choices.
	Seed uint64
	// Operations is how many changes to make, over all connections; above 0.
	Operations int
	// Writers change the tables at the same time; above 0.
	Writers int
	// Readers ask at the same time, every second one with a cache of its own;
	// above 0.
	Readers int
	// Rows that each table begins with; above 0.
	Rows int
	// Crashes is how often the server is killed, spread over the run.
	Crashes int
	// Standby adds a streaming standby with as many readers.
	Standby bool
}

// Default is a run of some seconds.
func Default() Config {
	return Config{Seed: 1, Operations: 150, Writers: 3, Readers: 2, Rows: 1500}
}

// Validate reports what is wrong with the configuration.
func (c Config) Validate() error {
	if c.Operations <= 0 || c.Writers <= 0 || c.Readers <= 0 || c.Rows <= 0 || c.Crashes < 0 {
		return errors.New("operations, writers, readers and rows must be above 0, crashes not below")
	}
	return nil
}

// Result counts what a run did.
type Result struct {
	Operations int64 // changes made
	Refused    int64 // deadlocks and the like, which change nothing
	Questions  int64 // answered three times
	Cached     int64 // answered from a version, by the cache's own count
	Wanted     int64 // rows that exact answers have
	ByCache    int64 // of these, found by the cache
	ByPages    int64 // and by pages
	Crashes    int
}

// Recall is which share of exact answers was found by the cache, and by pages.
func (r Result) Recall() (byCache, byPages float64) {
	wanted := float64(max(r.Wanted, 1))
	return float64(r.ByCache) / wanted, float64(r.ByPages) / wanted
}

// runner is one run under way.
type runner struct {
	cfg     Config
	server  *cluster.Cluster
	standby *cluster.Cluster

	operations, refused, questions, cached, wanted, byCache, byPages atomic.Int64
	crashing                                                         atomic.Bool
}

// table is one that is worked on, with its own kind of index.
type table struct {
	name, index, operator string
	dim                   int
	modes                 []string // of searches, some more often than others
}

// tables differ in what their indexes have; versions of the last have sketches.
var tables = []table{
	{"plain", "USING sorted_hnsw (v svec_l2_ops, kind) WITH (m = 6, ef_construction = 32)", "<->", 12, []string{"graph", "graph", "flat"}},
	{"refined", "USING sorted_hnsw (v svec_cosine_ops, kind) WITH (m = 8, ef_construction = 32, refine = f16)", "<=>", 12, []string{"graph", "graph", "flat"}},
	{"sketched", "USING sorted_hnsw (v svec_cosine_ops, kind) WITH (m = 8, ef_construction = 32)", "<=>", 128, []string{"auto", "auto", "graph", "flat"}},
}

// vec is the vector of number i, of which most of the length is in twelve components.
const vec = `CREATE FUNCTION vec(i int, dim int) RETURNS svec LANGUAGE sql IMMUTABLE AS $$
	SELECT array_agg((((hashint4extended(i, k) & 65535)::float8 / 65536 - 0.5) * CASE WHEN k > 12 THEN 0.05 ELSE 1 END)::real
		ORDER BY k)::real[]::svec FROM generate_series(1, dim) k $$`

// Run does one run on a server whose database postgres has the extension.
func Run(ctx context.Context, server *cluster.Cluster, cfg Config) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, err
	}
	r := &runner{cfg: cfg, server: server}
	if err := r.prepare(ctx); err != nil {
		return Result{}, fmt.Errorf("prepare: %w", err)
	}
	crashes, err := r.work(ctx)
	return Result{
		Operations: r.operations.Load(), Refused: r.refused.Load(), Questions: r.questions.Load(),
		Cached: r.cached.Load(), Wanted: r.wanted.Load(), ByCache: r.byCache.Load(),
		ByPages: r.byPages.Load(), Crashes: crashes,
	}, err
}

func (r *runner) prepare(ctx context.Context) error {
	return with(ctx, r.server, func(conn *pgx.Conn) error {
		statements := []string{vec}
		for _, t := range tables {
			statements = append(statements,
				fmt.Sprintf(`CREATE TABLE %s (id int, kind int2, v svec(%d))`, t.name, t.dim),
				fmt.Sprintf(`INSERT INTO %s SELECT i, i %% 10, vec(i, %d) FROM generate_series(1, %d) i`, t.name, t.dim, r.cfg.Rows),
				fmt.Sprintf(`CREATE INDEX %s_v ON %[1]s %s`, t.name, t.index))
		}
		for _, statement := range statements {
			if _, err := conn.Exec(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		if !r.cfg.Standby {
			return nil
		}
		standby, err := r.server.Standby(ctx)
		r.standby = standby
		return err
	})
}

// with lends a connection.
func with(ctx context.Context, server *cluster.Cluster, do func(*pgx.Conn) error) error {
	conn, err := server.Connect(ctx, "postgres")
	if err != nil {
		return err
	}
	err = do(conn)
	if e := conn.Close(context.WithoutCancel(ctx)); err == nil {
		err = e
	}
	return err
}

// work runs writers and readers until all changes are made, killing the server
// in between; the first error ends everything.
func (r *runner) work(ctx context.Context) (crashes int, err error) {
	rounds := r.cfg.Crashes + 1
	for round := range rounds {
		until := int64(r.cfg.Operations) * int64(round+1) / int64(rounds)
		r.crashing.Store(false)
		if err := r.round(ctx, round, until, round < r.cfg.Crashes); err != nil {
			return crashes, err
		}
		if round < r.cfg.Crashes {
			crashes++
			if err := r.server.StartServer(ctx); err != nil {
				return crashes, fmt.Errorf("start after crash: %w", err)
			}
		}
	}
	return crashes, nil
}

// round lets everybody work until so many changes are made in all.
func (r *runner) round(ctx context.Context, round int, until int64, crash bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var writing, reading sync.WaitGroup
	over := make(chan struct{})
	fail := func(who string, n int, err error) {
		if err != nil && !r.crashing.Load() && ctx.Err() == nil {
			cancel(fmt.Errorf("%s %d: %w", who, n, err))
		}
	}
	for i := range r.cfg.Writers {
		w := newWriter(r.cfg.Seed, round, i)
		writing.Go(func() {
			fail("writer", i, with(ctx, r.server, func(conn *pgx.Conn) error { return r.write(ctx, conn, w, until) }))
		})
	}
	servers := []*cluster.Cluster{r.server}
	if r.standby != nil {
		servers = append(servers, r.standby)
	}
	for s, server := range servers {
		for i := range r.cfg.Readers {
			q := newReader(r.cfg.Seed, round*16+s, i, s > 0)
			reading.Go(func() {
				fail("reader", 100*s+i, with(ctx, server, func(conn *pgx.Conn) error { return r.read(ctx, conn, q, over) }))
			})
		}
	}
	writing.Wait()
	if crash && ctx.Err() == nil {
		r.crashing.Store(true)
		if err := r.server.Crash(); err != nil {
			return err
		}
	}
	close(over)
	reading.Wait()
	return context.Cause(ctx)
}
