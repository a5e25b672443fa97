// Package containers starts Docker containers that do not outlive their run.
//
// A container is removed by Stop. It carries the process that started it in a
// label, so that the next run removes one whose owner was killed; the reaper
// container that the library would start for that has to come from an image
// registry, which a machine may not reach.
package containers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"

	"sortedheap/internal/harness/childproc"
)

// ErrNoDocker says that no Docker daemon answers on this machine.
var ErrNoDocker = errors.New("no Docker here")

// ownerLabel holds the machine and the pid of the process that started a container
// and when that process started, so that a reused pid is not taken for it.
const ownerLabel = "benchgraph.owner"

// stopPatience bounds how long a container may take to stop before it is killed.
const (
	stopPatience = 30 * time.Second
	removalPolls = 20 * time.Millisecond
)

// Docker is a daemon that answers. It is not safe for concurrent use.
type Docker struct {
	provider *testcontainers.DockerProvider
}

// Open connects to the daemon that the environment names, and removes containers
// of runs that were killed. The error wraps ErrNoDocker where no daemon answers.
func Open(ctx context.Context) (*Docker, error) {
	// The library reads this variable once, at its first use, and has no other
	// way to be told.
	if err := os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true"); err != nil {
		return nil, fmt.Errorf("open docker: %w", err)
	}
	log.SetDefault(log.NewNoopLogger()) // it tells of each step on standard error
	provider, err := newProvider(ctx)
	if err != nil {
		// It tried several places, and tells of each on a line.
		return nil, errors.Join(ctx.Err(), fmt.Errorf("%w: %s", ErrNoDocker, strings.ReplaceAll(err.Error(), "\n", "; ")))
	}
	d := &Docker{provider: provider}
	if err := d.sweep(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// newProvider asks the daemon for its state, since connecting to none succeeds.
// The library panics where it finds no daemon's address.
func newProvider(ctx context.Context) (provider *testcontainers.DockerProvider, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	if err := namedAnswers(ctx); err != nil {
		return nil, err
	}
	if provider, err = testcontainers.NewDockerProvider(); err != nil {
		return nil, err
	}
	if err := provider.Health(ctx); err != nil {
		return nil, errors.Join(err, provider.Close())
	}
	return provider, nil
}

// namedAnswers asks the daemon that the environment names, if it does. The library
// would go on to the machine's own where that one is silent: containers would run
// elsewhere than they were asked to.
func namedAnswers(ctx context.Context) (err error) {
	named, err := client.New(client.FromEnv)
	if err != nil {
		return fmt.Errorf("DOCKER_HOST: %w", err)
	}
	defer func() { err = errors.Join(err, named.Close()) }()
	if named.DaemonHost() == client.DefaultDockerHost {
		return nil
	}
	if _, err := named.Ping(ctx, client.PingOptions{}); err != nil {
		return fmt.Errorf("DOCKER_HOST: %w", err)
	}
	return nil
}

// Close ends the connection. Containers stay.
func (d *Docker) Close() error {
	if err := d.provider.Close(); err != nil {
		return fmt.Errorf("close docker: %w", err)
	}
	return nil
}

// HasImage reports whether the daemon has an image, without asking a registry.
func (d *Docker) HasImage(ctx context.Context, image string) (bool, error) {
	_, err := d.provider.Client().ImageInspect(ctx, image)
	if errdefs.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for image %s: %w", image, err)
	}
	return true, nil
}

// Container is a running container of ours.
type Container struct {
	testcontainers.Container
	docker *Docker
}

// Run starts a container, which goes away when it stops. When the start fails,
// nothing is left.
func (d *Docker) Run(ctx context.Context, image string, options ...testcontainers.ContainerCustomizer) (*Container, error) {
	me, err := owner()
	if err != nil {
		return nil, err
	}
	options = append(options,
		testcontainers.WithLabels(map[string]string{ownerLabel: me}),
		testcontainers.WithHostConfigModifier(func(c *container.HostConfig) { c.AutoRemove = true }))
	c, err := testcontainers.Run(ctx, image, options...)
	running := &Container{c, d}
	if err != nil {
		return nil, errors.Join(ctx.Err(), fmt.Errorf("start container of %s: %w", image, err), running.Stop(context.WithoutCancel(ctx)))
	}
	return running, nil
}

// Stop stops and removes the container and its volumes, and returns when it is
// gone. It is safe to call twice.
func (c *Container) Stop(ctx context.Context) error {
	if c.Container == (*testcontainers.DockerContainer)(nil) || c.Container == nil {
		return nil // it never came to be
	}
	err := testcontainers.TerminateContainer(c.Container, testcontainers.StopContext(ctx), testcontainers.StopTimeout(stopPatience))
	// A container that has ended is removing itself, which is a conflict.
	if err != nil && !errdefs.IsConflict(err) {
		return fmt.Errorf("remove container: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, stopPatience)
	defer cancel()
	for {
		_, err := c.docker.provider.Client().ContainerInspect(ctx, c.GetContainerID(), client.ContainerInspectOptions{})
		if errdefs.IsNotFound(err) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("remove container: it is still there: %w", errors.Join(ctx.Err(), err))
		case <-time.After(removalPolls):
		}
	}
}

// owner is this process as ownerLabel has it.
func owner() (string, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("name this machine: %w", err)
	}
	return fmt.Sprintf("%s %d %s", host, os.Getpid(), childproc.StartOf(os.Getpid())), nil
}

// orphaned tells whether a process of this machine that a label names is gone.
func orphaned(label, me string) bool {
	host, _, _ := strings.Cut(me, " ")
	of := strings.Fields(label)
	if len(of) != 3 || of[0] != host {
		return false
	}
	pid, err := strconv.Atoi(of[1])
	return err == nil && childproc.StartOf(pid) != of[2]
}

// listAll asks for the containers of all runs, also those that have ended.
func listAll() client.ContainerListOptions {
	return client.ContainerListOptions{All: true, Filters: client.Filters{}.Add("label", ownerLabel)}
}

// sweep removes containers whose owners are gone.
func (d *Docker) sweep(ctx context.Context) error {
	me, err := owner()
	if err != nil {
		return err
	}
	api := d.provider.Client()
	found, err := api.ContainerList(ctx, listAll())
	if err != nil {
		return fmt.Errorf("list containers of earlier runs: %w", err)
	}
	for _, c := range found.Items {
		if !orphaned(c.Labels[ownerLabel], me) {
			continue
		}
		_, err := api.ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		if err != nil && !errdefs.IsNotFound(err) && !errdefs.IsConflict(err) {
			return fmt.Errorf("remove container of an earlier run: %w", err)
		}
	}
	return nil
}
