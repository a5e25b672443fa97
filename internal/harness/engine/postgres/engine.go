// Package postgres is what the engines inside one PostgreSQL server share: a
// session, a facts table, statements for tasks, and prepared calls. A concrete
// engine is a Config.
package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/pgvector/pgvector-go"
	pgxvec "github.com/pgvector/pgvector-go/pgx"

	"sortedheap/internal/harness/engine"
)

// Config is what sets one engine apart from the others in the same server.
type Config struct {
	Name         string // as on the command line
	Extension    string // brings the vector type
	VectorType   string // "svec" or "vector"
	Table        string // an identifier that needs no quotes
	AccessMethod string // of the table; empty: heap
	KeyOrder     bool   // load in primary key order, not in generator order
	AfterCopy    []string
	Indexes      []string          // CREATE INDEX statements beside the primary key
	Settings     map[string]string // of the session
	// Tuned are the settings of the session that a tuning asks for; nil: none.
	Tuned func(engine.Tuning) map[string]string
	// Walk is a statement that tells in one text how the last search of the session
	// went through the index Table_ann; empty: the index has one way.
	Walk         string
	Capabilities engine.Capabilities
}

// Engine runs one Config on one session.
type Engine struct {
	cfg     Config
	dsn     string
	dialect dialect
	conn    *pgx.Conn
	version string
	calls   int // prepared so far; makes statement names unique
	inLine  int // toast_tuple_target of the table
}

var (
	_ engine.Engine = (*Engine)(nil)
	_ engine.SQL    = (*Engine)(nil)

	_ engine.Tunable = (*Engine)(nil)
)

// New returns an engine that will connect to dsn. It does no I/O.
func New(dsn string, cfg Config) *Engine {
	return &Engine{cfg: cfg, dsn: dsn, dialect: dialect{
		table: cfg.Table, vector: cfg.VectorType, approximate: cfg.Capabilities.ApproximateSeeds,
	}, inLine: maxToastTarget}
}

// SetToastTarget changes up to how many bytes rows stay in line, 128 to 8160, in
// tables that Load will make. 0 stands for the default, which is the most.
func (e *Engine) SetToastTarget(bytes int) { e.inLine = cmp.Or(bytes, maxToastTarget) }

// Session is what statements of others than this package need to know of an engine
// that is open.
type Session struct {
	Conn        *pgx.Conn // the engine's; to be used while the engine does nothing
	Table       string    // of facts; needs no quotes
	Vector      string    // type of embeddings
	Approximate bool      // an index serves the order by distance
	Walk        string    // as in Config
}

// Session returns the engine's session.
func (e *Engine) Session() Session {
	return Session{Conn: e.conn, Table: e.cfg.Table, Vector: e.cfg.VectorType, Approximate: e.cfg.Capabilities.ApproximateSeeds, Walk: e.cfg.Walk}
}

// Name implements engine.Engine.
func (e *Engine) Name() string { return e.cfg.Name }

// Capabilities implements engine.Engine.
func (e *Engine) Capabilities() engine.Capabilities { return e.cfg.Capabilities }

// Version implements engine.Engine.
func (e *Engine) Version() string { return e.version }

// Settings implements engine.SQL.
func (e *Engine) Settings() map[string]string { return maps.Clone(e.cfg.Settings) }

// Open implements engine.Engine: it connects, creates the extension and sets
// up the session.
func (e *Engine) Open(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, e.dsn)
	if err != nil {
		return fmt.Errorf("connect engine %s: %w", e.cfg.Name, err)
	}
	e.conn = conn
	if err := e.setUp(ctx); err != nil {
		return errors.Join(err, e.Close(context.WithoutCancel(ctx)))
	}
	return nil
}

func (e *Engine) setUp(ctx context.Context) error {
	if err := e.createExtension(ctx); err != nil {
		return err
	}
	if err := e.set(ctx, e.cfg.Settings); err != nil {
		return err
	}
	return registerVector(ctx, e.conn, e.cfg.VectorType)
}

func (e *Engine) set(ctx context.Context, settings map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if _, err := e.conn.Exec(ctx, "SELECT set_config($1, $2, false)", name, settings[name]); err != nil {
			return fmt.Errorf("engine %s: set %s: %w", e.cfg.Name, name, err)
		}
	}
	return nil
}

// Tune implements engine.Tunable.
func (e *Engine) Tune(ctx context.Context, t engine.Tuning) error {
	if e.cfg.Tuned == nil {
		return nil
	}
	settings := e.cfg.Tuned(t)
	if err := e.set(ctx, settings); err != nil {
		return err
	}
	if e.cfg.Settings == nil {
		e.cfg.Settings = map[string]string{}
	}
	maps.Copy(e.cfg.Settings, settings)
	return nil
}

