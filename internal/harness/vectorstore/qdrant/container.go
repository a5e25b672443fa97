package qdrant

import (
	"context"
	"errors"
	"fmt"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

const (
	image    = "qdrant/qdrant:v1.17.1" // the newest that the client is made for
	grpcPort = "6334/tcp"
)

// startContainer runs a server in a container, which is removed with it. A
// machine without Docker, or where the image cannot be had, is a reason.
func startContainer(ctx context.Context) (server, error) {
	provider, err := testcontainers.ProviderDocker.GetProvider()
	if err == nil {
		err = errors.Join(provider.Health(ctx), provider.Close())
	}
	if err != nil {
		return server{}, unavailable("not available: no Docker here: " + err.Error())
	}
	container, err := testcontainers.Run(ctx, image,
		testcontainers.WithExposedPorts(grpcPort),
		testcontainers.WithEnv(map[string]string{"QDRANT__TELEMETRY_DISABLED": "true", "QDRANT__LOG_LEVEL": "WARN"}),
		testcontainers.WithWaitStrategy(wait.ForListeningPort(grpcPort).WithStartupTimeout(startPatience)))
	stop := func(ctx context.Context) error {
		if err := testcontainers.TerminateContainer(container, testcontainers.StopContext(ctx)); err != nil {
			return fmt.Errorf("remove container: %w", err)
		}
		return nil
	}
	if err != nil {
		return server{}, errors.Join(unavailable("not available: start container: "+err.Error()), stop(context.WithoutCancel(ctx)))
	}
	address, err := container.PortEndpoint(ctx, grpcPort, "")
	if err != nil {
		return server{}, errors.Join(fmt.Errorf("find the container's port: %w", err), stop(context.WithoutCancel(ctx)))
	}
	return server{address: address, kind: "container " + image, stop: stop}, nil
}
