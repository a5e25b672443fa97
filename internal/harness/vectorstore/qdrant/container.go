package qdrant

import (
	"context"
	"errors"
	"fmt"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"

	"sortedheap/internal/harness/containers"
)

const (
	image    = "qdrant/qdrant:v1.17.1" // the newest that the client is made for
	grpcPort = "6334/tcp"
)

// startContainer runs a server in a container, which is removed with it. A
// machine without Docker, or where the image cannot be had, is a reason.
func startContainer(ctx context.Context) (server, error) {
	docker, err := containers.Open(ctx)
	if errors.Is(err, containers.ErrNoDocker) {
		return server{}, unavailable("not available: " + err.Error())
	}
	if err != nil {
		return server{}, err
	}
	running, err := docker.Run(ctx, image,
		testcontainers.WithExposedPorts(grpcPort),
		testcontainers.WithEnv(map[string]string{"QDRANT__TELEMETRY_DISABLED": "true", "QDRANT__LOG_LEVEL": "WARN"}),
		testcontainers.WithWaitStrategy(wait.ForListeningPort(grpcPort).WithStartupTimeout(startPatience)))
	if err != nil {
		return server{}, errors.Join(unavailable("not available: "+err.Error()), docker.Close())
	}
	stop := func(ctx context.Context) error { return errors.Join(running.Stop(ctx), docker.Close()) }
	address, err := running.PortEndpoint(ctx, grpcPort, "")
	if err != nil {
		return server{}, errors.Join(fmt.Errorf("find the container's port: %w", err), stop(context.WithoutCancel(ctx)))
	}
	return server{address: address, kind: "container " + image, stop: stop}, nil
}
