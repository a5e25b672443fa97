package evidence

import (
	"context"
	"errors"
	"fmt"

	"sortedheap/internal/syntax"
)

// Cut cuts files into fragments, in order: by the syntax tree where there is
// a grammar and the file is within its limits, else by counting lines, which the
// fragments say.
func Cut(ctx context.Context, files []File) ([]Fragment, error) {
	parsers, err := syntax.NewParsers(syntax.DefaultLimits())
	if err != nil {
		return nil, err
	}
	defer parsers.Close()
	var out []Fragment
	for _, f := range files {
		cut, err := cutFile(ctx, parsers, f)
		if err != nil {
			return nil, fmt.Errorf("cut %s: %w", f.Path, err)
		}
		out = append(out, cut...)
	}
	return out, nil
}

func cutFile(ctx context.Context, parsers *syntax.Parsers, f File) ([]Fragment, error) {
	source := []byte(f.Text)
	language, known := syntax.Detect(f.Path, source)
	if !known {
		return cutWindows(f), nil
	}
	tree, err := parsers.Parse(ctx, language, source)
	switch {
	case errors.Is(err, syntax.ErrTooLarge), errors.Is(err, syntax.ErrTooSlow), errors.Is(err, syntax.ErrBinary):
		return cutWindows(f), nil
	case err != nil:
		return nil, err
	}
	return cutDefinitions(f, syntax.Definitions(tree)), nil
}
