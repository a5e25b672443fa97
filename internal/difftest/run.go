package difftest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sortedheap/internal/harness/cluster"
)

// Result counts what a run did.
type Result struct {
	Operations  int64 // transactions committed or rolled back, and maintenance
	Maintenance int64
	Refused     int64 // deadlocks and the like, which change nothing
	Checks      int64 // snapshots compared
	Crashes     int
}

const (
	questionsPerSnapshot = 5
	longSnapshotShare    = 24 // one snapshot in so many is kept for
	longSnapshotLength   = 6  // so many times the questions
	maintenanceShare     = 12 // one operation in so many
	checkShare           = 10 // one snapshot for so many operations

	discardOn  = "SET LOCAL debug_discard_caches = 1"
	discardOff = "SET LOCAL debug_discard_caches = 0"
)

// runner is one run under way.
type runner struct {
	cfg     Config
	server  *cluster.Cluster
	standby *cluster.Cluster
	dir     string // the server's data directory

	due chan struct{} // a snapshot to compare

	operations, maintenance, refused, checks atomic.Int64
	crashing                                 atomic.Bool
}

// Run does one run on a server whose database postgres has the extension. The
// error is a *Difference when the twins differ.
func Run(ctx context.Context, server *cluster.Cluster, cfg Config) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, err
	}
	r := &runner{cfg: cfg, server: server, due: make(chan struct{}, cfg.Checkers+1)}
	if err := r.prepare(ctx); err != nil {
		return Result{}, fmt.Errorf("prepare: %w", err)
	}
	crashes, err := r.work(ctx)
	if err == nil {
		err = r.finish(ctx)
	}
	return Result{
		Operations: r.operations.Load(), Maintenance: r.maintenance.Load(), Refused: r.refused.Load(),
		Checks: r.checks.Load(), Crashes: crashes,
	}, err
}

