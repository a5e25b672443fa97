package provider

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// existing is a database that is there already. A run works in a schema that it
// makes itself, and in nothing else: the schema comes first in search_path, behind
// it only those of extensions that a run uses, and a run drops only what it finds
// in the first (postgres.DropOwn). An extension that is missing is made in
// the schema too, where the role may, and goes with it.
type existing struct {
	dsn    string
	config *pgx.ConnConfig
}

func parseExisting(dsn string) (Provider, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		// The library's message repeats the string without its password.
		return nil, &SpecError{"", "is no connection string: " + err.Error()}
	}
	return existing{dsn: dsn, config: config}, nil
}

// usedExtensions are those whose schemas a run must see.
const usedExtensions = "{sorted_heap,sorted_heap_pgvector,vector,pg_prewarm,pg_stat_statements}"

// requiredExtension is the one that every engine needs.
const requiredExtension = "pg_prewarm"

// closePatience bounds how long Close waits for the run's own sessions to end, and
// for locks.
const closePatience = 30 * time.Second

type schemaServer struct {
	conn   *pgx.Conn
	config *pgx.ConnConfig
	dsn    string
	schema string
}

// Open implements Provider.
func (p existing) Open(ctx context.Context) (_ Server, err error) {
	s := &schemaServer{config: p.config}
	if s.conn, err = pgx.ConnectConfig(ctx, p.config); err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if err := s.checkExtensions(ctx); err != nil {
		return nil, err
	}
	name, err := newName()
	if err != nil {
		return nil, err
	}
	quoted := pgx.Identifier{name}.Sanitize()
	if _, err := s.conn.Exec(ctx, "CREATE SCHEMA "+quoted); err != nil {
		return nil, fmt.Errorf("create a schema for the run: %w", err)
	}
	s.schema = name
	if _, err := s.conn.Exec(ctx, "COMMENT ON SCHEMA "+quoted+" IS 'scratch of a benchgraph run'"); err != nil {
		return nil, fmt.Errorf("create a schema for the run: %w", err)
	}
	path, err := s.searchPath(ctx)
	if err != nil {
		return nil, err
	}
	s.dsn = withParameters(p.dsn, map[string]string{"search_path": path, "application_name": name})
	return s, nil
}

// newName has letters that need no quotes, and is in nobody else's use.
func newName() (string, error) {
	var random [6]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", fmt.Errorf("name a schema: %w", err)
	}
	return "benchgraph_" + hex.EncodeToString(random[:]), nil
}

// checkExtensions refuses a database in which a run would fail half way.
func (s *schemaServer) checkExtensions(ctx context.Context) error {
	var fine bool
	err := s.conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = $1)
OR (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)`, requiredExtension).Scan(&fine)
	if err != nil {
		return fmt.Errorf("look for extensions: %w", err)
	}
	if !fine {
		return fmt.Errorf("extension %s is not in the database, and this role may not create it; have a superuser run CREATE EXTENSION for it, sorted_heap, and vector and pg_stat_statements where wanted",
			requiredExtension)
	}
	return nil
}

// searchPath is the run's schema, then those of installed extensions.
func (s *schemaServer) searchPath(ctx context.Context) (string, error) {
	var path string
	err := s.conn.QueryRow(ctx, `SELECT concat_ws(', ', quote_ident($1), string_agg(DISTINCT quote_ident(nspname), ', '))
FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = ANY ($2::text[])`, s.schema, usedExtensions).Scan(&path)
	if err != nil {
		return "", fmt.Errorf("find the schemas of extensions: %w", err)
	}
	return path, nil
}

// withParameters adds settings of the session to a connection string.
func withParameters(dsn string, parameters map[string]string) string {
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		if u, err := url.Parse(dsn); err == nil {
			q := u.Query()
			for name, value := range parameters {
				q.Set(name, value)
			}
			u.RawQuery = q.Encode()
			return u.String()
		}
	}
	quote := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	for name, value := range parameters {
		dsn += " " + name + "='" + quote.Replace(value) + "'"
	}
	return dsn
}

// DSN implements Server.
func (s *schemaServer) DSN() string { return s.dsn }

// Close implements Server. What others have made to depend on the run's tables
// stays, and so do these: then it is an error that names them.
func (s *schemaServer) Close() (err error) {
	if s.conn == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closePatience)
	defer cancel()
	defer func() {
		err = errors.Join(err, s.conn.Close(ctx))
		s.conn = nil
	}()
	if s.schema == "" {
		return nil
	}
	if s.conn.IsClosed() {
		if s.conn, err = pgx.ConnectConfig(ctx, s.config); err != nil {
			return fmt.Errorf("drop schema %s: %w", s.schema, err)
		}
	}
	if err := s.endSessions(ctx); err != nil {
		return fmt.Errorf("drop schema %s: end the run's sessions: %w", s.schema, err)
	}
	if err := pgx.BeginFunc(ctx, s.conn, func(tx pgx.Tx) error { return s.drop(ctx, tx) }); err != nil {
		return fmt.Errorf("drop schema %s: %w", s.schema, err)
	}
	s.schema = ""
	return nil
}

// endSessions ends what an interrupted run left working, and waits for it.
func (s *schemaServer) endSessions(ctx context.Context) error {
	for {
		var left int
		err := s.conn.QueryRow(ctx, `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE application_name = $1 AND usename = current_user AND datname = current_database() AND pid <> pg_backend_pid()`, s.schema).Scan(&left)
		if err != nil || left == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(readyPolls):
		}
	}
}

// ownObjects are statements that drop what is in a schema, without a word that
// would reach further: first the tables with all they own, then what extensions
// of the run brought.
const ownObjects = `SELECT format('DROP TABLE %I.%I', nspname, relname) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
WHERE nspname = $1 AND relkind IN ('r', 'p')
	AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')
UNION ALL
SELECT format('DROP EXTENSION %s', string_agg(quote_ident(extname), ', ')) FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
WHERE nspname = $1 HAVING count(*) > 0
UNION ALL
SELECT format('DROP SCHEMA %I', $1)`

func (s *schemaServer) drop(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, ownObjects, s.schema)
	if err != nil {
		return err
	}
	statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, sql := range statements {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}
