package cluster

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// Locate returns the pg_config to use. spec is a path to a pg_config, a major
// version such as "17", or empty for the one on PATH and else the newest that
// the distribution installed. The error says what to install.
func Locate(spec string) (string, error) {
	if spec != "" && !isVersion(spec) {
		path, err := exec.LookPath(spec)
		if err != nil {
			return "", fmt.Errorf("find pg_config: %w", err)
		}
		return path, nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/pg_config")
	if err != nil {
		return "", fmt.Errorf("find pg_config: %w", err)
	}
	if isVersion(spec) {
		for _, path := range found {
			if majorOf(path) == spec {
				return path, nil
			}
		}
		return "", fmt.Errorf("find PostgreSQL %s: no /usr/lib/postgresql/%s/bin/pg_config; install the packages postgresql-%s and postgresql-server-dev-%s", spec, spec, spec, spec)
	}
	// Debian's /usr/bin/pg_config describes the client library when only that
	// is installed, so the versioned directories come first.
	if len(found) > 0 {
		sort.Slice(found, func(i, j int) bool { return majorNumber(found[i]) < majorNumber(found[j]) })
		return found[len(found)-1], nil
	}
	path, err := exec.LookPath("pg_config")
	if err != nil {
		return "", fmt.Errorf("find PostgreSQL: no pg_config; run `make deps` or install the server and its development package: %w", err)
	}
	return path, nil
}

func isVersion(spec string) bool {
	_, err := strconv.Atoi(spec)
	return err == nil
}

func majorOf(pgConfig string) string {
	return filepath.Base(filepath.Dir(filepath.Dir(pgConfig)))
}

func majorNumber(pgConfig string) int {
	n, err := strconv.Atoi(majorOf(pgConfig))
	if err != nil {
		return 0
	}
	return n
}

// Install describes an installed PostgreSQL.
type Install struct {
	PGConfig string // path of pg_config
	BinDir   string // initdb, postgres, pg_dump, ...
	ShareDir string // holds extension/*.control
	PkgLib   string // holds loadable modules
	Version  string // as pg_config prints it, "PostgreSQL 15.18 (...)"
}

// Describe asks pg_config where its installation lies.
func Describe(ctx context.Context, pgConfig string) (Install, error) {
	in := Install{PGConfig: pgConfig}
	for _, ask := range []struct {
		flag string
		to   *string
	}{{"--bindir", &in.BinDir}, {"--sharedir", &in.ShareDir}, {"--pkglibdir", &in.PkgLib}, {"--version", &in.Version}} {
		out, err := exec.CommandContext(ctx, pgConfig, ask.flag).Output()
		if err != nil {
			return Install{}, fmt.Errorf("run %s %s: %w", pgConfig, ask.flag, err)
		}
		*ask.to = strings.TrimSpace(string(out))
	}
	return in, nil
}
