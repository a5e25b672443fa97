package scripttest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// host is an ssh server on a loopback port with keys of its own.
type host struct {
	name, port  string
	dir         string // keys and configuration
	identity    string // private key of the user
	hostKeyText string // private key of the host
}

// startHost starts a server that lets this user in by a throw-away key, or skips
// the test where there is no sshd.
func startHost(t *testing.T) host {
	t.Helper()
	sshd, err := exec.LookPath("sshd")
	if err != nil {
		if _, err := os.Stat("/usr/sbin/sshd"); err != nil {
			t.Skip("no sshd here: package openssh-server")
		}
		sshd = "/usr/sbin/sshd"
	}
	for _, program := range []string{"ssh", "ssh-keygen", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the test needs it: %v", err)
		}
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		// Where it drops its rights to; a machine whose sshd never ran lacks it.
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Skipf("sshd cannot run here: %v", err)
		}
	}
	h := host{name: me.Username + "@127.0.0.1", dir: t.TempDir(), port: freePort(t)}
	h.identity = filepath.Join(h.dir, "user")
	hostKey := filepath.Join(h.dir, "host")
	for _, file := range []string{h.identity, hostKey} {
		command(t, "", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file)
	}
	text, err := os.ReadFile(hostKey)
	if err != nil {
		t.Fatal(err)
	}
	h.hostKeyText = string(text)
	config := filepath.Join(h.dir, "config")
	err = os.WriteFile(config, fmt.Appendf(nil, `ListenAddress 127.0.0.1:%s
HostKey %s
AuthorizedKeysFile %s.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
`, h.port, hostKey, h.identity), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	serve := exec.Command(sshd, "-D", "-e", "-f", config)
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := serve.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = serve.Wait() // killed, as just said
	})
	address := net.JoinHostPort("127.0.0.1", h.port)
	waitFor(t, "an answer of "+address, func() bool {
		conn, err := net.Dial("tcp", address)
		return err == nil && conn.Close() == nil
	})
	return h
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// command runs a program that must succeed.
func command(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// waitFor polls until a condition holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// childrenOf lists the processes below a process that run a program of a name.
func childrenOf(t *testing.T, pid int, name string) []int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var found []int
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		var child, parent int
		var command, state string
		if _, err := fmt.Sscanf(string(text), "%d %s %s %d", &child, &command, &state, &parent); err != nil || parent != pid {
			continue
		}
		if command == "("+name+")" && state != "Z" {
			found = append(found, child)
		}
		found = append(found, childrenOf(t, child, name)...)
	}
	return found
}

// runsIn tells whether any process has a directory in its command line.
func runsIn(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, path := range paths {
		if at, err := os.Readlink(path); err == nil && len(at) >= len(dir) && at[:len(dir)] == dir {
			found = append(found, strconv.Quote(path)+" in "+at)
		}
	}
	return found
}
