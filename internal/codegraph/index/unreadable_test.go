//go:build unix

package index

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// nobody may read only what everyone may.
const nobody = 65534

// withoutPower makes the rest of a test one of a user who may not read
// everything, and returns a folder of that user.
func withoutPower(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "unreadable")
	if err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		return dir
	}
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Seteuid(nobody); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Seteuid(0); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// What cannot be read is counted, and is read once it can be, although its size
// and the time of its content stay.
func TestUnreadable(t *testing.T) {
	root := withoutPower(t)
	if _, err := os.Stat(root); err != nil {
		t.Skipf("the folder for temporary files is closed to other users: %v", err)
	}
	cache := filepath.Join(root, ".codegraph")
	write(t, root, "open.go", "package a\n\nfunc F() { G() }\n")
	write(t, root, "locked.go", "package a\n\nfunc G() {}\n")
	write(t, root, "folder/inside.go", "package b\n")
	chmod := func(name string, mode os.FileMode) {
		if err := os.Chmod(filepath.Join(root, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	chmod("locked.go", 0)
	chmod("folder", 0)
	for range 2 {
		g, s := run1(t, root, cache)
		if s.Skipped[Unreadable] != 2 || len(s.Problems) != 2 || s.Problems[0].Path != "folder" || s.Problems[1].Path != "locked.go" {
			t.Fatalf("%d paths are unreadable: %+v", s.Skipped[Unreadable], s.Problems)
		}
		if _, ok := g.Number("locked.go::a.G"); ok || s.Files != 1 {
			t.Fatalf("%d files are indexed", s.Files)
		}
	}
	chmod("locked.go", 0o644)
	chmod("folder", 0o755)
	g, s := run1(t, root, cache)
	if _, ok := g.Number("locked.go::a.G"); !ok || s.Files != 3 || s.Skipped[Unreadable] != 0 {
		t.Fatalf("%d files are indexed once all can be read: %+v", s.Files, s.Problems)
	}
	chmod("locked.go", 0)
	if _, s = run1(t, root, cache); s.Skipped[Unreadable] != 1 || s.Files != 2 {
		t.Errorf("%d files are indexed once one cannot be read: %+v", s.Files, s.Problems)
	}
}
