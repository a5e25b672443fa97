package query

import (
	"slices"
	"strings"
	"unicode"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/query/terms"
)

// relationWord returns the word that says the relation, or -1. The first verb or
// noun of one counts; "change" and "break" lead to what is affected only when
// nothing else relates.
func relationWord(words []word) int {
	best, bestRank := -1, 0
	for i := range words {
		if words[i].shaped || words[i].quoted {
			continue
		}
		for _, l := range words[i].lexemes {
			if r := relationRank(l); r > bestRank {
				best, bestRank = i, r
			}
		}
	}
	return best
}

func relationRank(l lexeme) int {
	switch {
	case l.ask == AskAffected || l.ask == AskMembers || l.ask == AskDefined:
		return 1
	case l.ask == AskTakes || l.ask == AskReturns || l.ask == AskHolds || l.ask == AskListens:
		return 2
	case l.form == object || l.form == agent:
		return 3
	}
	return 4
}

// pickSubject returns the word that the relation is about, and a second name, -1
// where there is none.
func pickSubject(words []word, relation int) (subject, focus int) {
	type scored struct{ at, score int }
	var list []scored
	for _, any := range []bool{false, true} {
		for i := range words {
			if len(words[i].found.Nodes) == 0 || i == relation && !words[i].shaped {
				continue
			}
			if s := subjectScore(words, i, relation); s > 0 {
				list = append(list, scored{i, s})
			} else if any {
				list = append(list, scored{i, 1})
			}
		}
		if len(list) > 0 || relation < 0 {
			break // common words are names only when a relation has no other
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return b.score - a.score })
	if len(list) == 0 {
		return -1, -1
	}
	subject, focus = list[0].at, -1
	// "how does fire reach run" has two names, however they are written.
	path := relation < 0 && slices.ContainsFunc(words, func(w word) bool { return pathWords[w.folded] })
	for _, other := range list[1:] {
		if named(&words[other.at]) || path && other.score >= plainName {
			return subject, other.at
		}
	}
	return subject, focus
}

// named says whether a word is written as a name.
func named(w *word) bool {
	return w.shaped || w.quoted || w.joined > 1 || strings.IndexFunc(w.text, unicode.IsUpper) == 0
}

// strongName is the score that only words written as names reach.
const strongName = 50

// plainName is the score that words reach which mean nothing but a name.
const plainName = 10

// subjectScore says how likely a word is the subject: names as code writes them
// first, then words next to the relation.
func subjectScore(words []word, at, relation int) int {
	w := &words[at]
	s := 1
	switch {
	case w.quoted:
		s += 2 * strongName
	case w.shaped:
		s += strongName
	case w.joined > 1:
		s += strongName - 10 + w.joined
	case len(w.lexemes) > 0 || fillers[w.folded] || terms.Stopword(w.folded):
		if at == 0 || strings.IndexFunc(w.text, unicode.IsUpper) != 0 {
			return 0
		}
		s += 4
	default:
		s += plainName
	}
	if strings.IndexFunc(w.text, unicode.IsUpper) == 0 && at > 0 {
		s += 8
	}
	if relation >= 0 {
		distance := at - relation
		if distance > 0 {
			s += max(0, 12-2*distance)
		} else {
			s += max(0, 8+2*distance)
		}
	}
	return s
}

// unknownName is the first word written as a name that names nothing, unless
// the subject is one, too.
func unknownName(words []word, subject int) string {
	if subject >= 0 && (words[subject].shaped || words[subject].joined > 1) {
		return ""
	}
	for i := range words {
		if words[i].shaped && len(words[i].found.Nodes) == 0 && strings.ContainsFunc(words[i].text, unicode.IsLetter) {
			return words[i].text
		}
	}
	return ""
}

// narrow uses what stands next to the subject: "method run of Charge" means a
// member, "the class Charge" a kind.
func (c *Catalog) narrow(in *Intent, words []word, subject, relation int) {
	if member := c.memberBeside(in.Nodes, words, subject, relation); len(member.nodes) > 0 {
		in.Nodes, in.Others, in.Subject = member.nodes, nil, member.name
	}
	for _, at := range []int{subject - 1, subject + 1} {
		if at < 0 || at >= len(words) {
			continue
		}
		kind, ok := kindWords[words[at].folded]
		if !ok || len(in.Nodes)+len(in.Others) < 2 {
			continue
		}
		all := slices.Concat(in.Nodes, in.Others)
		kept := slices.DeleteFunc(slices.Clone(all), func(n int32) bool { return kindOf(c.nodes[n].Kind) != kind })
		if len(kept) > 0 {
			in.kind = true
			r := c.prefer(kept, kind == "callable")
			in.Nodes, in.Others = r.Nodes, slices.DeleteFunc(all, func(n int32) bool { return slices.Contains(r.Nodes, n) })
		}
	}
}

