package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/harness/vectorstore/qdrant/qdrantdouble"
)

// The binary is driven as a person would; -testscript.update rewrites what the
// scripts expect.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"benchgraph": main,
		// A server program for engine qdrant, where the real one is not.
		"qdrant-double": func() { os.Exit(qdrantdouble.Main(os.Getenv, os.Stderr)) },
	})
}

func TestScripts(t *testing.T) {
	results, err := filepath.Abs("../../internal/harness/report/testdata")
	if err != nil {
		t.Fatal(err)
	}
	spec := os.Getenv("PG_CONFIG")
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("RESULTS", results)
			env.Setenv("PG", "local:"+spec)
			env.Setenv("XDG_RUNTIME_DIR", env.WorkDir)
			// The script's own is closed to the server's user.
			env.Setenv("TMPDIR", os.TempDir())
			return nil
		},
		Condition: func(cond string) (bool, error) {
			// [server]: PostgreSQL is here; [pgvector]: and it has that
			// extension. Scripts say what they need beyond.
			path, err := cluster.Locate(spec)
			if err != nil || cond == "server" {
				return err == nil, nil
			}
			return cond == "pgvector" && hasPgvector(t, path), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// code N COMMAND... runs a command and wants exit code N.
			"code": wantCode,
		},
		RequireUniqueNames: true,
	})
}

func hasPgvector(t *testing.T, pgConfig string) bool {
	install, err := cluster.Describe(t.Context(), pgConfig)
	if err != nil {
		return false
	}
	_, err = os.Stat(filepath.Join(install.ShareDir, "extension", "vector.control"))
	return err == nil
}

func wantCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}
