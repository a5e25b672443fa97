package corpus

import (
	"fmt"
	"regexp"
	"strings"
)

// Lines of a question bank in Crystal.
var (
	bankStart  = regexp.MustCompile(`\bQuestion\.new\($`)
	bankMember = regexp.MustCompile(`^(q|topic|tier|keywords):\s*(.*?),?$`)
	bankString = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
)

// crossFile is the tier of questions that are about several files.
const crossFile = "CrossFile"

// ParseQuestionBank reads the questions out of a Crystal program that has a bank of
// them: entries Question.new(...) with the members q, topic, tier and keywords, a
// line each. Only those of tier CrossFile count; a name put into a text becomes
// Jarvis. A bank without any is an error.
func ParseQuestionBank(name, text string) (*QuestionFile, error) {
	out := &QuestionFile{Name: name, Source: QuestionSource{Repo: name, CapturedAt: "unknown",
		Extensions: []string{".cr"}, Note: "questions of tier CrossFile of a Crystal program"}}
	var entry map[string]string // nil between entries
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		m := bankMember.FindStringSubmatch(line)
		switch {
		case bankStart.MatchString(line):
			entry = map[string]string{}
		case entry == nil:
		case m != nil:
			entry[m[1]] = m[2]
		case line == ")" || line == "),":
			if strings.TrimPrefix(entry["tier"], "Tier::") == crossFile {
				q := CodeQuestion{Label: first(bankTexts(entry["topic"])), Prompt: first(bankTexts(entry["q"])), Keywords: bankTexts(entry["keywords"])}
				if q.Label == "" || q.Prompt == "" || len(q.Keywords) == 0 {
					return nil, fmt.Errorf("%s:%d: the question that ends here lacks a topic, a text or keywords", name, i+1)
				}
				out.Questions = append(out.Questions, q)
			}
			entry = nil
		}
	}
	if len(out.Questions) == 0 {
		return nil, fmt.Errorf("%s: no question of tier %s", name, crossFile)
	}
	return out, nil
}

// bankTexts are the strings of a member.
func bankTexts(member string) []string {
	plain := strings.NewReplacer(`\"`, `"`, `\\`, `\`, "#{name}", "Jarvis")
	var out []string
	for _, m := range bankString.FindAllStringSubmatch(member, -1) {
		out = append(out, plain.Replace(m[1]))
	}
	return out
}

func first(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[0]
}
