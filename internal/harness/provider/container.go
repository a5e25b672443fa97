package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/moby/moby/api/types/container"
	"github.com/testcontainers/testcontainers-go"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/harness/containers"
)

const (
	dockerfile     = "docker/postgres.Dockerfile"
	defaultVersion = "17"
	// ownerDir is where the container has the run's directory, see docker/start-postgres.
	ownerDir     = "/run/owner"
	readyTimeout = 2 * time.Minute
	readyPolls   = 50 * time.Millisecond
)

// bases are the images that servers of each version are built from: the Debian
// suite that packages it.
func bases() map[string]string {
	return map[string]string{
		"15": "sorted-heap/debian:bookworm",
		"17": "sorted-heap/debian:trixie",
		"18": "sorted-heap/debian:forky",
	}
}

// inContainer makes throw-away servers in containers of an image that is built
// from the source tree. They have no network: like a local cluster they listen on
// a unix socket only, in a directory of the run.
type inContainer struct {
	version string
	options Options
}

func parseContainer(spec, version string, o Options) (Provider, error) {
	if version == "" {
		version = defaultVersion
	}
	if bases()[version] == "" {
		return nil, &SpecError{spec, "names no version for a container, those are " + strings.Join(slices.Sorted(maps.Keys(bases())), ", ")}
	}
	return inContainer{version: version, options: o}, nil
}

type containerServer struct {
	docker    *containers.Docker
	container *containers.Container
	lifeline  *os.File
	base      string // of the run: socket, log, lifeline
}

// Open implements Provider.
func (p inContainer) Open(ctx context.Context) (_ Server, err error) {
	docker, err := containers.Open(ctx)
	if err != nil {
		return nil, err
	}
	s := &containerServer{docker: docker}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	image, err := p.image(ctx, docker)
	if err != nil {
		return nil, err
	}
	if err := s.makeDir(p.options.Parent); err != nil {
		return nil, err
	}
	s.container, err = docker.Run(ctx, image,
		testcontainers.WithEnv(map[string]string{"OWNER_DIR": ownerDir}),
		testcontainers.WithCmd(append([]string{"start-postgres"}, serverArguments(p.options.SharedBuffers)...)...),
		testcontainers.WithHostConfigModifier(func(c *container.HostConfig) {
			c.NetworkMode = "none"
			c.Binds = append(c.Binds, s.shared()+":"+ownerDir)
		}))
	if err != nil {
		return nil, err
	}
	return s, s.waitReady(ctx)
}

// image builds the server's image, which takes minutes the first time.
func (p inContainer) image(ctx context.Context, docker *containers.Docker) (string, error) {
	if _, err := os.Stat(filepath.Join(p.options.Root, dockerfile)); err != nil {
		return "", fmt.Errorf("a container's image is built from the source tree, and this is not in it: %w", err)
	}
	base := bases()[p.version]
	there, err := docker.HasImage(ctx, base)
	if err != nil {
		return "", err
	}
	if !there {
		return "", fmt.Errorf("image %s is not there; run `make base-images`", base)
	}
	image := "sorted-heap/postgres:" + p.version
	return image, docker.Build(ctx, containers.Image{Name: image, Root: p.options.Root, Dockerfile: dockerfile,
		Args: map[string]string{"BASE": base, "PG": p.version}})
}

// serverArguments give the server the settings that a local one has in its file.
func serverArguments(sharedBuffers string) []string {
	settings := Settings(sharedBuffers)
	var args []string
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "-c", name+"="+settings[name])
	}
	return args
}

// makeDir makes the directory that the server and we share, and the lifeline in
// it. The server has a user of its own; the directory above keeps others out.
func (s *containerServer) makeDir(parent string) error {
	var err error
	if s.base, err = cluster.ScratchDir(parent); err != nil {
		return err
	}
	lifeline := filepath.Join(s.shared(), "lifeline")
	err = errors.Join(os.Mkdir(s.shared(), 0o777), os.Chmod(s.shared(), 0o777), syscall.Mkfifo(lifeline, 0o666), os.Chmod(lifeline, 0o666))
	if err == nil {
		// Reading too, so that opening does not wait for a reader.
		s.lifeline, err = os.OpenFile(lifeline, os.O_RDWR, 0)
	}
	if err != nil {
		return fmt.Errorf("make directory of the container: %w", err)
	}
	return nil
}

func (s *containerServer) shared() string { return filepath.Join(s.base, "shared") }

// DSN implements Server.
func (s *containerServer) DSN() string {
	q := url.Values{"host": {s.shared()}, "port": {"5432"}, "user": {"postgres"}}
	return "postgres:///postgres?" + q.Encode()
}

func (s *containerServer) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.DSN())
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the server in the container is not ready: %w (last answer: %w)\n%s", ctx.Err(), err, s.logTail())
		case <-time.After(readyPolls):
		}
		if state, err := s.container.State(ctx); ctx.Err() == nil && (err != nil || !state.Running) {
			return fmt.Errorf("the server in the container has ended:\n%s", s.logTail())
		}
	}
}

// logTail is the end of the server's log, or why there is none.
func (s *containerServer) logTail() string {
	const lines = 20
	raw, err := os.ReadFile(filepath.Join(s.shared(), "server.log"))
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(raw), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// Close implements Server.
func (s *containerServer) Close() error {
	var errs []error
	if s.container != nil {
		errs = append(errs, s.container.Stop(context.Background()))
	}
	if s.lifeline != nil {
		errs = append(errs, s.lifeline.Close())
	}
	if s.base != "" {
		errs = append(errs, os.RemoveAll(s.base))
	}
	errs = append(errs, s.docker.Close())
	s.container, s.lifeline, s.base = nil, nil, ""
	return errors.Join(errs...)
}
