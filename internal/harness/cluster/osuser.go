package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// osUser is the account that runs server programs; nil means this process's
// own.
type osUser struct {
	uid, gid uint32
	home     string
}

// serverUser resolves the account for server programs: none unless this
// process is root.
func serverUser(name string) (*osUser, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	if name == "" {
		name = "postgres"
	}
	u, err := user.Lookup(name)
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL does not run as root, and the user %q to run it as is not there: %w", name, err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("user %s: %w", name, err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("user %s: %w", name, err)
	}
	return &osUser{uid: uint32(uid), gid: uint32(gid), home: u.HomeDir}, nil
}

func (u *osUser) credential() *syscall.Credential {
	if u == nil {
		return nil
	}
	return &syscall.Credential{Uid: u.uid, Gid: u.gid}
}

// basePrefix marks directories of this package; ownerFile names the process
// that made one.
const (
	basePrefix = "benchgraph-pg-"
	ownerFile  = "owner.pid"
)

// makeBase makes a cluster directory, after clearing those whose makers died
// without a chance to clean up.
func makeBase(parent string, owner *osUser) (string, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	if err := sweep(parent); err != nil {
		return "", err
	}
	base, err := os.MkdirTemp(parent, basePrefix)
	if err != nil {
		return "", fmt.Errorf("make cluster directory: %w", err)
	}
	err = os.WriteFile(filepath.Join(base, ownerFile), []byte(strconv.Itoa(os.Getpid())), 0o600)
	if err == nil && owner != nil {
		err = os.Chown(base, int(owner.uid), int(owner.gid))
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("make cluster directory: %w", err), os.RemoveAll(base))
	}
	return base, nil
}

// ScratchDir makes a directory for a server that this package does not run, open
// to this user alone. It is swept like a cluster's when this process dies.
func ScratchDir(parent string) (string, error) { return makeBase(parent, nil) }

// sweep removes cluster directories whose maker is dead. Directories of other
// users are left alone.
func sweep(parent string) error {
	found, err := filepath.Glob(filepath.Join(parent, basePrefix+"*"))
	if err != nil {
		return fmt.Errorf("look for old cluster directories: %w", err)
	}
	for _, dir := range found {
		raw, err := os.ReadFile(filepath.Join(dir, ownerFile))
		if err != nil {
			continue // not ours, or being made right now
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
		if err != nil || alive(pid) {
			continue
		}
		if err := os.RemoveAll(dir); err != nil && !errors.Is(err, os.ErrPermission) {
			return fmt.Errorf("remove old cluster directory: %w", err)
		}
	}
	return nil
}
