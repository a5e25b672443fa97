package extract

import (
	"path"
	"strings"

	"sortedheap/internal/syntax"
)

// isTestPath reports whether a file is part of a test by the customs of its
// language.
func isTestPath(file string, l syntax.Language) bool {
	dir, base := path.Split(file)
	for part := range strings.SplitSeq(dir, "/") {
		switch strings.ToLower(part) {
		case "test", "tests", "testing", "testdata", "__tests__", "spec", "specs", "phpunit", "fixtures", "testfixtures":
			return true
		}
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch l {
	case syntax.Go:
		return strings.HasSuffix(stem, "_test")
	case syntax.PHP, syntax.Java:
		return strings.HasSuffix(stem, "Test") || strings.HasSuffix(stem, "TestCase") || strings.HasSuffix(stem, "Tests")
	case syntax.Python:
		return strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || stem == "conftest"
	case syntax.Ruby:
		return strings.HasSuffix(stem, "_spec") || strings.HasSuffix(stem, "_test")
	case syntax.JavaScript, syntax.TypeScript, syntax.TSX:
		return strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") || strings.HasSuffix(stem, "_test")
	case syntax.C, syntax.CPP:
		return strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_unittest")
	default:
		return false
	}
}