// createExtension also loads the library, so that settings with the
// extension's prefix are checked rather than taken as placeholders.
func (e *Engine) createExtension(ctx context.Context) error {
	var available bool
	err := e.conn.QueryRow(ctx, "SELECT count(*) > 0 FROM pg_available_extensions WHERE name = $1", e.cfg.Extension).Scan(&available)
	if err != nil {
		return fmt.Errorf("engine %s: list extensions: %w", e.cfg.Name, err)
	}
	if !available {
		return &engine.UnavailableError{Engine: e.cfg.Name,
			Reason: fmt.Sprintf("extension %q is not installed on the server", e.cfg.Extension),
			Hint:   "install it for the server's PostgreSQL version"}
	}
	create := "CREATE EXTENSION IF NOT EXISTS " + pgx.Identifier{e.cfg.Extension}.Sanitize()
	if _, err := e.conn.Exec(ctx, create); err != nil {
		var refused *pgconn.PgError
		if errors.As(err, &refused) {
			return &engine.UnavailableError{Engine: e.cfg.Name, Reason: "create extension " + e.cfg.Extension + ": " + refused.Message}
		}
		return fmt.Errorf("engine %s: create extension: %w", e.cfg.Name, err)
	}
	if _, err := e.conn.Exec(ctx, "SELECT '[1]'::"+e.cfg.VectorType); err != nil {
		return &engine.UnavailableError{Engine: e.cfg.Name, Reason: "load " + e.cfg.Extension + ": " + err.Error()}
	}
	err = e.conn.QueryRow(ctx, "SELECT extname || ' ' || extversion FROM pg_extension WHERE extname = $1", e.cfg.Extension).Scan(&e.version)
	if err != nil {
		return fmt.Errorf("engine %s: read extension version: %w", e.cfg.Name, err)
	}
	return nil
}

// registerVector lets pgx send and read a vector type in binary. svec has
// pgvector's wire format, so one codec serves both.
func registerVector(ctx context.Context, conn *pgx.Conn, name string) error {
	var oid uint32
	if err := conn.QueryRow(ctx, "SELECT $1::text::regtype::oid", name).Scan(&oid); err != nil {
		return fmt.Errorf("look up type %s: %w", name, err)
	}
	conn.TypeMap().RegisterType(&pgtype.Type{Name: name, OID: oid, Codec: pgxvec.VectorCodec{}})
	return nil
}

// Close implements engine.Engine.
func (e *Engine) Close(ctx context.Context) error {
	if e.conn == nil {
		return nil
	}
	conn := e.conn
	e.conn = nil
	if err := conn.Close(ctx); err != nil {
		return fmt.Errorf("close engine %s: %w", e.cfg.Name, err)
	}
	return nil
}

// Ask implements engine.Engine.
func (e *Engine) Ask(ctx context.Context, t engine.Task, q engine.Question) ([]engine.Row, error) {
	if t.Output != engine.OutputRows {
		return nil, fmt.Errorf("ask engine %s: task %s returns no rows", e.cfg.Name, t)
	}
	if reason := e.cfg.Capabilities.Refuses(t); reason != "" {
		return nil, fmt.Errorf("ask engine %s: %s", e.cfg.Name, reason)
	}
	st, err := e.dialect.build(t)
	if err != nil {
		return nil, err
	}
	values, err := bind(st, q)
	if err != nil {
		return nil, fmt.Errorf("ask engine %s: %w", e.cfg.Name, err)
	}
	rows, err := e.conn.Query(ctx, st.sql, values...)
	if err != nil {
		return nil, fmt.Errorf("ask engine %s: %w", e.cfg.Name, err)
	}
	answer, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (engine.Row, error) {
		var r engine.Row
		into := []any{&r.Entity, &r.Relation, &r.Target, &r.Payload, &r.Distance}
		err := row.Scan(into[:len(row.FieldDescriptions())]...)
		return r, err
	})
	if err != nil {
		return nil, fmt.Errorf("ask engine %s: task %s: %w", e.cfg.Name, t, err)
	}
	return answer, nil
}

// bind returns the values of a statement's parameters.
func bind(st statement, q engine.Question) ([]any, error) {
	relations, err := st.task.Filters(q)
	if err != nil {
		return nil, err
	}
	values := make([]any, len(st.args))
	for i, a := range st.args {
		switch a {
		case argEmbedding:
			values[i] = pgvector.NewVector(q.Embedding)
		case argSeeds:
			values[i] = st.task.GivenSeeds(q)
		default:
			values[i] = relations[a-argRelation]
		}
	}
	return values, nil
}

// literals returns the same values as SQL literals, for EXPLAIN EXECUTE,
// which takes no parameters.
func literals(st statement, q engine.Question) (string, error) {
	relations, err := st.task.Filters(q)
	if err != nil {
		return "", err
	}
	out := make([]string, len(st.args))
	for i, a := range st.args {
		switch a {
		case argEmbedding:
			out[i] = "'" + pgvector.NewVector(q.Embedding).String() + "'"
		case argSeeds:
			out[i] = "'" + strings.NewReplacer("[", "{", "]", "}", " ", ",").Replace(fmt.Sprint(st.task.GivenSeeds(q))) + "'"
		default:
			out[i] = fmt.Sprint(relations[a-argRelation])
		}
	}
	return strings.Join(out, ", "), nil
}
