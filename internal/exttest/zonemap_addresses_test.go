package exttest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

// TestZoneMapAddresses compiles and runs the simulation of block numbers up to
// the largest heap: no test can fill the 92 GB where a map's second top page
// begins.
func TestZoneMapAddresses(t *testing.T) {
	pgConfig, err := cluster.Locate(pgtest.Need(t))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), pgConfig, "--includedir-server").Output()
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join("..", "..", "pgext")
	program := filepath.Join(t.TempDir(), "zone_addresses")
	// Of page.c's errors none is raised, so the server's symbols may be missing.
	build := exec.CommandContext(t.Context(), "cc", "-O2", "-Wall", "-Werror",
		"-I"+strings.TrimSpace(string(out)), "-I"+filepath.Join(source, "src"), "-D_GNU_SOURCE",
		"-Wl,--unresolved-symbols=ignore-all", "-no-pie", "-o", program,
		filepath.Join(source, "test", "unit", "zone_addresses.c"), filepath.Join(source, "src", "zone", "page.c"))
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("compile: %v\n%s", err, out)
	}
	result, err := exec.CommandContext(t.Context(), program).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, result)
	}
	t.Log(strings.TrimSpace(string(result)))
}
