package code

import (
	"regexp"
	"slices"
	"strings"
)

// This file finds methods in languages whose blocks end in "end", Crystal and Ruby,
// by counting lines that begin and end blocks.

var (
	blockBegin   = regexp.MustCompile(`^(?:(?:private |protected )?def |(?:class|struct|module|enum) |(?:if|unless|case|begin|while|until|select)\b)|\bdo\b(?:\s*\|.*\|)?\s*$`)
	questionCall = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*\?`)
	fieldName    = regexp.MustCompile(`@[A-Za-z_][A-Za-z0-9_]*`)
)

// A short method says little alone. What is shown with it lies above it, within so
// many lines, and ends so close before it.
const (
	shortMethod = 4 // lines that are not blank

	neighbourBlanks, neighbourGap = 4, 2
	helperReach, helperGap        = 40, 6
	initReach, initGap            = 60, 12
)

// methodAt is the extent of the method that begins in a line.
func (l lines) methodAt(start int) window {
	depth := 1
	for i := start + 1; i < len(l); i++ {
		switch {
		case l[i] == "end":
			if depth--; depth == 0 {
				return window{start, i + 1}
			}
		case !strings.HasPrefix(l[i], "#") && blockBegin.MatchString(l[i]):
			depth++
		}
	}
	return window{start, len(l)}
}

// method is the method that begins in a line, and, where it is short, one above it
// that belongs to it: its neighbour, else a helper it calls, else the initializer of
// a field it reads.
func (l lines) method(start int) window {
	whole := l.methodAt(start)
	filled := 0
	for _, line := range l[whole.start:whole.end] {
		if line != "" {
			filled++
		}
	}
	if filled > shortMethod {
		return whole
	}
	body := strings.Join(l[whole.start:whole.end], "\n")
	for _, find := range []func(int, string) (window, bool){l.neighbour, l.helper, l.initializer} {
		if above, ok := find(start, body); ok {
			return window{above.start, whole.end}
		}
	}
	return whole
}

// neighbour is the method right above, past a few blank lines, ends and comments.
func (l lines) neighbour(start int, _ string) (window, bool) {
	left := neighbourBlanks
	for i := start - 1; i >= 0; i-- {
		switch {
		case isMethod(l[i]):
			w := l.methodAt(i)
			return w, start-w.end <= neighbourGap
		case l[i] == "" || l[i] == "end" || strings.HasPrefix(l[i], "#"):
			if left--; left < 0 {
				return window{}, false
			}
		default:
			return window{}, false
		}
	}
	return window{}, false
}

// helper is a method with a question mark that the body calls; in the order of names.
func (l lines) helper(start int, body string) (window, bool) {
	called := slices.Compact(slices.Sorted(slices.Values(questionCall.FindAllString(body, -1))))
	for _, name := range called {
		for i := start - 1; i > max(-1, start-helperReach); i-- {
			if hasAnyPrefix(l[i], "def "+name, "private def "+name, "protected def "+name) {
				if w := l.methodAt(i); start-w.end <= helperGap {
					return w, true
				}
				break
			}
		}
	}
	return window{}, false
}

// initializer is the initialize of the same type, if it names a field of the body.
func (l lines) initializer(start int, body string) (window, bool) {
	fields := fieldName.FindAllString(body, -1)
	if len(fields) == 0 {
		return window{}, false
	}
	for i := start - 1; i > max(-1, start-initReach); i-- {
		switch {
		case hasAnyPrefix(l[i], "def initialize(", "private def initialize(", "protected def initialize("):
			w := l.methodAt(i)
			text := strings.Join(l[w.start:w.end], "\n")
			named := slices.ContainsFunc(fields, func(f string) bool { return strings.Contains(text, f) })
			return w, named && start-w.end <= initGap
		case hasAnyPrefix(l[i], "class ", "struct ", "module ", "enum "):
			return window{}, false
		}
	}
	return window{}, false
}
