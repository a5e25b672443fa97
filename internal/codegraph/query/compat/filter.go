package compat

import (
	"slices"
	"strings"

	"sortedheap/internal/codegraph/query/terms"
)

// Where a filter comes from.
const (
	Explicit  = "explicit"
	Heuristic = "heuristic"
)

// Filter keeps the edges with one of its contexts; without contexts it keeps
// all.
type Filter struct {
	Contexts []string
	Source   string // Explicit or Heuristic; empty without contexts
}

type hint struct {
	context string
	words   []string
}

// contextHints are the words of a question that imply a filter, in the order
// in which contexts are shown.
func contextHints() []hint {
	return []hint{
		{"call", strings.Fields("call calls called invoke invokes invoked caller callers")},
		{"import", strings.Fields("import imports imported module modules")},
		{"field", strings.Fields("field fields member members property properties")},
		{"parameter_type", strings.Fields("parameter parameters param params argument arguments")},
		{"return_type", strings.Fields("return returns returned")},
		{"generic_arg", strings.Fields("generic generics template templates")},
	}
}

// contextAliases are other names of contexts that a person may ask for.
func contextAliases() map[string]string {
	aliases := map[string]string{}
	for context, names := range map[string]string{
		"parameter_type": "param params parameter parameters argument arguments arg args",
		"return_type":    "return returns returned",
		"generic_arg":    "generic generics template templates",
		"attribute":      "annotation annotations decorator decorators",
		"call":           "calls called invoke invocation",
		"field":          "fields property properties member members",
		"import":         "imports imported module modules",
		"export":         "exports exported",
	} {
		for _, name := range strings.Fields(names) {
			aliases[name] = context
		}
	}
	return aliases
}

// ResolveFilter prefers what was asked for by name over what the question
// implies. callers says whether "caller" and "callers" imply calls, too.
func ResolveFilter(question string, asked []string, callers bool) Filter {
	if named := canonical(asked); len(named) > 0 {
		return Filter{named, Explicit}
	}
	words := map[string]bool{}
	for _, w := range strings.Fields(strings.NewReplacer("?", " ", ",", " ").Replace(question)) {
		words[terms.Fold(w)] = true
	}
	if !callers {
		delete(words, "caller")
		delete(words, "callers")
	}
	var implied []string
	for _, h := range contextHints() {
		if slices.ContainsFunc(h.words, func(w string) bool { return words[w] }) {
			implied = append(implied, h.context)
		}
	}
	if len(implied) == 0 {
		return Filter{}
	}
	return Filter{implied, Heuristic}
}

// canonical folds names of contexts, resolves aliases and drops duplicates. A
// name that nobody knows stays, and matches nothing.
func canonical(asked []string) []string {
	var named []string
	aliases := contextAliases()
	for _, a := range asked {
		name := terms.Fold(strings.TrimSpace(a))
		if c, ok := aliases[name]; ok {
			name = c
		}
		if name != "" && !slices.Contains(named, name) {
			named = append(named, name)
		}
	}
	return named
}

// contextSet is nil for a filter that keeps all edges.
func (f Filter) contextSet() map[string]bool {
	if len(f.Contexts) == 0 {
		return nil
	}
	set := map[string]bool{}
	for _, c := range f.Contexts {
		set[c] = true
	}
	return set
}
