package qdrant

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"sortedheap/internal/harness/childproc"
)

// stopPatience is how long a server may take to stop before it is killed.
const stopPatience = 30 * time.Second

// locate finds or starts the server that the options name.
func locate(ctx context.Context, o Options) (server, error) {
	switch {
	case o.Where == Container:
		return startContainer(ctx)
	case strings.Contains(o.Where, "/"):
		return startProgram(ctx, o)
	}
	return server{address: o.Where, kind: "running server"}, nil
}

// startProgram starts a server program on the loopback interface, with its files
// in a folder that goes with it. It returns when the server takes connections.
func startProgram(ctx context.Context, o Options) (server, error) {
	program, err := filepath.Abs(o.Where)
	if err != nil {
		return server{}, fmt.Errorf("start qdrant: %w", err)
	}
	dir, err := os.MkdirTemp(o.Dir, "benchgraph-qdrant-")
	if err != nil {
		return server{}, fmt.Errorf("start qdrant: %w", err)
	}
	ports, err := freePorts(2)
	if err != nil {
		return server{}, errors.Join(fmt.Errorf("start qdrant: %w", err), os.RemoveAll(dir))
	}
	cmd := exec.Command(program)
	cmd.Dir = dir
	storage := filepath.Join(dir, "storage")
	cmd.Env = []string{
		"HOME=" + dir, "PATH=/usr/bin:/bin",
		"QDRANT__SERVICE__HOST=127.0.0.1",
		"QDRANT__SERVICE__GRPC_PORT=" + strconv.Itoa(ports[0]),
		"QDRANT__SERVICE__HTTP_PORT=" + strconv.Itoa(ports[1]),
		"QDRANT__STORAGE__STORAGE_PATH=" + storage,
		"QDRANT__STORAGE__SNAPSHOTS_PATH=" + filepath.Join(dir, "snapshots"),
		"QDRANT__TELEMETRY_DISABLED=true",
		"QDRANT__LOG_LEVEL=WARN",
	}
	process, err := childproc.Start(cmd)
	if err != nil {
		return server{}, errors.Join(unavailable("not available: "+err.Error()), os.RemoveAll(dir))
	}
	s := server{
		address: net.JoinHostPort("127.0.0.1", strconv.Itoa(ports[0])), kind: "server of this run", dir: storage,
		stop: func(context.Context) error {
			return errors.Join(process.Stop(syscall.SIGTERM, stopPatience), os.RemoveAll(dir))
		},
	}
	if err := awaitPort(ctx, process, s.address); err != nil {
		return server{}, errors.Join(err, s.stop(ctx))
	}
	return s, nil
}

// freePorts asks the kernel for free loopback ports. Another program may take one
// before the server does; the server's last words then say so.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // held until all are found, so that they differ
		at, ok := l.Addr().(*net.TCPAddr)
		if !ok {
			return nil, fmt.Errorf("listen on %v", l.Addr())
		}
		ports = append(ports, at.Port)
	}
	return ports, nil
}

// awaitPort waits until a server takes connections or has ended.
func awaitPort(ctx context.Context, process *childproc.Process, address string) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	ticker := time.NewTicker(readinessPolls)
	defer ticker.Stop()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), unavailable(fmt.Sprintf("not available: no connection to %s: %v", address, err)))
		case <-process.Done():
			return unavailable("not available: " + process.Died().Error())
		case <-ticker.C:
		}
	}
}
