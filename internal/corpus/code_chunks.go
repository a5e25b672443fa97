package corpus

import "strings"

// A chunk is a window of a file's text, in characters; the next one begins a stride
// further, so neighbours share text.
const (
	chunkWindow = 800
	chunkStride = 600
)

// summaryWords is how many words of a file its summary has.
const summaryWords = 256

// cutChunks returns the chunks of a file, each below a line that names it. The last
// one ends with the file; a short or empty file is one chunk.
func cutChunks(f CodeFile) (chunks []string) {
	header := "# File: " + f.Path + "\n"
	text := []rune(f.Text)
	for start := 0; ; start += chunkStride {
		end := min(start+chunkWindow, len(text))
		chunks = append(chunks, header+string(text[start:end]))
		if end == len(text) {
			return chunks
		}
	}
}

// summarize returns the first words of a file's chunks, their headers included, a
// line a chunk. As neighbours share text, some of it comes twice.
func summarize(f CodeFile, chunks []string) string {
	lines := []string{"# File Summary: " + f.Path}
	left := summaryWords
	for _, chunk := range chunks {
		words := strings.Fields(chunk)
		words = words[:min(len(words), left)]
		lines = append(lines, strings.Join(words, " "))
		if left -= len(words); left == 0 {
			break
		}
	}
	return strings.Join(lines, "\n")
}
