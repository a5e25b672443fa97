package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Config says which PostgreSQL to start and how.
type Config struct {
	// PGConfig is a pg_config path, a major version, or empty; see Locate.
	PGConfig string
	// Parent is the directory in which the cluster's own directory is made;
	// empty means the system's temporary directory. Its path must be short: a
	// unix socket path has at most 107 bytes.
	Parent string
	// Settings go to postgresql.conf, over the defaults of this package.
	Settings map[string]string
	// OSUser runs the server when this process is root; empty means postgres.
	OSUser string
	// Keep leaves the directory (and its log) behind on Close.
	Keep bool
	// ReadyTimeout bounds the wait for the server to accept connections; zero
	// means 60 s.
	ReadyTimeout time.Duration
}

// BenchSettings are those of every published figure: steady timings first, so
// no autovacuum, no JIT and no checkpoint in the middle of a run.
func BenchSettings() map[string]string {
	return map[string]string{
		"shared_buffers": "64MB", "max_wal_size": "4GB", "checkpoint_timeout": "1h",
		"autovacuum": "off", "jit": "off", "fsync": "on",
	}
}

// TestSettings trade durability against power loss for speed. A killed server
// still recovers, since the operating system keeps what was written.
func TestSettings() map[string]string {
	return map[string]string{
		"shared_buffers": "64MB", "fsync": "off", "autovacuum": "off", "jit": "off",
		"max_connections": "60", "wal_level": "logical", "deadlock_timeout": "100ms",
		"max_wal_senders": "10", "max_replication_slots": "10", "max_prepared_transactions": "10",
		"allow_in_place_tablespaces": "on",
	}
}

// Cluster is one running server, or one that was stopped or crashed and can be
// started again. It is not safe for concurrent use, but its databases are.
type Cluster struct {
	Install Install

	cfg      Config
	owner    *osUser
	base     string // socket, log and data directory
	name     string // of the data directory and the log
	port     int    // only names the socket file
	server   *process
	standbys []*Cluster
}

// Start makes a new cluster and waits until it answers.
//
// On failure nothing is left behind, and the error ends with the last lines of
// the server's log.
func Start(ctx context.Context, cfg Config) (*Cluster, error) {
	path, err := Locate(cfg.PGConfig)
	if err != nil {
		return nil, err
	}
	install, err := Describe(ctx, path)
	if err != nil {
		return nil, err
	}
	owner, err := serverUser(cfg.OSUser)
	if err != nil {
		return nil, err
	}
	base, err := makeBase(cfg.Parent, owner)
	if err != nil {
		return nil, err
	}
	c := &Cluster{Install: install, cfg: cfg, owner: owner, base: base, name: "primary", port: 5432}
	if err := c.create(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Cluster) create(ctx context.Context) error {
	out, err := c.Command(ctx, "initdb", "-D", c.dataDir(), "-U", "postgres", "-A", "trust",
		"--no-locale", "-E", "UTF8", "--no-sync", "--no-instructions").CombinedOutput()
	if err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if err := c.writeSettings(c.cfg.Settings); err != nil {
		return err
	}
	return c.StartServer(ctx)
}

func (c *Cluster) writeSettings(settings map[string]string) error {
	all := map[string]string{
		"listen_addresses": "", "unix_socket_directories": c.base, "port": strconv.Itoa(c.port),
		"logging_collector": "off", "log_line_prefix": "%m [%p] ",
	}
	maps.Copy(all, settings)
	var conf strings.Builder
	for _, key := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&conf, "%s = '%s'\n", key, strings.ReplaceAll(all[key], "'", "''"))
	}
	f, err := os.OpenFile(filepath.Join(c.dataDir(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("write postgresql.conf: %w", err)
	}
	_, err = f.WriteString("\n" + conf.String())
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write postgresql.conf: %w", err)
	}
	return nil
}

// Set changes server settings in postgresql.conf; they hold from the next
// StartServer or Restart on.
func (c *Cluster) Set(settings map[string]string) error {
	return c.writeSettings(settings)
}

// Dir is the cluster's own directory: socket, log and data.
func (c *Cluster) Dir() string { return c.base }

// LogPath is the server's log file.
func (c *Cluster) LogPath() string { return filepath.Join(c.base, c.name+".log") }

func (c *Cluster) dataDir() string { return filepath.Join(c.base, c.name) }

// Env holds the libpq variables that lead a client program to this server.
func (c *Cluster) Env() []string {
	return []string{"PGHOST=" + c.base, "PGPORT=" + strconv.Itoa(c.port), "PGUSER=postgres", "PGDATABASE=postgres"}
}

// DSN returns a connection string for a database; empty means postgres.
func (c *Cluster) DSN(database string) string {
	if database == "" {
		database = "postgres"
	}
	q := url.Values{"host": {c.base}, "port": {strconv.Itoa(c.port)}, "user": {"postgres"}}
	return "postgres:///" + url.PathEscape(database) + "?" + q.Encode()
}

// Connect opens a connection as the superuser. The caller closes it.
func (c *Cluster) Connect(ctx context.Context, database string) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, c.DSN(database))
	if err != nil {
		return nil, fmt.Errorf("connect to cluster: %w", err)
	}
	return conn, nil
}

// Close stops the server and its standbys at once and removes the directory,
// unless Config.Keep is set. It is safe to call twice.
func (c *Cluster) Close() error {
	var errs []error
	for _, s := range c.standbys {
		errs = append(errs, s.server.stop(stopImmediate))
	}
	errs = append(errs, c.server.stop(stopImmediate))
	if !c.cfg.Keep {
		if err := os.RemoveAll(c.base); err != nil {
			errs = append(errs, fmt.Errorf("remove cluster directory: %w", err))
		}
	}
	return errors.Join(errs...)
}
