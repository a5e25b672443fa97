package measure

import (
	"errors"
	"os"
	"testing"
)

func TestParseSchedstat(t *testing.T) {
	if s, err := parseSchedstat("2500000000 17 3\n"); err != nil || s != 2.5 {
		t.Errorf("2.5e9 ns: %g s, error %v", s, err)
	}
	for _, text := range []string{"", "1 2", "x 2 3", "-1 2 3"} {
		if s, err := parseSchedstat(text); err == nil {
			t.Errorf("%q is read as %g s", text, s)
		}
	}
}

// A pid that is no backend must not be taken for one: a remote server's pid may
// be anything here.
func TestForeignProcess(t *testing.T) {
	if _, err := NewCPUClock(uint32(os.Getppid())); !errors.Is(err, ErrNotLocal) {
		t.Errorf("parent of the test as backend: %v", err)
	}
}
