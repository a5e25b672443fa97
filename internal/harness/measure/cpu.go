package measure

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ErrNotLocal says that a process is not one of this machine's PostgreSQL
// backends, so its CPU time cannot be read.
var ErrNotLocal = errors.New("the server's processes are not visible here")

// CPUClock reads the CPU time of one server process from the kernel. Unlike
// wall time it does not count waiting, for the disk, the client or a busy
// machine.
type CPUClock struct{ dir string }

// NewCPUClock returns the clock of a PostgreSQL backend on this machine, or
// ErrNotLocal.
func NewCPUClock(pid uint32) (*CPUClock, error) {
	c := &CPUClock{dir: fmt.Sprintf("/proc/%d/", pid)}
	title, err := os.ReadFile(c.dir + "cmdline")
	if err != nil || !bytes.Contains(title, []byte("postgres")) {
		return nil, ErrNotLocal
	}
	if _, err := c.Seconds(); err != nil {
		return nil, err
	}
	return c, nil
}

// Seconds is the CPU time that the process has used, user and system. It is
// exact while the process sleeps, as a backend does between statements.
func (c *CPUClock) Seconds() (float64, error) {
	text, err := os.ReadFile(c.dir + "schedstat")
	if err != nil {
		return 0, fmt.Errorf("read CPU time: %w", err)
	}
	return parseSchedstat(string(text))
}

// parseSchedstat takes the first of three numbers: nanoseconds on a CPU.
func parseSchedstat(text string) (float64, error) {
	fields := strings.Fields(text)
	if len(fields) != 3 {
		return 0, fmt.Errorf("read CPU time: schedstat is %q", text)
	}
	ns, err := strconv.ParseUint(fields[0], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read CPU time: %w", err)
	}
	return float64(ns) / 1e9, nil
}