func (r *runner) prepare(ctx context.Context) error {
	return r.with(ctx, r.server, func(conn *pgx.Conn) error {
		if err := createTwins(ctx, conn, r.cfg); err != nil {
			return err
		}
		if err := conn.QueryRow(ctx, "SHOW data_directory").Scan(&r.dir); err != nil {
			return err
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
func (r *runner) with(ctx context.Context, server *cluster.Cluster, do func(*pgx.Conn) error) error {
	conn, err := server.Connect(ctx, "postgres")
	if err != nil {
		return err
	}
	err = do(conn)
	if e := conn.Close(context.WithoutCancel(ctx)); e != nil && !r.crashing.Load() {
		err = errors.Join(err, e)
	}
	return err
}

// work runs writers and checkers until all operations are done, killing the
// server in between; the first error ends everything.
func (r *runner) work(ctx context.Context) (crashes int, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	rounds := r.cfg.Crashes + 1
	writers := make([]*writer, r.cfg.Connections)
	for i := range writers {
		writers[i] = newWriter(r.cfg, i, r.dir)
	}
	for round := range rounds {
		until := int64(r.cfg.Operations) * int64(round+1) / int64(rounds)
		r.crashing.Store(false)
		if err := r.round(ctx, cancel, writers, until, round < r.cfg.Crashes); err != nil {
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

// round lets everybody work until so many operations are done in all, then
// stops them: by a crash in the middle of what they do, or in peace.
func (r *runner) round(ctx context.Context, cancel context.CancelCauseFunc, writers []*writer, until int64, crash bool) error {
	var writing, checking sync.WaitGroup
	reached := make(chan struct{})
	once := sync.OnceFunc(func() { close(reached) })
	stop := make(chan struct{})

	for _, w := range writers {
		writing.Go(func() {
			err := r.write(ctx, w, until, crash, once)
			if err != nil && !r.crashing.Load() {
				cancel(fmt.Errorf("writer %d: %w", w.mark, err))
			}
		})
	}
	check := func(id int, server *cluster.Cluster, isolations []string) {
		c := &comparer{rng: rand.New(rand.NewPCG(r.cfg.Seed, uint64(1000+id)+uint64(until)<<16)), keys: last(r.cfg.Rows), expand: r.cfg.expands(), discards: r.cfg.Discard}
		checking.Go(func() {
			if err := r.check(ctx, c, server, isolations, stop); err != nil && !r.crashing.Load() {
				cancel(fmt.Errorf("checker %d: %w", id, err))
			}
		})
	}
	for i := range r.cfg.Checkers {
		check(i, r.server, []string{"READ COMMITTED", "REPEATABLE READ", "REPEATABLE READ", "SERIALIZABLE"})
	}
	if r.standby != nil {
		check(r.cfg.Checkers, r.standby, []string{"READ COMMITTED", "REPEATABLE READ"})
	}

	select {
	case <-reached:
	case <-ctx.Done():
	}
	var crashed error
	if crash && ctx.Err() == nil {
		r.crashing.Store(true)
		crashed = r.server.Crash()
	}
	writing.Wait()
	close(stop)
	checking.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return crashed
}

// write runs one writer's operations. Under a crash to come, it goes on until
// the connection breaks.
func (r *runner) write(ctx context.Context, w *writer, until int64, crash bool, reached func()) error {
	return r.with(ctx, r.server, func(conn *pgx.Conn) error {
		if err := w.finishPrepared(ctx, conn); err != nil {
			return err
		}
		for ctx.Err() == nil {
			if r.operations.Load() >= until {
				reached()
				if !crash {
					return nil
				}
			}
			err := r.operate(ctx, conn, w)
			if refusal(err) {
				r.refused.Add(1)
				err = nil
			}
			if err != nil {
				return err
			}
			if r.operations.Add(1)%checkShare == 0 {
				r.askForCheck()
			}
		}
		return ctx.Err()
	})
}

func (r *runner) operate(ctx context.Context, conn *pgx.Conn, w *writer) error {
	if w.rng.IntN(maintenanceShare) == 0 {
		r.maintenance.Add(1)
		return maintain(ctx, conn, w.maintenance())
	}
	return w.transact(ctx, conn, w.transaction())
}

// transact does a change to both twins.
func (w *writer) transact(ctx context.Context, conn *pgx.Conn, c change) error {
	statements := []string{c.begin}
	if c.lock {
		statements = append(statements, "LOCK TABLE "+mapped+", "+plain)
	}
	for _, table := range []string{mapped, plain} {
		for _, sql := range c.statements {
			statements = append(statements, on(table, sql))
		}
	}
	if w.discards && w.rng.IntN(5) == 0 {
		at := 1 + w.rng.IntN(len(statements)-1)
		statements = slices.Insert(statements, at, discardOn)
		statements = slices.Insert(statements, at+2, discardOff)
	}
	if err := execute(ctx, conn, statements...); err != nil {
		return errors.Join(err, execute(context.WithoutCancel(ctx), conn, "ROLLBACK"))
	}
	end := "COMMIT"
	if c.rollback {
		end = "ROLLBACK"
	}
	if !c.prepare {
		return execute(ctx, conn, end)
	}
	return execute(ctx, conn, "PREPARE TRANSACTION "+w.gid(), end+" PREPARED "+w.gid())
}

// finishPrepared ends what a crash left prepared.
func (w *writer) finishPrepared(ctx context.Context, conn *pgx.Conn) error {
	var left bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_prepared_xacts WHERE gid = "+w.gid()+")").Scan(&left); err != nil || !left {
		return err
	}
	end := []string{"COMMIT", "ROLLBACK"}[w.rng.IntN(2)]
	return execute(ctx, conn, end+" PREPARED "+w.gid())
}

// askForCheck lets a checker go on; when all have enough to do, nothing is lost.
func (r *runner) askForCheck() {
	select {
	case r.due <- struct{}{}:
	default:
	}
}

// check compares, now and then, until stop is closed.
func (r *runner) check(ctx context.Context, c *comparer, server *cluster.Cluster, isolations []string, stop <-chan struct{}) error {
	return r.with(ctx, server, func(conn *pgx.Conn) error {
		for {
			select {
			case <-stop:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			case <-r.due:
			}
			n := questionsPerSnapshot
			if c.rng.IntN(longSnapshotShare) == 0 {
				n *= longSnapshotLength
			}
			err := c.compare(ctx, conn, isolations[c.rng.IntN(len(isolations))], n)
			if err != nil && !refusal(err) {
				return err
			}
			if err == nil {
				r.checks.Add(1)
			}
		}
	})
}

// refusal says whether PostgreSQL ended a transaction for reasons that others
// gave, with no effect: deadlock, serialization failure, a conflict with
// recovery.
func refusal(err error) bool {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return false
	}
	switch pgErr.Code {
	case "40001", "40P01":
		return true
	}
	return false
}

// maintain runs commands of which two at a time may meet each other's indexes,
// there or gone; core says so with internal errors, too.
func maintain(ctx context.Context, conn *pgx.Conn, commands []string) error {
	err := execute(ctx, conn, commands...)
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pgErr.Code {
		case "42P07", "42704", "23505":
			return nil
		case "XX000":
			if strings.HasPrefix(pgErr.Message, "could not open relation with OID") {
				return nil
			}
		}
	}
	return err
}

// finish compares in peace, many times, and again after maintenance.
func (r *runner) finish(ctx context.Context) error {
	c := &comparer{rng: rand.New(rand.NewPCG(r.cfg.Seed, 999)), keys: last(r.cfg.Rows), expand: r.cfg.expands()}
	if r.standby != nil {
		if err := r.server.WaitReplay(ctx, r.standby); err != nil {
			return err
		}
		if err := r.with(ctx, r.standby, func(conn *pgx.Conn) error {
			return c.compare(ctx, conn, "REPEATABLE READ", 60)
		}); err != nil {
			return fmt.Errorf("standby at the end: %w", err)
		}
	}
	return r.with(ctx, r.server, func(conn *pgx.Conn) error {
		for _, sql := range []string{"SELECT 1", "VACUUM mapped", "DELETE FROM mapped WHERE id % 2 = 0; DELETE FROM plain WHERE id % 2 = 0", "VACUUM mapped", "DELETE FROM mapped; DELETE FROM plain", "VACUUM mapped"} {
			if _, err := conn.Exec(ctx, sql); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
			if err := c.compare(ctx, conn, "REPEATABLE READ", 60); err != nil {
				return fmt.Errorf("at the end, after %s: %w", sql, err)
			}
			r.checks.Add(1)
		}
		return nil
	})
}
