package containers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/testcontainers/testcontainers-go"
)

func TestOrphaned(t *testing.T) {
	me, err := owner()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ := strings.Cut(me, " ")
	child := exec.CommandContext(t.Context(), "true")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	for label, want := range map[string]bool{
		me: false,
		fmt.Sprintf("%s %d 1", host, os.Getpid()):                true, // the pid is another's now
		fmt.Sprintf("%s %d 1234", host, child.Process.Pid):       true,
		fmt.Sprintf("elsewhere %d 1234", child.Process.Pid):      false,
		fmt.Sprintf("%s %d", host, child.Process.Pid):            false,
		fmt.Sprintf("%s number%d 1234", host, child.Process.Pid): false,
		"": false,
	} {
		if got := orphaned(label, me); got != want {
			t.Errorf("%q is orphaned: %t", label, got)
		}
	}
}

// A daemon that is named and does not answer is no reason to ask another one.
func TestOpenAsksWhoIsNamed(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix://"+t.TempDir()+"/none")
	d, err := Open(t.Context())
	if err == nil {
		err = d.Close()
		t.Fatalf("another daemon was opened, and closed: %v", err)
	}
	if !errors.Is(err, ErrNoDocker) || !strings.Contains(err.Error(), "DOCKER_HOST") {
		t.Errorf("error %v", err)
	}
}

// docker opens the daemon of this machine, if it has a base image to run.
func docker(t *testing.T) (*Docker, string) {
	t.Helper()
	d, err := Open(t.Context())
	if errors.Is(err, ErrNoDocker) {
		t.Skipf("no container to test: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, image := range []string{"sorted-heap/debian:trixie", "sorted-heap/debian:bookworm", "sorted-heap/debian:forky"} {
		if there, err := d.HasImage(t.Context(), image); err != nil {
			t.Fatal(err)
		} else if there {
			return d, image
		}
	}
	t.Skip("no base image here: make base-images")
	return nil, ""
}

// A container goes with Stop, and one whose owner died goes with the next run.
func TestNothingStays(t *testing.T) {
	d, image := docker(t)
	c, err := d.Run(t.Context(), image, testcontainers.WithCmd("sh", "-c", "trap exit TERM; sleep 300 & wait"))
	if err != nil {
		t.Fatal(err)
	}
	id := c.GetContainerID()
	if err := d.sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if state, err := c.State(t.Context()); err != nil || !state.Running {
		t.Errorf("a container of this process was swept: %v", err)
	}
	for range 2 {
		if err := c.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	gone(t, d, id)

	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	orphan, err := testcontainers.Run(t.Context(), image, testcontainers.WithCmd("sh", "-c", "trap exit TERM; sleep 300 & wait"),
		testcontainers.WithLabels(map[string]string{ownerLabel: host + " 1 0"}))
	if err != nil {
		t.Fatal(err)
	}
	other, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	gone(t, other, orphan.GetContainerID())
	if err := other.Close(); err != nil {
		t.Error(err)
	}
}

// A build that fails says what its last step said.
func TestBuildFails(t *testing.T) {
	d, image := docker(t)
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/Dockerfile", []byte("FROM "+image+"\nRUN echo what went wrong; exit 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := d.Build(t.Context(), Image{Name: "sorted-heap/test:fails", Root: dir, Dockerfile: "Dockerfile"})
	if err == nil || !strings.Contains(err.Error(), "what went wrong") || !strings.Contains(err.Error(), "returned a non-zero code: 3") {
		t.Errorf("a failing build: %v", err)
	}
	if there, err := d.HasImage(t.Context(), "sorted-heap/test:fails"); there || err != nil {
		t.Errorf("the image is there: %t, %v", there, err)
	}
}

func gone(t *testing.T, d *Docker, id string) {
	t.Helper()
	list, err := d.provider.Client().ContainerList(context.Background(), listAll())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list.Items {
		if c.ID == id {
			t.Errorf("container %s is still there, %s", id, c.State)
		}
	}
}
