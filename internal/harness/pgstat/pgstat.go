// Package pgstat is the server clock: pg_stat_statements, read from a second
// connection after every timed call.
//
// The server adds planning and execution of a statement to the counters before
// it reports itself ready again, so a read after the call sees it. The clock
// keeps the counters it saw last; the difference is one call, which gives
// percentiles and not only means. It insists that the call count went up by
// exactly one, so a reset, an eviction or a second client is an error, not a
// wrong figure. The reading session does not track itself, and its work falls
// into untimed moments.
package pgstat

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sortedheap/internal/harness/measure"
)

// These errors say that a server cannot serve as clock as it is configured.
var (
	ErrNotLoaded  = errors.New("pg_stat_statements is not in shared_preload_libraries")
	ErrNoPlanning = errors.New("pg_stat_statements.track_planning is off, or track is none")
	ErrNotAllowed = errors.New("this role may not read or set pg_stat_statements")
)

// Reader is the second connection. It serves any number of clocks, but one
// goroutine.
type Reader struct {
	conn *pgx.Conn
	seen map[int64]counters
}

// counters are the server's sums for one statement.
type counters struct {
	calls, hit, read int64
	exec, plan       float64 // ms
}

// insufficientPrivilege is the SQLSTATE of a role that may not.
const insufficientPrivilege = "42501"

const readStatement = `SELECT calls, total_exec_time, total_plan_time, shared_blks_hit, shared_blks_read
FROM pg_stat_statements(false)
WHERE queryid = $1 AND toplevel AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND userid = current_user::regrole`

// Open connects to the same database and role as the sessions under test. It
// returns ErrNotLoaded, ErrNoPlanning or ErrNotAllowed when the server cannot serve as
// clock.
func Open(ctx context.Context, dsn string) (*Reader, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, fmt.Errorf("connect server clock: %w", err)
	}
	r := &Reader{conn: conn, seen: map[int64]counters{}}
	if err := r.setUp(ctx); err != nil {
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code == insufficientPrivilege {
			err = fmt.Errorf("%w: %s", ErrNotAllowed, refused.Message)
		}
		return nil, errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
	}
	return r, nil
}

func (r *Reader) setUp(ctx context.Context) error {
	var loaded bool
	err := r.conn.QueryRow(ctx, "SELECT current_setting('shared_preload_libraries') LIKE '%pg_stat_statements%'").Scan(&loaded)
	if err != nil {
		return fmt.Errorf("set up server clock: %w", err)
	}
	if !loaded {
		return ErrNotLoaded
	}
	if _, err := r.conn.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements"); err != nil {
		return fmt.Errorf("set up server clock: %w", err)
	}
	var complete bool
	err = r.conn.QueryRow(ctx, "SELECT current_setting('pg_stat_statements.track_planning')::bool AND current_setting('pg_stat_statements.track') <> 'none'").Scan(&complete)
	if err != nil {
		return fmt.Errorf("set up server clock: %w", err)
	}
	if !complete {
		return ErrNoPlanning
	}
	if _, err := r.conn.Exec(ctx, "SET pg_stat_statements.track = 'none'"); err != nil {
		return fmt.Errorf("set up server clock: %w", err)
	}
	return nil
}

// Close ends the connection.
func (r *Reader) Close(ctx context.Context) error {
	if err := r.conn.Close(ctx); err != nil {
		return fmt.Errorf("close server clock: %w", err)
	}
	return nil
}

// Clock returns the clock of one statement, starting now.
func (r *Reader) Clock(ctx context.Context, queryID int64) (measure.ServerClock, error) {
	now, err := r.read(ctx, queryID)
	if err != nil {
		return nil, err
	}
	r.seen[queryID] = now
	return &clock{reader: r, queryID: queryID}, nil
}

func (r *Reader) read(ctx context.Context, queryID int64) (counters, error) {
	var c counters
	err := r.conn.QueryRow(ctx, readStatement, queryID).Scan(&c.calls, &c.exec, &c.plan, &c.hit, &c.read)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return c, fmt.Errorf("read pg_stat_statements: %w", err)
	}
	return c, nil // no row: never called
}

type clock struct {
	reader  *Reader
	queryID int64
}

// Last implements measure.ServerClock. Two clocks on one statement share what
// was seen last, so each call is counted once.
func (c *clock) Last(ctx context.Context) (measure.Cost, error) {
	before := c.reader.seen[c.queryID]
	now, err := c.reader.read(ctx, c.queryID)
	if err != nil {
		return measure.Cost{}, err
	}
	c.reader.seen[c.queryID] = now
	if now.calls != before.calls+1 {
		return measure.Cost{}, fmt.Errorf("statement %d was called %d times since the last reading, want 1: does anything else run it, or reset the statistics?",
			c.queryID, now.calls-before.calls)
	}
	return measure.Cost{
		ExecMS: now.exec - before.exec, PlanMS: now.plan - before.plan,
		HitPages: now.hit - before.hit, ReadPages: now.read - before.read,
	}, nil
}
