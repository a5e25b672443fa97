package scripttest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// A tree that builds in no time: its benchgraph says that it works until a file
// named go appears, writes its arguments as its result and ends with a given code.
const (
	makefile = "deps build install:\n\t@echo \"== $@\"\n\t@test ! -e fail-$@\n"
	program  = `#!/bin/sh
echo "commit in $GOFLAGS"
echo working
while [ ! -e ../go ]; do sleep 0.05; done
echo "secret in the environment: $AWS_ARM64_TEST_SECRET"
for out; do :; done
while [ "$1" != --out ]; do printf '%s\n' "$1"; shift; done >"$out"
echo done
exit "$(cat code)"
`
)

// tree is such a tree with the script, its directory on the host and its results.
type tree struct {
	host
	dir, remote, results string
}

func newTree(t *testing.T, code string) tree {
	t.Helper()
	script, err := os.ReadFile("../../scripts/aws-arm64.sh")
	if err != nil {
		t.Fatal(err)
	}
	r := tree{host: startHost(t), dir: t.TempDir(), remote: filepath.Join(t.TempDir(), "remote"), results: filepath.Join(t.TempDir(), "results")}
	for name, text := range map[string]string{"scripts/aws-arm64.sh": string(script), "Makefile": makefile, "bin/benchgraph": program, "code": code} {
		path := filepath.Join(r.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	command(t, r.dir, "git", "init", "-q")
	command(t, r.dir, "git", "add", ".")
	command(t, r.dir, "git", "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "t")
	// What git does not track stays here.
	if err := os.WriteFile(filepath.Join(r.dir, "key.pem"), []byte("untracked secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	return r
}

// script prepares the script with the options that lead to the host.
func (r tree) script(t *testing.T, args ...string) (*exec.Cmd, *output) {
	t.Helper()
	options := []string{"-i", r.identity, "-p", r.port, "-d", r.remote, "-o", r.results, "--any-arch"}
	cmd := exec.CommandContext(t.Context(), filepath.Join(r.dir, "scripts/aws-arm64.sh"), append(options, args...)...)
	cmd.Env = append(os.Environ(), "AWS_ARM64_PAUSE=0.1", "AWS_ARM64_TEST_SECRET=never-goes-over")
	said := &output{}
	cmd.Stdout, cmd.Stderr = said, said
	// Its children hold the pipes when it is killed.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd, said
}

// output is what a script has said so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func (r tree) letGo(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.remote, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// finished checks code, results and log of a run, and that nothing stays.
func (r tree) finished(t *testing.T, err error, code int, said *output) {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	got := 0
	if exit != nil {
		got = exit.ExitCode()
	}
	if got != code {
		t.Errorf("exit code %d, want %d; it said\n%s", got, code, said)
	}
	result, err := os.ReadFile(filepath.Join(r.results, "bench.json"))
	if want := "run\nmultihop\n--cases\na|b 'c' $d\n"; err != nil || string(result) != want {
		t.Errorf("result %q (%v), want %q", result, err, want)
	}
	log, err := os.ReadFile(filepath.Join(r.results, "bench.log"))
	if err != nil || strings.Count(string(log), "working") != 1 || !strings.HasSuffix(string(log), "done\n") ||
		!strings.Contains(string(log), "-X=main.commit=") || strings.Contains(string(log), "never-goes-over") {
		t.Errorf("log (%v):\n%s", err, log)
	}
	for _, dir := range []string{r.remote, filepath.Join(r.dir, ".cache/aws-arm64/bench")} {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", dir, err)
		}
	}
	if left := runsIn(t, r.remote); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
}

var arguments = []string{"run", "multihop", "--cases", "a|b 'c' $d"}

// A connection that breaks in the middle is made again, and nothing of the run is
// lost or done twice.
func TestConnectionBreaks(t *testing.T) {
	r := newTree(t, "0")
	cmd, said := r.script(t, append([]string{r.name}, arguments...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the run to work", func() bool { return strings.Contains(said.String(), "working") })
	r.noSecrets(t)
	for i := range 2 {
		clients := childrenOf(t, cmd.Process.Pid, "ssh")
		if len(clients) != 1 {
			t.Fatalf("%d ssh clients, want 1", len(clients))
		}
		if err := syscall.Kill(clients[0], []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM}[i]); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "another client", func() bool {
			now := childrenOf(t, cmd.Process.Pid, "ssh")
			return len(now) == 1 && now[0] != clients[0]
		})
	}
	r.letGo(t)
	r.finished(t, cmd.Wait(), 0, said)
	if strings.Count(said.String(), "trying again") < 2 {
		t.Errorf("it said\n%s", said)
	}
}

// noSecrets looks for keys, and for files that git does not track, on the host.
func (r tree) noSecrets(t *testing.T) {
	t.Helper()
	key, err := os.ReadFile(r.identity)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(r.remote, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, secret := range []string{string(key), r.hostKeyText, "untracked secret", "never-goes-over"} {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s holds a secret", path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(r.remote)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory on the host: %v (%v), want it closed to others", info.Mode(), err)
	}
}

// A script that was killed is started again with the same command. A run that
// fails hands on its code.
func TestResume(t *testing.T) {
	r := newTree(t, "4")
	cmd, said := r.script(t, append([]string{r.name}, arguments...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the run to work", func() bool { return strings.Contains(said.String(), "working") })
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed, as just said
	other, refused := r.script(t, r.name, "run", "butler")
	if err := other.Run(); err == nil || !strings.Contains(refused.String(), "another run of the name bench") {
		t.Errorf("another run in the same place: %v\n%s", err, refused)
	}
	r.letGo(t)
	again, more := r.script(t, append([]string{r.name}, arguments...)...)
	r.finished(t, again.Run(), 4, more)
	if !strings.Contains(more.String(), "taking up the run") {
		t.Errorf("it said\n%s", more)
	}
}

func TestStop(t *testing.T) {
	r := newTree(t, "0")
	cmd, said := r.script(t, append([]string{r.name}, arguments...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the run to work", func() bool { return strings.Contains(said.String(), "working") })
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed, as just said
	stop, more := r.script(t, "--stop", r.name)
	if err := stop.Run(); err != nil {
		t.Errorf("%v\n%s", err, more)
	}
	if _, err := os.Stat(r.remote); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", r.remote, err)
	}
	if left := runsIn(t, r.remote); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
}

// Mistakes are told before anything goes over.
func TestMistakes(t *testing.T) {
	r := newTree(t, "0")
	if err := os.WriteFile(filepath.Join(r.dir, "fail-build"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	command(t, r.dir, "git", "add", "fail-build")
	closed := r
	closed.port = freePort(t)
	for _, c := range []struct {
		on   tree
		args []string
		code int
		want string
	}{
		{r, nil, 2, "name a host"},
		{r, []string{"--fast", r.name}, 2, "unknown option --fast"},
		{r, []string{"-oProxyCommand=x"}, 2, "unknown option -oProxyCommand"},
		{r, []string{"host;id", "run"}, 2, "is no host"},
		{r, []string{r.name}, 2, "say what to run"},
		{r, []string{r.name, "cluster", "up"}, 2, "neither run, repeat nor sweep"},
		{r, []string{r.name, "run", "multihop", "--out", "x"}, 2, "--out: results go where -o says"},
		{r, []string{r.name, "run", "multihop", "--pg", "postgres://me:word@db/x"}, 2, "a connection string has no place"},
		{closed, []string{r.name, "run", "multihop"}, 75, "Connection refused"},
		{r, []string{r.name, "run", "multihop"}, 76, "building on " + r.name + " failed"},
	} {
		cmd, said := c.on.script(t, c.args...)
		err := cmd.Run()
		if err == nil || cmd.ProcessState.ExitCode() != c.code || !strings.Contains(said.String(), c.want) || strings.Contains(said.String(), "me:word") {
			t.Errorf("%v: %v, want code %d and %q; it said\n%s", c.args, err, c.code, c.want, said)
		}
	}
	if _, err := os.Stat(r.remote); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", r.remote, err)
	}
}
