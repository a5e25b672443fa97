package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// startOrSkip gives a server without any extension.
func startOrSkip(t *testing.T) *Cluster {
	t.Helper()
	spec := os.Getenv("PG_CONFIG")
	if _, err := Locate(spec); err != nil {
		if os.Getenv("SORTED_HEAP_REQUIRE_PG") != "" {
			t.Fatal(err)
		}
		t.Skipf("no server to test on: %v", err)
	}
	c, err := Start(t.Context(), Config{PGConfig: spec, Settings: TestSettings()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func exec1(t *testing.T, c *Cluster, sql string) string {
	t.Helper()
	conn, err := c.Connect(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var out string
	err = conn.QueryRow(t.Context(), sql).Scan(&out)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		t.Fatalf("%s: %v", sql, err)
	}
	return out
}

func TestLifeCycle(t *testing.T) {
	c := startOrSkip(t)
	exec1(t, c, "CREATE TABLE t AS SELECT 1 AS a")
	exec1(t, c, "CREATE UNLOGGED TABLE u AS SELECT 1 AS a")
	if got := exec1(t, c, "SHOW listen_addresses"); got != "" {
		t.Errorf("server listens on %q, want no TCP", got)
	}

	if err := c.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Crash(); err != nil {
		t.Fatal(err)
	}
	if err := c.StartServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := exec1(t, c, "SELECT count(*)::text FROM t"); got != "1" {
		t.Errorf("after crash: %s rows in t, want 1", got)
	}
	if got := exec1(t, c, "SELECT count(*)::text FROM u"); got != "0" {
		t.Errorf("after crash: %s rows in the unlogged table, want 0, so nothing crashed", got)
	}

	pid, base := c.server.pid, c.Dir()
	children := childrenOf(pid)
	if len(children) == 0 {
		t.Error("a running server has no children: childrenOf is blind")
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(base); !os.IsNotExist(err) {
		t.Errorf("directory %s is still there: %v", base, err)
	}
	for _, p := range append(children, pid) {
		if alive(p) {
			t.Errorf("process %d is still there", p)
		}
	}
}

func TestStandby(t *testing.T) {
	c := startOrSkip(t)
	s, err := c.Standby(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exec1(t, c, "CREATE TABLE t AS SELECT 7 AS a")
	if err := c.WaitReplay(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if got := exec1(t, s, "SELECT a::text FROM t"); got != "7" {
		t.Errorf("standby has %q, want 7", got)
	}
	if err := s.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	exec1(t, s, "INSERT INTO t VALUES (8)")
}

func TestStartReportsLog(t *testing.T) {
	if _, err := Locate(os.Getenv("PG_CONFIG")); err != nil {
		t.Skipf("no server to test on: %v", err)
	}
	parent := shortDir(t)
	_, err := Start(t.Context(), Config{PGConfig: os.Getenv("PG_CONFIG"), Parent: parent, Settings: map[string]string{"shared_buffers": "nonsense"}})
	if err == nil || !strings.Contains(err.Error(), "shared_buffers") {
		t.Errorf("error does not show the server's log: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(parent, "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestOwnerDies proves that a server does not outlive the process that started
// it, even when that process panics, and that the next start clears its
// directory.
func TestOwnerDies(t *testing.T) {
	const role = "SORTED_HEAP_TEST_OWNER_DIES"
	if parent := os.Getenv(role); parent != "" {
		c, err := Start(context.Background(), Config{PGConfig: os.Getenv("PG_CONFIG"), Parent: parent})
		if err != nil {
			fmt.Println("ERROR", err)
			os.Exit(3)
		}
		fmt.Println("PID", c.server.pid)
		// Past every deferred call and signal handler.
		os.Exit(1)
	}
	c := startOrSkip(t)
	parent := shortDir(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOwnerDies$")
	cmd.Env = append(os.Environ(), role+"="+parent)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("owner: %v\n%s", err, out)
	}
	_, rest, _ := strings.Cut(string(out), "PID ")
	pid, err := strconv.Atoi(strings.TrimSpace(rest))
	if err != nil {
		t.Fatalf("no pid in %q", out)
	}
	deadline := time.Now().Add(30 * time.Second)
	for alive(pid) {
		if time.Now().After(deadline) {
			t.Fatalf("server %d outlives its owner", pid)
		}
		time.Sleep(pollEvery)
	}
	if err := sweep(parent); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(parent, "*")); len(left) != 0 {
		t.Errorf("not swept: %v", left)
	}
	if _, err := os.Stat(c.Dir()); err != nil {
		t.Errorf("sweep touched a living cluster: %v", err)
	}
}

// shortDir is like t.TempDir, with a path that leaves room for a socket name
// and that the server's user may pass.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pgt")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
