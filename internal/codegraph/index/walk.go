package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// DefaultSkips are the folders that hold no sources of a tree's own.
func DefaultSkips() []string {
	return []string{".codegraph", ".git", ".hg", ".svn", "node_modules", "bower_components", "vendor", "__pycache__", ".venv", "dist", "target"}
}

// entry is a file found by a walk.
type entry struct {
	name  string // on disk, relative to the root
	path  string // as stored: valid UTF-8 with slashes
	stamp stamp
}

// stamp tells whether a file may have changed. Times are in nanoseconds.
type stamp struct {
	size         int64
	mtime, ctime int64 // of the content and of anything; ctime is 0 where a system has none
}

// walk finds the regular files below a folder in the order of their names.
// Symbolic links are not followed, so there are no loops and nothing is read
// twice; links, what cannot be read and other kinds of files are counted.
// Files whose names cannot be those of sources are counted and not looked at.
func walk(ctx context.Context, root string, skips []string, workers int, s *Summary) ([]entry, error) {
	for _, pattern := range skips {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("pattern %q of what to skip: %w", pattern, err)
		}
	}
	var names []string
	var files []fs.DirEntry
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rel, relErr := below(root, name)
		if relErr != nil {
			return relErr
		}
		if err != nil {
			if rel == "." {
				return err
			}
			s.skip(Unreadable, rel, err)
			return nil
		}
		if rel != "." && skipped(rel, skips) {
			if d.IsDir() {
				return filepath.SkipDir
			}
			s.Skipped[Excluded]++
			return nil
		}
		switch {
		case d.IsDir():
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			s.Skipped[SymbolicLink]++
			return nil
		case !d.Type().IsRegular():
			s.skip(NotRegular, rel, errors.New("neither a file nor a folder"))
			return nil
		}
		if !sourceName(rel) {
			s.Skipped[NoSource]++
			return nil
		}
		names, files = append(names, name), append(files, d)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read folder: %w", err)
	}
	return stampAll(root, names, files, workers, s)
}

// stampAll looks at files, several at once: that is most of the time of a walk.
func stampAll(root string, names []string, files []fs.DirEntry, workers int, s *Summary) ([]entry, error) {
	infos, failed := make([]fs.FileInfo, len(files)), make([]error, len(files))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range max(workers, 1) {
		wg.Go(func() {
			for i := int(next.Add(1) - 1); i < len(files); i = int(next.Add(1) - 1) {
				infos[i], failed[i] = files[i].Info()
			}
		})
	}
	wg.Wait()
	found := make([]entry, 0, len(files))
	seen := make(map[string]bool, len(files))
	for i, name := range names {
		rel, err := below(root, name)
		if err != nil {
			return nil, fmt.Errorf("read folder: %w", err)
		}
		if failed[i] != nil {
			s.skip(Unreadable, rel, failed[i])
			continue
		}
		info := infos[i]
		e := entry{name: name, path: nodePath(rel), stamp: stamp{size: info.Size(), mtime: info.ModTime().UnixNano(), ctime: changeTime(info)}}
		if seen[e.path] {
			s.skip(Unreadable, rel, errors.New("another file has this name once it is valid text"))
			continue
		}
		seen[e.path] = true
		found = append(found, e)
	}
	return found, nil
}

// below is a name relative to the root, with slashes.
func below(root, name string) (string, error) {
	rest, ok := strings.CutPrefix(name, root)
	if ok && len(rest) > 1 && os.IsPathSeparator(rest[0]) { // which Rel finds out slowly
		return filepath.ToSlash(rest[1:]), nil
	}
	rel, err := filepath.Rel(root, name)
	return filepath.ToSlash(rel), err
}

// skipped reports whether a pattern matches a path or its last element.
func skipped(rel string, skips []string) bool {
	for _, pattern := range skips {
		target := path.Base(rel)
		if strings.Contains(pattern, "/") {
			target = rel
		}
		// The pattern was checked before.
		if ok, _ := path.Match(pattern, target); ok {
			return true
		}
	}
	return false
}

// nodePath is the path of a file as ids of nodes begin with it. They go on with
// two colons, so a path has no such two.
func nodePath(name string) string { return strings.ReplaceAll(storablePath(name), "::", `:\x3a`) }

// storablePath makes a name valid text: a byte that is none is written as \xNN.
func storablePath(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, name[i])
		} else {
			b.WriteString(name[i : i+n])
		}
		i += n
	}
	return b.String()
}

// resolveRoot follows links to the root itself and checks that it is a folder.
func resolveRoot(root string) (string, error) {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%q is not a folder", root)
	}
	return real, nil
}

// corpusName is what a tree is called: the last name of its Go module, with a major
// version behind, or else its folder's name, also where the root is given as "."
// or "..".
func corpusName(root, module string) string {
	if module != "" {
		name := path.Base(module)
		if major := strings.TrimLeft(name, "v"); major != "" && strings.Trim(major, "0123456789") == "" && path.Dir(module) != "." {
			return path.Join(path.Base(path.Dir(module)), name)
		}
		return name
	}
	if whole, err := filepath.Abs(root); err == nil {
		root = whole
	}
	return filepath.Base(root)
}

// commitOf returns the commit that a tree is checked out at, "" when git does not
// tell it by a plain file.
func commitOf(root string) string {
	git := filepath.Join(root, ".git")
	head, err := os.ReadFile(filepath.Join(git, "HEAD"))
	if err != nil {
		return ""
	}
	text := strings.TrimSpace(string(head))
	ref, ok := strings.CutPrefix(text, "ref: ")
	if !ok {
		return hexOnly(text)
	}
	if !filepath.IsLocal(ref) {
		return ""
	}
	if direct, err := os.ReadFile(filepath.Join(git, filepath.FromSlash(ref))); err == nil {
		return hexOnly(strings.TrimSpace(string(direct)))
	}
	refs, err := os.ReadFile(filepath.Join(git, "packed-refs"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(refs)) {
		if sum, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == ref {
			return hexOnly(sum)
		}
	}
	return ""
}

func hexOnly(s string) string {
	if len(s) != 40 || strings.Trim(s, "0123456789abcdef") != "" {
		return ""
	}
	return s
}
