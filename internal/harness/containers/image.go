package containers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// Image says how an image is built.
type Image struct {
	Name       string // REPOSITORY:TAG that it gets
	Root       string // directory whose files the build may use
	Dockerfile string // its path below Root
	Args       map[string]string
}

// Build builds an image, or finds in the daemon's cache that nothing has changed.
// Its steps have the network of this machine: they install packages. The error
// ends with the last lines of the build.
func (d *Docker) Build(ctx context.Context, image Image) error {
	repository, tag, ok := strings.Cut(image.Name, ":")
	if !ok {
		return fmt.Errorf("build image %q: it has no tag", image.Name)
	}
	args := map[string]*string{}
	for name, value := range image.Args {
		args[name] = &value
	}
	said := &lastLines{}
	_, err := d.provider.BuildImage(ctx, &testcontainers.ContainerRequest{FromDockerfile: testcontainers.FromDockerfile{
		Context: image.Root, Dockerfile: image.Dockerfile, Repo: repository, Tag: tag, BuildArgs: args,
		KeepImage: true, BuildLogWriter: said,
		BuildOptionsModifier: func(o *client.ImageBuildOptions) { o.NetworkMode = "host" },
	}})
	if err != nil {
		return errors.Join(ctx.Err(), fmt.Errorf("build image %s: %w\n%s", image.Name, err, said))
	}
	return nil
}

// lastLines keeps the end of a build's words.
type lastLines struct {
	mu   sync.Mutex
	text []byte
}

const (
	keptBytes = 16 << 10
	keptLines = 15
)

func (l *lastLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	if extra := len(l.text) - keptBytes; extra > 0 {
		l.text = append(l.text[:0], l.text[extra:]...)
	}
	return len(p), nil
}

// String implements fmt.Stringer.
func (l *lastLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(l.text)), "\n")
	return strings.Join(lines[max(0, len(lines)-keptLines):], "\n")
}
