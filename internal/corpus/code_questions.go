package corpus

import (
	"errors"
	"fmt"
	"strings"
)

// QuestionFile is what is asked about a source tree.
type QuestionFile struct {
	Name      string // of the file, without its folder and suffix
	Source    QuestionSource
	Questions []CodeQuestion
}

// QuestionSource says what source the questions are about.
type QuestionSource struct {
	Repo       string
	CapturedAt string // version or commit
	Extensions []string
	Note       string
}

// CodeQuestion is a question with the means to grade an answer.
type CodeQuestion struct {
	Label    string
	Prompt   string   // as who knows the source would ask
	Generic  string   // the same without a name of the source; may be empty
	Keywords []string // each of them is part of a right answer, in any case of letters
	Spans    []GradedSpan
}

// GradedSpan is a part of the source that a right answer shows.
type GradedSpan struct {
	File   string
	Symbol string // may be empty: the whole file
	Grade  int    // 1 to 3, 3 for what matters most
}

// hasGeneric returns an error for questions without a generic wording.
func (q *QuestionFile) hasGeneric() error {
	for _, question := range q.Questions {
		if question.Generic == "" {
			return fmt.Errorf("question %q has no generic wording", question.Label)
		}
	}
	return nil
}

// ParseQuestions reads a question file: an object with "source" {"repo",
// "captured_at", "extensions", "note"} and "questions", a list of {"label", "prompt",
// "keywords"} with, where somebody has written them, "generic" and "spans" [{"file",
// "symbol", "grade"}]. Other members are passed over. Every fault is reported with
// its line; name leads each.
func ParseQuestions(name string, text []byte) (*QuestionFile, error) {
	root, err := parseLines(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	r := &questionReader{name: name}
	out := &QuestionFile{Name: name}
	r.source(r.member(root, "source", "the file"), &out.Source)
	r.questions(r.member(root, "questions", "the file"), out)
	if len(r.faults) > 0 {
		return nil, errors.Join(r.faults...)
	}
	return out, nil
}

// questionReader collects the faults of a question file.
type questionReader struct {
	name   string
	faults []error
}

func (r *questionReader) fault(at *lineValue, format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf("%s:%d: %s", r.name, at.line, fmt.Sprintf(format, args...)))
}

// member is a member that must be there; nil after a fault.
func (r *questionReader) member(of *lineValue, name, what string) *lineValue {
	if of == nil {
		return nil
	}
	if of.object == nil {
		r.fault(of, "%s is %s, must be an object", what, of.kind())
		return nil
	}
	found := of.object[name]
	if found == nil {
		r.fault(of, "%s has no %q", what, name)
	}
	return found
}

// text is a string that is not empty.
func (r *questionReader) text(v *lineValue, what string) string {
	switch {
	case v == nil:
		return ""
	case v.text == nil:
		r.fault(v, "%s is %s, must be a string", what, v.kind())
		return ""
	case strings.TrimSpace(*v.text) == "":
		r.fault(v, "%s is empty", what)
	}
	return *v.text
}

// texts is a list of strings, none of them empty, and at least one.
func (r *questionReader) texts(v *lineValue, what string) []string {
	var out []string
	for _, item := range r.list(v, what) {
		out = append(out, r.text(item, "an element of "+what))
	}
	return out
}

// list is a list with at least one element.
func (r *questionReader) list(v *lineValue, what string) []*lineValue {
	switch {
	case v == nil:
		return nil
	case !v.isList:
		r.fault(v, "%s is %s, must be a list", what, v.kind())
	case len(v.list) == 0:
		r.fault(v, "%s is empty", what)
	}
	return v.list
}

func (r *questionReader) source(v *lineValue, into *QuestionSource) {
	into.Repo = r.text(r.member(v, "repo", "source"), "repo")
	into.CapturedAt = r.text(r.member(v, "captured_at", "source"), "captured_at")
	into.Note = r.text(r.member(v, "note", "source"), "note")
	extensions := r.member(v, "extensions", "source")
	into.Extensions = r.texts(extensions, "extensions")
	for _, e := range into.Extensions {
		if e != "" && (len(e) < 2 || e[0] != '.') {
			r.fault(extensions, "extension %q is not a dot and a name", e)
		}
	}
}

func (r *questionReader) questions(v *lineValue, into *QuestionFile) {
	lines := map[string]int{}
	for i, item := range r.list(v, "questions") {
		what := fmt.Sprintf("question %d", i+1)
		q := CodeQuestion{
			Label:    r.text(r.member(item, "label", what), "label of "+what),
			Prompt:   r.text(r.member(item, "prompt", what), "prompt of "+what),
			Keywords: r.texts(r.member(item, "keywords", what), "keywords of "+what),
		}
		if generic := item.object["generic"]; generic != nil {
			q.Generic = r.text(generic, "generic of "+what)
		}
		if spans := item.object["spans"]; spans != nil {
			q.Spans = r.spans(spans, what)
		}
		if before := lines[q.Label]; before != 0 && q.Label != "" {
			r.fault(item, "label %q is taken by the question in line %d", q.Label, before)
		}
		lines[q.Label] = item.line
		into.Questions = append(into.Questions, q)
	}
}

func (r *questionReader) spans(v *lineValue, what string) []GradedSpan {
	var out []GradedSpan
	for _, item := range r.list(v, "spans of "+what) {
		span := GradedSpan{File: r.text(r.member(item, "file", "a span of "+what), "file of a span of "+what)}
		if symbol := item.object["symbol"]; symbol != nil {
			span.Symbol = r.text(symbol, "symbol of a span of "+what)
		}
		grade := r.member(item, "grade", "a span of "+what)
		if grade != nil {
			if grade.number == nil || *grade.number != 1 && *grade.number != 2 && *grade.number != 3 {
				r.fault(grade, "grade of a span of %s must be 1, 2 or 3", what)
			} else {
				span.Grade = int(*grade.number)
			}
		}
		out = append(out, span)
	}
	return out
}
