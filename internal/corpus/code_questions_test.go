package corpus_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	inputs "sortedheap/fixtures"
	"sortedheap/internal/corpus"
)

const goodQuestions = `{
  "source": {"repo": "r", "captured_at": "v1", "extensions": [".h"], "note": "n"},
  "half": "dev",
  "questions": [
    {"label": "a", "prompt": "How?", "keywords": ["x", "y"],
     "generic": "Why?", "spans": [{"file": "f.h", "symbol": "S", "grade": 3}, {"file": "g.h", "grade": 1}]},
    {"label": "b",
     "prompt": "What?",
     "keywords": ["z"]}
  ]
}
`

func TestParseQuestions(t *testing.T) {
	f, err := corpus.ParseQuestions("q", []byte(goodQuestions))
	if err != nil {
		t.Fatal(err)
	}
	a, b := f.Questions[0], f.Questions[1]
	if f.Name != "q" || f.Source.Repo != "r" || f.Source.CapturedAt != "v1" || f.Source.Note != "n" || !slices.Equal(f.Source.Extensions, []string{".h"}) ||
		a.Label != "a" || a.Prompt != "How?" || a.Generic != "Why?" || !slices.Equal(a.Keywords, []string{"x", "y"}) ||
		len(a.Spans) != 2 || a.Spans[0] != (corpus.GradedSpan{File: "f.h", Symbol: "S", Grade: 3}) || b.Generic != "" || b.Spans != nil {
		t.Errorf("questions %+v", f)
	}
}

// Each fault is reported with the line it is on.
func TestFaultsOfQuestions(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"syntax":              {`"label": "b",`, `"label": "b"`, "q:8: "},
		"cut short":           {"]\n}\n", "", "q:10: the text ends too early"},
		"more":                {"]\n}\n", "]\n}\n{}", "text follows the value"},
		"no source":           {`"source"`, `"sauce"`, `q:1: the file has no "source"`},
		"no repo":             {`"repo": "r", `, "", `q:2: source has no "repo"`},
		"empty note":          {`"note": "n"`, `"note": " "`, "q:2: note is empty"},
		"extension":           {`[".h"]`, `["h"]`, `q:2: extension "h" is not a dot and a name`},
		"no extensions":       {`[".h"]`, `[]`, "q:2: extensions is empty"},
		"no prompt":           {`"prompt": "What?",`, "", `q:7: question 2 has no "prompt"`},
		"prompt is a number":  {`"prompt": "What?"`, `"prompt": 7`, "q:8: prompt of question 2 is a number, must be a string"},
		"keywords of nothing": {`["z"]`, `[]`, "q:9: keywords of question 2 is empty"},
		"an empty keyword":    {`["z"]`, `["z", ""]`, "q:9: an element of keywords of question 2 is empty"},
		"keyword misspelt":    {"\"keywords\": [\"z\"]", "\"keyword\": [\"z\"]", `q:7: question 2 has no "keywords"`},
		"label twice":         {`"label": "b"`, `"label": "a"`, `q:7: label "a" is taken by the question in line 5`},
		"member twice":        {`"label": "b",`, `"label": "b", "label": "c",`, `"label" comes twice`},
		"grade":               {`"grade": 3`, `"grade": 4`, "q:6: grade of a span of question 1 must be 1, 2 or 3"},
		"half a grade":        {`"grade": 3`, `"grade": 1.5`, "q:6: grade of a span of question 1 must be 1, 2 or 3"},
		"empty generic":       {`"Why?"`, `""`, "q:6: generic of question 1 is empty"},
		"questions is text":   {`"half": "dev",`, `"questions": "x", "half": "dev"}`, "q:3: questions is a string, must be a list"},
		"a question is text":  {`{"label": "b",`, `"b", {"label": "b",`, "q:7: question 2 is a string, must be an object"},
	} {
		text := strings.Replace(goodQuestions, c.old, c.new, 1)
		if name == "questions is text" {
			text = text[:strings.Index(text, `"dev"}`)+len(`"dev"}`)]
		}
		_, err := corpus.ParseQuestions("q", []byte(text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	_, err := corpus.ParseQuestions("q", []byte("{\"source\": {}, \"questions\": [{}]}"))
	if err == nil || strings.Count(err.Error(), "\n") != 6 {
		t.Errorf("not every fault is reported: %v", err)
	}
}

// Every question file in this program is sound.
func TestBuiltInQuestions(t *testing.T) {
	dir, err := inputs.Questions()
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(dir, "*.json")
	if err != nil || len(files) < 7 {
		t.Fatalf("files %v, %v", files, err)
	}
	for _, name := range files {
		if q := builtInQuestions(t, strings.TrimSuffix(name, ".json")); len(q.Questions) == 0 {
			t.Errorf("%s has no questions", name)
		}
	}
}

const bank = `class Bank
  QUESTIONS = [
    Question.new(
      q: "How does #{name} store \"facts\", and when?",
      topic: "Memory store flow",
      tier: Tier::CrossFile,
      keywords: ["remember", "_micro_only", "1500"],
    ),
    Question.new(
      q: "Which class?",
      topic: "One file",
      tier: Tier::SingleFile,
      keywords: ["x"],
    ),
    Question.new(
      q: "And then?",
      topic: "Last",
      tier: Tier::CrossFile,
      keywords: ["y"]
    )
  ]
end
`

func TestParseQuestionBank(t *testing.T) {
	f, err := corpus.ParseQuestionBank("bank", bank)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Questions) != 2 || f.Questions[1].Label != "Last" || !slices.Equal(f.Source.Extensions, []string{".cr"}) {
		t.Fatalf("questions %+v", f)
	}
	q := f.Questions[0]
	if q.Label != "Memory store flow" || q.Prompt != `How does Jarvis store "facts", and when?` || !slices.Equal(q.Keywords, []string{"remember", "_micro_only", "1500"}) {
		t.Errorf("question %+v", q)
	}
	if _, err := corpus.ParseQuestionBank("bank", strings.ReplaceAll(bank, "CrossFile", "Other")); err == nil {
		t.Error("a bank without questions is read")
	}
	if _, err := corpus.ParseQuestionBank("bank", strings.Replace(bank, `topic: "Last",`, "", 1)); err == nil || !strings.Contains(err.Error(), "bank:20:") {
		t.Errorf("a question without a topic: %v", err)
	}
}