func kindOf(k graph.Kind) string {
	switch k {
	case graph.Function, graph.Method:
		return "callable"
	default:
		return k.String()
	}
}

type memberName struct {
	nodes []int32
	name  string
}

// memberBeside finds a member of the subject that the question names next to
// it: "run of Charge", "Charge's run", "the run method in Charge".
func (c *Catalog) memberBeside(owners []int32, words []word, subject, relation int) memberName {
	try := func(at int) memberName {
		w := &words[at]
		var found []int32
		for _, o := range owners {
			for _, m := range c.roots(o) {
				if m != o && c.nodes[m].Label == trimName(w.text) {
					found = append(found, m)
				}
			}
		}
		return memberName{found, words[subject].text + "::" + trimName(w.text)}
	}
	skip := func(at int) bool {
		_, kind := kindWords[words[at].folded]
		return kind || words[at].folded == "the"
	}
	before := subject - 1
	linked := false
	for before >= 0 && (of[words[before].folded] || skip(before)) {
		linked = linked || of[words[before].folded]
		before--
	}
	if before >= 0 && linked && before != relation {
		if m := try(before); len(m.nodes) > 0 {
			return m
		}
	}
	after := subject + 1
	if after < len(words) && !of[words[after].folded] && len(words[after].lexemes) == 0 {
		if next := after + 1; words[after].shaped || next < len(words) && kindWords[words[next].folded] == "callable" {
			return try(after)
		}
	}
	return memberName{}
}

// direction decides who does it to whom.
func direction(words []word, relation, subject, focus int) (Ask, graph.Direction) {
	if slices.ContainsFunc(words, func(w word) bool { return pathWords[w.folded] }) && subject >= 0 && focus >= 0 {
		return AskPath, graph.Out
	}
	if relation < 0 || subject < 0 {
		if relation >= 0 {
			return words[relation].lexemes[0].ask, graph.In
		}
		return AskNothing, graph.In
	}
	l := words[relation].lexemes[0]
	for _, other := range words[relation].lexemes {
		// "uses" and "references" are verbs and nouns: nouns lead to "of" or "to".
		if other.form == action && relation+1 < len(words) && of[words[relation+1].folded] {
			l = other
		}
		if other.form == participle && l.form == verb && passive(words, relation) {
			l = other
		}
	}
	switch l.form {
	case agent:
		return l.ask, graph.In
	case object:
		return l.ask, graph.Out
	case action:
		if between(words, relation, subject, by) || after(words, subject, making) {
			return l.ask, graph.Out
		}
		return l.ask, graph.In
	}
	if l.ask == AskMembers {
		return l.ask, graph.Out
	}
	return l.ask, verbDirection(words, relation, subject, l.form)
}

// verbDirection reads word order: what stands before a verb does it, unless it
// is passive.
func verbDirection(words []word, relation, subject int, f form) graph.Direction {
	if hasHan(words[relation].folded) {
		return hanDirection(words, relation, subject)
	}
	if relation < subject {
		if f == participle && between(words, relation, subject, by) {
			return graph.Out
		}
		if elided(words, relation) {
			return graph.Out
		}
		return graph.In
	}
	if f == participle && passive(words, relation) {
		return graph.In
	}
	if f == participle && !slices.ContainsFunc(words[:subject], func(w word) bool { return doing[w.folded] }) {
		return graph.In
	}
	if asksWho(words) && !slices.ContainsFunc(words, func(w word) bool { return doing[w.folded] }) {
		return graph.In // "wer Charge aufruft"
	}
	return graph.Out
}

// elided is French "qu'appelle X", which asks for what X calls.
func elided(words []word, relation int) bool {
	return relation > 0 && words[relation-1].folded == "qu"
}

func asksWho(words []word) bool {
	return len(words) > 0 && wordSet("who wer qui quien quem chi кто")[words[0].folded]
}

// passive looks for a form of "be" before the verb.
func passive(words []word, relation int) bool {
	return slices.ContainsFunc(words[:relation], func(w word) bool { return being[w.folded] })
}

func between(words []word, a, b int, set map[string]bool) bool {
	return a < b && slices.ContainsFunc(words[a+1:b], func(w word) bool { return set[w.folded] })
}

func after(words []word, at int, set map[string]bool) bool {
	return slices.ContainsFunc(words[at+1:], func(w word) bool { return set[w.folded] })
}

func hasHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	})
}

// hanDirection reads Chinese by order and 被, Japanese and Korean by the particle
// behind the subject.
func hanDirection(words []word, relation, subject int) graph.Direction {
	if relation < subject {
		return graph.In
	}
	for _, w := range words[subject+1 : relation+1] {
		for _, particle := range []string{"被", "を", "를", "을", "され", "の呼", "的"} {
			if strings.HasPrefix(w.text, particle) || particle == "被" && strings.Contains(w.text, particle) || particle == "され" && strings.Contains(w.text, particle) {
				return graph.In
			}
		}
	}
	return graph.Out
}
