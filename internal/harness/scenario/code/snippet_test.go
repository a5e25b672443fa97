package code

import (
	"fmt"
	"strings"
	"testing"

	"sortedheap/internal/corpus"
)

// numbered are lines of no interest, with others put in, by their number from 1.
func numbered(n int, special map[int]string) string {
	out := make([]string, n)
	for i := range out {
		out[i] = "   plain text   "
		if line, ok := special[i+1]; ok {
			out[i] = line
		}
	}
	return strings.Join(out, "\n")
}

// shown are the numbers of the first and last line of each run of a snippet.
func shown(snippet string) string {
	var runs []string
	first, last := 0, -1
	for _, line := range strings.Split(snippet, "\n")[1:] {
		n := 0
		if _, err := fmt.Sscanf(line, "L%d:", &n); err != nil {
			return "not a line of a snippet: " + line
		}
		if n != last+1 {
			if first != 0 {
				runs = append(runs, fmt.Sprintf("%d-%d", first, last))
			}
			first = n
		}
		last = n
	}
	if first != 0 {
		runs = append(runs, fmt.Sprintf("%d-%d", first, last))
	}
	return strings.Join(runs, " ")
}

func TestSnippetAroundAnchors(t *testing.T) {
	for name, c := range map[string]struct {
		special  map[int]string
		question string
		want     string
	}{
		"nothing matches":         {nil, "How do queues drain?", ""},
		"one line":                {map[int]string{50: "drain the queue"}, "How do queues drain?", "32-68"},
		"at the edges":            {map[int]string{3: "drain", 99: "queue"}, "How do queues drain?", "1-21 81-100"},
		"windows that touch":      {map[int]string{20: "drain", 57: "queue"}, "How do queues drain?", "2-75"},
		"near lines give one":     {map[int]string{50: "drain queue", 60: "drain"}, "How do queues drain?", "32-68"},
		"more terms come first":   {map[int]string{10: "drain", 50: "drain queue"}, "How do queues drain?", "1-28 32-68"},
		"forms of words":          {map[int]string{50: "policy"}, "Which policies?", "32-68"},
		"ing":                     {map[int]string{50: "delay"}, "What of delaying?", "32-68"},
		"a bonus without a match": {map[int]string{50: "retry_count = 3"}, "How do queues drain?", "32-68"},
		"too small a bonus":       {map[int]string{50: "retry_count"}, "How do queues drain?", ""},
		"at most four": {map[int]string{10: "alpha", 50: "alpha", 90: "alpha", 130: "alpha", 170: "alpha"}, "alpha?",
			"1-28 32-68 72-108 112-148"},
		"methods among equals": {map[int]string{10: "alpha", 50: "alpha", 90: "alpha", 130: "alpha", 170: "def alpha"}, "alpha?",
			"1-28 32-68 72-108 152-188"},
	} {
		snippet := cutSnippet(corpus.CodeFile{Path: "x.py", Text: numbered(200, c.special)}, c.question)
		if name == "at the edges" || name == "windows that touch" {
			snippet = cutSnippet(corpus.CodeFile{Path: "x.py", Text: numbered(100, c.special)}, c.question)
		}
		if !strings.HasPrefix(snippet, "# File Snippet: x.py") {
			t.Errorf("%s: header of %.40q", name, snippet)
		}
		if got := shown(snippet); got != c.want {
			t.Errorf("%s: lines %s, want %s", name, got, c.want)
		}
	}
}

const crystal = `class Streamer
  getter overlap : Int32

  def initialize(@window = 1500, @overlap = 100)
    @text = ""
  end

  # Short alone.
  def stride
    @window - @overlap
  end

  def split(text)
    while text.size > @window
      emit(text)
      if small?(text)
        break
      end
    end
    @parts.each do |part|
      emit(part)
    end
    flush
  end

  private def small?(text)
    text.size < 10
  end

  def tail(text)
    emit(text) if small?(text)
  end
end`

// A method is shown whole, a short one with what belongs to it.
func TestSnippetOfMethods(t *testing.T) {
	file := corpus.CodeFile{Path: "streamer.cr", Text: crystal}
	for question, want := range map[string]string{
		"split":  "13-24",
		"stride": "4-11",  // with the initializer of @window
		"tail":   "26-32", // with small?
	} {
		text := newLines(file.Text)
		for i, line := range text {
			if isMethod(line) && strings.Contains(line, question) {
				w := text.around(i, file.Path)
				if got := fmt.Sprintf("%d-%d", w.start+1, w.end); got != want {
					t.Errorf("%s: lines %s, want %s", question, got, want)
				}
			}
		}
	}
	text := newLines("def a\n1\nend\ndef b\n2\nend")
	if w := text.around(3, "x.cr"); w != (window{3, 6}) {
		t.Errorf("a method whose neighbour ends in a line with text before: %v", w)
	}
	if w := newLines("def f(x):\n  return 1").around(0, "x.py"); w != (window{0, 2}) {
		t.Errorf("python has no end: %v", w)
	}
}
