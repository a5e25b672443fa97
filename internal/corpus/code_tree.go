package corpus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sortedheap/fixtures"
)

// readTree reads the regular files below a folder whose names end in one of the
// suffixes, in the order of paths, element by element, and the Go modules by folder.
// Links are not followed. What is not UTF-8 or is a NUL, which no text column of
// PostgreSQL holds, vanishes; lines end in "\n".
func readTree(ctx context.Context, root fs.FS, extensions []string) ([]CodeFile, map[string]string, error) {
	modules := map[string]string{}
	var files []CodeFile
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		wanted := slices.ContainsFunc(extensions, func(e string) bool { return strings.HasSuffix(name, e) })
		isModule := path.Base(name) == "go.mod"
		if !entry.Type().IsRegular() || !wanted && !isModule {
			return nil
		}
		raw, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		text := strings.ReplaceAll(decode(raw), "\x00", "")
		if m := moduleLine.FindStringSubmatch(text); isModule && m != nil {
			modules[path.Dir(name)] = m[1]
		}
		if wanted {
			files = append(files, CodeFile{Path: name, Text: text})
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if len(files) == 0 {
		return nil, nil, fmt.Errorf("no file ends in one of %s", strings.Join(extensions, " "))
	}
	return files, modules, nil
}

var moduleLine = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)`)

func (o CodeOptions) root() (fs.FS, error) {
	if o.Dir == "" {
		return fixtures.Lighthouse()
	}
	return os.DirFS(o.Dir), nil
}

// directory names the tree in a result without the path that leads to it.
func (o CodeOptions) directory() string {
	if o.Dir == "" {
		return builtIn
	}
	absolute, err := filepath.Abs(o.Dir)
	if err != nil {
		return filepath.Base(o.Dir) // as good a name as is to be had
	}
	return filepath.Base(absolute)
}
