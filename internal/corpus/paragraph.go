package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A paragraph counts when it is longer than minParagraph and shorter than
// maxParagraph characters.
const (
	minParagraph = 50
	maxParagraph = 2000
)

// bookFiles returns the names of the *.txt files of a folder in filename order,
// at most limit of them where limit is not 0.
func bookFiles(folder fs.FS, limit int) ([]string, error) {
	entries, err := fs.ReadDir(folder, ".") // sorted by name
	if err != nil {
		return nil, fmt.Errorf("list books: %w", err)
	}
	var names []string
	for _, entry := range entries {
		if path.Ext(entry.Name()) == ".txt" && !entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	if len(names) == 0 {
		return nil, errors.New("list books: no .txt file in the directory")
	}
	if limit > 0 && len(names) > limit {
		names = names[:limit]
	}
	return names, nil
}

// readParagraphs reads one book and returns its paragraphs after the first
// skip, at most limit of them where limit is not 0.
func readParagraphs(folder fs.FS, name string, skip, limit int) ([]string, error) {
	raw, err := fs.ReadFile(folder, name)
	if err != nil {
		return nil, fmt.Errorf("read book: %w", err)
	}
	found := paragraphs(decode(raw))
	found = found[min(skip, len(found)):]
	if limit > 0 && len(found) > limit {
		found = found[:limit]
	}
	return found, nil
}

// decode reads UTF-8 as Python's text mode with errors="ignore" does: bytes
// that are not part of a valid character vanish, a byte order mark stays, and
// then every "\r\n" and "\r" becomes "\n". The order matters where an invalid
// byte stands between the two.
func decode(raw []byte) string {
	text := strings.ToValidUTF8(string(raw), "")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.ReplaceAll(text, "\r", "\n")
}

// paragraphs splits a text at every "\n\n", joins the stripped, non-empty
// lines of each piece by one space and keeps the pieces of a proper length.
// Only "\n\n" separates: a line of blanks between two texts does not.
func paragraphs(text string) []string {
	var out []string
	var lines []string
	for piece := range strings.SplitSeq(text, "\n\n") {
		lines = lines[:0]
		for line := range strings.SplitSeq(piece, "\n") {
			if line = strings.TrimFunc(line, isPythonSpace); line != "" {
				lines = append(lines, line)
			}
		}
		joined := strings.Join(lines, " ")
		if n := utf8.RuneCountInString(joined); minParagraph < n && n < maxParagraph {
			out = append(out, joined)
		}
	}
	return out
}

// isPythonSpace says what str.strip removes: Unicode's white space and the
// four information separators.
func isPythonSpace(r rune) bool {
	return unicode.IsSpace(r) || '\x1c' <= r && r <= '\x1f'
}
